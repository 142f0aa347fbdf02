/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One host's samples of one comparison, reduced to rounds: what every test on a host works on.
 * Rounds that lack a good value in an arm are not here, only counted.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"
#include "model/effect.h"
#include "model/sample.h"

#include <stddef.h>
#include <stdint.h>

/* Which column is the metric, and how two values of it are compared. */
struct rounds_metric {
    const char *name; /* a column; cpu_s and wait_s are made of elapsed_s, user_s, sys_s when there
                         is no such column */
    bool higher_is_better;
    bool by_difference; /* may be 0 or negative (wait, faults, switches): differences as a share of
                           the base's mean (the candidate's when that is 0), never logs */
};
bool rounds_metric_by_difference(const char *name);

/* A nuisance factor: where the sample's output went, environment size, position in the round, … */
struct rounds_label {
    char *name;
    const char **text; /* per round, one of level, NULL: unknown; NULL for a number */
    struct strlist level;
    double *number; /* per round, NaN: unknown; NULL for a text */
};

struct host_rounds {
    size_t n; /* rounds in which both arms have a good value */
    uint32_t *round, *session;
    double *d;                /* effect of the round, > 0 is worse; mean of ln over repeats */
    double *base, *candidate; /* mean of the metric in the round, its own unit */
    double *part[4]; /* candidate - base of elapsed, user, sys, wait, in seconds, all four NaN where
                        one is missing; all NULL when not recorded */
    double *load[2]; /* mean load of other programs of the base's, the candidate's samples; NaN
                        unknown */
    struct rounds_label *label;
    size_t n_labels;
    enum design design;
    uint64_t dropped;    /* rounds left out: an arm is missing, or has no good value */
    uint64_t samples[2]; /* good samples of each arm, all rounds */
    uint64_t failed[2];  /* samples of each arm that did not end well */
    double scale;        /* what differences were divided by; 1 on the log scale */
    /* every good sample of each arm in the order they were taken */
    double *run[2];          /* the metric, its own unit */
    double *run_position[2]; /* place in the host's order */
    double *run_part[2][4];  /* elapsed, user, sys, wait; NULL when not recorded */
    size_t n_run[2];
    double
        resolution; /* least step between distinct values, relative to the mean: the clock's tick */
    char *arms_differ; /* a recorded text constant within each arm that differs between them; NULL
                          none */
    char *first_bad;   /* words on the first value that was left out; NULL none */
};
void host_rounds_done(struct host_rounds *rounds);

struct rounds_options {
    struct rounds_metric metric;
    uint32_t base, candidate, cell;
    const char *const *factor; /* crossed factors: not nuisance */
    size_t n_factors;
    const char *const *part_of_variant; /* columns that may differ between the arms */
    size_t n_part_of_variant;
    bool design_unknown;
};
/* Reduces the rows of one cell and two variants. Warm-ups and profiled rows are left out; a row
 * that did not end well is a sample without a value. */
void host_rounds_build(const struct frame *frame, const struct rounds_options *options,
                       struct host_rounds *ret);
/* Appends the rounds of another host of the same machine; more is emptied. */
void host_rounds_join(struct host_rounds *into, struct host_rounds *more);
