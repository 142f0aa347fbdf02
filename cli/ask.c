/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A question of a verb: put to the configured coordinator, else answered from the local store. The
 * same code answers either way (coordinator/report/query.h).
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/link.h"
#include "cli/target.h"
#include "coordinator/coord.h"
#include "coordinator/report/query.h"

int cli_fail(const struct err *err)
{
    CLEAN_MEM char *shown = str_visible(err->text, sizeof(err->text));

    (void)fflush(stdout);
    (void)fprintf(stderr, "muster: %s\n", shown);
    return coord_exit_code(err);
}

static int ask_remote(const struct cli_target *target, const struct wire_request *request,
                      void (*on_progress)(void *arg, const char *json), void *arg, int *ret_exit,
                      struct err *err)
{
    CLEAN(link) struct link *link = NULL;
    const struct link_sink sink = {.out = stdout, .on_progress = on_progress, .arg = arg};

    if (link_open(target, &link, err) < 0)
        return -1;
    return link_ask(link, request, &sink, ret_exit, err);
}

static int ask_local(const struct cli_target *target, const struct wire_request *request,
                     int *ret_exit, struct err *err)
{
    CLEAN_MEM char *path = coord_db_path(target->data_dir);
    CLEAN(store) struct store *store = NULL;

    if (access(path, F_OK) < 0)
        return err_set(err, ERR_NOT_FOUND,
                       "nothing is stored in %s yet, and no coordinator is configured",
                       target->data_dir);
    if (store_open(path, STORE_READ, &store, err) < 0)
        return -1;
    return query_serve(store, request->kind, &request->arg, stdout, ret_exit, err);
}

int cli_ask(const struct wire_request *request, void (*on_progress)(void *arg, const char *json),
            void *arg)
{
    struct cli_target target = {.coordinator = NULL};
    struct err err = {0};
    int code = EXIT_FAILED, result = cli_target_load(&target, &err);

    if (result == 0)
        result = target.coordinator ? ask_remote(&target, request, on_progress, arg, &code, &err)
                                    : ask_local(&target, request, &code, &err);
    cli_target_done(&target);
    if (result < 0)
        return cli_fail(&err);
    if (fflush(stdout) != 0) {
        (void)err_sys(&err, "standard output");
        return cli_fail(&err);
    }
    return code;
}
