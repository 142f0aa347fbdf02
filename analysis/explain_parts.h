/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of explain_*.c share: the pooled hosts in order of name, and the steps of section
 * "which facts go with the effect". Not for other rooms.
 */
#pragma once
#include "analysis/explain.h"
#include "analysis/flips.h"
#include "analysis/score.h"

#define EXPLAIN_MOST_CLASSES 50 /* listed; the best by score */
#define EXPLAIN_SURVIVES 4.0    /* within this of the best score: a likelihood ratio of e^2 */
#define EXPLAIN_PLACEMENT                                                                          \
    (2.0 * 0.693147180559945309) /* what each free placement costs: 2 ln 2                         \
                                  */

struct explain_pool {
    const struct explain_options *options;
    unsigned draws;
    size_t k;
    const struct explain_host **host; /* the pooled ones, by name */
    const char **name;
    const struct fact_set **facts;
    struct flip_host *flip;
    double *y, *v, *df; /* v moderated, df as measured */
    double *raw_v;
    double mu; /* pooled with moderated variances: what claim flips centre on */
};

/* One class to be listed: the column of x that stands for it and what it scored. */
struct explain_found {
    enum class_kind kind;
    size_t split;                            /* of the plan; SIZE_MAX: a pair */
    const struct candidate *candidate, *and; /* and: the pair's second */
    bool flip_first, flip_second;            /* a pair's mirrored sides */
    double score;                            /* with the cost of placements */
    double free_score;                       /* without: what survivors are compared by */
    double tau2;
    bool survives;
    struct strlist fragile;
    double *x; /* k values, placed hosts filled in */
};

/* All splits of a list, scored and ranked. */
struct explain_search {
    const struct explain_pool *pool;
    const struct candidate_list *list;
    struct score_plan plan;
    struct score_rows rows;      /* fine grid */
    struct explain_found *found; /* one a split */
    size_t *order;               /* splits, best first */
    bool tells; /* a claim, or a best score above 0: hosts that lack a fact are placed where they
                 * fit, and what hangs on one host is looked for; else there is nothing to tell
                 * apart and they count as the mean */
};
void explain_search_begin(const struct explain_pool *pool, const struct candidate_list *list,
                          bool claimed, struct explain_search *ret);
void explain_search_end(struct explain_search *search);
/* Fills x (placed hosts filled in) and tau^2 of a split that will be shown. */
void explain_search_complete(struct explain_search *search, struct explain_found *found);

/* Both p-values of the largest score over the list's candidates, from the same statistic. */
void explain_claim(const struct explain_pool *pool, const struct candidate_list *list,
                   double *ret_p_permutation, double *ret_p_flip);
/* Leaves each host out and notes in fragile[split] by which hosts a split comes within reach of the
 * best. */
void explain_fragile(const struct explain_pool *pool, const struct score_plan *plan,
                     struct strlist *fragile);
/* Least p that a class with the best one's split sizes could reach here. */
double explain_least_p(const struct explain_pool *pool, const struct score_plan *plan,
                       const struct explain_found *best);
/* The best pair of levels, when one beats the best single split; false when none does. null: log
 * likelihood without any fact. *ret: all pairs with the best one's column, ret->x filled; freed by
 * the caller. */
bool explain_pairs(const struct explain_pool *pool, const struct candidate_list *list,
                   const struct score_rows *rows, double best_single, struct explain_found **ret,
                   size_t *ret_n);
/* Fills a class as users see it: members, groups, statement, placed, explained. rank, weight are
 * the caller's. pairs: the n pairs of one class; otherwise n = 1 and members are all candidates
 * that agree with found. */
void explain_class(const struct explain_pool *pool, const struct candidate_list *list,
                   const struct score_rows *rows, const struct explain_found *found, size_t n,
                   const bool *only, struct class_answer *ret);
/* Pools below 4 hosts: the facts that split the hosts where it reproduces from those where it is
 * absent. hosts: all with samples, by name. */
void explain_small(const struct explain_host *const *hosts, size_t n, struct facts_answer *ret);
