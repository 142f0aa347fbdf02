/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the order of samples says: how a host's rounds were laid out, streaks, drift, effective
 * sample size, and the interval for data that were not interleaved.
 */
#pragma once
#include "analysis/answer.h"

#include <stddef.h>
#include <stdint.h>

/* Exact lower tail P(runs <= observed) of Wald & Wolfowitz (1940) for a two-valued sequence (0/1 in
 * `side`, n long); many runs (n > 400): normal approximation. 1 when one side is empty. */
double order_runs_p(const unsigned char *side, size_t n);
/* The same about the median of v; values equal to it dropped. */
double order_streak_p(const double *v, size_t n);
/* Effective sample size of a sequence (Geyer 1992, initial monotone positive pairs of biased
 * autocorrelations); n for a constant sequence. */
double order_effective_n(const double *v, size_t n);
/* Theil-Sen slope of y on its index (median of pairwise slopes; of 300 evenly spaced points when
 * there are more). */
double order_drift(const double *position, const double *y, size_t n);

struct order_blocked { /* mean of b minus mean of a, as if nothing but serial dependence were amiss
                        */
    double delta, se, df, p;
    struct range ci; /* at level */
};
/* var = sA^2/max(2, ESS_A) + sB^2/max(2, ESS_B), Satterthwaite df from ESS - 1. a and b in order of
 * time. */
struct order_blocked order_blocked_interval(const double *a, size_t n, const double *b, size_t m,
                                            double level);
