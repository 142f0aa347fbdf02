/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Change points in the history of a sweep: ln(tested/reference) of each night, by E-divisive with
 * permutation of blocks of five points, which keeps its error rate when neighbouring nights are
 * alike.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct history_series { /* one host's history: a value a point, NaN where the host has none; all of
                           the same length */
    const char *host;
    const double *v;
};
struct history_options {
    double theta; /* least shift of medians that counts */
    double alpha; /* 0: 0.01 */
    uint64_t seed;
    unsigned draws; /* 0: 999 */
};
struct history_change {
    size_t at; /* first point of the new level */
    double before,
        after; /* medians of the stretches on both sides (median over hosts of their medians) */
    double shift, p;
};
/* *ret: change points in order of `at`, mem_free; several hosts: the statistics are summed and
 * permuted alike. */
void history_change_points(const struct history_series *series, size_t n_series, size_t n_points,
                           const struct history_options *options, struct history_change **ret,
                           size_t *ret_n);
