/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Round effects under levels of a factor: is some level unlike the rest? The shared middle of
 * harness.c (nuisance factors, permuted inside each host) and factors.c (crossed factors, permuted
 * inside each round).
 */
#pragma once
#include "analysis/harness.h"

#define LEVELS_LEAST_SIDE 3           /* rounds a level, and the rest, must have */
#define LEVELS_MOST_STEPS 100000000.0 /* rounds x draws; beyond, fewer draws, at least 199 */

struct levels_item {
    double d, z;    /* effect; centred by the host's median, over 1.4826 MAD, clipped at 4 */
    uint32_t level; /* index into the names */
    size_t host;    /* index, by name */
    size_t stratum; /* levels are exchanged inside it; items stand in order of host, then stratum */
};
struct levels {
    struct levels_item *item;
    size_t n;
    const char *const *level; /* names */
    size_t n_levels, n_hosts;
};
/* z of n effects of one host into items' z (d is set). */
void levels_scale(struct levels_item *item, size_t n);
/* Fills p, share and the levels; false when no two levels can be compared. */
bool levels_answer(const char *factor, const struct levels *levels,
                   const struct harness_options *options, struct factor_answer *ret);
