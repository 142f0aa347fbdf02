/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The common way of `run` and `rerun`.
 */
#include "cli/go.h"

#include <jansson.h>
#include <stdio.h>

#include "base/clk.h"
#include "cli/target.h"

#define HOST_NS (30 * CLK_NS_PER_S) /* an agent of this machine reads its facts and connects */

static bool stop_waiting(void *arg)
{
    *(bool *)arg = true;
    return false;
}

/* Asks until one host is connected; each question waits for its answer. */
static int wait_for_host(struct go *go, struct err *err)
{
    int64_t give_up_ns = clk_mono_ns() + HOST_NS;
    const struct wire_request request = {.kind = WIRE_REQUEST_PING};

    while (clk_mono_ns() < give_up_ns) {
        CLEAN_DONE(str) struct str text = {0};
        bool interrupted = false;
        const struct link_sink sink = {
            .text = &text, .on_signal = stop_waiting, .arg = &interrupted};
        json_t *root;
        json_int_t connected;
        int code;

        if (embed_check(go->embed, err) < 0 || link_ask(go->link, &request, &sink, &code, err) < 0)
            return -1;
        if (interrupted)
            return err_set(err, ERR_CANCELLED, "interrupted");
        root = json_loads(str_get(&text), 0, NULL);
        connected = json_integer_value(json_object_get(root, "hosts_connected"));
        json_decref(root);
        if (connected > 0)
            return 0;
        link_pause(go->link);
    }
    return err_set(err, ERR_TIMEOUT, "the agent of this machine does not connect");
}

int go_open(struct go *ret, struct err *err)
{
    struct cli_target target = {.coordinator = NULL};
    struct go go = {.link = NULL};
    int result = cli_target_load(&target, err);

    if (result == 0 && !target.coordinator) {
        struct cli_target embedded = {.coordinator = NULL};

        result = embed_start(target.data_dir, &embedded, &go.embed, err);
        cli_target_done(&target);
        target = embedded;
    }
    if (result == 0)
        result = link_open(&target, &go.link, err);
    if (result == 0)
        result = link_take_signals(go.link, err);
    if (result == 0 && go.embed)
        result = wait_for_host(&go, err);
    cli_target_done(&target);
    if (result < 0) {
        go_done(&go);
        return -1;
    }
    *ret = go;
    return 0;
}

void go_done(struct go *go)
{
    link_free(go->link);
    embed_free(go->embed);
    *go = (struct go){.link = NULL};
}

static int report(struct go *go, const char *reference, const struct view *view, bool gate,
                  int *ret_exit, struct err *err)
{
    CLEAN_DONE(strmap) struct strmap arg = {0};
    struct wire_request request = {.kind = WIRE_REQUEST_EXPLAIN};
    const struct link_sink sink = {.out = stdout};

    strmap_set(&arg, "run", reference);
    cli_add_terminal(&arg);
    view_set_flag(&arg, "gate", gate);
    view_set_flag(&arg, "json", view->json);
    view_set_flag(&arg, "quiet", view->quiet);
    view_set_flag(&arg, "ascii", view->ascii);
    if (view->width > 0) {
        CLEAN_MEM char *width = mem_printf("%lld", (long long)view->width);

        strmap_set(&arg, "width", width);
    }
    request.arg = arg;
    return link_ask(go->link, &request, &sink, ret_exit, err);
}

int go_to_the_end(struct go *go, const char *reference, const struct view *view, bool gate,
                  int *ret_exit, struct err *err)
{
    struct follow_end end = {.exit_code = 0};

    if (follow_run(go->link, reference, view->quiet, true, &end, err) < 0)
        return -1;
    if (end.interrupted && !end.cancelled) { /* asked twice: the coordinator goes on alone */
        *ret_exit = EXIT_INTERRUPTED;
        return 0;
    }
    if (report(go, reference, view, gate, ret_exit, err) < 0)
        return -1;
    if (end.interrupted)
        *ret_exit = EXIT_INTERRUPTED;
    return 0;
}
