/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The numbers of one host: estimate, test, interval, trimmed pair, mean effect, detectable effect.
 * Verdicts come later, when the other hosts are known (effect_verdict).
 */
#pragma once
#include "analysis/answer.h"
#include "analysis/rounds.h"

#define EFFECT_LEAST_ROUNDS 5 /* below: an estimate, never a verdict */

struct effect_options {
    double alpha, theta;
    bool higher_is_better, by_difference;
    unsigned family;       /* hosts x variants that share alpha: for the least number of rounds */
    double repeated_level; /* level of the interval under planned looks: 1 - nominal alpha of the
                              last look; 0: 1 - alpha */
};
struct effect_numbers {
    double p;          /* signed rank; NaN below EFFECT_LEAST_ROUNDS or when not interleaved */
    struct range ci90; /* interval of the equivalence test, at 1 - 2 alpha */
};
/* Fills the numeric fields of ret (effect … rounds_needed, samples, rounds, n_effective, streak_p,
 * centres, spreads); reasons and verdict are left alone. */
void effect_host(const struct host_rounds *rounds, const struct effect_options *options,
                 struct host_answer *ret, struct effect_numbers *numbers);
/* The verdict of an interleaved host by section 2's table; q: adjusted p. Adds the reason when
 * inconclusive. */
enum verdict effect_verdict(const struct effect_options *options,
                            const struct effect_numbers *numbers, struct host_answer *answer);
/* Change of the metric itself in percent, with its own sign; NaN stays NaN. */
double effect_pct(double effect, bool higher_is_better, bool by_difference);
/* Smallest effect that is seen in 80 % of such runs, tested at 5 %. */
double effect_detectable(double df, double se);
/* ln(mean candidate / mean base), or the share of the base's mean by which they differ, with its
 * jackknife interval over rounds. */
void effect_mean(const struct host_rounds *rounds, const struct effect_options *options,
                 double *ret_effect, struct range *ret_ci);
/* Two-sided t interval around a jackknife: leave-one-out values v[n] around full. se^2 = (n-1)/n
 * sum (v - mean)^2. */
struct range effect_jackknife(const double *leave_one_out, size_t n, double full, double level);
