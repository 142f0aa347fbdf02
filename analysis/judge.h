/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one way into the analysis: hosts go in one at a time as frames (each may be freed at once,
 * memory does not grow with the number of samples of a host), the whole answer comes out. Pure: no
 * files, clock, locale or log; the same input and seed give the same bytes, in whatever order
 * hosts, facts or rows come. May use threads inside.
 */
#pragma once
#include "analysis/answer.h"
#include "base/err.h"
#include "model/host.h"
#include "model/sample.h"

struct judge_host {
    const char *name;             /* host, or host@epoch */
    const struct fact_set *facts; /* borrowed until judge_finish */
    const char *machine;          /* equal non-NULL: one machine, rounds joined, counts once */
    bool measured;                /* false: facts only (a host that could be run on next) */
};
struct judge_options {
    const char *experiment;
    int64_t run;
    uint64_t seed;
    double alpha;      /* 0.05 */
    double min_effect; /* a fraction, 0.01; theta = ln(1 + min_effect) */
    const char *metric, *unit;
    bool higher_is_better;
    const char *const *variant; /* n_variants names; [base] is the base */
    const char *const *digest;  /* their artefacts' digests, NULL or "" when none */
    size_t n_variants, base;
    size_t control; /* index of the control variant, or SIZE_MAX */
    const char *const
        *factor; /* crossed factors: names of frame columns (text, or numbers taken as levels) */
    size_t n_factors;
    const char *const *part_of_variant; /* columns that may differ between the arms */
    size_t n_part_of_variant;
    const char *const *suspect; /* facts the user suspects, tested first as their own family */
    size_t n_suspects;
    bool design_unknown;         /* data without round and position: every host unpaired */
    bool aa;                     /* the arms are declared to be the same */
    uint32_t look_min, look_max; /* adaptive stop was used with this plan (sequential p, repeated
                                    intervals); 0: fixed */
    unsigned draws;              /* permutations and sign flips; 0: 999 */
    unsigned threads;            /* 0: as many as there are CPUs */
};

struct judge;
void judge_free(struct judge *judge);
MEM_CLEANUP(judge)
/* options and hosts are copied except the fact sets. */
MUST_CHECK int judge_new(const struct judge_options *options, const struct judge_host *hosts,
                         size_t n_hosts, struct judge **ret, struct err *err);
/* Reduces one host's samples; call at most once a host, in any order. Rows with an outcome other
 * than OK, warm-ups and profiled rows are left out (and counted). */
MUST_CHECK int judge_add(struct judge *judge, size_t host, const struct frame *frame,
                         struct err *err);
/* Computes everything; judge is spent afterwards. */
MUST_CHECK int judge_finish(struct judge *judge, struct answer **ret, struct err *err);
