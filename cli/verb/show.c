/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster show`: the samples of a run, as tables, plot or CSV.
 */
#include "cli/view.h"

struct show {
    struct view view;
    const char *as, *by, *metric, *host;
};
static const struct opt OPTIONS[] = {
    {.name = "as",
     .arg = "FORM",
     .help = "table (a row a sample), compare (base, change, candidate), percent (of the base), "
             "plot (over time), load (effect against it), csv", .kind = OPT_TEXT,
     .offset = offsetof(struct show, as),
     .choices = "table|compare|percent|plot|load|csv"},
    {.name = "by",
     .arg = "WHAT",
     .help = "group by host, variant or factor",
     .kind = OPT_TEXT,
     .offset = offsetof(struct show,               by),
     .choices = "host|variant|factor"},
    {.name = "metric",
     .arg = "NAME",
     .help = "only this metric",
     .kind = OPT_TEXT,
     .offset = offsetof(struct show,     metric)                   },
    {.name = "host",
     .arg = "NAME",
     .help = "only this host",
     .kind = OPT_TEXT,
     .offset = offsetof(struct show,       host)                   },
    VIEW_OPTS(struct show),
};
static const struct opt_spec SPEC = {
    .usage = "muster show [OPTION]… RUN",
    .about =
        "Show the samples of a run. The tables give plain means; what they are worth is said by "
        "muster explain.\n\nRUN "
        "is the name of an experiment (its latest run), NAME@3 (its third) or #17 (a run's id).",
    .v = OPTIONS,
    .n = sizeof OPTIONS / sizeof *OPTIONS,
};

static int show(int argc, char **argv)
{
    struct show o = {0};
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
    view_set(&arg, "as", o.as);
    view_set(&arg, "by", o.by);
    view_set(&arg, "metric", o.metric);
    view_set(&arg, "host", o.host);
    return view_ask(WIRE_REQUEST_SHOW, &arg, &o.view);
}

static const struct opt_spec *const SPECS[] = {&SPEC, NULL};
const struct verb_ops verb_show = {
    .name = "show", .help = "show the samples of a run", .spec = SPECS, .run = show};
