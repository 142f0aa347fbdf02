/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How well a candidate explains the effects: y ~ N(a + b x, v + tau^2) by profile maximum
 * likelihood over a grid of tau^2, against b = 0. Weights are computed once a grid point and host;
 * a fact's candidates then cost one pass over the hosts (sums by level) and one over its levels
 * (cuts are running sums), so thousands of draws stay cheap.
 */
#pragma once
#include "analysis/candidate.h"

#define SCORE_GRID_FINE 151
#define SCORE_GRID_COARSE 12

/* Everything about the hosts' effects that scoring needs, for every tau^2 of the grid. */
struct score_rows {
    size_t k, n_grid;
    double *tau2;
    double *row; /* k rows of 2 n_grid: w = 1/(v + tau^2), then w (y - mu) */
    double *mu;  /* weighted mean */
    double *sum_w;
    double *base; /* log likelihood of b = 0 */
    double null;  /* its largest value */
    size_t null_at;
};
void score_rows_init(struct score_rows *rows, size_t k, size_t n_grid);
void score_rows_done(struct score_rows *rows);
/* The grid is 0 and a geometric one from step * min(min v, var y) to max(4 var y, min v); step .01
 * fine, .05 coarse. */
void score_rows_fill(struct score_rows *rows, const double *y, const double *v, size_t without,
                     double step);

struct score_split { /* one counted candidate of the list, ready to be evaluated */
    size_t candidate;
    enum class_kind kind;
    uint32_t bin;       /* of the level; of the first level above the cut */
    size_t side, known; /* known hosts on its side, and in all */
    double mean;        /* of x over the known hosts: what a missing x is taken to be */
};
struct score_column {
    size_t column;
    uint32_t *bin; /* per host; n_bins: missing */
    size_t n_bins, n_missing;
    size_t first, n; /* its splits */
    double *x;       /* of a trend: per host, missing = mean; NULL: none */
};
struct score_plan {
    const struct candidate_list *list;
    size_t k;
    struct score_column *column;
    size_t n_columns;
    struct score_split *split; /* cuts of a column by falling position */
    size_t n_splits, most_bins;
};
void score_plan_build(const struct candidate_list *list, struct score_plan *ret);
void score_plan_done(struct score_plan *plan);
/* A copy for rows that leave one host out: sides, known hosts and means without it. Shares bins
 * with plan. */
void score_plan_without(const struct score_plan *plan, size_t host, struct score_plan *ret);
void score_plan_without_done(struct score_plan *plan);

/* Largest LR over all splits, missing x taken as the mean of the known. order[i] is the row given
 * to host i (NULL: i). ret_lr (may be NULL): LR of every split. scratch: score_scratch doubles. */
double score_plan_run(const struct score_plan *plan, const struct score_rows *rows,
                      const size_t *order, double *scratch, double *ret_lr);
size_t score_scratch(const struct score_plan *plan, size_t n_grid);

/* LR of a split from sums over its side's hosts and over those that lack the fact (both rows of 2
 * n_grid, x = mean for the latter). *ret_at (may be NULL): the grid point of its largest
 * likelihood. */
double score_split_lr(const struct score_rows *rows, const double *side, const double *missing,
                      double mean, size_t *ret_at);
/* The same for any x of k values (none missing); sums: room for 3 n_grid. */
double score_x_lr(const struct score_rows *rows, const double *x, const size_t *order, double *sums,
                  size_t *ret_at);

struct score_fit { /* LR with every host that lacks the fact put where it fits best */
    double lr, tau2;
    size_t placed; /* hosts that lack the fact */
};
/* ret_x: k values, the candidate's x with placed hosts filled in (may be NULL). */
void score_fit_placed(const struct score_plan *plan, const struct score_rows *rows, size_t column,
                      size_t split, double *scratch, struct score_fit *ret, double *ret_x);
/* Weighted least squares at tau2: fitted values of y on x (k values each). */
void score_fitted(const double *y, const double *v, const double *x, size_t k, double tau2,
                  double *ret_fitted, double *ret_slope);
