/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Likelihoods on a grid of tau^2. With y centred at its weighted mean at every grid point, the gain
 * of a candidate is (sum w x y)^2 / (sum w x^2 - (sum w x)^2 / sum w), so sums over one side are
 * all that is needed.
 */
#include "analysis/score.h"

#include <math.h>
#include <string.h>

#define NO_SPREAD 1e-12

/* Draws spend their time in these loops: twice as wide where the CPU can, with the same operations
 * in the same order, so with the same bytes. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif
#define INLINE static inline __attribute__((always_inline))

void score_rows_init(struct score_rows *rows, size_t k, size_t n_grid)
{
    *rows = (struct score_rows){.k = k,
                                .n_grid = n_grid,
                                .tau2 = mem_array(double, n_grid),
                                .row = mem_array(double, k * 2 * n_grid),
                                .mu = mem_array(double, n_grid),
                                .sum_w = mem_array(double, n_grid),
                                .base = mem_array(double, n_grid)};
}

void score_rows_done(struct score_rows *rows)
{
    mem_free(rows->tau2);
    mem_free(rows->row);
    mem_free(rows->mu);
    mem_free(rows->sum_w);
    mem_free(rows->base);
    *rows = (struct score_rows){0};
}

static void make_grid(struct score_rows *rows, const double *y, const double *v, size_t without,
                      double step)
{
    double mean = 0.0, squares = 0.0, least_v = INFINITY,
           n = (double)(rows->k - (without < rows->k));

    for (size_t i = 0; i < rows->k; i++)
        mean += i == without ? 0.0 : y[i] / n;
    for (size_t i = 0; i < rows->k; i++) {
        if (i == without)
            continue;
        squares += (y[i] - mean) * (y[i] - mean);
        least_v = fmin(least_v, v[i]);
    }

    double variance = n > 1.0 ? squares / (n - 1.0) : 0.0;
    double hi = fmax(4.0 * variance, least_v);
    double lo = fmax(step * fmin(least_v, variance), NO_SPREAD * hi);
    double ratio = log(hi / lo) / (double)(rows->n_grid - 2);

    rows->tau2[0] = 0.0;
    for (size_t g = 1; g < rows->n_grid; g++)
        rows->tau2[g] = lo * exp(ratio * (double)(g - 1));
}

void score_rows_fill(struct score_rows *rows, const double *y, const double *v, size_t without,
                     double step)
{
    size_t grid = rows->n_grid;

    make_grid(rows, y, v, without, step);
    rows->null = -INFINITY;
    for (size_t g = 0; g < grid; g++) {
        double sum_w = 0.0, sum_wy = 0.0, logs = 0.0, residual = 0.0;

        for (size_t i = 0; i < rows->k; i++) {
            double total = v[i] + rows->tau2[g], w = i == without ? 0.0 : 1.0 / total;

            rows->row[i * 2 * grid + g] = w;
            if (i == without)
                continue;
            sum_w += w;
            sum_wy += w * y[i];
            logs += log(total);
        }
        rows->sum_w[g] = sum_w;
        rows->mu[g] = sum_wy / sum_w;
        for (size_t i = 0; i < rows->k; i++) {
            double off = y[i] - rows->mu[g];
            double weighted = rows->row[i * 2 * grid + g] * off;

            rows->row[i * 2 * grid + grid + g] = weighted;
            residual += weighted * off;
        }
        rows->base[g] = -0.5 * (logs + residual);
        if (rows->base[g] > rows->null) {
            rows->null = rows->base[g];
            rows->null_at = g;
        }
    }
}

/* Draws all use the coarse grid: a width known to the compiler halves their time. */
INLINE void add_row(double *restrict sum, const double *restrict row, size_t width)
{
    if (width == 2 * SCORE_GRID_COARSE) {
        for (size_t i = 0; i < (size_t)2 * SCORE_GRID_COARSE; i++)
            sum[i] += row[i];
        return;
    }
    for (size_t i = 0; i < width; i++)
        sum[i] += row[i];
}

INLINE void add_scaled(double *restrict wx, double *restrict wxx, double *restrict wxy,
                       const double *restrict row, double x, size_t grid)
{
    if (grid == SCORE_GRID_COARSE) {
        for (size_t g = 0; g < SCORE_GRID_COARSE; g++) {
            wx[g] += row[g] * x;
            wxx[g] += row[g] * x * x;
            wxy[g] += row[SCORE_GRID_COARSE + g] * x;
        }
        return;
    }
    for (size_t g = 0; g < grid; g++) {
        wx[g] += row[g] * x;
        wxx[g] += row[g] * x * x;
        wxy[g] += row[grid + g] * x;
    }
}

WIDE double score_split_lr(const struct score_rows *rows, const double *restrict side,
                           const double *restrict missing, double mean, size_t *ret_at)
{
    size_t grid = rows->n_grid, at = 0;
    double best = -INFINITY;

    for (size_t g = 0; g < grid; g++) {
        double wx = side[g] + mean * missing[g];
        double wxx = side[g] + mean * mean * missing[g] - wx * wx / rows->sum_w[g];
        double wxy = side[grid + g] + mean * missing[grid + g];
        double likelihood = rows->base[g] + (wxx > NO_SPREAD * wx ? 0.5 * wxy * wxy / wxx : 0.0);

        if (likelihood > best) {
            best = likelihood;
            at = g;
        }
    }
    if (ret_at)
        *ret_at = at;
    return 2.0 * (best - rows->null);
}

