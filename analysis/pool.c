/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pooling of per-host effects. Every root here is of a decreasing function of tau^2 and found by
 * bisection to the last bit: a handful of calls a study, no failure to report.
 */
#include "analysis/pool.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>

#define BISECTIONS 400
#define SCORING_STEPS 200

/* d with trigamma(d) = x, x > 0: Newton on 1/trigamma, which is nearly linear (as in limma's
 * trigammaInverse). */
static double trigamma_inverse(double x)
{
    if (x > 1e7)
        return 1.0 / sqrt(x);
    if (x < 1e-6)
        return 1.0 / x;

    double d = 0.5 + 1.0 / x;

    for (int i = 0; i < 60; i++) {
        double tri = gsl_sf_psi_1(d);
        double step = tri * (1.0 - tri / x) / gsl_sf_psi_n(2, d);

        d += step;
        if (fabs(step) < 1e-15 * d)
            break;
    }
    return d;
}

struct pool_prior pool_prior_fit(const double *v, const double *df, size_t k)
{
    struct pool_prior prior = {.d0 = 0.0, .v0 = 0.0};
    double mean = 0.0, squares = 0.0, mean_tri = 0.0, shift = 0.0, tri = 0.0;

    if (k < 3)
        return prior;
    for (size_t i = 0; i < k; i++) {
        if (i == 0 || df[i] != df[i - 1]) {
            shift = gsl_sf_psi(df[i] / 2.0) - log(df[i] / 2.0);
            tri = gsl_sf_psi_1(df[i] / 2.0);
        }

        double e = log(fmax(v[i], POOL_LEAST_VARIANCE)) - shift;
        double from_mean = e - mean;

        mean += from_mean / (double)(i + 1); /* running mean and squares: stable in one pass */
        squares += from_mean * (e - mean);
        mean_tri += tri / (double)k;
    }

    double excess = squares / (double)(k - 1) - mean_tri;

    if (excess <= 0.0) {
        prior.d0 = INFINITY;
        prior.v0 = exp(mean);
    } else {
        double half = trigamma_inverse(excess);

        prior.d0 = 2.0 * half;
        prior.v0 = exp(mean + gsl_sf_psi(half) - log(half));
    }
    return prior;
}

void pool_moderate(const double *v, const double *df, size_t k, double *ret_v, double *ret_df)
{
    struct pool_prior prior = pool_prior_fit(v, df, k);

    for (size_t i = 0; i < k; i++) {
        double own = fmax(v[i], POOL_LEAST_VARIANCE);

        if (isinf(prior.d0))
            own = prior.v0;
        else
            own = (prior.d0 * prior.v0 + df[i] * own) / (prior.d0 + df[i]);
        ret_v[i] = fmax(own, POOL_LEAST_VARIANCE);
        ret_df[i] = df[i] + prior.d0;
    }
}

struct weighted {
    double sum_w, mu, q; /* q: sum w (y - mu)^2 */
};

static struct weighted weighted_at(const double *y, const double *v, size_t k, double tau2)
{
    struct weighted at = {0};
    double sum_wy = 0.0;

    for (size_t i = 0; i < k; i++) {
        double w = 1.0 / (v[i] + tau2);

        at.sum_w += w;
        sum_wy += w * y[i];
    }
    at.mu = sum_wy / at.sum_w;
    for (size_t i = 0; i < k; i++)
        at.q += (y[i] - at.mu) * (y[i] - at.mu) / (v[i] + tau2);
    return at;
}

/* tau^2 >= 0 at which Q(tau^2) = target; 0 when Q(0) is below it. Q falls in tau^2 (Viechtbauer
 * 2007). */
static double tau2_where(const double *y, const double *v, size_t k, double target)
{
    double lo = 0.0, hi = POOL_LEAST_VARIANCE;

    if (target <= 0.0)
        return INFINITY;
    if (weighted_at(y, v, k, 0.0).q <= target)
        return 0.0;
    while (weighted_at(y, v, k, hi).q > target)
        hi *= 4.0;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (lo + hi);

        if (middle <= lo || middle >= hi)
            break;
        if (weighted_at(y, v, k, middle).q > target)
            lo = middle;
        else
            hi = middle;
    }
    return 0.5 * (lo + hi);
}

double pool_tau2(const double *y, const double *v, size_t k)
{
    return k < 2 ? 0.0 : tau2_where(y, v, k, (double)(k - 1));
}

