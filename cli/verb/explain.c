/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster explain`: the answer of a run, for people or for programs.
 */
#include "cli/view.h"

struct explain {
    struct view view;
    bool gate;
    const char *alpha, *min_effect, *metric, *seed, *hosts, *draws;
    struct strlist suspect;
};
static const struct opt OPTIONS[] = {
    {.name = "gate",
     .help = "exit with 3 when it regressed, 5 when hosts are missing, 4 when it is inconclusive",
     .kind = OPT_FLAG,
     .offset = offsetof(struct explain, gate)      },
    { .name = "metric",
     .arg = "NAME",
     .help = "judge this metric instead of the experiment's",
     .kind = OPT_TEXT,
     .offset = offsetof(struct explain,     metric)},
    { .name = "min-effect",
     .arg = "PERCENT",
     .help = "the smallest change that matters (default: the experiment's, else 1%)",
     .kind = OPT_TEXT,
     .offset = offsetof(struct explain, min_effect)},
    { .name = "alpha",
     .arg = "FRACTION",
     .help = "rate of false alarms accepted (default: the experiment's, else 0.05)",
     .kind = OPT_TEXT,
     .offset = offsetof(struct explain,      alpha)},
    { .name = "suspect",
     .arg = "FACT",
     .help = "test this fact first, in a smaller family of its own; may be repeated",
     .kind = OPT_LIST,
     .offset = offsetof(struct explain,    suspect)},
    { .name = "hosts",
     .arg = "EXPR",
     .help = "only hosts for which this holds, as in an experiment file",
     .kind = OPT_TEXT,
     .offset = offsetof(struct explain,      hosts)},
    { .name = "seed",
     .arg = "NUMBER",
     .help = "seed of the random draws (default: the run's)",
     .kind = OPT_TEXT,
     .offset = offsetof(struct explain,       seed)},
    { .name = "draws",
     .arg = "NUMBER",
     .help = "permutations and sign flips behind a p-value (default: 999)",
     .kind = OPT_TEXT,
     .offset = offsetof(struct explain,      draws)},
    VIEW_OPTS(struct explain),
};
static const struct opt_spec SPEC = {
    .usage = "muster explain [OPTION]… RUN",
    .about = "Say what a run shows: the verdict per host and for the fleet, what the effect goes "
             "with, and what to run "
             "next.\n\nRUN is the name of an experiment (its latest run), NAME@3 (its third) or "
             "#17 (a run's id).",
    .v = OPTIONS,
    .n = sizeof OPTIONS / sizeof *OPTIONS,
};

static int explain(int argc, char **argv)
{
    struct explain o = {0};
    struct strlist rest CLEAN_DONE(strlist) = {0};
    struct strmap arg CLEAN_DONE(strmap) = {0};
    int code = view_parse(&SPEC, &o, argc, argv, &rest);
    if (code == VIEW_GO_ON) {
        code = view_no_more(&SPEC, &rest, 1);
    }
    if (code == VIEW_GO_ON && !view_word(&SPEC, &rest, 0, "run", &arg)) {
        code = EXIT_USAGE;
    }
    if (code == VIEW_GO_ON) {
        view_set_flag(&arg, "gate", o.gate);
        view_set(&arg, "metric", o.metric);
        view_set(&arg, "min_effect", o.min_effect);
        view_set(&arg, "alpha", o.alpha);
        view_set(&arg, "hosts", o.hosts);
        view_set(&arg, "seed", o.seed);
        view_set(&arg, "draws", o.draws);
        view_set_list(&arg, "suspect", &o.suspect);
        code = view_ask(WIRE_REQUEST_EXPLAIN, &arg, &o.view);
    }
    strlist_done(&o.suspect);
    return code;
}

static const struct opt_spec *const SPECS[] = {&SPEC, NULL};
const struct verb_ops verb_explain = {
    .name = "explain", .help = "say what a run shows", .spec = SPECS, .run = explain};
