/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster history`: where a series of results over time changed.
 */
#include "cli/view.h"
#include "coordinator/offline/offline.h"

struct history {
    struct view view;
    const char *from;
    double min_effect, alpha;
    int64_t seed;
};
#define AT(field) offsetof(struct history, field)
/* clang-format off */
static const struct opt options[] = {
    {0, "from",       "CSV",      "the history: time (or index), tested and reference (or ratio), host if several", OPT_TEXT,     AT(from),       NULL},
    {0, "min-effect", "PERCENT",  "the smallest shift that matters (default: 1%)",                                  OPT_FRACTION, AT(min_effect), NULL},
    {0, "alpha",      "FRACTION", "rate of false alarms accepted (default: 0.01)",                                  OPT_FRACTION, AT(alpha),      NULL},
    {0, "seed",       "NUMBER",   "seed of the random draws (default: 1)",                                          OPT_COUNT,    AT(seed),       NULL},
    VIEW_OPTS(struct history),
};
/* clang-format on */
static const struct opt_spec spec = {
    .usage = "muster history [OPTION]… --from CSV",
    .about = "Say where a history of results changed.\n\n"
             "Each point is the logarithm of tested over reference, measured side by side, so that "
             "what moves both is no change.",
    .v = options,
    .n = sizeof(options) / sizeof(options[0]),
};

static int show(const struct history *o)
{
    const struct offline_history_options asked = {.from = o->from,
                                                  .min_effect = o->min_effect,
                                                  .alpha = o->alpha,
                                                  .seed = (uint64_t)o->seed,
                                                  .json = o->view.json};
    const struct report_style style = view_style(&o->view);
    struct err err = {0};

    if (!o->from)
        (void)err_set(&err, ERR_USAGE, "--from is missing; usage: %s", spec.usage);
    else if (!(o->min_effect > 0.0 && o->min_effect <= 1.0 && o->alpha > 0.0 && o->alpha < 1.0))
        (void)err_set(&err, ERR_USAGE, "--min-effect and --alpha: above 0, at most 100%%");
    else if (offline_history(&asked, &style, stdout, &err) == 0)
        return 0;
    return cli_fail(&err);
}

static int history(int argc, char **argv)
{
    struct history o = {.min_effect = 0.01, .alpha = 0.01, .seed = 1};
    CLEAN_DONE(strlist) struct strlist rest = {0};
    int code = view_parse(&spec, &o, argc, argv, &rest);

    if (code == VIEW_GO_ON)
        code = view_no_more(&spec, &rest, 0);
    return code == VIEW_GO_ON ? show(&o) : code;
}

static const struct opt_spec *const specs[] = {&spec, NULL};
const struct verb_ops verb_history = {.name = "history",
                                      .help = "find where a history of results changed",
                                      .spec = specs,
                                      .run = history};
