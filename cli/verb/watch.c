/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster watch`: follows a run to its end; leaving does not touch it.
 */
#include "cli/cli.h"
#include "cli/follow.h"
#include "cli/remote.h"
#include "cli/view.h"

static const struct opt_spec spec = {
    .usage = "muster watch RUN",
    .about = "Follow a run until it ends: blocks done, samples a second, hosts by state.\n\n^C "
             "stops following; the run goes on "
             "(`muster cancel` stops it).",
};

static int watch(int argc, char **argv)
{
    CLEAN_DONE(strlist) struct strlist rest = {0};
    CLEAN(link) struct link *link = NULL;
    struct follow_end end = {.exit_code = EXIT_FAILED};
    struct err err = {0};
    char nothing;
    int code = view_parse(&spec, &nothing, argc, argv, &rest), result;

    if (code == VIEW_GO_ON)
        code = view_no_more(&spec, &rest, 1);
    if (code != VIEW_GO_ON)
        return code;
    if (rest.n == 0) {
        (void)err_set(&err, ERR_USAGE, "which run? usage: %s", spec.usage);
        return cli_fail(&err);
    }
    result = remote_open(&link, &err);
    if (result == 0)
        result = link_take_signals(link, &err);
    if (result == 0)
        result = follow_run(link, rest.v[0], false, false, &end, &err);
    return result < 0 ? cli_fail(&err) : end.exit_code;
}

static const struct opt_spec *const specs[] = {&spec, NULL};
const struct verb_ops verb_watch = {
    .name = "watch", .help = "follow a run", .spec = specs, .run = watch};
