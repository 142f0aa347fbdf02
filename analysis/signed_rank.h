/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Wilcoxon's signed-rank test, the Hodges-Lehmann estimate and the interval of Walsh averages that
 * goes with it (Hodges & Lehmann 1963; Hollander, Wolfe & Chicken, ch. 3). The n(n+1)/2 Walsh
 * averages are selected from, never stored.
 */
#pragma once
#include "analysis/answer.h"

#include <stdbool.h>
#include <stddef.h>

#define SIGNED_RANK_EXACT 60 /* most non-zero differences for the exact null distribution */

/* Two-sided p of d (n of them, any order). Zeros dropped, mid-ranks, W = the smaller sum, rounded
 * towards the null; exact up to SIGNED_RANK_EXACT, else normal with continuity correction. 1 when
 * every d is zero or n = 0. */
double signed_rank_p(const double *d, size_t n);
/* Median of the Walsh averages; NaN for n = 0. sorted: ascending. */
double signed_rank_estimate(const double *sorted, size_t n);
/* Walsh averages number k and M+1-k in order, k the largest with P(W+ <= k-1) <= (1-level)/2;
 * *ret_level: the level attained. false (and NaN) when no such k exists: n < 6 at 95 %, n < 5 at 90
 * %. */
bool signed_rank_interval(const double *sorted, size_t n, double level, struct range *ret,
                          double *ret_level);
/* The j-th smallest (from 1) of all pairwise sums a_i + b_k of two ascending arrays; for the
 * unpaired Hodges-Lehmann estimate b holds the negated values in ascending order. */
double signed_rank_pair_sum(const double *a, size_t n, const double *b, size_t m, size_t j);
