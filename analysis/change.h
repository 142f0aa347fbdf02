/* SPDX-License-Identifier: GPL-3.0-or-later
 * Does the effect itself come and go? One change in level of the round effects, in order. */
#pragma once
#include "analysis/answer.h"

#include <stdint.h>

#define CHANGE_LEAST 5 /* rounds on either side of a split */

struct change_result {
    double p;     /* NaN with fewer than 2 * CHANGE_LEAST rounds */
    size_t split; /* rounds before the change */
};
/* Statistic: largest over splits of |difference of medians| / (1.4826 MAD about the stretches'
 * medians) * sqrt(n1 n2/(n1 + n2)); null: the order of d permuted, at most `draws` times, fewer
 * where p is plainly above 0.01. */
struct change_result change_test(const double *d, size_t n, uint64_t seed, unsigned draws);
