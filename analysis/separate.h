/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to run next: the host, switch or experiment that would tell the surviving explanations
 * apart, or move hosts out of "inconclusive", largest expected gain first.
 */
#pragma once
#include "analysis/answer.h"
#include "model/host.h"

struct separate_host {
    const char *name;
    const struct fact_set *facts;     /* never NULL */
    bool measured;                    /* has samples in this comparison */
    const struct host_answer *answer; /* of a measured host, else NULL */
    double trimmed_variance;          /* se^2 of the trimmed mean; NaN when not measured */
};
struct separate_input {
    const struct separate_host *host;
    size_t n_hosts;
    const struct facts_answer *facts;
    const struct fleet_answer *fleet;
    const struct load_finding *load; /* fleet level; may be NULL */
    bool load_known;                 /* the samples carry the load of other programs */
    double load_spread;              /* largest per-host sd of the load; NaN unknown */
    double alpha, theta;
    uint64_t rounds; /* rounds a host would get: the typical number in this run */
};
/* *ret: a list (NULL when empty) of at most 8 steps, best first; owned by the caller (freed as part
 * of the answer). */
void separate_next(const struct separate_input *in, struct next_step **ret, size_t *ret_n);
