/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The whole answer to "what does this run say", as plain structs: what `explain --json` (schema 1)
 * prints, field for field, and what the terminal report is made of. Filled by judge.c, owned by the
 * caller of judge_finish, read only afterwards. A number that does not apply is NaN and printed as
 * null. Effects are log ratios, > 0 is worse; deltas of `where` are seconds, candidate minus base,
 * unsigned by direction.
 */
#pragma once
#include "base/str.h"
#include "model/effect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range { /* a two-sided limit; NaN, NaN when there is none */
    double lo, hi;
};

struct where_part {
    double delta_s;
    struct range ci;
    double share; /* of the elapsed delta; NaN unless the elapsed interval excludes 0 */
};
struct where_time {
    bool known; /* elapsed, user and sys were all recorded */
    struct where_part elapsed, user, sys, wait;
    enum time_class class;
    bool shared_cpu_like; /* wait up, cpu unchanged, slow runs near n times the fast ones */
};
struct modes_finding {
    bool found;
    double threshold; /* in the metric's unit */
    double share[2];
    size_t streaks[2];
    double occupancy_p; /* slow runs, paired in rounds; NaN for blocked data */
    double episodes_p;  /* slow episodes over the time exposed; NaN but for blocked data */
    double fast_effect;
    struct range fast_ci;
    double dip, dip_p;
};
struct load_finding {
    bool known;
    double effect_at_zero;
    struct range ci;
    double per_cpu;
    struct range per_cpu_ci;
    struct range range; /* loads seen */
    double p;           /* of per_cpu; fleet level only */
};
struct control_finding {
    bool known;
    double effect;
    struct range ci;
    enum verdict verdict;
};
struct stretch_finding { /* when the effect itself comes and goes */
    bool found;
    uint32_t from_round; /* first round of the second stretch */
    double effect[2];
    struct range ci[2];
    double p;
};

struct host_answer {
    char *host; /* "name" or "name@epoch" */
    enum design design;
    enum verdict verdict;
    struct strlist reasons; /* plain words, why inconclusive (or capped) */
    double effect, pct;
    struct range ci;
    double ci_level, p, q;
    double mean_effect;
    struct range mean_ci;
    double trimmed_effect, trimmed_se, df;
    uint64_t rounds_used, rounds_dropped, samples[2];
    double n_effective[2], streak_p[2];
    double detectable, rounds_needed;
    struct where_time where;
    struct modes_finding modes;
    struct load_finding load;
    struct control_finding control;
    struct stretch_finding stretch;
    double base_centre, candidate_centre; /* medians of the metric in its own unit, for tables */
    double base_spread, candidate_spread; /* 1.4826 MAD; NaN when n = 1 */
    struct strlist notes;                 /* "streaky", "two-modes", "drift", … */
    struct strlist top_programs;          /* programs that used most CPU in slow samples */
};

struct fleet_answer {
    enum verdict verdict;
    double effect, pct, se;
    struct range ci, prediction;
    double tau, tau2, tau2_reml;
    struct range tau_ci;
    double i2, welch_f;
    enum heterogeneity heterogeneity;
    double heterogeneity_p;
    size_t hosts_used;
    struct strlist reproduces_on, absent_on, unsure_on;
};

struct class_member {
    char *fact, *level;         /* level: the level, "not X", ">12", "<=12", "trend" */
    char *and_fact, *and_level; /* of a pair; NULL otherwise */
};
struct class_group {
    char *side; /* the level, or "other" */
    struct strlist hosts;
    double effect, pct;
    struct range ci;
};
struct class_answer {
    int rank;
    enum class_kind kind;
    struct class_member *member;
    size_t n_members;
    struct class_group group[2]; /* [0] the side where the effect is larger; for a trend low and
                                    high half by the value */
    char *statement;
    double score, weight, explained; /* explained: R2 of tau2, a fraction */
    bool survives, scored;           /* scored false: pool too small, listed only */
    struct strlist placed;           /* hosts without the fact, put on the side they fit */
    struct strlist fragile; /* hosts by which alone this class is told apart from the best */
    double slope;           /* of a trend: log effect over the whole range */
};
struct filled_fact {
    char *host, *fact, *from;
};
struct facts_answer {
    bool claim;
    double p, p_permutation, p_flip, p_least;
    size_t candidates; /* K: classes counted */
    struct class_answer *class;
    size_t n_classes;
    struct strlist not_judged;
    struct filled_fact *filled;
    size_t n_filled;
    bool suspects_only; /* the claim came from the user's suspects, tested first as their own family
                         */
};

struct level_answer {
    char *level;
    double effect, pct;
    struct range ci;
    size_t rounds;
};
struct factor_answer { /* a harness (nuisance) factor, or a crossed factor */
    char *factor;
    double p, p_adjusted; /* Holm over factors */
    double share;         /* of the variance of the d_r; NaN when not computed */
    struct level_answer *level;
    size_t n_levels;
};

enum next_do {
    NEXT_RUN_ON,
    NEXT_ADD_HOST,
    NEXT_SWITCH,
    NEXT_MORE_BLOCKS,
    NEXT_INTERLEAVE,
    NEXT_MORE_BUILDS,
    NEXT_VARY_LOAD
};
const char *next_do_name(enum next_do what); /* "run-on", … */
struct next_step {
    enum next_do what;
    char *host;                    /* NULL when none */
    char *switch_fact, *switch_to; /* NULL when none */
    int64_t blocks;                /* -1: none */
    struct strmap wanted;          /* fact -> level or "not level" */
    struct strlist separates;
    double gain; /* bits */
    char *why;
};

struct comparison_answer {
    char *base, *candidate;
    struct strmap cell;                   /* factor -> level */
    char *base_digest, *candidate_digest; /* artefacts; NULL when none */
    enum answer_outcome outcome;
    char *sentence;
    struct host_answer *host;
    size_t n_hosts;
    struct fleet_answer fleet;
    struct facts_answer facts;
    struct load_finding load;
    struct factor_answer *harness;
    size_t n_harness;
    struct factor_answer
        *factor; /* does the effect differ between cells: on every cell's comparison alike */
    size_t n_factors;
    struct next_step *next;
    size_t n_next;
};

struct answer {
    char *experiment;
    int64_t run;
    uint64_t seed;
    double alpha, min_effect; /* min_effect on the log scale: theta */
    char *metric, *unit;
    bool higher_is_better;
    struct comparison_answer *comparison;
    size_t n_comparisons;
    struct strlist warnings;
};
void answer_free(struct answer *answer);
MEM_CLEANUP(answer)
