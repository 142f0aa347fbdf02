/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Does the effect go with how the samples were taken (nuisance factors: where output went,
 * environment size, position, …)? And, with the same machinery, does it differ between the levels
 * of a crossed factor (factors.h)?
 */
#pragma once
#include "analysis/answer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct harness_labels { /* one factor on one host: exactly one of the two is not NULL, or both are
                           (host lacks it) */
    const char *const *text; /* per round, NULL: unknown */
    const double *number;    /* per round, NaN: unknown; made thirds by rank over all hosts */
};
struct harness_host {
    const char *name;
    const double *d; /* effects of the rounds */
    size_t n;
};
struct harness_factor {
    const char *name;
    const struct harness_labels *host; /* one entry a host, in the order of hosts */
};
struct harness_options {
    double alpha;
    bool higher_is_better;
    bool by_difference; /* effects are differences over the base's mean, not logs */
    uint64_t seed;
    unsigned draws, threads; /* 0: 999, 1 */
};
/* *ret: one answer a factor that has at least two levels with more than two rounds a side (NULL
 * when none), in order of name; p_adjusted by Holm over them. Labels are permuted inside each host.
 */
void harness_test(const struct harness_host *hosts, size_t n_hosts,
                  const struct harness_factor *factors, size_t n_factors,
                  const struct harness_options *options, struct factor_answer **ret, size_t *ret_n);
