/* SPDX-License-Identifier: GPL-3.0-or-later
 * See rising.h: insertion for few values, else a radix sort of their bits, a byte at a time. */
#include "analysis/rising.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

#define FEW 96
#define BYTES 8

static void insertion(double *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const double x = v[i];
        size_t at = i;

        for (; at > 0 && v[at - 1] > x; at--)
            v[at] = v[at - 1];
        v[at] = x;
    }
}

/* Integers in the order of the doubles: the sign turned, negative ones turned over. */
static uint64_t to_key(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double from_key(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Moves from into `to` by one byte of the keys; false when all have the same. */
static bool pass(const uint64_t *from, uint64_t *to, size_t n, const size_t count[256],
                 unsigned byte)
{
    size_t place[256], before = 0;

    for (int b = 0; b < 256; b++) {
        if (count[b] == n)
            return false;
        place[b] = before;
        before += count[b];
    }
    for (size_t i = 0; i < n; i++)
        to[place[from[i] >> (8 * byte) & 255]++] = from[i];
    return true;
}

void rising_sort(double *v, size_t n)
{
    size_t count[BYTES][256] = {{0}};

    if (n < FEW) {
        insertion(v, n);
        return;
    }
    uint64_t *room = mem_array(uint64_t, 2 * n), *from = room, *to = room + n;

    for (size_t i = 0; i < n; i++) {
        from[i] = to_key(v[i]);
        for (unsigned byte = 0; byte < BYTES; byte++)
            count[byte][from[i] >> (8 * byte) & 255]++;
    }
    for (unsigned byte = 0; byte < BYTES; byte++)
        if (pass(from, to, n, count[byte], byte)) {
            uint64_t *swap = from;

            from = to;
            to = swap;
        }
    for (size_t i = 0; i < n; i++)
        v[i] = from_key(from[i]);
    mem_free(room);
}
