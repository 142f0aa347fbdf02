/* SPDX-License-Identifier: GPL-3.0-or-later
 * See modes.h: the mixture, and the two findings built on it. */
#include "analysis/modes.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "analysis/modes_dip.h"
#include "analysis/rising.h"
#include "analysis/signed_rank.h"
#include "base/mem.h"

#define EM_STEPS 100
#define GRID 200
#define DIP_DRAWS 1999
#define BINS 2000 /* more values than this are binned before the EM steps */
#define LN_TWO_PI 1.8378770664093453

struct points { /* ascending values with their counts */
    double *v, *count;
    size_t n;
    double total, mean, sd;
};

static void make_points(const double *v, size_t n, struct points *ret)
{
    double *sorted = mem_dup(v, n * sizeof *v);
    double sum = 0, squares = 0;

    rising_sort(sorted, n);
    ret->v = mem_array(double, n + 1);
    ret->count = mem_array(double, n + 1);
    ret->n = 0;
    ret->total = (double)n;
    const double step = n > BINS ? (sorted[n - 1] - sorted[0]) / BINS : 0;

    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        double part = sorted[i];

        while (end < n && sorted[end] - sorted[i] < step)
            part += sorted[end++];
        ret->v[ret->n] = part / (double)(end - i);
        ret->count[ret->n++] = (double)(end - i);
        i = end;
    }
    for (size_t i = 0; i < n; i++)
        sum += sorted[i];
    ret->mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (sorted[i] - ret->mean) * (sorted[i] - ret->mean);
    ret->sd = sqrt(squares / (double)n);
    mem_free(sorted);
}

/* Split of ascending points with the least sum of squares about two means, by prefix sums. */
static size_t two_means(const struct points *p)
{
    double sum = 0, count = 0, all = 0, best = -INFINITY;
    size_t split = 1;

    for (size_t i = 0; i < p->n; i++)
        all += (p->v[i] - p->mean) * p->count[i];
    for (size_t i = 0; i + 1 < p->n; i++) {
        sum += (p->v[i] - p->mean) * p->count[i];
        count += p->count[i];
        const double gain = sum * sum / count + (all - sum) * (all - sum) / (p->total - count);

        if (gain > best) {
            best = gain;
            split = i + 1;
        }
    }
    return split;
}

static double density(double x, double mean, double sd)
{
    const double z = (x - mean) / sd;

    return exp(-z * z / 2) / (sd * 2.5066282746310002);
}

static void start(const struct points *p, double floor_sd, struct mixture *m)
{
    const size_t split = two_means(p);

    for (int c = 0; c < 2; c++) {
        double count = 0, sum = 0, squares = 0;

        for (size_t i = c ? split : 0; i < (c ? p->n : split); i++) {
            count += p->count[i];
            sum += p->v[i] * p->count[i];
        }
        m->mean[c] = sum / count;
        for (size_t i = c ? split : 0; i < (c ? p->n : split); i++)
            squares += (p->v[i] - m->mean[c]) * (p->v[i] - m->mean[c]) * p->count[i];
        m->sd[c] = fmax(sqrt(squares / count), floor_sd);
        m->weight[c] = count / p->total;
    }
}

static double em_steps(const struct points *p, double floor_sd, struct mixture *m)
{
    double likelihood = 0;

    for (int step = 0; step <= EM_STEPS; step++) {
        double count[2] = {0}, sum[2] = {0}, squares[2] = {0};

        likelihood = 0;
        for (size_t i = 0; i < p->n; i++) {
            const double a = m->weight[0] * density(p->v[i], m->mean[0], m->sd[0]);
            const double b = m->weight[1] * density(p->v[i], m->mean[1], m->sd[1]);
            const double both = fmax(a + b, 1e-300), share = b / both;
            const double r[2] = {(1 - share) * p->count[i], share * p->count[i]};

            likelihood += p->count[i] * log(both);
            for (int c = 0; c < 2; c++) {
                const double x = p->v[i] - p->mean;

                count[c] += r[c];
                sum[c] += r[c] * x;
                squares[c] += r[c] * x * x;
            }
        }
        if (step == EM_STEPS)
            break;
        for (int c = 0; c < 2; c++) {
            const double mean = sum[c] / fmax(count[c], 1e-12);

            m->mean[c] = p->mean + mean;
            m->sd[c] =
                fmax(sqrt(fmax(squares[c] / fmax(count[c], 1e-12) - mean * mean, 0)), floor_sd);
            m->weight[c] = count[c] / p->total;
        }
    }
    return likelihood;
}

