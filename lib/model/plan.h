/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order of samples, a pure function of (experiment, seed, host, session, round): coordinator,
 * agent and a rerun derive the same blocks from the same seed. A block is every cell of every
 * variant once, in random order; nuisance levels (environment size, directory length, …) are drawn
 * per block, the same for all its samples. With not_interleaved the steps of every block stand in
 * the order of the file, variant by variant: the same arm first in every block, which the analysis
 * sees and says.
 */
#pragma once
#include "model/experiment.h"

struct plan_step {
    uint32_t variant, cell, position;
};
struct plan_block {
    struct plan_step *step;
    size_t n_steps;
    uint32_t round, session;
    uint32_t env_bytes, dir_bytes; /* padding; 0 when not randomised */
    bool aslr_off;
    uint32_t cpu_draw; /* CPU of the first run, modulo the allowed CPUs; UINT32_MAX: not drawn */
};
void plan_block_done(struct plan_block *block);
/* Builds block `round` of `session` on `host`; ret is overwritten and ended by plan_block_done. The
 * experiment has passed experiment_check. What is randomised does not change the order: all draws
 * are made in every block. */
void plan_block_build(const struct experiment *experiment, uint64_t seed, const char *host,
                      uint32_t session, uint32_t round, struct plan_block *ret);
