/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ownership on the stack: CLEAN(x) frees through x_free when the scope ends, mem_steal hands the
 * object on. Allocation never returns NULL: sizes are bounded by limits.h before they get here, and
 * a process that cannot allocate ends at once (any process of muster may be killed at any moment
 * without harm).
 */
#pragma once
#include <stddef.h>

/* In a header, after `void x_free(struct x *)` (which takes NULL): makes CLEAN(x) usable. */
#define MEM_CLEANUP(name)                                                                          \
    static inline void name##_cleanup(struct name **slot)                                          \
    {                                                                                              \
        name##_free(*slot);                                                                        \
    }
/* For objects that live in place: `CLEAN_DONE(x) struct x v = {0};` calls x_done(&v) at the end of
 * the scope. Needs nothing but `void x_done(struct x *)`. */
#define CLEAN_DONE(name) __attribute__((cleanup(name##_done)))
#define CLEAN(name) __attribute__((cleanup(name##_cleanup)))
/* `CLEAN_MEM char *text = …`: freed by mem_free. */
#define CLEAN_MEM __attribute__((cleanup(mem_free_slot)))

/* Zeroed memory, never NULL; size 0 gives a pointer that may be freed. */
void *mem_alloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
/* Grows or shrinks; new bytes are not zeroed. Overflow of count * size ends the process. */
void *mem_resize(void *old, size_t count, size_t size) __attribute__((returns_nonnull));
/* Makes room for `need` elements in *slot by doubling *cap. Returns the array. */
void *mem_grow(void *old, size_t *cap, size_t need, size_t size);
char *mem_strdup(const char *text); /* NULL gives NULL */
/* Copies at most length bytes and ends them with NUL. */
char *mem_strndup(const char *text, size_t length);
void *mem_dup(const void *from, size_t size);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void mem_free(void *memory);
void mem_free_slot(void *slot); /* slot is a T **; sets nothing */

#define mem_new(type) ((type *)mem_alloc(1, sizeof(type)))
#define mem_array(type, count) ((type *)mem_alloc((count), sizeof(type)))
/* Returns the pointer and nulls the variable. */
#define mem_steal(slot) ((__typeof__(*(slot)))mem_steal_slot((void *)(slot)))
void *mem_steal_slot(void *slot);
