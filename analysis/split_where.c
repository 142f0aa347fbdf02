/* SPDX-License-Identifier: GPL-3.0-or-later
 * See split_where.h. */
#include "analysis/split_where.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>
#include <math.h>

#include "analysis/order.h"
#include "base/mem.h"

#define SHARED_SLACK 0.2 /* how far slow over fast may be from a whole number */

static struct where_part paired(const double *delta, size_t n, double level)
{
    struct where_part part = {
        .delta_s = NAN, .ci = {NAN, NAN},
             .share = NAN
    };

    if (n == 0)
        return part;
    part.delta_s = gsl_stats_mean(delta, 1, n);
    if (n < 2)
        return part;
    /* the jackknife of a mean is its own standard error */
    const double half = gsl_cdf_tdist_Pinv(1 - (1 - level) / 2, (double)n - 1) *
                        sqrt(gsl_stats_variance(delta, 1, n) / (double)n);

    part.ci = (struct range){part.delta_s - half, part.delta_s + half};
    return part;
}

/* The values that are known, in their order; v may be NULL. */
static double *known_of(const double *v, size_t n, size_t *ret_n)
{
    double *known = mem_array(double, n + 1);

    *ret_n = 0;
    for (size_t i = 0; i < n && v; i++)
        if (isfinite(v[i]))
            known[(*ret_n)++] = v[i];
    return known;
}

static struct where_part interleaved_part(const struct host_rounds *rounds, int which, double level)
{
    size_t n;
    double *delta = known_of(rounds->part[which], rounds->n, &n);
    const struct where_part part = paired(delta, n, level);

    mem_free(delta);
    return part;
}

static struct where_part blocked_part(const struct host_rounds *rounds, int which, double level)
{
    size_t n, m;
    double *a = known_of(rounds->run_part[0][which], rounds->n_run[0], &n),
           *b = known_of(rounds->run_part[1][which], rounds->n_run[1], &m);
    const struct order_blocked difference = order_blocked_interval(a, n, b, m, level);

    mem_free(a);
    mem_free(b);
    return (struct where_part){.delta_s = difference.delta, .ci = difference.ci, .share = NAN};
}

static bool excludes_zero(const struct where_part *part)
{
    return part->ci.lo > 0 || part->ci.hi < 0;
}

static enum time_class classify(struct where_time *where)
{
    static const enum time_class class[3] = {TIME_CLASS_CPU_USER, TIME_CLASS_CPU_SYS,
                                             TIME_CLASS_WAIT};
    struct where_part *part[3] = {&where->user, &where->sys, &where->wait};
    enum time_class named = TIME_CLASS_MIXED;
    int count = 0;

    if (!excludes_zero(&where->elapsed))
        return TIME_CLASS_NONE;
    where->elapsed.share = 1;
    for (int i = 0; i < 3; i++) {
        part[i]->share = part[i]->delta_s / where->elapsed.delta_s;
        if (excludes_zero(part[i]) && part[i]->share >= 0.5) {
            named = class[i];
            count++;
        }
    }
    return count == 1 ? named : TIME_CLASS_MIXED;
}

/* Median elapsed time of the runs whose metric is on one side of the threshold. */
static double centre(const struct host_rounds *rounds, double threshold, bool above)
{
    double *v = mem_array(double, rounds->n_run[0] + rounds->n_run[1] + 1), median = NAN;
    size_t n = 0;

    for (int arm = 0; arm < 2; arm++)
        for (size_t i = 0; i < rounds->n_run[arm]; i++)
            if ((rounds->run[arm][i] > threshold) == above && isfinite(rounds->run_part[arm][0][i]))
                v[n++] = rounds->run_part[arm][0][i];
    if (n > 0)
        median = gsl_stats_median(v, 1, n);
    mem_free(v);
    return median;
}

bool split_where_shared(const struct host_rounds *rounds, const struct modes_finding *modes,
                        const struct where_time *where)
{
    if (!modes->found || where->class != TIME_CLASS_WAIT || where->wait.delta_s <= 0 ||
        excludes_zero(&where->user) || excludes_zero(&where->sys))
        return false;
    const double above = centre(rounds, modes->threshold, true),
                 below = centre(rounds, modes->threshold, false);
    const double times = above > below ? above / below : below / above;

    return times > 1.5 && fabs(times - round(times)) < SHARED_SLACK;
}

void split_where(const struct host_rounds *rounds, double alpha, struct where_time *ret)
{
    const bool interleaved =
        rounds->design == DESIGN_RANDOMISED || rounds->design == DESIGN_ALTERNATING;
    struct where_part *part[4] = {&ret->elapsed, &ret->user, &ret->sys, &ret->wait};

    *ret = (struct where_time){.known = false};
    for (int i = 0; i < 4; i++)
        *part[i] = interleaved ? interleaved_part(rounds, i, 1 - alpha)
                               : blocked_part(rounds, i, 1 - alpha);
    ret->known = !isnan(ret->elapsed.delta_s);
    if (ret->known)
        ret->class = classify(ret);
}
