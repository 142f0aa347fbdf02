/* SPDX-License-Identifier: GPL-3.0-or-later
 * See sequential.h. */
#include "analysis/sequential.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <string.h>

#include "analysis/rising.h"
#include "analysis/signed_rank.h"
#include "base/mem.h"

#define GRID 101 /* points of a Simpson rule over the continuation region; odd */
#define ALPHAS 32
#define LEAST_ALPHA 1e-7

/* One step of the recursion: weights of the statistic's law on the grid of the region not yet left.
 */
struct region {
    double x[GRID], mass[GRID]; /* points of the sum S_t and their probability mass (density times
                                   Simpson weight) */
};

static void fill_grid(struct region *region, double bound)
{
    for (int i = 0; i < GRID; i++)
        region->x[i] = -bound + 2 * bound * i / (GRID - 1);
}

static double simpson(int i, double bound)
{
    const double h = 2 * bound / (GRID - 1);

    return h / 3 * (i == 0 || i == GRID - 1 ? 1 : i % 2 ? 4 : 2);
}

static double exit_probability(const struct region *region, double sd, double bound)
{
    double p = 0;

    for (int i = 0; i < GRID; i++)
        p += region->mass[i] * (gsl_cdf_ugaussian_P((-bound - region->x[i]) / sd) +
                                gsl_cdf_ugaussian_Q((bound - region->x[i]) / sd));
    return p;
}

/* The bound that leaves `spend` outside: a root on the log scale, where it is nearly a parabola. */
static double find_bound(const struct region *region, double sd, double t, double spend)
{
    double lo = 0, hi = 12 * sqrt(t), f_lo = 1, f_hi = -1;

    for (int i = 0; i < 100 && hi - lo > 1e-10 * hi; i++) {
        double middle = (lo + hi) / 2;

        if (i % 3 && isfinite(f_lo) && isfinite(f_hi)) /* secant steps, but never for long */
            middle = lo + (hi - lo) * f_lo / (f_lo - f_hi);
        const double f = log(exit_probability(region, sd, middle) / spend);

        if (f > 0) {
            lo = middle;
            f_lo = f;
        } else {
            hi = middle;
            f_hi = f;
        }
        if (fabs(f) < 1e-9)
            return middle;
    }
    return (lo + hi) / 2;
}

void sequential_levels(const uint32_t *look, size_t n, uint32_t max, double alpha,
                       double *ret_level)
{
    struct region region, next;
    double before = 0;

    for (size_t k = 0; k < n; k++) {
        const double t = (double)look[k] / max, dt = t - before, sd = sqrt(dt), spend = alpha * dt;
        const double bound =
            k == 0 ? gsl_cdf_ugaussian_Qinv(spend / 2) * sd : find_bound(&region, sd, t, spend);

        ret_level[k] = 2 * gsl_cdf_ugaussian_Q(bound / sqrt(t));
        fill_grid(&next, bound);
        for (int i = 0; i < GRID; i++) {
            double density = 0;

            if (k == 0) {
                const double z = next.x[i] / sd;

                density = exp(-z * z / 2) / (sd * 2.5066282746310002);
            }
            for (int j = 0; k > 0 && j < GRID; j++) {
                const double z = (next.x[i] - region.x[j]) / sd;

                density += region.mass[j] * exp(-z * z / 2);
            }
            next.mass[i] = (k ? density / (sd * 2.5066282746310002) : density) * simpson(i, bound);
        }
        region = next;
        before = t;
    }
}

static void list_looks(uint32_t min, uint32_t max, struct sequential_plan *ret)
{
    *ret = (struct sequential_plan){.n = 0};
    if (min < max)
        ret->look[ret->n++] = min;
    for (int i = 0; ret->n < SEQUENTIAL_LOOKS - 1; i++) {
        const double at = round(10 * pow(6, i / 5.0));

        if (at >= max)
            break;
        if (at > min)
            ret->look[ret->n++] = (uint32_t)at;
    }
    ret->look[ret->n++] = max;
}

void sequential_plan_build(uint32_t min, uint32_t max, double alpha, struct sequential_plan *ret)
{
    list_looks(min, max, ret);
    sequential_levels(ret->look, ret->n, max, alpha, ret->level);
}

size_t sequential_looks(uint32_t min, uint32_t max, uint32_t **ret)
{
    struct sequential_plan plan;

    list_looks(min, max, &plan);
    *ret = mem_dup(plan.look, plan.n * sizeof plan.look[0]);
    return plan.n;
}

void sequential_plan_cut(const struct sequential_plan *plan, uint32_t n, double alpha,
                         struct sequential_plan *ret)
{
    const uint32_t max = plan->look[plan->n - 1] > n ? plan->look[plan->n - 1] : n;

    *ret = (struct sequential_plan){.n = 0};
    for (size_t i = 0; i < plan->n && plan->look[i] < n; i++)
        ret->look[ret->n++] = plan->look[i];
    if (ret->n == SEQUENTIAL_LOOKS)
        ret->n--;
    ret->look[ret->n++] = n;
    sequential_levels(ret->look, ret->n, max, alpha, ret->level);
}

