/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two modes of a host's runs, fast and slow: found by a mixture of two normals on the log scale;
 * then how often each variant is slow (occupancy) and what differs among the fast runs (shift), as
 * two separate findings.
 */
#pragma once
#include "analysis/answer.h"
#include "analysis/rounds.h"

#define MODES_LEAST 10 /* runs needed to look for two modes */

struct mixture {
    bool two;         /* BIC gain > 10, Ashman's D > 2, both weights >= 5 % */
    double threshold; /* least density between the means, on the scale of v */
    double mean[2], sd[2], weight[2];
};
/* Two-component normal mixture of v (n values, any order): exact two-means start, 100 EM steps, sd
 * floor max(1e-4, 5 % of the sd). */
void modes_fit(const double *v, size_t n, struct mixture *ret);
/* Modes of a host. found needs the rule to hold for all runs together and for one variant's alone.
 */
void modes_host(const struct host_rounds *rounds, double alpha, bool higher_is_better,
                struct modes_finding *ret);
/* Exact two-sided binomial p of k of n at a share: the probability of all that is no likelier. 1
 * for n = 0. With share 1/2 it is McNemar's exact test. */
double modes_binomial_p(unsigned k, unsigned n, double share);
