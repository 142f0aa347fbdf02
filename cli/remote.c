/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The configured coordinator, for verbs that make no sense without one.
 */
#include "cli/remote.h"

#include <stdio.h>

#include "cli/target.h"

int remote_open(struct link **ret, struct err *err)
{
    struct cli_target target = {.coordinator = NULL};
    int result;

    if (cli_target_load(&target, err) < 0)
        return -1;
    result = target.coordinator ? link_open(&target, ret, err)
                                : err_set(err, ERR_USAGE,
                                          "no coordinator is configured (MUSTER_COORDINATOR, "
                                          "--coordinator): a run without one "
                                          "lives and ends with its `muster run`");
    cli_target_done(&target);
    return result;
}

int remote_ask_run(enum wire_request_kind kind, const char *run)
{
    CLEAN(link) struct link *link = NULL;
    CLEAN_DONE(strmap) struct strmap words = {0};
    struct wire_request request = {.kind = kind};
    const struct link_sink sink = {.out = stdout};
    struct err err = {0};
    int code = EXIT_FAILED;

    strmap_set(&words, "run", run);
    request.arg = words;
    if (remote_open(&link, &err) < 0 || link_ask(link, &request, &sink, &code, &err) < 0)
        return cli_fail(&err);
    return code;
}
