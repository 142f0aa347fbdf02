/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The steps in order: facts to columns, columns to candidates, scores, claim, classes that survive
 * or hang on one host, pairs when one split does not suffice. Everything is sorted by name first,
 * so input order cannot show.
 */
#include "analysis/explain.h"

#include "analysis/explain_parts.h"
#include "analysis/heterogeneity.h"
#include "analysis/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SCORED 4
#define SMALL_POOL 8 /* below: one host may be a side */

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct explain_host *const *)a)->name,
                  (*(const struct explain_host *const *)b)->name);
}

static void pool_take(struct explain_pool *pool, const struct explain_host **sorted, size_t n)
{
    double *moderated_df = mem_array(double, n);
    struct pool_result mean;

    pool->host = mem_array(const struct explain_host *, n);
    pool->name = mem_array(const char *, n);
    pool->facts = mem_array(const struct fact_set *, n);
    pool->flip = mem_array(struct flip_host, n);
    pool->y = mem_array(double, n);
    pool->v = mem_array(double, n);
    pool->df = mem_array(double, n);
    pool->raw_v = mem_array(double, n);
    for (size_t i = 0; i < n; i++) {
        if (!sorted[i]->pooled)
            continue;

        size_t at = pool->k++;

        pool->host[at] = sorted[i];
        pool->name[at] = sorted[i]->name;
        pool->facts[at] = sorted[i]->facts;
        pool->flip[at] = (struct flip_host){sorted[i]->name, sorted[i]->d, sorted[i]->n};
        pool->y[at] = sorted[i]->y;
        pool->raw_v[at] = sorted[i]->v;
        pool->df[at] = sorted[i]->df;
    }
    pool_moderate(pool->raw_v, pool->df, pool->k, pool->v, moderated_df);
    pool_estimate(pool->y, pool->v, pool->k, pool->options->alpha, &mean);
    pool->mu = mean.mu;
    mem_free(moderated_df);
}

static void pool_drop(struct explain_pool *pool)
{
    mem_free(pool->host);
    mem_free(pool->name);
    mem_free(pool->facts);
    mem_free(pool->flip);
    mem_free(pool->y);
    mem_free(pool->v);
    mem_free(pool->df);
    mem_free(pool->raw_v);
}

static size_t least_side(const struct explain_pool *pool)
{
    return pool->k < SMALL_POOL ? 1 : 2;
}

static bool is_suspect(const struct explain_search *search, const struct candidate *candidate)
{
    const struct explain_options *options = search->pool->options;

    for (size_t i = 0; i < options->n_suspects; i++)
        if (strcmp(search->list->table->column[candidate->column].name, options->suspect[i]) == 0)
            return true;
    return false;
}

/* Is a (or its mirror image) the same column as the suspect's wherever both are known? */
static bool goes_with_suspect(const struct explain_search *search,
                              const struct candidate *candidate)
{
    for (size_t i = 0; i < search->list->n; i++)
        if (is_suspect(search, &search->list->v[i]) &&
            candidate_agree(search->list->table, candidate, &search->list->v[i]) != 0)
            return true;
    return false;
}

/* Puts the best split that stands for a suspect first. */
static void suspects_first(struct explain_search *search)
{
    size_t n = search->plan.n_splits;

    for (size_t i = 0; i < n; i++) {
        size_t split = search->order[i];

        if (!goes_with_suspect(search, search->found[split].candidate))
            continue;
        memmove(&search->order[1], &search->order[0], i * sizeof *search->order);
        search->order[0] = split;
        return;
    }
}

struct shown { /* the classes put into the answer so far */
    struct facts_answer *ret;
    size_t cap, n;
    size_t *listed; /* the n splits they stand for */
};

static struct class_answer *add_class(struct shown *shown)
{
    struct facts_answer *ret = shown->ret;

    ret->class = mem_grow(ret->class, &shown->cap, ret->n_classes + 1, sizeof *ret->class);
    ret->class[ret->n_classes] =
        (struct class_answer){.rank = (int)ret->n_classes + 1, .scored = true};
    return &ret->class[ret->n_classes++];
}

