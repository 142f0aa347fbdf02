/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which facts go with the effect: scores of every level, cut and trend, the claim with its two
 * p-values, the classes of facts that cannot be told apart, survivors, and pairs of facts when one
 * does not suffice. Says "goes with", never why.
 */
#pragma once
#include "analysis/answer.h"
#include "model/host.h"

struct explain_host { /* one host with samples */
    const char *name;
    const struct fact_set *facts;
    const double *d; /* round effects; may be NULL when not pooled */
    size_t n;
    bool pooled;     /* entered the pool: >= 5 rounds, randomised or alternating */
    double y, v, df; /* trimmed mean, squared standard error (not moderated), degrees of freedom */
    enum verdict verdict;
};
struct explain_options {
    double alpha, theta;
    bool higher_is_better; /* for the percents of groups and statements */
    bool by_difference;    /* effects are differences over the base's mean, not logs */
    uint64_t seed;
    unsigned draws, threads; /* 0: 999, 1 */
    const char *const *suspect;
    size_t n_suspects;
    bool heterogeneous; /* section 6's answer for these hosts; pairs need it to remain after the
                           best split */
};
/* Fills *ret (zeroed by the caller; freed as part of the answer). Any order of hosts and facts
 * gives the same bytes. */
void explain_facts(const struct explain_host *hosts, size_t n,
                   const struct explain_options *options, struct facts_answer *ret);
