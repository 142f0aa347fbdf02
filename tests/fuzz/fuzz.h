/* SPDX-License-Identifier: GPL-3.0-or-later
 * What a fuzz target is: it takes any bytes and returns 0; a crash, a sanitizer's report or a
 * broken promise ends the process. libFuzzer calls it, or the replayer (replay.c) where there is no
 * libFuzzer. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise that must hold whatever the bytes. */
#define FUZZ_HOLDS(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