/* Adds the class of a split unless it agrees with one already there. */
static void show(struct explain_search *search, size_t split, const bool *only, struct shown *shown)
{
    struct explain_found *found = &search->found[split];

    if (shown->ret->n_classes >= EXPLAIN_MOST_CLASSES)
        return;
    for (size_t i = 0; i < shown->n; i++)
        if (candidate_agree(search->list->table, search->found[shown->listed[i]].candidate,
                            found->candidate) != 0)
            return;
    explain_search_complete(search, found);
    explain_class(search->pool, search->list, &search->rows, found, 1, only, add_class(shown));
    shown->listed[shown->n++] = split;
}

static void add_survivors(struct explain_search *search, struct shown *shown)
{
    for (size_t i = 0; i < search->plan.n_splits; i++)
        if (search->found[search->order[i]].survives)
            show(search, search->order[i], NULL, shown);
}

/* Adds the classes that come within reach of the best when some one host is left out. Those that
 * agree are shown as one, with the hosts of all; facts that agree with them but do not come within
 * reach (for their gaps) are no members. */
static void add_fragile(struct explain_search *search, struct shown *shown)
{
    size_t n = search->plan.n_splits;
    struct strlist *hosts = mem_array(struct strlist, n);
    bool *within = mem_array(bool, search->list->n_classes);

    shown->n = 0; /* a survivor's look-alike with other gaps may still be told apart by one host */
    for (size_t i = 0; i < n; i++)
        if (search->found[search->order[i]].survives)
            shown->listed[shown->n++] = search->order[i];
    explain_fragile(search->pool, &search->plan, hosts);
    for (size_t s = 0; s < n; s++)
        within[search->found[s].candidate->class] = hosts[s].n > 0 && !search->found[s].survives;
    for (size_t i = 0; i < n; i++) {
        struct explain_found *found = &search->found[search->order[i]];

        if (!within[found->candidate->class])
            continue;
        for (size_t s = 0; s < n; s++) {
            if (!within[search->found[s].candidate->class] ||
                candidate_agree(search->list->table, found->candidate,
                                search->found[s].candidate) == 0)
                continue;
            for (size_t h = 0; h < hosts[s].n; h++)
                if (!strlist_has(&found->fragile, hosts[s].v[h]))
                    strlist_add(&found->fragile, hosts[s].v[h]);
        }
        strlist_sort(&found->fragile);
        show(search, search->order[i], within, shown);
    }
    for (size_t s = 0; s < n; s++)
        strlist_done(&hosts[s]);
    mem_free(hosts);
    mem_free(within);
}

static void weigh(struct facts_answer *ret)
{
    double best = -INFINITY, sum = 0.0;

    for (size_t i = 0; i < ret->n_classes; i++)
        if (ret->class[i].survives)
            best = fmax(best, ret->class[i].score);
    for (size_t i = 0; i < ret->n_classes; i++)
        if (ret->class[i].survives)
            sum += exp(0.5 * (ret->class[i].score - best));
    for (size_t i = 0; i < ret->n_classes; i++)
        ret->class[i].weight =
            ret->class[i].survives ? exp(0.5 * (ret->class[i].score - best)) / sum : 0.0;
}

static bool heterogeneity_remains(struct explain_search *search, struct explain_found *best)
{
    const struct explain_pool *pool = search->pool;
    double *fitted = mem_array(double, pool->k), slope, p;

    explain_search_complete(search, best);
    score_fitted(pool->y, pool->v, best->x, pool->k, best->tau2, fitted, &slope);
    p = heterogeneity_residual_p(pool->flip, fitted, pool->y, pool->raw_v, pool->df, pool->k,
                                 pool->options->seed, pool->draws, pool->options->threads);
    mem_free(fitted);
    return p <= pool->options->alpha;
}

