/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster cancel`: stops a run; what was measured is kept.
 */
#include "cli/cli.h"
#include "cli/remote.h"
#include "cli/view.h"

static const struct opt_spec spec = {
    .usage = "muster cancel RUN",
    .about = "Stop a run on all its hosts. What was measured is kept; `muster rerun` continues it.",
};

static int cancel(int argc, char **argv)
{
    CLEAN_DONE(strlist) struct strlist rest = {0};
    struct err err = {0};
    char nothing;
    int code = view_parse(&spec, &nothing, argc, argv, &rest);

    if (code == VIEW_GO_ON)
        code = view_no_more(&spec, &rest, 1);
    if (code != VIEW_GO_ON)
        return code;
    if (rest.n == 0) {
        (void)err_set(&err, ERR_USAGE, "which run? usage: %s", spec.usage);
        return cli_fail(&err);
    }
    return remote_ask_run(WIRE_REQUEST_CANCEL, rest.v[0]);
}

static const struct opt_spec *const specs[] = {&spec, NULL};
const struct verb_ops verb_cancel = {
    .name = "cancel", .help = "stop a run", .spec = specs, .run = cancel};
