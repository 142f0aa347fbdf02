/* SPDX-License-Identifier: GPL-3.0-or-later
 * xoshiro256** and SplitMix64 after the public-domain reference code of Blackman and Vigna
 * (prng.di.unimi.it). */
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <sys/random.h>

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t split_mix(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(*state);
}

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

void rng_seed(struct rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        rng->s[i] = split_mix(&seed);
}

void rng_seed_stream(struct rng *rng, uint64_t seed, uint64_t stream)
{
    /* Both are mixed before they meet: neighbouring streams must not be shifted copies of one
     * SplitMix sequence. */
    const uint64_t a = split_mix(&seed), b = split_mix(&stream);

    rng_seed(rng, a ^ rotate(b, 32));
}

uint64_t rng_u64(struct rng *rng)
{
    uint64_t *s = rng->s;
    const uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    const uint64_t least = (UINT64_C(0) - bound) % bound; /* 2^64 mod bound values are left out */
    uint64_t x;

    do
        x = rng_u64(rng);
    while (x < least);
    return x % bound;
}

double rng_unit(struct rng *rng)
{
    return (double)(rng_u64(rng) >> 11) * 0x1.0p-53;
}

double rng_normal(struct rng *rng)
{
    double x, y, square;

    do { /* Marsaglia's polar method; the second value is not kept, so that a state is four words */
        x = 2 * rng_unit(rng) - 1;
        y = 2 * rng_unit(rng) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    return x * sqrt(-2 * log(square) / square);
}

void rng_shuffle(struct rng *rng, size_t *v, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)rng_below(rng, i), kept = v[i - 1];

        v[i - 1] = v[j];
        v[j] = kept;
    }
}

uint64_t rng_hash(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        hash = (hash ^ *p) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t rng_fresh_seed(void)
{
    uint64_t seed = 0;

    while (seed == 0)
        if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
            abort(); /* cannot happen: requests up to 256 bytes are not interrupted */
    return seed;
}