static void add_pairs(struct explain_search *search, struct shown *shown)
{
    struct explain_found *best = &search->found[search->order[0]], *pair = NULL;
    size_t n = 0;

    if (!search->pool->options->heterogeneous || !heterogeneity_remains(search, best) ||
        !explain_pairs(search->pool, search->list, &search->rows, best->score, &pair, &n))
        return;
    pair[0].survives = true;
    explain_class(search->pool, search->list, &search->rows, pair, n, NULL, add_class(shown));
    for (size_t s = 0; s < search->plan.n_splits; s++)
        search->found[s].survives =
            pair[0].free_score - search->found[s].free_score < EXPLAIN_SURVIVES;
    for (size_t i = 0; i < n; i++)
        mem_free(pair[i].x);
    mem_free(pair);
}

static void claim(const struct explain_pool *pool, const struct candidate_list *list,
                  struct facts_answer *ret)
{
    const struct explain_options *options = pool->options;

    if (options->n_suspects > 0) {
        struct candidate_list suspects;

        candidate_list_build(list->table, least_side(pool), options->suspect, options->n_suspects,
                             &suspects);
        if (suspects.n > 0) {
            explain_claim(pool, &suspects, &ret->p_permutation, &ret->p_flip);
            ret->suspects_only = fmax(ret->p_permutation, ret->p_flip) <= options->alpha;
        }
        candidate_list_done(&suspects);
    }
    if (!ret->suspects_only)
        explain_claim(pool, list, &ret->p_permutation, &ret->p_flip);
    ret->p = fmax(ret->p_permutation, ret->p_flip);
    ret->claim = ret->p <= options->alpha;
}

/* The classes to show: a pair when one is needed, survivors, and those that hang on one host. */
static void list_classes(struct explain_search *search, struct facts_answer *ret)
{
    struct shown shown = {.ret = ret, .listed = mem_array(size_t, search->plan.n_splits)};
    struct explain_found *best = &search->found[search->order[0]];

    for (size_t s = 0; s < search->plan.n_splits; s++)
        search->found[s].survives =
            best->free_score - search->found[s].free_score < EXPLAIN_SURVIVES;
    explain_search_complete(search, best);
    ret->p_least = explain_least_p(search->pool, &search->plan, best);
    add_pairs(search, &shown);
    add_survivors(search, &shown);
    if (search->tells)
        add_fragile(search, &shown);
    weigh(ret);
    mem_free(shown.listed);
}

void explain_facts(const struct explain_host *hosts, size_t n,
                   const struct explain_options *options, struct facts_answer *ret)
{
    const struct explain_host **sorted = mem_array(const struct explain_host *, n);
    struct explain_pool pool = {.options = options, .draws = options->draws ? options->draws : 999};
    struct fact_table table;
    struct candidate_list list;
    struct explain_search search;

    ret->p = ret->p_permutation = ret->p_flip = ret->p_least = NAN;
    for (size_t i = 0; i < n; i++)
        sorted[i] = &hosts[i];
    qsort(sorted, n, sizeof(const struct explain_host *), by_name);
    pool_take(&pool, sorted, n);
    if (pool.k < LEAST_SCORED) {
        explain_small(sorted, n, ret);
    } else {
        fact_table_build(pool.name, pool.facts, pool.k, &table);
        candidate_list_build(&table, least_side(&pool), NULL, 0, &list);
        ret->candidates = list.n_classes;
        strlist_copy(&ret->not_judged, &table.not_judged);
        ret->filled = mem_steal(&table.filled);
        ret->n_filled = table.n_filled;
        table.n_filled = 0;
        if (list.n > 0) {
            claim(&pool, &list, ret);
            explain_search_begin(&pool, &list, ret->claim, &search);
            if (ret->suspects_only)
                suspects_first(&search);
            list_classes(&search, ret);
            explain_search_end(&search);
        }
        candidate_list_done(&list);
        fact_table_done(&table);
    }
    pool_drop(&pool);
    mem_free(sorted);
}