static enum sequential_decision look_at(const double *d, size_t n, double level, double theta)
{
    struct range ci;
    double attained, *sorted;

    if (signed_rank_p(d, n) <= level)
        return SEQUENTIAL_STOP_DECIDED;
    sorted = mem_dup(d, n * sizeof *d);
    rising_sort(sorted, n);
    const bool inside = signed_rank_interval(sorted, n, 1 - 2 * level, &ci, &attained) &&
                        ci.lo > -theta && ci.hi < theta;

    mem_free(sorted);
    return inside ? SEQUENTIAL_STOP_UNCHANGED : SEQUENTIAL_CONTINUE;
}

enum sequential_decision sequential_decide(const struct sequential_plan *plan, const double *d,
                                           size_t n, double theta)
{
    for (size_t i = 0; i < plan->n && plan->look[i] <= n; i++) {
        const enum sequential_decision one = look_at(d, plan->look[i], plan->level[i], theta);

        if (one != SEQUENTIAL_CONTINUE)
            return one;
    }
    return n >= plan->look[plan->n - 1] ? SEQUENTIAL_STOP_MAX : SEQUENTIAL_CONTINUE;
}

static double table_alpha(size_t i)
{
    return exp(log(LEAST_ALPHA) * (1 - (double)i / (ALPHAS - 1))) * 0.9999;
}

void sequential_table_build(const uint32_t *look, size_t n, uint32_t max,
                            struct sequential_table *ret)
{
    *ret = (struct sequential_table){.max = max, .n = n, .level = mem_array(double, ALPHAS *n + 1)};
    memcpy(ret->look, look, n * sizeof *look);
    for (size_t i = 0; i < ALPHAS; i++)
        sequential_levels(look, n, max, table_alpha(i), ret->level + i * n);
}

void sequential_table_done(struct sequential_table *table)
{
    mem_free(table->level);
    *table = (struct sequential_table){0};
}

/* The alpha at which look k's level is p: log-log interpolation in the table. */
static double alpha_for(const struct sequential_table *table, size_t k, double p)
{
    size_t i = 0;

    while (i < ALPHAS && table->level[i * table->n + k] < p)
        i++;
    if (i == 0)
        return table_alpha(0) * p / table->level[k];
    if (i == ALPHAS)
        return 1;
    const double lo = log(table->level[(i - 1) * table->n + k]),
                 hi = log(table->level[i * table->n + k]);
    const double share = hi > lo ? (log(p) - lo) / (hi - lo) : 1;

    return exp(log(table_alpha(i - 1)) * (1 - share) + log(table_alpha(i)) * share);
}

double sequential_p(const struct sequential_table *table, const double *p, size_t taken)
{
    double best = 1;

    for (size_t k = 0; k < taken && k < table->n; k++)
        best = fmin(best, alpha_for(table, k, p[k]));
    return best;
}

double sequential_p_between(const struct sequential_table *table, const double *p, size_t before,
                            uint32_t n, double now)
{
    uint32_t look[SEQUENTIAL_LOOKS + 1];
    double level[SEQUENTIAL_LOOKS + 1] = {0}, lo = log(LEAST_ALPHA), hi = 0, x = fmax(log(now), lo);

    memcpy(look, table->look, before * sizeof *look);
    look[before] = n;
    for (int i = 0; i < 40 && hi - lo > 1e-6;
         i++) { /* ln level rises with ln alpha, slope near 1 */
        sequential_levels(look, before + 1, table->max, exp(x) * 0.9999, level);
        const double off = log(now) - log(level[before]);

        if (off > 0)
            lo = x;
        else
            hi = x;
        if (fabs(off) < 1e-6)
            break;
        x = x + off > lo && x + off < hi ? x + off : (lo + hi) / 2;
    }
    return fmin(sequential_p(table, p, before), exp(x));
}

double sequential_e_p(const double *d, size_t n, double alpha)
{
    const size_t first = 6;
    double size[6], z2 = 0, sum = 0, squares = 0, most = 1;
    const double a = -2 * log(alpha);

    if (n <= first)
        return 1;
    for (size_t i = 0; i < first; i++)
        size[i] = fabs(d[i]);
    rising_sort(size, first);
    const double u = gsl_stats_median_from_sorted_data(size, 1, first);

    if (!(u > 0))
        return 1;
    for (size_t i = 0; i < first; i++) {
        const double z = fmax(-2, fmin(2, d[i] / u));

        z2 += z * z / (double)first;
    }
    const double rho = z2 * 20 / (a + log(a) + 1);

    for (size_t i = 0; i < n; i++) {
        const double z = fmax(-2, fmin(2, d[i] / u));

        sum += z;
        squares += z * z;
        if (i >= first)
            most = fmax(most, sqrt(rho / (squares + rho)) * exp(sum * sum / (2 * (squares + rho))));
    }
    return 1 / most;
}
