/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pooling of per-host effects: moderated variances, between-host variance (Paule-Mandel, REML,
 * Q-profile limits), mean with the Hartung-Knapp-Sidik-Jonkman interval, prediction interval, I2.
 * Hosts are never pooled before their own effect is taken; nothing here looks at rounds.
 */
#pragma once
#include "analysis/answer.h"

#include <stdbool.h>
#include <stddef.h>

#define POOL_LEAST_VARIANCE 1e-14

struct pool_result {
    size_t k;
    double mu, se, df; /* df = k - 1; se holds the max(1, q) guard */
    struct range ci;   /* at 1 - alpha */
    struct range ci90; /* at 1 - 2 alpha: the equivalence test's interval */
    double p;          /* two-sided, of mu = 0 */
    double tau2, tau2_reml;
    struct range tau_ci; /* of tau (not squared), Q-profile at 1 - alpha */
    struct range prediction;
    double q, i2;
};

/* Shrinks variances towards a common one (Smyth 2004): v' = (d0 v0 + df v)/(d0 + df), df' = df + d0
 * (INFINITY where the variances differ no more than their own error). With k < 3 values are copied.
 * v below POOL_LEAST_VARIANCE is raised to it. ret_v and ret_df hold k values and may be v and df
 * themselves. */
void pool_moderate(const double *v, const double *df, size_t k, double *ret_v, double *ret_df);
/* As pool_moderate for one set of df and many draws of v: prepare once, then apply. */
struct pool_prior {
    double d0, v0; /* d0 = 0: nothing to shrink towards */
};
struct pool_prior pool_prior_fit(const double *v, const double *df, size_t k);
/* Random-effects pool of y with (already moderated) variances v. k = 0: all NaN. k = 1: mu = y,
 * everything else NaN. Paule & Mandel 1982; Hartung & Knapp 2001; Sidik & Jonkman 2002; Rover,
 * Knapp & Friede 2015; Viechtbauer 2007; IntHout et al. 2016 (k >= 3). */
void pool_estimate(const double *y, const double *v, size_t k, double alpha,
                   struct pool_result *ret);
/* pool_moderate, then pool_estimate: what the fleet's numbers are. */
void pool_hosts(const double *y, const double *v, const double *df, size_t k, double alpha,
                struct pool_result *ret);
/* The Paule-Mandel root alone; 0 when Q <= k - 1. */
double pool_tau2(const double *y, const double *v, size_t k);
/* The verdict on a pooled mean (k >= 2): decided by p <= alpha, split by |mu| against theta; else
 * unchanged when ci90 lies strictly inside theta; else inconclusive. */
enum verdict pool_verdict(const struct pool_result *pool, double alpha, double theta);
