/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles compared symbol by symbol. Ticks are counts: given a symbol's ticks in both, those after
 * are binomial when nothing changed; several profiles a side show how much more than that they
 * scatter (phi).
 */
#include "analysis/profdiff.h"

#include "base/mem.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const idle_names[] = {
    "default_idle",     "poll_idle", "cpu_idle",           "idle",
    "swapper",          "acpi_idle", "intel_idle",         "mwait_idle",
    "native_safe_halt", "do_idle",   "acpi_idle_do_entry", "cpuidle_enter_state"};

bool profdiff_is_idle(const char *name)
{
    for (size_t i = 0; i < sizeof idle_names / sizeof *idle_names; i++)
        if (strcmp(name, idle_names[i]) == 0)
            return true;
    return false;
}

bool profdiff_is_total(const char *name)
{
    return strcmp(name, "total") == 0;
}

double profdiff_z(double a, double b, double n_a, double n_b)
{
    double ratio = n_a / n_b, variance = b * ratio * ratio + a;

    return variance > 0.0 ? (b * ratio - a) / sqrt(variance) : 0.0;
}

double profdiff_p(double a, double b, double n_a, double n_b)
{
    double share = n_b / (n_a + n_b);
    unsigned after = (unsigned)llround(b), all = (unsigned)llround(a + b);

    if (all == 0)
        return 1.0;

    double low = gsl_cdf_binomial_P(after, share, all);
    double high = after > 0 ? gsl_cdf_binomial_Q(after - 1, share, all) : 1.0;

    return fmin(1.0, 2.0 * fmin(low, high));
}

struct side {
    double ticks, exposure;
};

static void sum_sides(const struct profdiff_profile *profiles, size_t n_profiles, size_t symbol,
                      struct side ret[2])
{
    ret[0] = ret[1] = (struct side){0.0, 0.0};
    for (size_t p = 0; p < n_profiles; p++) {
        ret[profiles[p].after].ticks += profiles[p].ticks[symbol];
        ret[profiles[p].after].exposure += profiles[p].exposure;
    }
}

/* Mean Pearson chi2 over its degrees of freedom of the ticks inside each side, over all symbols: at
 * least 1. */
static double overdispersion(const char *const *names, size_t n_symbols,
                             const struct profdiff_profile *profiles, size_t n_profiles)
{
    double chi2 = 0.0, df = 0.0;

    for (size_t s = 0; s < n_symbols; s++) {
        struct side side[2];

        if (profdiff_is_idle(names[s]) || profdiff_is_total(names[s]))
            continue;
        sum_sides(profiles, n_profiles, s, side);
        for (int after = 0; after < 2; after++) {
            size_t members = 0;

            for (size_t p = 0; p < n_profiles; p++) {
                double expected;

                if (profiles[p].after != after || side[after].ticks <= 0.0)
                    continue;
                expected = side[after].ticks * profiles[p].exposure / side[after].exposure;
                chi2 += (profiles[p].ticks[s] - expected) * (profiles[p].ticks[s] - expected) /
                        expected;
                members++;
            }
            df += members > 1 ? (double)(members - 1) : 0.0;
        }
    }
    return df > 0.0 ? fmax(1.0, chi2 / df) : 1.0;
}

static int by_surprise(const void *a, const void *b)
{
    const struct profdiff_row *x = a, *y = b;

    if (fabs(x->z) != fabs(y->z))
        return fabs(x->z) > fabs(y->z) ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/* Rows stand by falling |z|; p is corrected over `exists` symbols, those not printed taken as p
 * = 1. */
static void correct(struct profdiff_result *result, enum profdiff_correction correction,
                    size_t exists)
{
    double family = (double)(exists > result->n ? exists : result->n), least = 1.0;
    size_t *order;

    if (correction == PROFDIFF_BONFERRONI) {
        for (size_t i = 0; i < result->n; i++)
            result->row[i].p_adjusted = fmin(1.0, result->row[i].p * family);
        return;
    }
    order = mem_array(size_t, result->n);
    for (size_t i = 0; i < result->n; i++) { /* insertion into order of p; nearly sorted already */
        size_t at = i;

        for (; at > 0 && result->row[order[at - 1]].p > result->row[i].p; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (size_t rank = result->n; rank > 0; rank--) {
        struct profdiff_row *row = &result->row[order[rank - 1]];

        least = fmin(least, row->p * family / (double)rank);
        row->p_adjusted = least;
    }
    mem_free(order);
}

void profdiff_compare(const char *const *names, size_t n_symbols,
                      const struct profdiff_profile *profiles, size_t n_profiles,
                      enum profdiff_correction correction, size_t exists,
                      struct profdiff_result *ret)
{
    size_t members[2] = {0, 0};

    for (size_t p = 0; p < n_profiles; p++)
        members[profiles[p].after]++;
    *ret = (struct profdiff_result){.row = mem_array(struct profdiff_row, n_symbols),
                                    .poisson_only = members[0] < 2 && members[1] < 2,
                                    .phi = overdispersion(names, n_symbols, profiles, n_profiles)};
    for (size_t s = 0; s < n_symbols; s++) {
        struct side side[2];

        sum_sides(profiles, n_profiles, s, side);
        if (profdiff_is_total(names[s])) {
            ret->total_before += side[0].ticks;
            ret->total_after += side[1].ticks;
            continue;
        }
        if (profdiff_is_idle(names[s])) {
            ret->idle_before += side[0].ticks;
            ret->idle_after += side[1].ticks;
            continue;
        }

        double a = side[0].ticks, b = side[1].ticks,
               scaled = b * side[0].exposure / side[1].exposure;
        double z = profdiff_z(a, b, side[0].exposure, side[1].exposure) / sqrt(ret->phi);

        ret->row[ret->n++] = (struct profdiff_row){
            .symbol = s,
            .before = a,
            .after = b,
            .delta = scaled - a,
            .percent = a > 0.0 ? 100.0 * (scaled - a) / a : NAN,
            .is_new = a <= 0.0 && b > 0.0,
            .z = z,
            .p = ret->poisson_only ? profdiff_p(a, b, side[0].exposure, side[1].exposure)
                                   : 2.0 * gsl_cdf_ugaussian_Q(fabs(z)),
        };
    }
    qsort(ret->row, ret->n, sizeof *ret->row, by_surprise);
    correct(ret, correction, exists);
}

void profdiff_done(struct profdiff_result *result)
{
    mem_free(result->row);
    *result = (struct profdiff_result){0};
}
