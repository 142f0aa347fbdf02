/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster profile`: what two profiles differ in, symbol by symbol.
 */
#include "cli/view.h"
#include "coordinator/offline/offline.h"

struct profile {
    struct view view;
    struct strlist from, to;
    const char *diff;
    double exposure_from, exposure_to;
    int64_t top;
};
#define AT(field) offsetof(struct profile, field)
/* clang-format off */
static const struct opt options[] = {
    {0, "from",          "FILE",   "profile before; may be repeated",                                      OPT_LIST,   AT(from),          NULL},
    {0, "to",            "FILE",   "profile after; may be repeated",                                       OPT_LIST,   AT(to),            NULL},
    {0, "diff",          "FILE",   "instead of both: CSV with the columns symbol,delta_ticks,pct",         OPT_TEXT,   AT(diff),          NULL},
    {0, "exposure-from", "NUMBER", "what a profile before stands for: seconds, requests, … (default: 1)",  OPT_NUMBER, AT(exposure_from), NULL},
    {0, "exposure-to",   "NUMBER", "the same of a profile after (default: 1)",                             OPT_NUMBER, AT(exposure_to),   NULL},
    {0, "top",           "NUMBER", "print this many symbols (default: 30; 0: all)",                        OPT_COUNT,  AT(top),           NULL},
    VIEW_OPTS(struct profile),
};
/* clang-format on */
static const struct opt_spec spec = {
    .usage = "muster profile [OPTION]… --from FILE --to FILE",
    .about = "Say which symbols changed between profiles, and by how much more than chance.\n\n"
             "Files hold lines of ticks and symbol, either first, or what perf report --stdio "
             "prints.",
    .v = options,
    .n = sizeof(options) / sizeof(options[0]),
};

static int show(const struct profile *o)
{
    struct offline_profile_options asked = {.from = o->from,
                                            .to = o->to,
                                            .diff = o->diff,
                                            .exposure_from = o->exposure_from,
                                            .exposure_to = o->exposure_to,
                                            .top = (uint64_t)o->top,
                                            .json = o->view.json};
    const struct report_style style = view_style(&o->view);
    struct err err = {0};

    if (o->diff ? o->from.n + o->to.n > 0 : o->from.n == 0 || o->to.n == 0)
        (void)err_set(&err, ERR_USAGE, "--from and --to, or --diff alone; usage: %s", spec.usage);
    else if (offline_profile(&asked, &style, stdout, &err) == 0)
        return 0;
    return cli_fail(&err);
}

static int profile(int argc, char **argv)
{
    struct profile o = {.exposure_from = 1.0, .exposure_to = 1.0, .top = 30};
    CLEAN_DONE(strlist) struct strlist rest = {0};
    int code = view_parse(&spec, &o, argc, argv, &rest);

    if (code == VIEW_GO_ON)
        code = view_no_more(&spec, &rest, 0);
    if (code == VIEW_GO_ON)
        code = show(&o);
    strlist_done(&o.from);
    strlist_done(&o.to);
    return code;
}

static const struct opt_spec *const specs[] = {&spec, NULL};
const struct verb_ops verb_profile = {
    .name = "profile", .help = "compare profiles symbol by symbol", .spec = specs, .run = profile};
