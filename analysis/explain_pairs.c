/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two facts that must both hold ("AMD and fedora", either side mirrored). Looked at only when a
 * single split leaves heterogeneity behind. Every pair of levels is scored: for each first level
 * the hosts on its two sides are summed by the levels of every later fact at once, and the mirrored
 * combinations follow by subtraction.
 */
#include "analysis/explain_parts.h"
#include "analysis/parallel.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAIR_PENALTY 2.0
#define MUST_BEAT 4.0
#define COARSE_STEP 0.05
#define COMBINATIONS 4 /* 11, 10, 01, 00: which side of either fact */

struct pair_key { /* equal for the same column up to its complement, with the same gaps */
    uint64_t known, side;
};
struct pair_found {
    double lr; /* missing x as the mean; -1: no pair */
    size_t first, second;
    unsigned combination;
    struct pair_key key;
    uint64_t bits; /* of the hosts where both hold */
};
struct pair_list { /* what one first level found */
    struct pair_found best;
    uint64_t *key; /* of every admissible pair, for counting */
    size_t n, cap;
};
struct pair_job {
    const struct explain_pool *pool;
    const struct candidate_list *list;
    const struct score_rows *rows; /* coarse */
    const uint64_t *host_bits;
    size_t least_side;
    const size_t *level; /* indexes of the candidates that are levels, in the list's order */
    size_t n_levels;
    bool counted_only; /* searching; else listing what equals `wanted` */
    const struct pair_found *wanted;
    struct pair_list *found; /* one a level */
};

struct tally {   /* over a set of hosts */
    double *sum; /* 2 n_grid */
    uint64_t bits;
    size_t hosts;
};

static uint64_t mixed(struct pair_key key)
{
    struct rng rng;

    rng_seed_stream(&rng, key.known, key.side);
    return rng_u64(&rng);
}

static double side_of(const struct candidate_list *list, const struct candidate *candidate,
                      bool mirrored, size_t host)
{
    double x = candidate_x(list->table, candidate, host);

    return mirrored ? 1.0 - x : x;
}

/* Both hold: 0 as soon as one does not, whatever the other; NaN when that cannot be known. */
static double pair_x(const struct candidate_list *list, const struct pair_found *pair, size_t host)
{
    double a = side_of(list, &list->v[pair->first], pair->combination & 2, host);
    double b = side_of(list, &list->v[pair->second], pair->combination & 1, host);

    if (a == 0.0 || b == 0.0)
        return 0.0;
    return isnan(a) || isnan(b) ? NAN : 1.0;
}

/* Sums by level of one column over the hosts where `first` is 1 and where it is 0. */
struct column_sums {
    size_t width, n_levels;
    double *sum[2];
    uint64_t *bits[2];
    size_t *hosts[2];
};

static void sum_column(const struct pair_job *job, const struct candidate *first,
                       const struct fact_column *column, struct column_sums *sums)
{
    sums->n_levels = column->n_levels;
    for (int side = 0; side < 2; side++) {
        memset(sums->sum[side], 0, sums->n_levels * sums->width * sizeof(double));
        memset(sums->bits[side], 0, sums->n_levels * sizeof(uint64_t));
        memset(sums->hosts[side], 0, sums->n_levels * sizeof(size_t));
    }
    for (size_t h = 0; h < job->pool->k; h++) {
        double x = candidate_x(job->list->table, first, h);
        uint32_t code = column->code[h];

        if (isnan(x) || code == FACT_MISSING)
            continue;

        int side = x == 1.0;
        double *into = &sums->sum[side][code * sums->width];
        const double *row = &job->rows->row[h * sums->width];

        for (size_t i = 0; i < sums->width; i++)
            into[i] += row[i];
        sums->bits[side][code] += job->host_bits[h];
        sums->hosts[side][code]++;
    }
}

static struct tally whole_side(const struct column_sums *sums, int side, double *room)
{
    struct tally all = {.sum = room};

    memset(room, 0, sums->width * sizeof *room);
    for (size_t l = 0; l < sums->n_levels; l++) {
        for (size_t i = 0; i < sums->width; i++)
            room[i] += sums->sum[side][l * sums->width + i];
        all.bits += sums->bits[side][l];
        all.hosts += sums->hosts[side][l];
    }
    return all;
}

