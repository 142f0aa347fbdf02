/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Effect against load. Three columns (1, difference of the loads, their mean) by weighted normal
 * equations; the 3 x 3 systems are solved by hand, so nothing here can fail but for a design that
 * says nothing (refused by its condition).
 */
#include "analysis/load.h"

#include "analysis/pool.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_eigen.h>
#include <math.h>
#include <stdlib.h>

#define LEAST_ROUNDS 8
#define LEAST_SD 0.05
#define MOST_CONDITION 1e4
#define HUBER 1.345
#define STEPS 20
#define LEAST_FREE 0.05 /* of 1 - leverage */

struct regression {
    size_t n;
    double (*x)[3];
    double *d, *weight, *residual;
    double cov[3][3]; /* inverse of X'WX */
    double b[3];
};

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_size(const double *v, size_t n)
{
    double *size = mem_array(double, n), middle;

    for (size_t i = 0; i < n; i++)
        size[i] = fabs(v[i]);
    qsort(size, n, sizeof *size, rising);
    middle = 0.5 * (size[(n - 1) / 2] + size[n / 2]);
    mem_free(size);
    return middle;
}

/* X'X of the columns as they are: ratio of extreme singular values. */
static double condition(const struct regression *design)
{
    double cross[9] = {0};
    gsl_matrix_view matrix = gsl_matrix_view_array(cross, 3, 3);
    gsl_vector *value = gsl_vector_alloc(3);
    gsl_eigen_symm_workspace *room = gsl_eigen_symm_alloc(3);
    double least, most;

    for (size_t i = 0; i < design->n; i++)
        for (int r = 0; r < 9; r++)
            cross[r] += design->x[i][r / 3] * design->x[i][r % 3];
    gsl_eigen_symm(&matrix.matrix, value, room);
    gsl_vector_minmax(value, &least, &most);
    gsl_vector_free(value);
    gsl_eigen_symm_free(room);
    return least > 0.0 ? sqrt(most / least) : INFINITY;
}

static void invert(double m[3][3], double ret[3][3])
{
    double determinant = 0.0;

    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            int a = (c + 1) % 3, b = (c + 2) % 3, i = (r + 1) % 3, j = (r + 2) % 3;

            ret[r][c] = m[a][i] * m[b][j] - m[a][j] * m[b][i];
        }
    for (int c = 0; c < 3; c++)
        determinant += m[0][c] * ret[c][0];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            ret[r][c] /= determinant;
}

/* Weighted least squares with the weights as they stand; leaves coefficients, residuals and the
 * inverse. */
static void solve(struct regression *design)
{
    double cross[3][3] = {{0}}, right[3] = {0};

    for (size_t i = 0; i < design->n; i++)
        for (int r = 0; r < 3; r++) {
            right[r] += design->weight[i] * design->x[i][r] * design->d[i];
            for (int c = 0; c < 3; c++)
                cross[r][c] += design->weight[i] * design->x[i][r] * design->x[i][c];
        }
    invert(cross, design->cov);
    for (int r = 0; r < 3; r++) {
        design->b[r] = 0.0;
        for (int c = 0; c < 3; c++)
            design->b[r] += design->cov[r][c] * right[c];
    }
    for (size_t i = 0; i < design->n; i++) {
        design->residual[i] = design->d[i];
        for (int c = 0; c < 3; c++)
            design->residual[i] -= design->x[i][c] * design->b[c];
    }
}

static void huber(struct regression *design)
{
    solve(design);
    for (int step = 0; step < STEPS; step++) {
        double scale = 1.4826 * median_size(design->residual, design->n);

        if (scale <= 0.0)
            return;
        for (size_t i = 0; i < design->n; i++) {
            double size = fabs(design->residual[i]) / scale;

            design->weight[i] = size <= HUBER ? 1.0 : HUBER / size;
        }
        solve(design);
    }
}

/* HC3 (MacKinnon & White 1985) of the weighted fit: residuals over 1 - leverage, which is kept at
 * or above .05. */
static void sandwich(const struct regression *design, double ret_variance[3])
{
    double meat[3][3] = {{0}};

    for (size_t i = 0; i < design->n; i++) {
        const double *x = design->x[i];
        double leverage = 0.0, w = design->weight[i];

        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                leverage += w * x[r] * design->cov[r][c] * x[c];

        double off = w * design->residual[i] / fmax(LEAST_FREE, 1.0 - leverage);

        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                meat[r][c] += off * off * x[r] * x[c];
    }
    for (int p = 0; p < 3; p++) {
        ret_variance[p] = 0.0;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                ret_variance[p] += design->cov[p][r] * meat[r][c] * design->cov[c][p];
    }
}

