/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statistic: largest |Welch t| of a level against the rest over all hosts together. Null: levels
 * exchanged at random inside each stratum. Effects per level are pooled over hosts like any effect.
 */
#include "analysis/levels.h"

#include "analysis/parallel.h"
#include "analysis/pool.h"
#include "analysis/trimmed.h"
#include "base/rng.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#define CLIP 4.0
#define LEAST_DRAWS 199
#define BATCH 111 /* draws made before it is asked whether more are needed */
#define ENOUGH 50 /* as large as the observed: p is plainly not small (Besag & Clifford 1991) */
#define LEAST_OF_LEVEL 2 /* rounds of a host at a level for its effect to enter the pool */

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of(double *v, size_t n)
{
    qsort(v, n, sizeof *v, rising);
    return 0.5 * (v[(n - 1) / 2] + v[n / 2]);
}

void levels_scale(struct levels_item *item, size_t n)
{
    double *room = mem_array(double, n), centre, scale;

    for (size_t i = 0; i < n; i++)
        room[i] = item[i].d;
    centre = n > 0 ? median_of(room, n) : 0.0;
    for (size_t i = 0; i < n; i++)
        room[i] = fabs(item[i].d - centre);
    scale = n > 0 ? 1.4826 * median_of(room, n) : 0.0;
    for (size_t i = 0; i < n; i++) {
        double z = scale > 0.0 ? (item[i].d - centre) / scale : 0.0;

        item[i].z = fmax(-CLIP, fmin(CLIP, z));
    }
    mem_free(room);
}

struct sums {
    double n, sum, squares;
};

static double welch_t(const struct sums *level, const struct sums *all)
{
    struct sums rest = {all->n - level->n, all->sum - level->sum, all->squares - level->squares};

    if (level->n < LEVELS_LEAST_SIDE || rest.n < LEVELS_LEAST_SIDE)
        return 0.0;

    double a = level->sum / level->n, b = rest.sum / rest.n;
    double va = fmax(0.0, level->squares - level->n * a * a) / (level->n - 1.0) / level->n;
    double vb = fmax(0.0, rest.squares - rest.n * b * b) / (rest.n - 1.0) / rest.n;

    return va + vb > 0.0 ? fabs(a - b) / sqrt(va + vb) : 0.0;
}

/* code[i]: the level given to item i. room: n_levels sums. */
static double statistic(const struct levels *levels, const uint32_t *code, struct sums *room)
{
    struct sums all = {0};
    double largest = 0.0;

    for (size_t l = 0; l < levels->n_levels; l++)
        room[l] = (struct sums){0};
    for (size_t i = 0; i < levels->n; i++) {
        double z = levels->item[i].z;
        struct sums *at = &room[code[i]];

        at->n += 1.0;
        at->sum += z;
        at->squares += z * z;
    }
    for (size_t l = 0; l < levels->n_levels; l++) {
        all.n += room[l].n;
        all.sum += room[l].sum;
        all.squares += room[l].squares;
    }
    for (size_t l = 0; l < levels->n_levels; l++)
        largest = fmax(largest, welch_t(&room[l], &all));
    return largest;
}

struct draws {
    const struct levels *levels;
    const uint32_t *code;
    uint64_t seed;
    double observed;
    size_t first;            /* of the batch */
    unsigned char *as_large; /* per draw */
};

static void draw_one(void *context, size_t item)
{
    const struct draws *draws = context;
    const size_t draw = draws->first + item;
    const struct levels *levels = draws->levels;
    uint32_t *code = mem_dup(draws->code, levels->n * sizeof *code);
    struct sums *room = mem_array(struct sums, levels->n_levels);
    struct rng rng;

    rng_seed_stream(&rng, draws->seed, draw);
    for (size_t from = 0, upto; from < levels->n; from = upto) {
        for (upto = from + 1;
             upto < levels->n && levels->item[upto].stratum == levels->item[from].stratum; upto++)
            ;
        for (size_t i = upto - 1; i > from; i--) { /* Fisher-Yates */
            size_t j = from + (size_t)rng_below(&rng, i - from + 1);
            uint32_t kept = code[i];

            code[i] = code[j];
            code[j] = kept;
        }
    }
    draws->as_large[draw] =
        statistic(levels, code, room) >= draws->observed - 1e-9 * (1.0 + draws->observed);
    mem_free(code);
    mem_free(room);
}

