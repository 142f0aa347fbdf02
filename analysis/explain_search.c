/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every split's score, and their order. Up to 64 hosts all are scored on the fine grid of tau^2;
 * beyond, all on the coarse one and those that may matter again on the fine one.
 */
#include "analysis/explain_parts.h"

#include <math.h>
#include <stdlib.h>

#define FINE_UPTO 64
#define REFINE_WITHIN 12.0
#define FINE_STEP 0.01
#define COARSE_STEP 0.05

/* Scores every split that is within reach of the best so far (all, when nothing was scored yet).
 * placed: hosts that lack a fact go where they fit best, else to the mean. */
static void score_splits(struct explain_search *search, const struct score_rows *rows, bool placed,
                         double within)
{
    double *scratch = mem_array(double, score_scratch(&search->plan, rows->n_grid));
    double *lr = mem_array(double, search->plan.n_splits), best = -INFINITY;
    double penalty = 2.0 * log((double)search->list->n_classes);

    (void)score_plan_run(&search->plan, rows, NULL, scratch, lr);
    for (size_t s = 0; s < search->plan.n_splits; s++)
        best = fmax(best, search->found[s].free_score);
    for (size_t c = 0; c < search->plan.n_columns; c++) {
        const struct score_column *column = &search->plan.column[c];

        for (size_t s = column->first; s < column->first + column->n; s++) {
            struct explain_found *found = &search->found[s];
            struct score_fit fit = {.lr = lr[s]};

            if (found->free_score < best - within)
                continue;
            if (placed && column->n_missing > 0)
                score_fit_placed(&search->plan, rows, c, s, scratch, &fit, NULL);
            found->free_score = fit.lr - penalty;
            found->score = found->free_score - EXPLAIN_PLACEMENT * (double)fit.placed;
        }
    }
    mem_free(scratch);
    mem_free(lr);
}

struct ranked {
    double score; /* rounded, so that equal columns tie whatever the order of their sums */
    const struct candidate *candidate;
    const char *fact;
    size_t split;
};

static int best_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    int names;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x->candidate->kind != y->candidate->kind)
        return x->candidate->kind < y->candidate->kind ? -1 : 1;
    names = fact_table_compare_names(x->fact, y->fact);
    return names ? names : x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

static void rank_splits(struct explain_search *search)
{
    size_t n = search->plan.n_splits;
    struct ranked *ranked = mem_array(struct ranked, n);

    for (size_t s = 0; s < n; s++) {
        const struct candidate *candidate = search->found[s].candidate;

        ranked[s] = (struct ranked){.score = round(search->found[s].score * 1e7),
                                    .candidate = candidate,
                                    .fact = search->list->table->column[candidate->column].name,
                                    .split = s};
    }
    qsort(ranked, n, sizeof *ranked, best_first);
    for (size_t s = 0; s < n; s++)
        search->order[s] = ranked[s].split;
    mem_free(ranked);
}

void explain_search_begin(const struct explain_pool *pool, const struct candidate_list *list,
                          bool claimed, struct explain_search *search)
{
    struct score_rows coarse, *first = &search->rows;
    double best = -INFINITY;

    *search = (struct explain_search){.pool = pool, .list = list};
    score_plan_build(list, &search->plan);
    search->found = mem_array(struct explain_found, search->plan.n_splits);
    search->order = mem_array(size_t, search->plan.n_splits);
    for (size_t s = 0; s < search->plan.n_splits; s++) {
        search->found[s].candidate = &list->v[search->plan.split[s].candidate];
        search->found[s].kind = search->found[s].candidate->kind;
        search->found[s].split = s;
    }
    score_rows_init(&search->rows, pool->k, SCORE_GRID_FINE);
    score_rows_fill(&search->rows, pool->y, pool->v, SIZE_MAX, FINE_STEP);
    if (pool->k > FINE_UPTO) {
        score_rows_init(&coarse, pool->k, SCORE_GRID_COARSE);
        score_rows_fill(&coarse, pool->y, pool->v, SIZE_MAX, COARSE_STEP);
        first = &coarse;
    }
    score_splits(search, first, false, INFINITY);
    for (size_t s = 0; s < search->plan.n_splits; s++)
        best = fmax(best, search->found[s].score);
    search->tells = claimed || best > 0.0;
    if (search->tells)
        score_splits(search, first, true, INFINITY);
    if (first == &coarse) {
        score_splits(search, &search->rows, search->tells, REFINE_WITHIN);
        score_rows_done(&coarse);
    }
    rank_splits(search);
}

void explain_search_end(struct explain_search *search)
{
    for (size_t s = 0; s < search->plan.n_splits; s++) {
        strlist_done(&search->found[s].fragile);
        mem_free(search->found[s].x);
    }
    mem_free(search->found);
    mem_free(search->order);
    score_rows_done(&search->rows);
    score_plan_done(&search->plan);
}

void explain_search_complete(struct explain_search *search, struct explain_found *found)
{
    double *scratch;
    struct score_fit fit = {.tau2 = NAN};

    if (found->x)
        return;
    scratch = mem_array(double, score_scratch(&search->plan, SCORE_GRID_FINE));
    found->x = mem_array(double, search->pool->k);
    for (size_t c = 0; c < search->plan.n_columns; c++)
        if (found->split >= search->plan.column[c].first &&
            found->split < search->plan.column[c].first + search->plan.column[c].n)
            score_fit_placed(&search->plan, &search->rows, c, found->split, scratch, &fit,
                             found->x);
    found->tau2 = fit.tau2;
    mem_free(scratch);
}
