/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster ls`: the runs, newest first.
 */
#include "cli/view.h"

struct ls {
    struct view view;
    const char *limit;
};
static const struct opt OPTIONS[] = {
    {.letter = 'n',
     .name = "limit",
     .arg = "NUMBER",
     .help = "at most so many runs",
     .kind = OPT_TEXT,
     .offset = offsetof(struct ls, limit)},
    VIEW_OPTS(struct ls),
};
static const struct opt_spec SPEC = {
    .usage = "muster ls [OPTION]… [EXPERIMENT]",
    .about = "List runs with their state, samples and hosts, newest first; only those of "
             "EXPERIMENT when one is named.",
    .v = OPTIONS,
    .n = sizeof OPTIONS / sizeof *OPTIONS,
};

static int ls(int argc, char **argv)
{
    struct ls o = {0};
    struct strlist rest CLEAN_DONE(strlist) = {0};
    struct strmap arg CLEAN_DONE(strmap) = {0};
    int code = view_parse(&SPEC, &o, argc, argv, &rest);
    if (code == VIEW_GO_ON) {
        code = view_no_more(&SPEC, &rest, 1);
    }
    if (code != VIEW_GO_ON) {
        return code;
    }
    view_set(&arg, "experiment", rest.n > 0 ? rest.v[0] : NULL);
    view_set(&arg, "limit", o.limit);
    return view_ask(WIRE_REQUEST_RUNS, &arg, &o.view);
}

static const struct opt_spec *const SPECS[] = {&SPEC, NULL};
const struct verb_ops verb_ls = {.name = "ls", .help = "list runs", .spec = SPECS, .run = ls};
