/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * E-divisive (Matteson & James 2014): a stretch is split where the energy distance between its two
 * parts, times n m/(n + m), is largest; the split counts when permuting blocks of five neighbouring
 * points seldom does as well, and when the medians differ by theta. Then both parts are searched.
 * Single points cannot be permuted freely: neighbouring nights are alike, and plain permutations
 * call a third of quiet histories changed.
 */
#include "analysis/history.h"

#include "base/mem.h"
#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 5
#define LEAST_SIDE 5
#define DEFAULT_ALPHA 0.01
#define DEFAULT_DRAWS 999

struct search {
    const struct history_series *series;
    size_t n_series;
    const struct history_options *options;
    double alpha;
    unsigned draws;
    struct history_change *change;
    size_t n, cap;
};

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median of v[from..upto) without NaN; NaN when nothing is left. */
static double median_of(const double *v, size_t from, size_t upto)
{
    double *known = mem_array(double, upto - from), middle = NAN;
    size_t n = 0;

    for (size_t i = from; i < upto; i++)
        if (!isnan(v[i]))
            known[n++] = v[i];
    qsort(known, n, sizeof *known, rising);
    if (n > 0)
        middle = 0.5 * (known[(n - 1) / 2] + known[n / 2]);
    mem_free(known);
    return middle;
}

/* Adds to ret[s - from] the scaled energy distance of v[order[from..s)] and v[order[s..upto)], for
 * every s. Sums of distances within and between move from one s to the next in one pass over the
 * points. */
static void add_statistic(const double *v, const size_t *order, size_t n, double *ret)
{
    double left = 0.0, right = 0.0, between = 0.0, size_left = 0.0, size_right = 0.0;

    for (size_t i = 0; i < n; i++) {
        if (isnan(v[order[i]]))
            continue;
        size_right += 1.0;
        for (size_t j = 0; j < i; j++)
            if (!isnan(v[order[j]]))
                right += fabs(v[order[i]] - v[order[j]]);
    }
    for (size_t s = 1; s < n; s++) {
        double moved = v[order[s - 1]];

        if (!isnan(moved)) {
            double to_left = 0.0, to_right = 0.0;

            for (size_t i = 0; i < n; i++) {
                double gap = fabs(moved - v[order[i]]);

                if (isnan(gap) || i == s - 1)
                    continue;
                if (i < s - 1)
                    to_left += gap;
                else
                    to_right += gap;
            }
            left += to_left;
            right -= to_right;
            between += to_right - to_left;
            size_left += 1.0;
            size_right -= 1.0;
        }
        if (size_left < LEAST_SIDE || size_right < LEAST_SIDE)
            continue;

        double energy = 2.0 * between / (size_left * size_right) -
                        2.0 * left / (size_left * (size_left - 1.0)) -
                        2.0 * right / (size_right * (size_right - 1.0));

        ret[s] += energy * size_left * size_right / (size_left + size_right);
    }
}

/* Largest statistic over split points of [from, upto), all series summed; *ret_at is the split. */
static double best_split(const struct search *search, const size_t *order, size_t n, double *room,
                         size_t *ret_at)
{
    double best = 0.0;

    memset(room, 0, n * sizeof *room);
    for (size_t h = 0; h < search->n_series; h++)
        add_statistic(search->series[h].v, order, n, room);
    *ret_at = 0;
    for (size_t s = LEAST_SIDE; s + LEAST_SIDE <= n; s++)
        if (room[s] > best) {
            best = room[s];
            *ret_at = s;
        }
    return best;
}

/* The points [from, upto) with blocks of five (the last may be shorter) in a new order. */
static void permute_blocks(struct rng *rng, size_t from, size_t upto, size_t *block, size_t *order)
{
    size_t n = upto - from, blocks = (n + BLOCK - 1) / BLOCK, at = 0;

    for (size_t b = 0; b < blocks; b++)
        block[b] = b;
    rng_shuffle(rng, block, blocks);
    for (size_t b = 0; b < blocks; b++)
        for (size_t i = block[b] * BLOCK; i < n && i < (block[b] + 1) * BLOCK; i++)
            order[at++] = from + i;
}

static double p_of(const struct search *search, size_t from, size_t upto, double observed,
                   size_t *order, double *room)
{
    size_t *block = mem_array(size_t, upto - from), at, as_large = 0;
    struct rng rng;

    rng_seed_stream(&rng, search->options->seed ^ rng_hash("history"),
                    ((uint64_t)from << 32) | upto);
    for (unsigned draw = 0; draw < search->draws; draw++) {
        if (1.0 + (double)as_large > search->alpha * (1.0 + (double)search->draws))
            break; /* p is beyond alpha whatever follows */
        permute_blocks(&rng, from, upto, block, order);
        as_large += best_split(search, order, upto - from, room, &at) >= observed * (1.0 - 1e-12);
    }
    mem_free(block);
    return (1.0 + (double)as_large) / (1.0 + (double)search->draws);
}

/* Median over the series of their own medians. */
static double level_of(const struct search *search, size_t from, size_t upto)
{
    double *own = mem_array(double, search->n_series), level;

    for (size_t h = 0; h < search->n_series; h++)
        own[h] = median_of(search->series[h].v, from, upto);
    level = median_of(own, 0, search->n_series);
    mem_free(own);
    return level;
}

static void split(struct search *search, size_t from, size_t upto)
{
    size_t n = upto - from, at = 0, *order;
    double *room, observed, p = 1.0, before, after;

    if (n < 2 * LEAST_SIDE)
        return;
    order = mem_array(size_t, n);
    room = mem_array(double, n);
    for (size_t i = 0; i < n; i++)
        order[i] = from + i;
    observed = best_split(search, order, n, room, &at);
    if (at > 0)
        p = p_of(search, from, upto, observed, order, room);
    mem_free(order);
    mem_free(room);
    if (p > search->alpha)
        return;
    before = level_of(search, from, from + at);
    after = level_of(search, from + at, upto);
    split(search, from, from + at);
    if (fabs(after - before) >= search->options->theta) {
        search->change =
            mem_grow(search->change, &search->cap, search->n + 1, sizeof *search->change);
        search->change[search->n++] =
            (struct history_change){from + at, before, after, after - before, p};
    }
    split(search, from + at, upto);
}

static int by_host(const void *a, const void *b)
{
    return strcmp(((const struct history_series *)a)->host,
                  ((const struct history_series *)b)->host);
}

void history_change_points(const struct history_series *series, size_t n_series, size_t n_points,
                           const struct history_options *options, struct history_change **ret,
                           size_t *ret_n)
{
    struct history_series *sorted = mem_dup(series, n_series * sizeof *series);
    struct search search = {.series = sorted,
                            .n_series = n_series,
                            .options = options,
                            .alpha = options->alpha > 0.0 ? options->alpha : DEFAULT_ALPHA,
                            .draws = options->draws ? options->draws : DEFAULT_DRAWS};

    qsort(sorted, n_series, sizeof *sorted,
          by_host); /* sums in one order, whatever order hosts came in */
    split(&search, 0, n_points);
    for (size_t i = 0; i < search.n;
         i++) { /* levels of the stretches next to each change, now that all are known */
        size_t from = i > 0 ? search.change[i - 1].at : 0;
        size_t upto = i + 1 < search.n ? search.change[i + 1].at : n_points;
        struct history_change *change = &search.change[i];

        change->before = level_of(&search, from, change->at);
        change->after = level_of(&search, change->at, upto);
        change->shift = change->after - change->before;
    }
    mem_free(sorted);
    *ret = search.change;
    *ret_n = search.n;
}
