/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private to rounds*.c: which columns of a frame a comparison needs, and the labels of its nuisance
 * factors.
 */
#pragma once
#include "analysis/rounds.h"

struct rounds_row {   /* one row of the comparison */
    size_t index;     /* in the frame */
    uint64_t round;   /* session and round */
    uint64_t stretch; /* order taken: stretch, then position, then arm */
    uint32_t position;
    size_t place; /* in the order taken */
    int arm;
    bool ended_well; /* OUTCOME_OK; other rows only have a place */
};
struct rounds_columns {
    const double *metric; /* NULL: derived, or absent */
    bool derived_cpu, derived_wait, by_difference, has_parts;
    const double *elapsed, *user, *sys, *load;
    const struct frame_text **text; /* nuisance factors */
    size_t n_texts;
    struct {
        const char *name;
        const double *v;
    } number[8];
    size_t n_numbers;
    const uint32_t *position;
};
void rounds_columns_find(const struct frame *frame, const struct rounds_options *options,
                         struct rounds_columns *ret);
void rounds_columns_done(struct rounds_columns *columns);
double rounds_value(const struct rounds_columns *columns, size_t row); /* NaN: missing */
void rounds_parts(const struct rounds_columns *columns, size_t row,
                  double ret[4]); /* elapsed, user, sys, wait */
void rounds_labels_begin(const struct rounds_columns *columns, size_t rounds,
                         struct host_rounds *ret);
/* Labels of one round: those of the base's first sample in it. */
void rounds_labels_set(const struct rounds_columns *columns, const struct rounds_row *row, size_t n,
                       size_t round, struct host_rounds *ret);
/* A recorded text that is constant within each arm and differs between them; NULL none. */
char *rounds_arms_differ(const struct frame *frame, const struct rounds_options *options,
                         const struct rounds_row *row, size_t n);
/* Least step between distinct values of all runs over their mean; NaN with fewer than two distinct.
 */
double rounds_resolution(const struct host_rounds *rounds);
void rounds_sort_u64(uint64_t *v, size_t n);
void rounds_sort_index(const double *key, size_t n, size_t *ret_index);
