/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See change.h. Long series are reduced to the medians of consecutive stretches first, so that the
 * cost of a host is bounded; splits are then tried between stretches.
 */
#include "analysis/change.h"

#include <float.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

#define POINTS 60 /* most points the test works on */
#define ENOUGH 30 /* draws at or above the observed value after which no more are made */

/* Medians of the first 1 … n values, by insertion into a sorted array. */
static void running_medians(const double *d, size_t n, double *sorted, double *ret)
{
    for (size_t i = 0; i < n; i++) {
        size_t lo = 0, hi = i;

        while (lo < hi) {
            const size_t middle = (lo + hi) / 2;

            if (sorted[middle] < d[i])
                lo = middle + 1;
            else
                hi = middle;
        }
        memmove(sorted + lo + 1, sorted + lo, (i - lo) * sizeof *sorted);
        sorted[lo] = d[i];
        ret[i] = i % 2 ? (sorted[i / 2] + sorted[i / 2 + 1]) / 2 : sorted[i / 2];
    }
}

struct work {
    double *sorted, *before, *after, *reversed, *off;
};

/* d about the medians of its two stretches, in absolute terms. */
static double spread(const double *d, size_t n, size_t split, double first, double second,
                     double *off)
{
    for (size_t i = 0; i < n; i++)
        off[i] = fabs(d[i] - (i < split ? first : second));
    return gsl_stats_median(off, 1, n);
}

/* Is that median below limit? Counting nearly always tells, and is far cheaper than selecting. */
static bool spread_below(const double *d, size_t n, size_t split, double first, double second,
                         double limit, double *off)
{
    size_t below = 0;

    for (size_t i = 0; i < split; i++)
        below += fabs(d[i] - first) < limit;
    for (size_t i = split; i < n; i++)
        below += fabs(d[i] - second) < limit;
    if (n % 2 == 0 && below == n / 2)
        return spread(d, n, split, first, second, off) < limit;
    return below > n / 2;
}

/* Largest value over the splits, if above `above`, else that; *ret_split (may be NULL): where. With
 * ret_split NULL the first value above it will do. */
static double statistic(const double *d, size_t n, size_t least, double above, struct work *w,
                        size_t *ret_split)
{
    double best = above;

    for (size_t i = 0; i < n; i++)
        w->reversed[i] = d[n - 1 - i];
    running_medians(d, n, w->sorted, w->before);
    running_medians(w->reversed, n, w->sorted, w->after);
    for (size_t s = least; s + least <= n && isfinite(best); s++) {
        const double first = w->before[s - 1], second = w->after[n - s - 1], a = (double)s,
                     b = (double)(n - s);
        const double weighted = fabs(first - second) * sqrt(a * b / (a + b)) / 1.4826;

        if (weighted == 0 ||
            !spread_below(d, n, s, first, second, fmax(weighted / best, DBL_MIN), w->off))
            continue;
        const double mad = spread(d, n, s, first, second, w->off);

        best = mad > 0 ? weighted / mad : INFINITY;
        if (!ret_split)
            break;
        *ret_split = s;
    }
    return best;
}

struct change_result change_test(const double *d, size_t n, uint64_t seed, unsigned draws)
{
    const size_t width = (n + POINTS - 1) / POINTS, points = width ? (n + width - 1) / width : 0;
    const size_t least = width ? (CHANGE_LEAST + width - 1) / width + (width > 1) : 0;
    struct change_result ret = {NAN, 0};
    unsigned above = 0;

    if (n < 2 * CHANGE_LEAST || points < 2 * least)
        return ret;
    double *v = mem_array(double, points * 6 + width + 1), *part = v + points * 6;
    size_t *order = mem_array(size_t, points);
    struct work work = {v + points, v + points * 2, v + points * 3, v + points * 4, v + points * 5};
    double *shuffled = mem_array(double, points);
    struct rng rng;

    for (size_t i = 0; i < points; i++) {
        const size_t from = i * width, count = from + width <= n ? width : n - from;

        memcpy(part, d + from, count * sizeof *part);
        v[i] = gsl_stats_median(part, 1, count);
        order[i] = i;
    }
    ret.split = least;
    const double observed = statistic(v, points, least, 0, &work, &ret.split);
    /* just below, so that the same value reached in another way counts */
    const double nearly = isinf(observed) ? DBL_MAX : observed * (1 - 1e-12);

    rng_seed(&rng, seed);
    for (unsigned k = 0; k < draws && observed > 0; k++) {
        rng_shuffle(&rng, order, points);
        for (size_t i = 0; i < points; i++)
            shuffled[i] = v[order[i]];
        above += statistic(shuffled, points, least, nearly, &work, NULL) > nearly;
        if (above >= ENOUGH) { /* as sure as a p of that size needs to be (Besag & Clifford 1991) */
            draws = k + 1;
            break;
        }
    }
    ret.p = observed > 0 ? (1.0 + above) / (1.0 + draws) : 1;
    ret.split *= width;
    mem_free(v);
    mem_free(order);
    mem_free(shuffled);
    return ret;
}
