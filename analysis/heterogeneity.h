/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Does the effect differ between hosts? Welch's F with variances as they were measured, its null by
 * sign flips, because Cochran's Q against chi2 rejects a common effect far too often when variances
 * are estimated.
 */
#pragma once
#include "analysis/flips.h"
#include "model/effect.h"

/* F = [sum w (y - m)^2/(k-1)] / [1 + 2(k-2)/(k^2-1) sum (1 - w/W)^2/df], w = 1/v unshrunk (Welch
 * 1951). NaN for k < 2. */
double heterogeneity_welch_f(const double *y, const double *v, const double *df, size_t k);
/* *ret_f: F of the hosts' trimmed means; *ret_p = (1 + #{F* >= F})/(1 + draws), every d centred by
 * the pooled mean with unshrunk variances. y, v, df: the hosts' trimmed pair, unshrunk. NaN for k
 * < 2. threads 0: one. */
void heterogeneity_test(const struct flip_host *hosts, const double *y, const double *v,
                        const double *df, size_t k, uint64_t seed, unsigned draws, unsigned threads,
                        double *ret_f, double *ret_p);
/* As heterogeneity_test, every d_hr centred by its own host's fitted value. */
double heterogeneity_residual_p(const struct flip_host *hosts, const double *fitted,
                                const double *y, const double *v, const double *df, size_t k,
                                uint64_t seed, unsigned draws, unsigned threads);
/* p <= alpha: heterogeneous; else none seen when the upper limit of tau is at most theta; else (or
 * unknown) cannot tell. */
enum heterogeneity heterogeneity_word(double p, double alpha, double tau_hi, double theta);