WIDE double score_x_lr(const struct score_rows *rows, const double *x, const size_t *order,
                       double *sums, size_t *ret_at)
{
    size_t grid = rows->n_grid, at = 0;
    double *wx = sums, *wxx = sums + grid, *wxy = sums + 2 * grid;
    double best = -INFINITY;

    memset(sums, 0, 3 * grid * sizeof *sums);
    for (size_t i = 0; i < rows->k; i++) {
        const double *row = &rows->row[(order ? order[i] : i) * 2 * grid];

        if (x[i] != 0.0)
            add_scaled(wx, wxx, wxy, row, x[i], grid);
    }
    for (size_t g = 0; g < grid; g++) {
        double spread = wxx[g] - wx[g] * wx[g] / rows->sum_w[g];
        double likelihood =
            rows->base[g] + (spread > NO_SPREAD * wxx[g] ? 0.5 * wxy[g] * wxy[g] / spread : 0.0);

        if (likelihood > best) {
            best = likelihood;
            at = g;
        }
    }
    if (ret_at)
        *ret_at = at;
    return 2.0 * (best - rows->null);
}

WIDE static void sum_bins(const struct score_column *column, const struct score_rows *rows,
                          const size_t *order, double *sums)
{
    size_t width = 2 * rows->n_grid;

    memset(sums, 0, (column->n_bins + 1) * width * sizeof *sums);
    for (size_t i = 0; i < rows->k; i++)
        add_row(&sums[column->bin[i] * width], &rows->row[(order ? order[i] : i) * width], width);
}

size_t score_scratch(const struct score_plan *plan, size_t n_grid)
{
    return (plan->most_bins + 4) * 2 *
           n_grid; /* bins, missing, running sums of cuts, a trend's sums */
}

WIDE double score_plan_run(const struct score_plan *plan, const struct score_rows *rows,
                           const size_t *order, double *scratch, double *ret_lr)
{
    size_t width = 2 * rows->n_grid;
    double largest = 0.0, *running = &scratch[(plan->most_bins + 1) * width],
           *trend = running + width;

    for (size_t c = 0; c < plan->n_columns; c++) {
        const struct score_column *column = &plan->column[c];
        const double *missing = &scratch[column->n_bins * width];
        size_t above = column->n_bins; /* running holds the bins above .. n_bins - 1 */

        sum_bins(column, rows, order, scratch);
        memset(running, 0, width * sizeof *running);
        for (size_t s = column->first; s < column->first + column->n; s++) {
            const struct score_split *split = &plan->split[s];
            double lr = 0.0;

            if (split->kind == CLASS_KIND_TREND) {
                lr = score_x_lr(rows, column->x, order, trend, NULL);
            } else if (split->side > 0 && split->side < split->known) {
                const double *side = &scratch[split->bin * width];

                if (split->kind == CLASS_KIND_CUT) {
                    while (above > split->bin)
                        add_row(running, &scratch[--above * width], width);
                    side = running;
                }
                lr = score_split_lr(rows, side, missing, split->mean, NULL);
            }
            largest = fmax(largest, lr);
            if (ret_lr)
                ret_lr[s] = lr;
        }
    }
    return largest;
}

/* Puts hosts that lack the fact on the side whose mean is nearer; a trend's where its line passes
 * them nearest. */
static void place(const struct score_plan *plan, const struct score_rows *rows,
                  const struct score_split *split, double *x)
{
    const struct candidate *candidate = &plan->list->v[split->candidate];
    size_t grid = rows->n_grid;
    double sw = 0.0, swx = 0.0, swxx = 0.0, swy = 0.0, swxy = 0.0;

    for (size_t i = 0; i < plan->k; i++) {
        const double *row = &rows->row[i * 2 * grid];

        x[i] = candidate_x(plan->list->table, candidate, i);
        if (isnan(x[i]))
            continue;
        sw += row[1];
        swx += row[1] * x[i];
        swxx += row[1] * x[i] * x[i];
        swy += row[grid + 1];
        swxy += row[grid + 1] * x[i];
    }

    double slope = (swxy - swx * swy / sw) / (swxx - swx * swx / sw);
    double low = (swy - slope * swx) / sw;

    for (size_t i = 0; i < plan->k; i++) {
        const double *row = &rows->row[i * 2 * grid];
        double y = row[grid + 1] / row[1];

        if (isnan(x[i]))
            x[i] = fabs(y - low - slope) < fabs(y - low) ? 1.0 : 0.0;
    }
}

void score_fit_placed(const struct score_plan *plan, const struct score_rows *rows, size_t column,
                      size_t split, double *scratch, struct score_fit *ret, double *ret_x)
{
    double *own = ret_x ? NULL : mem_array(double, plan->k), *x = ret_x ? ret_x : own;
    size_t at = 0;

    place(plan, rows, &plan->split[split], x);
    ret->placed = plan->column[column].n_missing;
    ret->lr = score_x_lr(rows, x, NULL, scratch, &at);
    ret->tau2 = rows->tau2[at];
    mem_free(own);
}

void score_fitted(const double *y, const double *v, const double *x, size_t k, double tau2,
                  double *ret_fitted, double *ret_slope)
{
    double sw = 0.0, swx = 0.0, swy = 0.0, sxx = 0.0, sxy = 0.0;

    for (size_t i = 0; i < k; i++) {
        double w = 1.0 / (v[i] + tau2);

        sw += w;
        swx += w * x[i];
        swy += w * y[i];
    }
    for (size_t i = 0; i < k; i++) {
        double w = 1.0 / (v[i] + tau2), off = x[i] - swx / sw;

        sxx += w * off * off;
        sxy += w * off * (y[i] - swy / sw);
    }
    *ret_slope = sxx > 0.0 ? sxy / sxx : 0.0;
    for (size_t i = 0; i < k; i++)
        ret_fitted[i] = swy / sw + *ret_slope * (x[i] - swx / sw);
}
