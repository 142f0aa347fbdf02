/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Is any fact shown to go with the effect? Two null distributions of the same largest score:
 * effects permuted over hosts (holds when noise goes with no fact) and signs flipped inside hosts
 * (holds whatever the noise, when hosts do not differ at random). A claim needs both, because each
 * alone claims false causes where its assumption fails.
 */
#include "analysis/explain_parts.h"
#include "analysis/parallel.h"
#include "analysis/pool.h"
#include "base/rng.h"

#include <math.h>

#define COARSE_STEP 0.05
#define FINE_STEP 0.01
#define DRAWS_AT_ONCE 16
#define FINE_UPTO 64 /* hosts up to which leaving one out is done on the fine grid */

struct draws {
    const struct explain_pool *pool;
    const struct score_plan *plan;
    const struct score_rows *rows; /* permutations: of the hosts' own effects */
    const double *flip_y, *flip_v; /* sign flips: draws x k */
    uint64_t seed;
    unsigned n;
    double *largest; /* per draw */
};

static void permute_some(void *context, size_t item)
{
    const struct draws *draws = context;
    size_t k = draws->plan->k, *order = mem_array(size_t, k);
    double *scratch = mem_array(double, score_scratch(draws->plan, draws->rows->n_grid));
    size_t upto = (item + 1) * DRAWS_AT_ONCE < draws->n ? (item + 1) * DRAWS_AT_ONCE : draws->n;

    for (size_t draw = item * DRAWS_AT_ONCE; draw < upto; draw++) {
        struct rng rng;

        rng_seed_stream(&rng, draws->seed, draw);
        for (size_t i = 0; i < k; i++)
            order[i] = i;
        rng_shuffle(&rng, order, k);
        draws->largest[draw] = score_plan_run(draws->plan, draws->rows, order, scratch, NULL);
    }
    mem_free(order);
    mem_free(scratch);
}

static void flip_some(void *context, size_t item)
{
    const struct draws *draws = context;
    size_t k = draws->plan->k;
    double *v = mem_array(double, k), *df = mem_array(double, k);
    double *scratch = mem_array(double, score_scratch(draws->plan, SCORE_GRID_COARSE));
    size_t upto = (item + 1) * DRAWS_AT_ONCE < draws->n ? (item + 1) * DRAWS_AT_ONCE : draws->n;
    struct score_rows rows;

    score_rows_init(&rows, k, SCORE_GRID_COARSE);
    for (size_t draw = item * DRAWS_AT_ONCE; draw < upto; draw++) {
        pool_moderate(&draws->flip_v[draw * k], draws->pool->df, k, v, df);
        score_rows_fill(&rows, &draws->flip_y[draw * k], v, SIZE_MAX, COARSE_STEP);
        draws->largest[draw] = score_plan_run(draws->plan, &rows, NULL, scratch, NULL);
    }
    score_rows_done(&rows);
    mem_free(v);
    mem_free(df);
    mem_free(scratch);
}

/* Draws that only differ from the data by rounding count as equal to it. */
static double share_as_large(const double *largest, unsigned n, double observed)
{
    size_t as_large = 0;

    for (unsigned draw = 0; draw < n; draw++)
        as_large += largest[draw] >= observed - 1e-9 * (1.0 + fabs(observed));
    return (1.0 + (double)as_large) / (1.0 + (double)n);
}

