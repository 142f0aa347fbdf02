/* SPDX-License-Identifier: GPL-3.0-or-later
 * The 20 % trimmed mean with its Winsorised standard error (Tukey & McLaughlin 1963; Yuen 1974):
 * what a host passes on to the fleet. */
#pragma once
#include <stddef.h>

struct trimmed {
    double mean, se, df; /* df = R - 2g - 1, g = floor(0.2 R) */
};
/* sorted: ascending, n >= 2. For n < 2 all are NaN. */
struct trimmed trimmed_mean(const double *sorted, size_t n);