/* Looks at one combination of (first, second). room: 2 rows. */
static void look(const struct pair_job *job, struct pair_list *out, size_t first, size_t second,
                 unsigned combination, const struct column_sums *sums, const struct tally all[2],
                 const double *missing, double *room)
{
    int side = !(combination & 2);
    bool rest = combination & 1; /* every level of the second's fact but this one */
    uint32_t level = job->list->v[second].at;
    size_t known = all[0].hosts + all[1].hosts, hosts = sums->hosts[side][level];
    uint64_t bits = sums->bits[side][level], known_bits = all[0].bits + all[1].bits;
    const double *sum = &sums->sum[side][level * sums->width];

    if (rest) {
        hosts = all[side].hosts - hosts;
        bits = all[side].bits - bits;
    }
    if (hosts < job->least_side || known - hosts < job->least_side)
        return;

    struct pair_key key = {known_bits, bits < known_bits - bits ? bits : known_bits - bits};

    if (!job->counted_only) {
        if (known_bits == job->wanted->key.known && bits == job->wanted->bits) {
            out->key = mem_grow(out->key, &out->cap, out->n + 1, sizeof *out->key);
            out->key[out->n++] = ((uint64_t)second << 2) | combination; /* which pair, here */
        }
        return;
    }
    out->key = mem_grow(out->key, &out->cap, out->n + 1, sizeof *out->key);
    out->key[out->n++] = mixed(key);
    for (size_t i = 0; i < sums->width && rest; i++)
        room[i] = all[side].sum[i] - sum[i];

    double lr =
        score_split_lr(job->rows, rest ? room : sum, missing, (double)hosts / (double)known, NULL);

    if (lr > out->best.lr + 1e-9 * (1.0 + lr))
        out->best = (struct pair_found){lr, first, second, combination, key, bits};
}

static void pair_with_all(void *context, size_t item)
{
    const struct pair_job *job = context;
    const struct candidate *first = &job->list->v[job->level[item]];
    size_t width = 2 * job->rows->n_grid, most = 0;
    struct pair_list *out = &job->found[item];

    out->best.lr = -1.0;
    if (job->counted_only && !first->counted)
        return;
    for (size_t c = 0; c < job->list->table->n_columns; c++)
        most = job->list->table->column[c].n_levels > most ? job->list->table->column[c].n_levels
                                                           : most;

    struct column_sums sums = {.width = width};
    double *room = mem_array(double, 5 * width), *total = room + 3 * width,
           *missing = room + 4 * width;

    for (int side = 0; side < 2; side++) {
        sums.sum[side] = mem_array(double, most *width);
        sums.bits[side] = mem_array(uint64_t, most);
        sums.hosts[side] = mem_array(size_t, most);
    }
    for (size_t h = 0; h < job->pool->k; h++)
        for (size_t i = 0; i < width; i++)
            total[i] += job->rows->row[h * width + i];
    for (size_t j = item + 1, upto; j < job->n_levels; j = upto) {
        size_t column = job->list->v[job->level[j]].column;

        for (upto = j; upto < job->n_levels && job->list->v[job->level[upto]].column == column;
             upto++)
            ;
        if (column == first->column)
            continue;
        sum_column(job, first, &job->list->table->column[column], &sums);

        struct tally all[2] = {whole_side(&sums, 0, room), whole_side(&sums, 1, room + width)};

        for (size_t i = 0; i < width; i++)
            missing[i] = total[i] - all[0].sum[i] - all[1].sum[i];
        for (size_t b = j; b < upto; b++)
            for (unsigned c = 0; c < COMBINATIONS; c++)
                if (!job->counted_only || job->list->v[job->level[b]].counted)
                    look(job, out, job->level[item], job->level[b], c, &sums, all, missing,
                         room + 2 * width);
    }
    for (int side = 0; side < 2; side++) {
        mem_free(sums.sum[side]);
        mem_free(sums.bits[side]);
        mem_free(sums.hosts[side]);
    }
    mem_free(room);
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Distinct columns among all pairs looked at; the lists are emptied. */
static size_t count_and_clear(struct pair_list *found, size_t n)
{
    size_t all = 0, distinct = 0;
    uint64_t *key;

    for (size_t i = 0; i < n; i++)
        all += found[i].n;
    key = mem_array(uint64_t, all);
    all = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < found[i].n; j++)
            key[all++] = found[i].key[j];
        found[i].n = 0;
    }
    qsort(key, all, sizeof *key, by_key);
    for (size_t i = 0; i < all; i++)
        distinct += i == 0 || key[i] != key[i - 1];
    mem_free(key);
    return distinct;
}

