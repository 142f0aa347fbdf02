/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to sum and what to evaluate, worked out once for many draws. Levels that no candidate needs
 * apart are merged into one bin, so that a fact with a thousand values costs no more than its cuts.
 */
#include "analysis/score.h"

#include <math.h>
#include <stdlib.h>

/* Gives every level its bin: a level that is a candidate has one of its own, and a cut is a border
 * between bins. */
static size_t number_bins(const struct candidate *candidate, size_t n, size_t n_levels,
                          uint32_t *bin_of_level)
{
    bool *alone = mem_array(bool, n_levels), *border = mem_array(bool, n_levels + 1);
    size_t bins = 0;

    for (size_t i = 0; i < n; i++) {
        if (candidate[i].kind == CLASS_KIND_LEVEL)
            alone[candidate[i].at] = true;
        else if (candidate[i].kind == CLASS_KIND_CUT)
            border[candidate[i].at + 1] = true;
    }
    for (size_t l = 0; l < n_levels; l++) {
        if (l == 0 || border[l] || alone[l] || alone[l - 1])
            bins++;
        bin_of_level[l] = (uint32_t)(bins - 1);
    }
    mem_free(alone);
    mem_free(border);
    return bins;
}

static void count_sides(const struct score_plan *plan, struct score_split *split)
{
    const struct candidate *candidate = &plan->list->v[split->candidate];
    double sum = 0.0;

    for (size_t i = 0; i < plan->k; i++) {
        double x = candidate_x(plan->list->table, candidate, i);

        if (isnan(x))
            continue;
        split->known++;
        split->side += x >= 0.5;
        sum += x;
    }
    split->mean = split->known > 0 ? sum / (double)split->known : 0.0;
}

static void plan_column(struct score_plan *plan, const struct candidate *candidate, size_t n)
{
    const struct fact_column *facts = &plan->list->table->column[candidate->column];
    struct score_column *column = &plan->column[plan->n_columns];
    uint32_t *bin_of_level = mem_array(uint32_t, facts->n_levels);

    *column = (struct score_column){
        .column = candidate->column, .bin = mem_array(uint32_t, plan->k), .first = plan->n_splits};
    column->n_bins = number_bins(candidate, n, facts->n_levels, bin_of_level);
    for (size_t i = 0; i < plan->k; i++) {
        uint32_t code = facts->code[i];

        column->bin[i] = code == FACT_MISSING ? (uint32_t)column->n_bins : bin_of_level[code];
        column->n_missing += code == FACT_MISSING;
    }
    for (size_t i = n; i-- > 0;) { /* from the last: cuts by falling position */
        if (!candidate[i].counted)
            continue;

        struct score_split *split = &plan->split[plan->n_splits++];
        uint32_t level = candidate[i].at + (candidate[i].kind == CLASS_KIND_CUT);

        *split = (struct score_split){
            .candidate = (size_t)(&candidate[i] - plan->list->v),
            .kind = candidate[i].kind,
            .bin = candidate[i].kind == CLASS_KIND_TREND ? 0 : bin_of_level[level]};
        count_sides(plan, split);
        if (split->kind == CLASS_KIND_TREND) {
            column->x = mem_array(double, plan->k);
            for (size_t h = 0; h < plan->k; h++) {
                double x = candidate_x(plan->list->table, &candidate[i], h);

                column->x[h] = isnan(x) ? split->mean : x;
            }
        }
    }
    column->n = plan->n_splits - column->first;
    mem_free(bin_of_level);
    if (column->n == 0) { /* every split of it stands elsewhere already */
        mem_free(column->bin);
        return;
    }
    if (column->n_bins > plan->most_bins)
        plan->most_bins = column->n_bins;
    plan->n_columns++;
}

void score_plan_build(const struct candidate_list *list, struct score_plan *ret)
{
    *ret = (struct score_plan){.list = list,
                               .k = list->table->k,
                               .column = mem_array(struct score_column, list->table->n_columns),
                               .split = mem_array(struct score_split, list->n)};
    for (size_t from = 0, upto; from < list->n; from = upto) {
        for (upto = from + 1; upto < list->n && list->v[upto].column == list->v[from].column;
             upto++)
            ;
        plan_column(ret, &list->v[from], upto - from);
    }
}

void score_plan_done(struct score_plan *plan)
{
    for (size_t c = 0; c < plan->n_columns; c++) {
        mem_free(plan->column[c].bin);
        mem_free(plan->column[c].x);
    }
    mem_free(plan->column);
    mem_free(plan->split);
    *plan = (struct score_plan){0};
}

/* A trend's missing x are its mean: they move when the mean does. */
static void move_missing(const struct score_plan *plan, struct score_column *column, double mean)
{
    column->x = mem_dup(column->x, plan->k * sizeof *column->x);
    for (size_t h = 0; h < plan->k; h++)
        if (column->bin[h] == column->n_bins)
            column->x[h] = mean;
}

void score_plan_without(const struct score_plan *plan, size_t host, struct score_plan *ret)
{
    *ret = *plan;
    ret->column = mem_dup(plan->column, plan->n_columns * sizeof *plan->column);
    ret->split = mem_dup(plan->split, plan->n_splits * sizeof *plan->split);
    for (size_t c = 0; c < ret->n_columns; c++) {
        struct score_column *column = &ret->column[c];
        bool moved = false;

        for (size_t s = column->first; s < column->first + column->n; s++) {
            struct score_split *split = &ret->split[s];
            double x = candidate_x(plan->list->table, &plan->list->v[split->candidate], host);

            if (isnan(x))
                continue;
            split->mean = (split->mean * (double)split->known - x) / (double)(split->known - 1);
            split->known--;
            split->side -= x >= 0.5;
            if (split->kind == CLASS_KIND_TREND && column->n_missing > 0) {
                move_missing(plan, column, split->mean);
                moved = true;
            }
        }
        if (!moved && column->x)
            column->x = mem_dup(column->x, plan->k * sizeof *column->x);
    }
}

void score_plan_without_done(struct score_plan *plan)
{
    for (size_t c = 0; c < plan->n_columns; c++)
        mem_free(plan->column[c].x);
    mem_free(plan->column);
    mem_free(plan->split);
    *plan = (struct score_plan){0};
}
