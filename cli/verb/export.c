/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster export`: a run's data in formats other programs read.
 */
#include "cli/view.h"

struct export
{
    struct view view;
    const char *format, *what;
};
static const struct opt OPTIONS[] = {
    {.letter = 'f',
     .name = "format",
     .arg = "NAME",
     .help = "csv (default), json or gobench",
     .kind = OPT_TEXT,
     .offset = offsetof(struct export,        format)},
    {.name = "what",
     .arg = "PART",
     .help = "samples (default) or hosts, of the formats that keep them apart",
     .kind = OPT_TEXT,
     .offset = offsetof(struct export, what),
     .choices = "samples|hosts"                      },
    VIEW_OPTS(struct export),
};
static const struct opt_spec SPEC = {
    .usage = "muster export [OPTION]… RUN",
    .about = "Write the data of a run to standard output. What csv writes, muster import "
             "reads.\n\nRUN is the name of an "
             "experiment (its latest run), NAME@3 (its third) or #17 (a run's id).",
    .v = OPTIONS,
    .n = sizeof OPTIONS / sizeof *OPTIONS,
};

static int export_run(int argc, char **argv)
{
    struct export o = {0};
    struct strlist rest CLEAN_DONE(strlist) = {0};
    struct strmap arg CLEAN_DONE(strmap) = {0};
    int code = view_parse(&SPEC, &o, argc, argv, &rest);
    if (code == VIEW_GO_ON) {
        code = view_no_more(&SPEC, &rest, 1);
    }
    if (code != VIEW_GO_ON) {
        return code;
    }
    if (!view_word(&SPEC, &rest, 0, "run", &arg)) {
        return EXIT_USAGE;
    }
    view_set(&arg, "format", o.format);
    view_set(&arg, "what", o.what);
    return view_ask(WIRE_REQUEST_EXPORT, &arg, &o.view);
}

static const struct opt_spec *const SPECS[] = {&SPEC, NULL};
const struct verb_ops verb_export = {.name = "export",
                                     .help = "write a run's data for other programs",
                                     .spec = SPECS,
                                     .run = export_run};