void explain_claim(const struct explain_pool *pool, const struct candidate_list *list,
                   double *ret_p_permutation, double *ret_p_flip)
{
    struct score_plan plan;
    struct score_rows rows;
    size_t k = pool->k, items = (pool->draws + DRAWS_AT_ONCE - 1) / DRAWS_AT_ONCE;
    double *centre = mem_array(double, k);
    double *flip_y = mem_array(double, pool->draws *k), *flip_v = mem_array(double, pool->draws *k);
    struct draws draws = {.pool = pool,
                          .plan = &plan,
                          .rows = &rows,
                          .flip_y = flip_y,
                          .flip_v = flip_v,
                          .seed = pool->options->seed ^ rng_hash("facts permutation"),
                          .n = pool->draws,
                          .largest = mem_array(double, pool->draws)};

    score_plan_build(list, &plan);
    score_rows_init(&rows, k, SCORE_GRID_COARSE);
    score_rows_fill(&rows, pool->y, pool->v, SIZE_MAX, COARSE_STEP);

    double *scratch = mem_array(double, score_scratch(&plan, SCORE_GRID_COARSE));
    double observed = score_plan_run(&plan, &rows, NULL, scratch, NULL);

    parallel_run(pool->options->threads, items, permute_some, &draws);
    *ret_p_permutation = share_as_large(draws.largest, draws.n, observed);

    for (size_t i = 0; i < k; i++)
        centre[i] = pool->mu;
    flips_draw(pool->flip, k, centre, pool->options->seed, "facts flip", draws.n,
               pool->options->threads, flip_y, flip_v);
    parallel_run(pool->options->threads, items, flip_some, &draws);
    *ret_p_flip = share_as_large(draws.largest, draws.n, observed);

    mem_free(scratch);
    mem_free(draws.largest);
    mem_free(centre);
    mem_free(flip_y);
    mem_free(flip_v);
    score_rows_done(&rows);
    score_plan_done(&plan);
}

struct leave_out {
    const struct explain_pool *pool;
    const struct score_plan *plan;
    double *lr;   /* host x split */
    double *best; /* per host */
};

static void leave_one_out(void *context, size_t without)
{
    const struct leave_out *job = context;
    bool fine = job->pool->k <= FINE_UPTO;
    size_t grid = fine ? SCORE_GRID_FINE : SCORE_GRID_COARSE;
    struct score_plan plan;
    struct score_rows rows;

    score_plan_without(job->plan, without, &plan);
    score_rows_init(&rows, plan.k, grid);
    score_rows_fill(&rows, job->pool->y, job->pool->v, without, fine ? FINE_STEP : COARSE_STEP);

    double *scratch = mem_array(double, score_scratch(&plan, grid));

    job->best[without] =
        score_plan_run(&plan, &rows, NULL, scratch, &job->lr[without * plan.n_splits]);
    mem_free(scratch);
    score_rows_done(&rows);
    score_plan_without_done(&plan);
}

void explain_fragile(const struct explain_pool *pool, const struct score_plan *plan,
                     struct strlist *fragile)
{
    struct leave_out job = {.pool = pool,
                            .plan = plan,
                            .lr = mem_array(double, pool->k * plan->n_splits),
                            .best = mem_array(double, pool->k)};

    parallel_run(pool->options->threads, pool->k, leave_one_out, &job);
    for (size_t h = 0; h < pool->k; h++)
        for (size_t s = 0; s < plan->n_splits; s++)
            if (job.best[h] - job.lr[h * plan->n_splits + s] < EXPLAIN_SURVIVES)
                strlist_add(&fragile[s], pool->name[h]);
    mem_free(job.lr);
    mem_free(job.best);
}

double explain_least_p(const struct explain_pool *pool, const struct score_plan *plan,
                       const struct explain_found *best)
{
    double draws_least = 1.0 / (1.0 + (double)pool->draws), log_ways, p;
    size_t side = 0, alike = 0, k = pool->k;

    if (best->kind == CLASS_KIND_TREND)
        return draws_least;
    for (size_t i = 0; i < k; i++)
        side += best->x[i] >= 0.5;
    side = side < k - side ? side : k - side;
    for (size_t s = 0; s < plan->n_splits; s++) {
        const struct score_split *split = &plan->split[s];
        size_t other = split->known - split->side;

        alike +=
            split->kind != CLASS_KIND_TREND && (split->side < other ? split->side : other) == side;
    }
    log_ways =
        lgamma((double)k + 1.0) - lgamma((double)side + 1.0) - lgamma((double)(k - side) + 1.0);
    p = fmax(1.0, (double)alike) * exp(-log_ways) * (2 * side == k ? 2.0 : 1.0);
    return fmax(draws_least, fmin(1.0, p));
}
