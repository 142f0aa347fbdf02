/* SPDX-License-Identifier: GPL-3.0-or-later
 * See split_where.h. */
#include "analysis/split_where.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>
#include <math.h>

#include "analysis/order.h"

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

static struct where_part serial(const struct host_rounds *rounds, int which, double level)
{
    const struct order_blocked b =
        order_blocked_interval(rounds->run_part[0][which], rounds->n_run[0],
                               rounds->run_part[1][which], rounds->n_run[1], level);

    return (struct where_part){.delta_s = b.delta, .ci = b.ci, .share = NAN};
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

/* Waiting rose, CPU time did not, and the mean time is near twice (or n times) the least: as when
 * the CPU is shared. */
static bool looks_shared(const struct host_rounds *rounds, const struct where_time *where)
{
    double least = INFINITY, most = 0;

    if (where->class != TIME_CLASS_WAIT || where->wait.delta_s <= 0 || excludes_zero(&where->user))
        return false;
    for (int arm = 0; arm < 2; arm++)
        for (size_t i = 0; i < rounds->n_run[arm]; i++) {
            least = fmin(least, rounds->run_part[arm][0][i]);
            most = fmax(most, rounds->run_part[arm][0][i]);
        }
    const double times = most / least;

    return times > 1.7 && fabs(times - round(times)) < 0.25;
}

void split_where(const struct host_rounds *rounds, double alpha, struct where_time *ret)
{
    const bool interleaved =
        rounds->design == DESIGN_RANDOMISED || rounds->design == DESIGN_ALTERNATING;
    struct where_part *part[4] = {&ret->elapsed, &ret->user, &ret->sys, &ret->wait};

    *ret = (struct where_time){
        .known = rounds->part[0] != NULL &&
                 (interleaved ? rounds->n > 0 : rounds->n_run[0] && rounds->n_run[1])};
    for (int i = 0; i < 4; i++) {
        *part[i] = (struct where_part){
            .delta_s = NAN, .ci = {NAN, NAN},
                 .share = NAN
        };
        if (ret->known)
            *part[i] = interleaved ? paired(rounds->part[i], rounds->n, 1 - alpha)
                                   : serial(rounds, i, 1 - alpha);
    }
    if (ret->known) {
        ret->class = classify(ret);
        ret->shared_cpu_like = looks_shared(rounds, ret);
    }
}
