/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * xoshiro256** seeded by SplitMix64 (Blackman & Vigna 2018). Deterministic on every platform: a
 * seed is part of a result. Not for keys.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t s[4];
};
void rng_seed(struct rng *rng, uint64_t seed);
/* An independent stream: same (seed, stream) gives the same numbers whatever else was drawn. */
void rng_seed_stream(struct rng *rng, uint64_t seed, uint64_t stream);
uint64_t rng_u64(struct rng *rng);
uint64_t rng_below(struct rng *rng,
                   uint64_t bound); /* uniform in [0, bound), unbiased; bound > 0 */
double rng_unit(struct rng *rng);   /* uniform in [0, 1), 53 bits */
double rng_normal(struct rng *rng); /* standard normal */
void rng_shuffle(struct rng *rng, size_t *v, size_t n);
/* 64-bit FNV-1a of text, to derive streams from names. */
uint64_t rng_hash(const char *text);
/* A seed from the system's generator; 0 never. */
uint64_t rng_fresh_seed(void);
