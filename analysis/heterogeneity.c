/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Welch's F and its null distribution by sign flips.
 */
#include "analysis/heterogeneity.h"

#include "analysis/pool.h"
#include "base/mem.h"

#include <math.h>

double heterogeneity_welch_f(const double *y, const double *v, const double *df, size_t k)
{
    double sum_w = 0.0, sum_wy = 0.0, between = 0.0, correction = 0.0, groups = (double)k;

    if (k < 2)
        return NAN;
    for (size_t i = 0; i < k; i++) {
        double w = 1.0 / fmax(v[i], POOL_LEAST_VARIANCE);

        sum_w += w;
        sum_wy += w * y[i];
    }
    for (size_t i = 0; i < k; i++) {
        double w = 1.0 / fmax(v[i], POOL_LEAST_VARIANCE);
        double off = y[i] - sum_wy / sum_w;

        between += w * off * off;
        correction += (1.0 - w / sum_w) * (1.0 - w / sum_w) / df[i];
    }
    correction *= 2.0 * (groups - 2.0) / (groups * groups - 1.0);
    return between / (groups - 1.0) / (1.0 + correction);
}

static double p_by_flips(const struct flip_host *hosts, const double *centre, const double *df,
                         size_t k, double observed, uint64_t seed, const char *what, unsigned draws,
                         unsigned threads)
{
    double *y = mem_array(double, draws *k), *v = mem_array(double, draws *k);
    size_t as_large = 0;

    flips_draw(hosts, k, centre, seed, what, draws, threads, y, v);
    for (size_t draw = 0; draw < draws; draw++)
        as_large += heterogeneity_welch_f(&y[draw * k], &v[draw * k], df, k) >= observed;
    mem_free(y);
    mem_free(v);
    return (1.0 + (double)as_large) / (1.0 + (double)draws);
}

void heterogeneity_test(const struct flip_host *hosts, const double *y, const double *v,
                        const double *df, size_t k, uint64_t seed, unsigned draws, unsigned threads,
                        double *ret_f, double *ret_p)
{
    *ret_f = heterogeneity_welch_f(y, v, df, k);
    *ret_p = NAN;
    if (k < 2)
        return;

    double *centre = mem_array(double, k), *floored = mem_array(double, k);
    struct pool_result pool;

    for (size_t i = 0; i < k; i++)
        floored[i] = fmax(v[i], POOL_LEAST_VARIANCE);
    pool_estimate(y, floored, k, 0.05, &pool);
    for (size_t i = 0; i < k; i++)
        centre[i] = pool.mu;
    *ret_p = p_by_flips(hosts, centre, df, k, *ret_f, seed, "heterogeneity", draws, threads);
    mem_free(centre);
    mem_free(floored);
}

double heterogeneity_residual_p(const struct flip_host *hosts, const double *fitted,
                                const double *y, const double *v, const double *df, size_t k,
                                uint64_t seed, unsigned draws, unsigned threads)
{
    if (k < 2)
        return NAN;

    double *residual = mem_array(double, k);

    for (size_t i = 0; i < k; i++)
        residual[i] = y[i] - fitted[i];

    double observed = heterogeneity_welch_f(residual, v, df, k);
    double p =
        p_by_flips(hosts, fitted, df, k, observed, seed, "residual heterogeneity", draws, threads);

    mem_free(residual);
    return p;
}

enum heterogeneity heterogeneity_word(double p, double alpha, double tau_hi, double theta)
{
    if (p <= alpha)
        return HETEROGENEITY_HETEROGENEOUS;
    if (p > alpha && tau_hi <= theta)
        return HETEROGENEITY_NONE_SEEN;
    return HETEROGENEITY_CANNOT_TELL;
}
