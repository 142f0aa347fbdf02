/* SPDX-License-Identifier: GPL-3.0-or-later
 * See order.h. */
#include "analysis/order.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_statistics.h>
#include <math.h>

#include "analysis/rising.h"
#include "base/mem.h"

#define EXACT_RUNS 400
#define DRIFT_POINTS 300

/* ln of the number of ways that a and b things form exactly `runs` runs. */
static double ways_of_runs(unsigned a, unsigned b, unsigned runs)
{
    const unsigned k = runs / 2;

    if (runs % 2 == 0) {
        if (k < 1 || k > a || k > b)
            return 0;
        return 2 * exp(gsl_sf_lnchoose(a - 1, k - 1) + gsl_sf_lnchoose(b - 1, k - 1) -
                       gsl_sf_lnchoose(a + b, a));
    }
    double sum = 0;

    if (k >= 1 && k <= a - 1 && k - 1 <= b - 1)
        sum += exp(gsl_sf_lnchoose(a - 1, k) + gsl_sf_lnchoose(b - 1, k - 1) -
                   gsl_sf_lnchoose(a + b, a));
    if (k >= 1 && k <= b - 1 && k - 1 <= a - 1)
        sum += exp(gsl_sf_lnchoose(a - 1, k - 1) + gsl_sf_lnchoose(b - 1, k) -
                   gsl_sf_lnchoose(a + b, a));
    return sum;
}

double order_runs_p(const unsigned char *side, size_t n)
{
    size_t high = 0, runs = n > 0;
    double p = 0;

    for (size_t i = 0; i < n; i++) {
        high += side[i] != 0;
        runs += i > 0 && side[i] != side[i - 1];
    }
    const size_t low = n - high;

    if (high == 0 || low == 0)
        return 1;
    if (n > EXACT_RUNS) {
        const double a = (double)high, b = (double)low, all = a + b, mean = 2 * a * b / all + 1;
        const double variance = (mean - 1) * (mean - 2) / (all - 1);

        return variance > 0 ? gsl_cdf_ugaussian_P(((double)runs + 0.5 - mean) / sqrt(variance)) : 1;
    }
    for (size_t r = 2; r <= runs; r++)
        p += ways_of_runs((unsigned)high, (unsigned)low, (unsigned)r);
    return p < 1 ? p : 1;
}

double order_streak_p(const double *v, size_t n)
{
    double *sorted = mem_array(double, n + 1);
    unsigned char *side = mem_array(unsigned char, n + 1);
    size_t used = 0;
    double p;

    for (size_t i = 0; i < n; i++)
        sorted[i] = v[i];
    rising_sort(sorted, n);
    const double median = n ? gsl_stats_median_from_sorted_data(sorted, 1, n) : 0;

    for (size_t i = 0; i < n; i++)
        if (v[i] != median)
            side[used++] = v[i] > median;
    p = order_runs_p(side, used);
    mem_free(sorted);
    mem_free(side);
    return p;
}

double order_effective_n(const double *v, size_t n)
{
    const double size = (double)n;
    double mean = 0, variance = 0, sum = 0, least = INFINITY, lag[2];
    size_t same = 1;

    while (same < n && v[same] == v[0])
        same++;
    if (same >= n) /* or rounding would make up a variance */
        return size;
    for (size_t i = 0; i < n; i++)
        mean += v[i] / size;
    for (size_t i = 0; i < n; i++)
        variance += (v[i] - mean) * (v[i] - mean) / size;
    for (size_t t = 0; 2 * t + 1 < n; t++) {
        for (size_t k = 0; k < 2; k++) {
            lag[k] = 0;
            for (size_t i = 0; i + 2 * t + k < n; i++)
                lag[k] += (v[i] - mean) * (v[i + 2 * t + k] - mean);
            lag[k] /= size * variance;
        }
        if (!(lag[0] + lag[1] > 0))
            break;
        least = fmin(least, lag[0] + lag[1]);
        sum += least;
    }
    return 2 * sum - 1 > 1 ? size / (2 * sum - 1) : size;
}

double order_drift(const double *position, const double *y, size_t n)
{
    const size_t used = n < DRIFT_POINTS ? n : DRIFT_POINTS;
    double *slope;
    size_t count = 0;

    if (n < 2)
        return 0;
    slope = mem_array(double, used *(used - 1) / 2);
    for (size_t i = 0; i < used; i++)
        for (size_t k = i + 1; k < used; k++) {
            const size_t a = i * n / used, b = k * n / used;

            if (position[b] != position[a])
                slope[count++] = (y[b] - y[a]) / (position[b] - position[a]);
        }
    const double median = count ? gsl_stats_median(slope, 1, count) : 0;

    mem_free(slope);
    return median;
}

struct order_blocked order_blocked_interval(const double *a, size_t n, const double *b, size_t m,
                                            double level)
{
    struct order_blocked ret = {
        NAN, NAN, NAN, NAN, {NAN, NAN}
    };

    if (n == 0 || m == 0)
        return ret;
    ret.delta = gsl_stats_mean(b, 1, m) - gsl_stats_mean(a, 1, n);
    if (n < 2 || m < 2)
        return ret;
    const double ess_a = fmax(2, order_effective_n(a, n)), ess_b = fmax(2, order_effective_n(b, m));
    const double va = gsl_stats_variance(a, 1, n) / ess_a, vb = gsl_stats_variance(b, 1, m) / ess_b;

    ret.se = sqrt(va + vb);
    if (!(ret.se > 0)) {
        ret.df = ess_a + ess_b - 2;
        ret.ci = (struct range){ret.delta, ret.delta};
        ret.p = ret.delta == 0 ? 1 : 0;
        return ret;
    }
    ret.df = (va + vb) * (va + vb) / (va * va / (ess_a - 1) + vb * vb / (ess_b - 1));
    const double half = gsl_cdf_tdist_Pinv(1 - (1 - level) / 2, ret.df) * ret.se;

    ret.ci = (struct range){ret.delta - half, ret.delta + half};
    ret.p = 2 * gsl_cdf_tdist_Q(fabs(ret.delta) / ret.se, ret.df);
    return ret;
}
