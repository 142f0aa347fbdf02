/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sign flips without a sort. The flipped sample in order is: negatives by falling |c|, then
 * positives by rising |c|. With |c| sorted downwards once, the g smallest are the first g negatives
 * met and the g largest the first g positives, so a draw needs one pass: find where the (g+1)-th of
 * each sign stands, then sum what is beyond.
 */
#include "analysis/flips.h"

#include "analysis/parallel.h"
#include "base/mem.h"
#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct flip_work { /* constant, except the outputs: each host's column is its own */
    const struct flip_host *hosts;
    size_t k;
    const double *centre;
    uint64_t seed;
    unsigned draws;
    double *ret_y, *ret_v;
};

struct sorted_sizes { /* one host's |centred d|, largest first */
    size_t n, g;
    double *size;
    double *square_from; /* [i]: sum of squares of size[i..n) */
    double *flipped;     /* room for the rare draw with too few of one sign */
    uint64_t *bits;
};

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

static int rising(const void *a, const void *b)
{
    return falling(b, a);
}

static void reduce(double kept, double kept_squares, double low, double high, size_t n, size_t g,
                   double *ret_y, double *ret_v)
{
    double size = (double)n, trim = (double)g;
    double kept_n = size - 2.0 * trim;
    double mean = (kept + trim * (low + high)) / size;
    double spread = kept_squares + trim * (low * low + high * high) - size * mean * mean;
    double inner = kept_n / size;

    *ret_y = kept / kept_n;
    *ret_v = fmax(0.0, spread) / (size - 1.0) / (inner * inner * size);
}

static double with_sign(double size, const uint64_t *bits, size_t i)
{
    return (bits[i / 64] >> (i % 64)) & 1 ? size : -size;
}

/* A draw in which one sign has no more than g members: sorted and trimmed in the plain way. */
static void reduce_plain(const struct sorted_sizes *s, double *ret_y, double *ret_v)
{
    double kept = 0.0, squares = 0.0;

    for (size_t i = 0; i < s->n; i++)
        s->flipped[i] = with_sign(s->size[i], s->bits, i);
    qsort(s->flipped, s->n, sizeof *s->flipped, rising);
    for (size_t i = s->g; i < s->n - s->g; i++) {
        kept += s->flipped[i];
        squares += s->flipped[i] * s->flipped[i];
    }
    reduce(kept, squares, s->flipped[s->g], s->flipped[s->n - s->g - 1], s->n, s->g, ret_y, ret_v);
}

/* Index of the (g+1)-th bit that is set (invert: clear) among the first n, or n when there are
 * fewer. */
static size_t nth_bit(const uint64_t *bits, size_t n, size_t g, bool invert)
{
    size_t left = g;

    for (size_t word = 0; word * 64 < n; word++) {
        uint64_t w = invert ? ~bits[word] : bits[word];
        size_t here = (size_t)__builtin_popcountll(w);

        if (here <= left) {
            left -= here;
            continue;
        }
        while (left-- > 0)
            w &= w - 1;

        size_t index = word * 64 + (size_t)__builtin_ctzll(w);

        return index < n ? index : n;
    }
    return n;
}

static double signed_sum(const double *size, const uint64_t *bits, size_t from, size_t n)
{
    double part[4] = {0}; /* four chains: additions do not wait for one another */

    for (size_t i = from; i < n; i++) {
        uint64_t sign = (~bits[i / 64] >> (i % 64)) << 63;
        uint64_t raw;
        double value;

        memcpy(&raw, &size[i], sizeof raw);
        raw ^= sign;
        memcpy(&value, &raw, sizeof value);
        part[i & 3] += value;
    }
    return (part[0] + part[1]) + (part[2] + part[3]);
}

static void draw_one(const struct sorted_sizes *s, double *ret_y, double *ret_v)
{
    size_t positive = nth_bit(s->bits, s->n, s->g, false);
    size_t negative = nth_bit(s->bits, s->n, s->g, true);

    if (positive == s->n || negative == s->n) {
        reduce_plain(s, ret_y, ret_v);
        return;
    }

    bool more_negative =
        negative < positive; /* between the two, only the sign met earlier is kept */
    size_t near = more_negative ? negative : positive;
    size_t far = more_negative ? positive : negative;
    double kept = signed_sum(s->size, s->bits, far, s->n);
    double squares = s->square_from[far];

    for (size_t i = near; i < far; i++) {
        double value = with_sign(s->size[i], s->bits, i);

        if ((value < 0.0) == more_negative) {
            kept += value;
            squares += value * value;
        }
    }
    reduce(kept, squares, -s->size[negative], s->size[positive], s->n, s->g, ret_y, ret_v);
}

static void flip_host(void *context, size_t h)
{
    const struct flip_work *work = context;
    const struct flip_host *host = &work->hosts[h];
    size_t n = host->n, words = (n + 63) / 64;
    struct sorted_sizes s = {.n = n,
                             .g = n / 5,
                             .size = mem_array(double, n),
                             .square_from = mem_array(double, n + 1),
                             .flipped = mem_array(double, n),
                             .bits = mem_array(uint64_t, words)};
    struct rng rng;

    for (size_t i = 0; i < n; i++)
        s.size[i] = fabs(host->d[i] - work->centre[h]);
    qsort(s.size, n, sizeof *s.size, falling);
    for (size_t i = n; i-- > 0;)
        s.square_from[i] = s.square_from[i + 1] + s.size[i] * s.size[i];
    rng_seed_stream(&rng, work->seed, rng_hash(host->name));
    for (size_t draw = 0; draw < work->draws; draw++) {
        for (size_t word = 0; word < words; word++)
            s.bits[word] = rng_u64(&rng);
        draw_one(&s, &work->ret_y[draw * work->k + h], &work->ret_v[draw * work->k + h]);
    }
    mem_free(s.size);
    mem_free(s.square_from);
    mem_free(s.flipped);
    mem_free(s.bits);
}

void flips_draw(const struct flip_host *hosts, size_t k, const double *centre, uint64_t seed,
                const char *what, unsigned draws, unsigned threads, double *ret_y, double *ret_v)
{
    struct flip_work work = {.hosts = hosts,
                             .k = k,
                             .centre = centre,
                             .seed = seed ^ rng_hash(what),
                             .draws = draws,
                             .ret_y = ret_y,
                             .ret_v = ret_v};

    parallel_run(threads, k, flip_host, &work);
}
