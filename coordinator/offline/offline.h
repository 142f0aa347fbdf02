/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers from files alone, without a run or a store: profiles compared, change points of a
 * history. Files are read strictly; a complaint has the form FILE:LINE: what was found and what is
 * allowed.
 */
#pragma once
#include "coordinator/report/report.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct offline_profile_options {
    struct strlist from, to;           /* files; several a side show how much profiles scatter */
    const char *diff;                  /* instead: one file of symbol, delta_ticks, pct */
    double exposure_from, exposure_to; /* of each profile; what ticks are divided by */
    uint64_t top;                      /* rows printed, 0: all; JSON has all */
    bool json;
};
/* Prints the symbols by how surprising their change is, idle and total apart. ERR_INPUT, ERR_LIMIT;
 * nothing is printed then. */
MUST_CHECK int offline_profile(const struct offline_profile_options *options,
                               const struct report_style *style, FILE *out, struct err *err);

struct offline_history_options {
    const char *from; /* CSV: time or index; tested and reference, or ratio; optional host */
    double min_effect, alpha; /* fractions; alpha 0: 0.01 */
    uint64_t seed;
    bool json;
};
/* Prints the change points of ln(tested/reference) and the series as a small plot. Errors as above.
 */
MUST_CHECK int offline_history(const struct offline_history_options *options,
                               const struct report_style *style, FILE *out, struct err *err);
