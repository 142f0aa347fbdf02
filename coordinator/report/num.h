/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers as people read them: two or three significant digits, an estimate always with its
 * interval, the unit that suits the size. NaN and Inf become "n/a". All results go into buffers of
 * NUM_SIZE.
 */
#pragma once
#include "analysis/answer.h"

#define NUM_SIZE 64

/* How an effect of a metric becomes percent of it. */
struct num_scale {
    bool higher_is_better;
    bool
        by_difference; /* effects are shares of the base's mean, no logs (wait, faults, switches) */
};
struct num_scale num_scale_of(const struct answer *answer);
/* Percent change of the metric: 100 (exp(s e) - 1) of a log effect, 100 s e of a share; s = -1 when
 * higher is better. */
double num_pct(double effect, struct num_scale scale);
/* A size on the same scale (tau, a limit) in percent, without direction. */
double num_size_pct(double size, struct num_scale scale);
/* The interval of an effect in percent of the metric, low end first. */
struct range num_pct_range(struct range effect, struct num_scale scale);
/* "+4.9 %"; decimals follow the size. */
void num_percent(double pct, char ret[NUM_SIZE]);
/* "+4.9 % [4.1, 5.7]"; decimals follow the half-width; "+4.9 % [n/a]" without an interval, "n/a"
 * without an estimate. */
void num_percent_range(double pct, struct range ci, char ret[NUM_SIZE]);
/* num_percent_range of an effect and its interval. */
void num_effect(double effect, struct range ci, struct num_scale scale, char ret[NUM_SIZE]);
/* "+8.3 ms [7.1, 9.5]" of signed seconds. ascii writes us for microseconds. */
void num_delta(double seconds, struct range ci, bool ascii, char ret[NUM_SIZE]);
/* "p 0.0045", "p < 0.0001", "p n/a". */
void num_p(double p, char ret[NUM_SIZE]);
/* Three significant digits without exponent where that is short: "0.0123", "141889", "1.2e+12";
 * "n/a". */
void num_plain(double value, char ret[NUM_SIZE]);
/* Seconds with a unit that suits: "12.3 ms". */
void num_seconds(double seconds, bool ascii, char ret[NUM_SIZE]);
/* "2026-01-31 12:00" of microseconds since 1970, UTC; "-" for 0. */
void num_when(int64_t wall_us, char ret[NUM_SIZE]);