/* Score of the pair on the fine grid, hosts for which it cannot be known on the nearer side. */
static void score_pair(const struct explain_pool *pool, const struct candidate_list *list,
                       const struct score_rows *rows, const struct pair_found *pair, double penalty,
                       struct explain_found *ret)
{
    double *sums = mem_array(double, 3 * rows->n_grid), sum[2] = {0}, weight[2] = {0};
    size_t placed = 0, at = 0;

    ret->x = mem_array(double, pool->k);
    for (size_t h = 0; h < pool->k; h++) {
        double w = 1.0 / (pool->v[h] + rows->tau2[1]);

        ret->x[h] = pair_x(list, pair, h);
        if (isnan(ret->x[h]))
            continue;
        sum[ret->x[h] == 1.0] += w * pool->y[h];
        weight[ret->x[h] == 1.0] += w;
    }
    for (size_t h = 0; h < pool->k; h++)
        if (isnan(ret->x[h])) {
            ret->x[h] =
                fabs(pool->y[h] - sum[1] / weight[1]) < fabs(pool->y[h] - sum[0] / weight[0]);
            placed++;
        }
    ret->free_score = score_x_lr(rows, ret->x, NULL, sums, &at) - penalty;
    ret->score = ret->free_score - EXPLAIN_PLACEMENT * (double)placed;
    ret->tau2 = rows->tau2[at];
    mem_free(sums);
}

static void list_members(const struct pair_job *job, const struct explain_found *scored,
                         struct explain_found **ret, size_t *ret_n)
{
    size_t cap = 0;

    *ret = NULL;
    *ret_n = 0;
    for (size_t i = 0; i < job->n_levels; i++)
        for (size_t j = 0; j < job->found[i].n; j++) {
            uint64_t which = job->found[i].key[j];
            struct explain_found *found;

            *ret = mem_grow(*ret, &cap, *ret_n + 1, sizeof **ret);
            found = &(*ret)[(*ret_n)++];
            *found = *scored;
            found->kind = CLASS_KIND_PAIR;
            found->split = SIZE_MAX;
            found->candidate = &job->list->v[job->level[i]];
            found->and = &job->list->v[which >> 2];
            found->flip_first = which & 2;
            found->flip_second = which & 1;
            found->x = *ret_n == 1 ? scored->x : NULL;
        }
}

bool explain_pairs(const struct explain_pool *pool, const struct candidate_list *list,
                   const struct score_rows *rows, double best_single, struct explain_found **ret,
                   size_t *ret_n)
{
    size_t *level = mem_array(size_t, list->n);
    struct pair_job job = {.pool = pool,
                           .list = list,
                           .least_side = pool->k < 8 ? 1 : 2,
                           .level = level,
                           .counted_only = true,
                           .found = mem_array(struct pair_list, list->n)};
    struct score_rows coarse;
    struct pair_found best = {.lr = -1.0};
    struct explain_found scored = {0};
    uint64_t *host_bits = mem_array(uint64_t, pool->k);
    bool beats = false;

    score_rows_init(&coarse, pool->k, SCORE_GRID_COARSE);
    score_rows_fill(&coarse, pool->y, pool->v, SIZE_MAX, COARSE_STEP);
    job.rows = &coarse;
    job.host_bits = host_bits;
    for (size_t h = 0; h < pool->k; h++) {
        struct rng rng;

        rng_seed_stream(&rng, 1, h);
        host_bits[h] = rng_u64(&rng);
    }
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].kind == CLASS_KIND_LEVEL)
            level[job.n_levels++] = i;
    parallel_run(pool->options->threads, job.n_levels, pair_with_all, &job);
    for (size_t i = 0; i < job.n_levels; i++)
        if (job.found[i].best.lr > best.lr + 1e-9 * (1.0 + best.lr))
            best = job.found[i].best;
    if (best.lr >= 0.0) {
        double penalty = 2.0 * log((double)count_and_clear(job.found, job.n_levels)) + PAIR_PENALTY;

        score_pair(pool, list, rows, &best, penalty, &scored);
        beats = scored.score >= best_single + MUST_BEAT;
    }
    if (beats) {
        job.counted_only = false;
        job.wanted = &best;
        parallel_run(pool->options->threads, job.n_levels, pair_with_all, &job);
        list_members(&job, &scored, ret, ret_n);
    } else {
        mem_free(scored.x);
    }
    for (size_t i = 0; i < job.n_levels; i++)
        mem_free(job.found[i].key);
    mem_free(job.found);
    mem_free(level);
    mem_free(host_bits);
    score_rows_done(&coarse);
    return beats;
}