void modes_fit(const double *v, size_t n, struct mixture *ret)
{
    struct points p;

    *ret = (struct mixture){.threshold = NAN};
    if (n < MODES_LEAST)
        return;
    make_points(v, n, &p);
    if (p.n >= 2 && p.sd > 0) {
        const double floor_sd = fmax(1e-4, 0.05 * p.sd), size = p.total;

        start(&p, floor_sd, ret);
        const double two = em_steps(&p, floor_sd, ret);
        const double one = -size * (log(p.sd) + 0.5 * LN_TWO_PI + 0.5);
        const double gain = (2 * log(size) - 2 * one) - (5 * log(size) - 2 * two);
        const double spread = sqrt((ret->sd[0] * ret->sd[0] + ret->sd[1] * ret->sd[1]) / 2);

        if (ret->mean[0] > ret->mean[1]) {
            const struct mixture m = *ret;

            for (int c = 0; c < 2; c++) {
                ret->mean[c] = m.mean[1 - c];
                ret->sd[c] = m.sd[1 - c];
                ret->weight[c] = m.weight[1 - c];
            }
        }
        ret->two = gain > 10 && (ret->mean[1] - ret->mean[0]) / spread > 2 &&
                   ret->weight[0] >= 0.05 && ret->weight[1] >= 0.05;
        double least = INFINITY;

        for (int g = 0; g < GRID; g++) {
            const double x = ret->mean[0] + (ret->mean[1] - ret->mean[0]) * g / (GRID - 1);
            const double here = ret->weight[0] * density(x, ret->mean[0], ret->sd[0]) +
                                ret->weight[1] * density(x, ret->mean[1], ret->sd[1]);

            if (here < least) {
                least = here;
                ret->threshold = x;
            }
        }
    }
    mem_free(p.v);
    mem_free(p.count);
}

double modes_binomial_p(unsigned k, unsigned n, double share)
{
    const double here = gsl_ran_binomial_pdf(k, share, n) * (1 + 1e-9);
    double p = 0;

    for (unsigned i = 0; i <= n; i++) {
        const double there = gsl_ran_binomial_pdf(i, share, n);

        p += there <= here ? there : 0;
    }
    return p < 1 ? p : 1;
}

/* Occupancy: rounds with only the candidate slow against rounds with only the base slow (McNemar,
 * exact). */
static void occupancy(const struct host_rounds *rounds, double threshold, bool slow_is_above,
                      struct modes_finding *ret)
{
    unsigned only_b = 0, only_a = 0;

    for (size_t r = 0; r < rounds->n; r++) {
        const bool a = (rounds->base[r] > threshold) == slow_is_above,
                   b = (rounds->candidate[r] > threshold) == slow_is_above;

        only_b += b && !a;
        only_a += a && !b;
    }
    ret->occupancy_p = modes_binomial_p(only_b, only_a + only_b, 0.5);
}

/* Blocked data: slow episodes, not runs, over the time exposed (the number of runs where elapsed
 * time is not known). */
static void episodes(const struct host_rounds *rounds, struct modes_finding *ret)
{
    double exposed[2] = {0, 0};

    for (int arm = 0; arm < 2; arm++)
        for (size_t i = 0; i < rounds->n_run[arm]; i++)
            exposed[arm] += rounds->run_part[arm][0] ? rounds->run_part[arm][0][i] : 1;
    if (exposed[0] > 0 && exposed[1] > 0)
        ret->episodes_p = modes_binomial_p((unsigned)ret->streaks[1],
                                           (unsigned)(ret->streaks[0] + ret->streaks[1]),
                                           exposed[1] / (exposed[0] + exposed[1]));
}

static void fast_shift_paired(const struct host_rounds *rounds, double threshold,
                              bool slow_is_above, double alpha, struct modes_finding *ret)
{
    double *d = mem_array(double, rounds->n + 1), level;
    size_t n = 0;

    for (size_t r = 0; r < rounds->n; r++)
        if ((rounds->base[r] > threshold) != slow_is_above &&
            (rounds->candidate[r] > threshold) != slow_is_above)
            d[n++] = rounds->d[r];
    rising_sort(d, n);
    ret->fast_effect = signed_rank_estimate(d, n);
    signed_rank_interval(d, n, 1 - alpha, &ret->fast_ci, &level);
    mem_free(d);
}

