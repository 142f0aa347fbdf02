/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster rerun`: continues a run on the hosts that did not get done.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/go.h"
#include "cli/view.h"

struct rerun {
    struct view view;
    bool detach, gate;
};
/* clang-format off */
static const struct opt options[] = {
    {0, "detach", NULL, "do not follow it",                                                                   OPT_FLAG, offsetof(struct rerun, detach), NULL},
    {0, "gate",   NULL, "exit with 3 when it regressed, 5 when hosts are missing, 4 when it is inconclusive", OPT_FLAG, offsetof(struct rerun, gate),   NULL},
    VIEW_OPTS(struct rerun),
};
/* clang-format on */
static const struct opt_spec spec = {
    .usage = "muster rerun [OPTION]… RUN",
    .about = "Continue a run that ended partial or cancelled: hosts that failed, were lost or "
             "never started get another chance, "
             "where they were, with the same seed. What is stored stays.",
    .v = options,
    .n = sizeof(options) / sizeof(options[0]),
};

static int go_on(struct go *go, const char *run, const struct rerun *o, int *ret_exit,
                 struct err *err)
{
    CLEAN_DONE(strmap) struct strmap words = {0};
    CLEAN_DONE(str) struct str reference = {0};
    struct wire_request request = {.kind = WIRE_REQUEST_RERUN};
    const struct link_sink sink = {.text = &reference};

    strmap_set(&words, "run", run);
    request.arg = words;
    if (link_ask(go->link, &request, &sink, ret_exit, err) < 0)
        return -1;
    if (*ret_exit != 0)
        return 0;
    reference.text[strcspn(reference.text, "\n")] = '\0';
    if (o->detach) {
        (void)puts(reference.text);
        return 0;
    }
    return go_to_the_end(go, reference.text, &o->view, o->gate, ret_exit, err);
}

static int rerun(int argc, char **argv)
{
    struct rerun o = {.detach = false};
    CLEAN_DONE(strlist) struct strlist rest = {0};
    struct go go = {.link = NULL};
    struct err err = {0};
    int code = view_parse(&spec, &o, argc, argv, &rest), result;

    if (code == VIEW_GO_ON)
        code = view_no_more(&spec, &rest, 1);
    if (code != VIEW_GO_ON)
        return code;
    if (rest.n == 0) {
        (void)err_set(&err, ERR_USAGE, "which run? usage: %s", spec.usage);
        return cli_fail(&err);
    }
    result = go_open(&go, &err);
    if (result == 0 && o.detach && go.embed)
        result = err_set(&err, ERR_USAGE,
                         "--detach needs a coordinator of its own (MUSTER_COORDINATOR)");
    if (result == 0)
        result = go_on(&go, rest.v[0], &o, &code, &err);
    go_done(&go);
    return result < 0 ? cli_fail(&err) : code;
}

static const struct opt_spec *const specs[] = {&spec, NULL};
const struct verb_ops verb_rerun = {
    .name = "rerun", .help = "continue a run", .spec = specs, .run = rerun};
