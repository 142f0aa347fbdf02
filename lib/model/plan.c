/* SPDX-License-Identifier: GPL-3.0-or-later
 * Blocks from a seed. The stream of a block hangs on nothing but (seed, host, session, round), so
 * blocks can be built in any order, twice, and on both sides of the wire. */
#include "model/plan.h"

#include "base/rng.h"
#include "model/limits.h"

void plan_block_done(struct plan_block *block)
{
    mem_free(block->step);
    *block = (struct plan_block){0};
}

static void seed_block(struct rng *rng, uint64_t seed, const char *host, uint32_t session,
                       uint32_t round)
{
    CLEAN_MEM char *key =
        mem_printf("%s/%lu/%lu", host, (unsigned long)session, (unsigned long)round);

    rng_seed_stream(rng, seed, rng_hash(key));
}

/* Everything is drawn in every block, wanted or not: what an experiment randomises does not change
 * its order. */
static void draw_nuisances(const struct experiment *experiment, struct rng *rng,
                           struct plan_block *block)
{
    const uint32_t env = (uint32_t)rng_below(rng, LIMIT_ENV_PADDING + 1);
    const uint32_t dir = (uint32_t)rng_below(rng, LIMIT_DIR_PADDING + 1);
    const bool aslr_off = rng_below(rng, 2) == 1;
    const uint32_t cpu = (uint32_t)rng_below(rng, UINT32_MAX);

    block->env_bytes = experiment->randomize_env ? env : 0;
    block->dir_bytes = experiment->randomize_dir ? dir : 0;
    block->aslr_off = experiment->randomize_aslr && aslr_off;
    block->cpu_draw = experiment->randomize_cpu ? cpu : UINT32_MAX;
}

void plan_block_build(const struct experiment *experiment, uint64_t seed, const char *host,
                      uint32_t session, uint32_t round, struct plan_block *ret)
{
    const size_t cells = experiment_cells(experiment), n = experiment->n_variants * cells;
    CLEAN_MEM size_t *order = mem_array(size_t, n);
    struct plan_block block = {.n_steps = n, .round = round, .session = session};
    struct rng rng;

    for (size_t i = 0; i < n; i++)
        order[i] = i; /* variant by variant, cells inside */
    seed_block(&rng, seed, host, session, round);
    if (!experiment->not_interleaved)
        rng_shuffle(&rng, order, n);
    block.step = mem_array(struct plan_step, n);
    for (size_t i = 0; i < n; i++)
        block.step[i] = (struct plan_step){
            .variant = (uint32_t)(order[i] / cells),
            .cell = (uint32_t)(order[i] % cells),
            .position = (uint32_t)i,
        };
    draw_nuisances(experiment, &rng, &block);
    *ret = block;
}