/* Unpaired Hodges-Lehmann of all fast pairs with the order-statistic interval of Mann & Whitney. */
static void fast_shift_unpaired(const struct host_rounds *rounds, double threshold,
                                bool slow_is_above, double alpha, double sign,
                                struct modes_finding *ret)
{
    double *v[2];
    size_t n[2] = {0, 0};

    for (int arm = 0; arm < 2; arm++) {
        v[arm] = mem_array(double, rounds->n_run[arm] + 1);
        for (size_t i = 0; i < rounds->n_run[arm]; i++)
            if ((rounds->run[arm][i] > threshold) != slow_is_above)
                v[arm][n[arm]++] = (arm ? 1 : -1) * log(rounds->run[arm][i]);
        rising_sort(v[arm], n[arm]);
    }
    if (n[0] > 0 && n[1] > 0) {
        const size_t all = n[0] * n[1];
        const double a = (double)n[0], b = (double)n[1];
        const double k = floor(a * b / 2 - gsl_cdf_ugaussian_Pinv(1 - alpha / 2) *
                                               sqrt(a * b * (a + b + 1) / 12));

        ret->fast_effect = (signed_rank_pair_sum(v[1], n[1], v[0], n[0], (all + 1) / 2) +
                            signed_rank_pair_sum(v[1], n[1], v[0], n[0], all / 2 + 1)) /
                           2 * sign;
        if (k >= 1) {
            const double lo = signed_rank_pair_sum(v[1], n[1], v[0], n[0], (size_t)k);
            const double hi = signed_rank_pair_sum(v[1], n[1], v[0], n[0], all + 1 - (size_t)k);

            ret->fast_ci = sign > 0 ? (struct range){lo, hi} : (struct range){-hi, -lo};
        }
    }
    mem_free(v[0]);
    mem_free(v[1]);
}

static void count_slow(const struct host_rounds *rounds, double threshold, bool slow_is_above,
                       struct modes_finding *ret)
{
    for (int arm = 0; arm < 2; arm++) {
        size_t slow = 0;
        bool before = false;

        ret->streaks[arm] = 0;
        for (size_t i = 0; i < rounds->n_run[arm]; i++) {
            const bool here = (rounds->run[arm][i] > threshold) == slow_is_above;

            slow += here;
            ret->streaks[arm] += here && !before;
            before = here;
        }
        ret->share[arm] = rounds->n_run[arm] ? (double)slow / (double)rounds->n_run[arm] : NAN;
    }
}

void modes_host(const struct host_rounds *rounds, double alpha, bool higher_is_better,
                struct modes_finding *ret)
{
    const size_t n = rounds->n_run[0] + rounds->n_run[1];
    const bool interleaved =
        rounds->design == DESIGN_RANDOMISED || rounds->design == DESIGN_ALTERNATING;
    double *v = mem_array(double, n + 1);
    struct mixture both, one[2];

    *ret = (struct modes_finding){
        .threshold = NAN,
        .share = {NAN, NAN},
        .occupancy_p = NAN,
        .episodes_p = NAN,
        .fast_effect = NAN,
        .fast_ci = {NAN, NAN},
        .dip = NAN,
        .dip_p = NAN
    };
    for (int arm = 0; arm < 2; arm++)
        for (size_t i = 0; i < rounds->n_run[arm]; i++)
            v[i + (arm ? rounds->n_run[0] : 0)] = log(rounds->run[arm][i]);
    modes_fit(v, n, &both);
    modes_fit(v, rounds->n_run[0], &one[0]);
    modes_fit(v + rounds->n_run[0], rounds->n_run[1], &one[1]);
    if (both.two && (one[0].two || one[1].two)) {
        ret->found = true;
        ret->threshold = exp(both.threshold);
        count_slow(rounds, ret->threshold, !higher_is_better, ret);
        rising_sort(v, n);
        ret->dip = modes_dip(v, n);
        ret->dip_p = modes_dip_p(ret->dip, n, DIP_DRAWS);
        if (interleaved) {
            occupancy(rounds, ret->threshold, !higher_is_better, ret);
            fast_shift_paired(rounds, ret->threshold, !higher_is_better, alpha, ret);
        } else {
            episodes(rounds, ret);
            fast_shift_unpaired(rounds, ret->threshold, !higher_is_better, alpha,
                                higher_is_better ? -1 : 1, ret);
        }
    }
    mem_free(v);
}
