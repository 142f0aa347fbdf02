/* SPDX-License-Identifier: GPL-3.0-or-later
 * See effect_host.h; the definitions are those of docs/STATISTICS.md. */
#include "analysis/effect_host.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>
#include <math.h>

#include "analysis/order.h"
#include "analysis/rising.h"
#include "analysis/signed_rank.h"
#include "analysis/trimmed.h"
#include "base/mem.h"

static double *sorted_copy(const double *v, size_t n)
{
    double *copy = mem_array(double, n + 1);

    for (size_t i = 0; i < n; i++)
        copy[i] = v[i];
    rising_sort(copy, n);
    return copy;
}

double effect_pct(double effect, bool higher_is_better, bool by_difference)
{
    const double change = higher_is_better ? -effect : effect;

    return 100 * (by_difference ? change : expm1(change));
}

struct range effect_jackknife(const double *leave_one_out, size_t n, double full, double level)
{
    const double size = (double)n;
    double mean = 0, squares = 0;

    if (n < 2)
        return (struct range){NAN, NAN};
    for (size_t i = 0; i < n; i++)
        mean += leave_one_out[i] / size;
    for (size_t i = 0; i < n; i++)
        squares += (leave_one_out[i] - mean) * (leave_one_out[i] - mean);
    const double half =
        gsl_cdf_tdist_Pinv(1 - (1 - level) / 2, size - 1) * sqrt((size - 1) / size * squares);

    return (struct range){full - half, full + half};
}

/* Effect of total costs: > 0 is worse. */
static double total_effect(double base, double candidate, const struct effect_options *options)
{
    const double change =
        options->by_difference ? (candidate - base) / fabs(base) : log(candidate / base);

    return options->higher_is_better ? -change : change;
}

void effect_mean(const struct host_rounds *rounds, const struct effect_options *options,
                 double *ret_effect, struct range *ret_ci)
{
    const size_t n = rounds->n;
    double base = 0, candidate = 0, *without;

    *ret_effect = NAN;
    *ret_ci = (struct range){NAN, NAN};
    for (size_t i = 0; i < n; i++) {
        base += rounds->base[i];
        candidate += rounds->candidate[i];
    }
    if (n == 0 || base == 0)
        return;
    *ret_effect = total_effect(base, candidate, options);
    without = mem_array(double, n);
    for (size_t i = 0; i < n; i++)
        without[i] =
            total_effect(base - rounds->base[i], candidate - rounds->candidate[i], options);
    *ret_ci = effect_jackknife(without, n, *ret_effect, 1 - options->alpha);
    mem_free(without);
}

double effect_detectable(double df, double se)
{
    return (gsl_cdf_tdist_Pinv(0.975, df) + gsl_cdf_tdist_Pinv(0.8, df)) * se;
}

static void centre_and_spread(const double *v, size_t n, double *ret_centre, double *ret_spread)
{
    double *sorted = sorted_copy(v, n);

    *ret_centre = n ? gsl_stats_median_from_sorted_data(sorted, 1, n) : NAN;
    for (size_t i = 0; i < n; i++)
        sorted[i] = fabs(sorted[i] - *ret_centre);
    rising_sort(sorted, n);
    *ret_spread = n > 1 ? 1.4826 * gsl_stats_median_from_sorted_data(sorted, 1, n) : NAN;
    mem_free(sorted);
}

/* On a scale where differences are effects: ln, or shares of the base's mean. */
static double *on_scale(const struct host_rounds *rounds, int arm,
                        const struct effect_options *options)
{
    double *v = mem_array(double, rounds->n_run[arm] + 1);

    for (size_t i = 0; i < rounds->n_run[arm]; i++)
        v[i] =
            options->by_difference ? rounds->run[arm][i] / rounds->scale : log(rounds->run[arm][i]);
    return v;
}

static void serial(const struct host_rounds *rounds, double *const scaled[2],
                   struct host_answer *ret)
{
    for (int arm = 0; arm < 2; arm++) {
        const size_t n = rounds->n_run[arm];

        ret->n_effective[arm] = n ? order_effective_n(scaled[arm], n) : NAN;
        ret->streak_p[arm] = n >= 2 ? order_streak_p(scaled[arm], n) : NAN;
    }
}

static void blocked_effect(const struct host_rounds *rounds, double *const scaled[2],
                           const struct effect_options *options, struct host_answer *ret)
{
    const struct order_blocked b = order_blocked_interval(scaled[0], rounds->n_run[0], scaled[1],
                                                          rounds->n_run[1], 1 - options->alpha);
    const double sign = options->higher_is_better ? -1 : 1;

    ret->effect = sign * b.delta;
    ret->df = b.df;
    ret->p = b.p;
    if (isnan(b.ci.lo))
        return;
    ret->ci = sign > 0 ? b.ci : (struct range){-b.ci.hi, -b.ci.lo};
    ret->ci_level = 1 - options->alpha;
}

static double least_rounds(const struct effect_options *options)
{
    return ceil(1 + log2((options->family ? options->family : 1) / options->alpha));
}

static void interleaved_effect(const struct host_rounds *rounds,
                               const struct effect_options *options, struct host_answer *ret,
                               struct effect_numbers *numbers)
{
    const size_t n = rounds->n;
    const double level = options->repeated_level > 0 ? options->repeated_level : 1 - options->alpha;
    double *sorted = sorted_copy(rounds->d, n), ignored;

