/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The effect as a function of what other programs did: d = delta + beta (xB - xA) + gamma (xA +
 * xB)/2 on each host by a Huber M-estimate with HC3 errors, delta and gamma pooled over hosts. x is
 * the load of *other* programs in busy CPUs.
 */
#pragma once
#include "analysis/answer.h"

#include <stdbool.h>
#include <stddef.h>

struct load_fit {
    bool known; /* >= 8 rounds, sd of the mean load >= .05, condition number <= 1e4 */
    double delta, delta_se, gamma, gamma_se, beta, df;
    struct range range; /* loads seen */
    double sd;          /* of the round's mean load; NaN when no round has it */
};
/* d, xa, xb: n values a round; rounds with a NaN are left out. */
void load_fit_host(const double *d, const double *xa, const double *xb, size_t n,
                   struct load_fit *ret);
/* One host's fit as a finding: t intervals at 1 - alpha; known = fit->known. */
void load_host_finding(const struct load_fit *fit, double alpha, struct load_finding *ret);
/* Pools the known fits (two-stage, unshrunk); known when at least two hosts have one. */
void load_pool(const struct load_fit *fits, size_t k, double alpha, struct load_finding *ret);
