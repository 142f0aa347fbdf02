/* SPDX-License-Identifier: GPL-3.0-or-later
 * A set of 64-bit keys with a 32-bit note each: open addressing, 12 bytes a slot, at most two
 * thirds of them taken. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct seen {
    uint64_t *key; /* 0: free */
    uint32_t *note;
    size_t n, cap;
};
void seen_done(struct seen *seen);
/* The note stored with key earlier, or 0 after storing key with note (1 or more). */
uint32_t seen_add(struct seen *seen, uint64_t key, uint32_t note);
/* The note stored with key, 0 when there is none. */
uint32_t seen_get(const struct seen *seen, uint64_t key);
/* A well mixed key from two numbers; two different pairs collide with a chance of 2^-64. */
uint64_t seen_mix(uint64_t a, uint64_t b);
uint64_t seen_mix_bytes(const char *bytes, size_t length);