    ret->effect = signed_rank_estimate(sorted, n);
    effect_mean(rounds, options, &ret->mean_effect, &ret->mean_ci);
    if (n >= EFFECT_LEAST_ROUNDS) {
        const struct trimmed t = trimmed_mean(sorted, n);

        ret->trimmed_effect = t.mean;
        ret->trimmed_se = t.se;
        ret->df = t.df;
        ret->detectable = effect_detectable(t.df, t.se);
        ret->p = numbers->p = signed_rank_p(rounds->d, n);
        signed_rank_interval(sorted, n, 1 - 2 * (1 - level), &numbers->ci90, &ignored);
    }
    if (signed_rank_interval(sorted, n, level, &ret->ci, &ret->ci_level)) {
        const double share = (ret->ci.hi - ret->ci.lo) / 2 / options->theta;

        ret->rounds_needed = ceil((double)n * share * share);
    } else {
        ret->rounds_needed = least_rounds(options);
    }
    mem_free(sorted);
}

static struct range widen(struct range range, double by)
{
    return (struct range){range.lo - by, range.hi + by};
}

/* All differences are 0: the clock is too coarse, so every interval is widened by a tick either
 * way, and the pool gets the standard error that such an interval speaks of. */
static void widen_by_tick(const struct host_rounds *rounds, const struct effect_options *options,
                          struct host_answer *ret, struct effect_numbers *numbers)
{
    const double tick = isfinite(rounds->resolution) ? rounds->resolution : 0;

    for (size_t i = 0; i < rounds->n; i++)
        if (rounds->d[i] != 0)
            return;
    if (rounds->n < 2)
        return;
    strlist_add(&ret->notes, "coarse-clock");
    ret->ci = widen(ret->ci, tick);
    ret->mean_ci = widen(ret->mean_ci, tick);
    numbers->ci90 = widen(numbers->ci90, tick);
    if (rounds->n < EFFECT_LEAST_ROUNDS)
        return;
    ret->trimmed_se = tick / gsl_cdf_tdist_Pinv(1 - options->alpha / 2, ret->df);
    ret->detectable = effect_detectable(ret->df, ret->trimmed_se);
}

/* Total cost and typical round tell different stories: some runs differ, not all. */
static void note_some_runs(struct host_answer *ret)
{
    const double half = fmax(ret->ci.hi - ret->ci.lo, ret->mean_ci.hi - ret->mean_ci.lo) / 2;

    if (fabs(ret->effect - ret->mean_effect) > half)
        strlist_add(&ret->notes, "some-runs-differ");
}

void effect_host(const struct host_rounds *rounds, const struct effect_options *options,
                 struct host_answer *ret, struct effect_numbers *numbers)
{
    double *scaled[2];

    *numbers = (struct effect_numbers){
        .p = NAN, .ci90 = {NAN, NAN}
    };
    ret->design = rounds->design;
    ret->rounds_used = rounds->n;
    ret->rounds_dropped = rounds->dropped;
    for (int arm = 0; arm < 2; arm++) {
        ret->samples[arm] = rounds->samples[arm];
        scaled[arm] = on_scale(rounds, arm, options);
    }
    centre_and_spread(rounds->run[0], rounds->n_run[0], &ret->base_centre, &ret->base_spread);
    centre_and_spread(rounds->run[1], rounds->n_run[1], &ret->candidate_centre,
                      &ret->candidate_spread);
    serial(rounds, scaled, ret);
    if (rounds->design == DESIGN_BLOCKED || rounds->design == DESIGN_UNPAIRED) {
        blocked_effect(rounds, scaled, options, ret);
    } else if (rounds->design != DESIGN_NONE && rounds->n > 0) {
        interleaved_effect(rounds, options, ret, numbers);
        widen_by_tick(rounds, options, ret, numbers);
        note_some_runs(ret);
    }
    ret->pct = effect_pct(ret->effect, options->higher_is_better, options->by_difference);
    mem_free(scaled[0]);
    mem_free(scaled[1]);
}

static void reason_width(const struct effect_options *options, struct host_answer *answer)
{
    CLEAN_DONE(str) struct str text = {0};

    if (answer->rounds_needed > (double)answer->rounds_used)
        str_addf(&text,
                 "the interval is wider than what matters (about %.0f rounds are needed, %llu were "
                 "used)",
                 answer->rounds_needed, (unsigned long long)answer->rounds_used);
    else if (fabs(answer->effect) < options->theta)
        str_add(&text, "the interval reaches past the smallest effect that matters");
    else
        str_add(&text, "the effect is not told apart from chance after correction over hosts");
    strlist_add(&answer->reasons, str_get(&text));
}

enum verdict effect_verdict(const struct effect_options *options,
                            const struct effect_numbers *numbers, struct host_answer *answer)
{
    const bool one_side = answer->ci.lo > 0 || answer->ci.hi < 0;

    if (answer->rounds_used < EFFECT_LEAST_ROUNDS) {
        CLEAN_DONE(str) struct str text = {0};

        str_addf(&text, "too few rounds (%llu; at least %.0f are needed)",
                 (unsigned long long)answer->rounds_used, answer->rounds_needed);
        strlist_add(&answer->reasons, str_get(&text));
        return VERDICT_INCONCLUSIVE;
    }
    if (answer->q <= options->alpha && one_side) {
        const bool small = fabs(answer->effect) < options->theta;

        if (answer->effect > 0)
            return small ? VERDICT_REGRESSED_SMALL : VERDICT_REGRESSED;
        return small ? VERDICT_IMPROVED_SMALL : VERDICT_IMPROVED;
    }
    if (numbers->ci90.lo > -options->theta && numbers->ci90.hi < options->theta)
        return VERDICT_UNCHANGED;
    reason_width(options, answer);
    return VERDICT_INCONCLUSIVE;
}