static double p_by_exchange(const char *factor, const struct levels *levels,
                            const struct harness_options *options)
{
    unsigned n = options->draws ? options->draws : 999;
    uint32_t *code = mem_array(uint32_t, levels->n);
    struct sums *room = mem_array(struct sums, levels->n_levels);
    size_t as_large = 0;
    unsigned done = 0;

    if ((double)levels->n * n > LEVELS_MOST_STEPS && n > LEAST_DRAWS)
        n = (unsigned)fmax(LEAST_DRAWS, LEVELS_MOST_STEPS / (double)levels->n);
    for (size_t i = 0; i < levels->n; i++)
        code[i] = levels->item[i].level;

    struct draws draws = {.levels = levels,
                          .code = code,
                          .seed = options->seed ^ rng_hash("levels") ^ rng_hash(factor),
                          .observed = statistic(levels, code, room),
                          .as_large = mem_array(unsigned char, n)};

    while (done < n && as_large < ENOUGH) {
        const unsigned batch = n - done < BATCH ? n - done : BATCH;

        draws.first = done;
        parallel_run(options->threads, batch, draw_one, &draws);
        for (const unsigned upto = done + batch; done < upto; done++)
            as_large += draws.as_large[done];
    }
    mem_free(code);
    mem_free(room);
    mem_free(draws.as_large);
    return (1.0 + (double)as_large) / (1.0 + (double)done);
}

/* Share of the variance of z inside strata that goes with the level, free of the upward bias of R2
 * (epsilon squared). */
static double share_of_variance(const struct levels *levels)
{
    struct sums *level = mem_array(struct sums, levels->n_levels);
    double total = 0.0, between = 0.0, n = (double)levels->n, strata = 0.0, used = 0.0;

    for (size_t from = 0, upto; from < levels->n; from = upto) {
        double mean = 0.0;

        for (upto = from;
             upto < levels->n && levels->item[upto].stratum == levels->item[from].stratum; upto++)
            mean += levels->item[upto].z;
        mean /= (double)(upto - from);
        strata += 1.0;
        for (size_t i = from; i < upto; i++) {
            double off = levels->item[i].z - mean;

            total += off * off;
            level[levels->item[i].level].n += 1.0;
            level[levels->item[i].level].sum += off;
        }
    }
    for (size_t l = 0; l < levels->n_levels; l++)
        if (level[l].n > 0.0) {
            between += level[l].sum * level[l].sum / level[l].n;
            used += 1.0;
        }
    mem_free(level);

    double df_total = n - strata, df_within = n - strata - (used - 1.0);

    if (df_within <= 0.0 || total <= 0.0)
        return NAN;
    return fmax(0.0, 1.0 - (total - between) / df_within / (total / df_total));
}

/* The effect at one level, pooled over the hosts with enough rounds at it. */
static void level_effect(const struct levels *levels, uint32_t level,
                         const struct harness_options *options, struct level_answer *ret)
{
    double *d = mem_array(double, levels->n), *y = mem_array(double, levels->n_hosts);
    double *v = mem_array(double, levels->n_hosts), *df = mem_array(double, levels->n_hosts);
    size_t k = 0;
    double change;
    struct pool_result pool;

    ret->rounds = 0;
    for (size_t from = 0, upto; from < levels->n; from = upto) {
        size_t n = 0;

        for (upto = from; upto < levels->n && levels->item[upto].host == levels->item[from].host;
             upto++)
            if (levels->item[upto].level == level)
                d[n++] = levels->item[upto].d;
        ret->rounds += n;
        if (n < LEAST_OF_LEVEL)
            continue;
        qsort(d, n, sizeof *d, rising);

        struct trimmed trimmed = trimmed_mean(d, n);

        y[k] = trimmed.mean;
        v[k] = trimmed.se * trimmed.se;
        df[k++] = trimmed.df;
    }
    pool_hosts(y, v, df, k, options->alpha, &pool);
    ret->effect = pool.mu;
    ret->ci = pool.ci;
    if (k == 1) {
        double half = gsl_cdf_tdist_Qinv(options->alpha / 2.0, df[0]) * sqrt(v[0]);

        ret->ci = (struct range){y[0] - half, y[0] + half};
    }
    change = options->higher_is_better ? -ret->effect : ret->effect;
    ret->pct = 100.0 * (options->by_difference ? change : expm1(change));
    mem_free(d);
    mem_free(y);
    mem_free(v);
    mem_free(df);
}

bool levels_answer(const char *factor, const struct levels *levels,
                   const struct harness_options *options, struct factor_answer *ret)
{
    size_t *rounds = mem_array(size_t, levels->n_levels), comparable = 0, used = 0;

    for (size_t i = 0; i < levels->n; i++)
        rounds[levels->item[i].level]++;
    for (size_t l = 0; l < levels->n_levels; l++) {
        used += rounds[l] > 0;
        comparable += rounds[l] >= LEVELS_LEAST_SIDE && levels->n - rounds[l] >= LEVELS_LEAST_SIDE;
    }
    if (used >= 2 && comparable >= 1) {
        *ret = (struct factor_answer){.factor = mem_strdup(factor),
                                      .p = p_by_exchange(factor, levels, options),
                                      .share = share_of_variance(levels),
                                      .level = mem_array(struct level_answer, used)};
        ret->p_adjusted = ret->p;
        for (size_t l = 0; l < levels->n_levels; l++)
            if (rounds[l] > 0) {
                struct level_answer *at = &ret->level[ret->n_levels++];

                at->level = mem_strdup(levels->level[l]);
                level_effect(levels, (uint32_t)l, options, at);
            }
    }
    mem_free(rounds);
    return used >= 2 && comparable >= 1;
}
