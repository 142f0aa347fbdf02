/* SPDX-License-Identifier: GPL-3.0-or-later
 * Allocation that does not return NULL, and the ownership helpers of mem.h. */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void __attribute__((noreturn)) out_of_memory(size_t count, size_t size)
{
    fprintf(stderr, "muster: no memory for %zu x %zu bytes\n", count, size);
    abort();
}

void *mem_alloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);

    if (!memory)
        out_of_memory(count, size);
    return memory;
}

void *mem_resize(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        out_of_memory(count, size);
    const size_t bytes = count * size;
    void *memory = realloc(old, bytes ? bytes : 1);

    if (!memory)
        out_of_memory(count, size);
    return memory;
}

void *mem_grow(void *old, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap && old)
        return old;
    size_t next = *cap < 8 ? 8 : *cap;

    while (next < need) {
        if (next > SIZE_MAX / 2)
            out_of_memory(need, size);
        next *= 2;
    }
    void *memory = mem_resize(old, next, size);
    *cap = next;
    return memory;
}

char *mem_strdup(const char *text)
{
    return text ? mem_dup(text, strlen(text) + 1) : NULL;
}

char *mem_strndup(const char *text, size_t length)
{
    const size_t n = strnlen(text, length);
    char *copy = mem_alloc(n + 1, 1);

    memcpy(copy, text, n);
    return copy;
}

void *mem_dup(const void *from, size_t size)
{
    void *copy = mem_alloc(size, 1);

    if (size)
        memcpy(copy, from, size);
    return copy;
}

char *mem_printf(const char *fmt, ...)
{
    va_list args, again;

    va_start(args, fmt);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = mem_alloc(n < 0 ? 1 : (size_t)n + 1, 1);
    if (n > 0)
        vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

void mem_free(void *memory)
{
    free(memory);
}

void mem_free_slot(void *slot)
{
    void *memory;

    memcpy(&memory, slot, sizeof memory);
    free(memory);
}

void *mem_steal_slot(void *slot)
{
    void *memory, *nothing = NULL;

    memcpy(&memory, slot, sizeof memory);
    memcpy(slot, &nothing, sizeof nothing);
    return memory;
}