/* Restricted maximum likelihood by Fisher scoring from the Paule-Mandel root, kept at or above 0.
 */
static double tau2_reml(const double *y, const double *v, size_t k, double start)
{
    double tau2 = start;

    for (int step = 0; step < SCORING_STEPS; step++) {
        struct weighted at = weighted_at(y, v, k, tau2);
        double w2 = 0.0, w3 = 0.0, ypp = 0.0;

        for (size_t i = 0; i < k; i++) {
            double w = 1.0 / (v[i] + tau2);

            w2 += w * w;
            w3 += w * w * w;
            ypp += w * w * (y[i] - at.mu) * (y[i] - at.mu);
        }

        double trace = at.sum_w - w2 / at.sum_w;
        double trace2 = w2 - 2.0 * w3 / at.sum_w + (w2 / at.sum_w) * (w2 / at.sum_w);
        double next = fmax(0.0, tau2 + (ypp - trace) / trace2);

        if (fabs(next - tau2) <= 1e-14 * (next + tau2))
            return next;
        tau2 = next;
    }
    return tau2;
}

static struct pool_result pool_nothing(size_t k)
{
    const struct range none = {NAN, NAN};

    return (struct pool_result){.k = k,
                                .mu = NAN,
                                .se = NAN,
                                .df = NAN,
                                .ci = none,
                                .ci90 = none,
                                .p = NAN,
                                .tau2 = NAN,
                                .tau2_reml = NAN,
                                .tau_ci = none,
                                .prediction = none,
                                .q = NAN,
                                .i2 = NAN};
}

void pool_estimate(const double *y, const double *v, size_t k, double alpha,
                   struct pool_result *ret)
{
    *ret = pool_nothing(k);
    if (k == 1)
        ret->mu = y[0];
    if (k < 2)
        return;

    double df = (double)(k - 1);

    ret->df = df;
    ret->tau2 = pool_tau2(y, v, k);
    ret->tau2_reml = tau2_reml(y, v, k, ret->tau2);

    struct weighted at = weighted_at(y, v, k, ret->tau2);
    double t = gsl_cdf_tdist_Qinv(alpha / 2.0, df);
    double t90 = gsl_cdf_tdist_Qinv(alpha, df);

    ret->mu = at.mu;
    ret->se = sqrt(fmax(1.0, at.q / df) / at.sum_w);
    ret->ci = (struct range){at.mu - t * ret->se, at.mu + t * ret->se};
    ret->ci90 = (struct range){at.mu - t90 * ret->se, at.mu + t90 * ret->se};
    ret->p = 2.0 * gsl_cdf_tdist_Q(fabs(at.mu) / ret->se, df);
    ret->q = weighted_at(y, v, k, 0.0).q;
    ret->i2 = ret->q > 0.0 ? fmax(0.0, (ret->q - df) / ret->q) : 0.0;
    ret->tau_ci.lo = sqrt(tau2_where(y, v, k, gsl_cdf_chisq_Qinv(alpha / 2.0, df)));
    ret->tau_ci.hi = sqrt(tau2_where(y, v, k, gsl_cdf_chisq_Pinv(alpha / 2.0, df)));
    if (k >= 3) {
        double half = t * sqrt(ret->tau2 + ret->se * ret->se);

        ret->prediction = (struct range){at.mu - half, at.mu + half};
    }
}

void pool_hosts(const double *y, const double *v, const double *df, size_t k, double alpha,
                struct pool_result *ret)
{
    double *shrunk = mem_array(double, k), *shrunk_df = mem_array(double, k);

    pool_moderate(v, df, k, shrunk, shrunk_df);
    pool_estimate(y, shrunk, k, alpha, ret);
    mem_free(shrunk);
    mem_free(shrunk_df);
}

enum verdict pool_verdict(const struct pool_result *pool, double alpha, double theta)
{
    bool small = fabs(pool->mu) < theta;

    if (pool->k < 2)
        return VERDICT_INCONCLUSIVE;
    if (pool->p <= alpha && pool->mu > 0.0)
        return small ? VERDICT_REGRESSED_SMALL : VERDICT_REGRESSED;
    if (pool->p <= alpha)
        return small ? VERDICT_IMPROVED_SMALL : VERDICT_IMPROVED;
    if (pool->ci90.lo > -theta && pool->ci90.hi < theta)
        return VERDICT_UNCHANGED;
    return VERDICT_INCONCLUSIVE;
}