static double sd_of_mean_load(const struct regression *design)
{
    double mean = 0.0, squares = 0.0, n = (double)design->n;

    for (size_t i = 0; i < design->n; i++)
        mean += design->x[i][2] / n;
    for (size_t i = 0; i < design->n; i++)
        squares += (design->x[i][2] - mean) * (design->x[i][2] - mean);
    return design->n > 1 ? sqrt(squares / (n - 1.0)) : NAN;
}

void load_fit_host(const double *d, const double *xa, const double *xb, size_t n,
                   struct load_fit *ret)
{
    struct regression design = {.x = mem_alloc(n, sizeof(double[3])),
                                .d = mem_array(double, n),
                                .weight = mem_array(double, n),
                                .residual = mem_array(double, n)};
    double variance[3];

    *ret = (struct load_fit){
        .delta = NAN,
        .delta_se = NAN,
        .gamma = NAN,
        .gamma_se = NAN,
        .beta = NAN,
        .df = NAN,
        .range = {NAN, NAN},
        .sd = NAN
    };
    for (size_t i = 0; i < n; i++) {
        if (isnan(d[i]) || isnan(xa[i]) || isnan(xb[i]))
            continue;

        size_t at = design.n++;

        design.d[at] = d[i];
        design.weight[at] = 1.0;
        design.x[at][0] = 1.0;
        design.x[at][1] = xb[i] - xa[i];
        design.x[at][2] = 0.5 * (xa[i] + xb[i]);
        ret->range.lo =
            fmin(ret->range.lo, fmin(xa[i], xb[i])); /* fmin of NaN and a number is the number */
        ret->range.hi = fmax(ret->range.hi, fmax(xa[i], xb[i]));
    }
    if (design.n > 0)
        ret->sd = sd_of_mean_load(&design);
    if (design.n >= LEAST_ROUNDS && ret->sd >= LEAST_SD && condition(&design) <= MOST_CONDITION) {
        huber(&design);
        sandwich(&design, variance);
        ret->known = true;
        ret->delta = design.b[0];
        ret->beta = design.b[1];
        ret->gamma = design.b[2];
        ret->delta_se = sqrt(variance[0]);
        ret->gamma_se = sqrt(variance[2]);
        ret->df = (double)(design.n - 3);
    }
    mem_free(design.x);
    mem_free(design.d);
    mem_free(design.weight);
    mem_free(design.residual);
}

static struct load_finding nothing(void)
{
    const struct range none = {NAN, NAN};

    return (struct load_finding){.known = false,
                                 .effect_at_zero = NAN,
                                 .ci = none,
                                 .per_cpu = NAN,
                                 .per_cpu_ci = none,
                                 .range = none,
                                 .p = NAN};
}

void load_host_finding(const struct load_fit *fit, double alpha, struct load_finding *ret)
{
    *ret = nothing();
    if (!fit->known)
        return;

    double t = gsl_cdf_tdist_Qinv(alpha / 2.0, fit->df);

    ret->known = true;
    ret->effect_at_zero = fit->delta;
    ret->ci = (struct range){fit->delta - t * fit->delta_se, fit->delta + t * fit->delta_se};
    ret->per_cpu = fit->gamma;
    ret->per_cpu_ci =
        (struct range){fit->gamma - t * fit->gamma_se, fit->gamma + t * fit->gamma_se};
    ret->range = fit->range;
    if (fit->gamma_se > 0.0)
        ret->p = 2.0 * gsl_cdf_tdist_Q(fabs(fit->gamma) / fit->gamma_se, fit->df);
}

void load_pool(const struct load_fit *fits, size_t k, double alpha, struct load_finding *ret)
{
    double *y = mem_array(double, 2 * k), *v = mem_array(double, 2 * k);
    struct pool_result delta, gamma;
    size_t n = 0;

    *ret = nothing();
    for (size_t i = 0; i < k; i++) {
        if (!fits[i].known)
            continue;
        y[n] = fits[i].delta;
        v[n] = fmax(POOL_LEAST_VARIANCE, fits[i].delta_se * fits[i].delta_se);
        y[k + n] = fits[i].gamma;
        v[k + n++] = fmax(POOL_LEAST_VARIANCE, fits[i].gamma_se * fits[i].gamma_se);
        ret->range.lo = fmin(ret->range.lo, fits[i].range.lo);
        ret->range.hi = fmax(ret->range.hi, fits[i].range.hi);
    }
    if (n >= 2) {
        pool_estimate(y, v, n, alpha, &delta);
        pool_estimate(y + k, v + k, n, alpha, &gamma);
        ret->known = true;
        ret->effect_at_zero = delta.mu;
        ret->ci = delta.ci;
        ret->per_cpu = gamma.mu;
        ret->per_cpu_ci = gamma.ci;
        ret->p = gamma.p;
    } else {
        ret->range = (struct range){NAN, NAN};
    }
    mem_free(y);
    mem_free(v);
}
