/* SPDX-License-Identifier: GPL-3.0-or-later
 * The set: keys are already mixed, so their low bits are the slot. */
#include "coordinator/import/seen.h"

#include "base/mem.h"

void seen_done(struct seen *seen)
{
    mem_free(seen->key);
    mem_free(seen->note);
    *seen = (struct seen){0};
}

static size_t find_slot(const struct seen *seen, uint64_t key)
{
    size_t slot = (size_t)key & (seen->cap - 1);

    while (seen->key[slot] != 0 && seen->key[slot] != key)
        slot = (slot + 1) & (seen->cap - 1);
    return slot;
}

static void grow(struct seen *seen)
{
    struct seen bigger = {.cap = seen->cap ? seen->cap * 2 : 1024, .n = seen->n};

    bigger.key = mem_array(uint64_t, bigger.cap);
    bigger.note = mem_array(uint32_t, bigger.cap);
    for (size_t i = 0; i < seen->cap; i++) {
        size_t slot = 0;

        if (seen->key[i] == 0)
            continue;
        slot = find_slot(&bigger, seen->key[i]);
        bigger.key[slot] = seen->key[i];
        bigger.note[slot] = seen->note[i];
    }
    seen_done(seen);
    *seen = bigger;
}

uint32_t seen_add(struct seen *seen, uint64_t key, uint32_t note)
{
    size_t slot = 0;

    key += key == 0;
    if (seen->n * 3 >= seen->cap * 2)
        grow(seen);
    slot = find_slot(seen, key);
    if (seen->key[slot] == key)
        return seen->note[slot];
    seen->key[slot] = key;
    seen->note[slot] = note;
    seen->n++;
    return 0;
}

uint32_t seen_get(const struct seen *seen, uint64_t key)
{
    key += key == 0;
    return seen->cap ? seen->note[find_slot(seen, key)] : 0;
}

static uint64_t mix(uint64_t z) /* SplitMix64's finisher (Steele, Lea, Flood 2014) */
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t seen_mix(uint64_t a, uint64_t b)
{
    return mix(mix(a + UINT64_C(0x9e3779b97f4a7c15)) ^ b);
}

uint64_t seen_mix_bytes(const char *bytes, size_t length)
{
    uint64_t hash = length;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return mix(hash);
}
