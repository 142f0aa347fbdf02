/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples in columns. A frame is an ordered stretch of one host's samples in one run: what the
 * agent spools, what travels, what the store keeps and what the analysis reads are all this one
 * shape (packed by proto/wire_frame.c).
 *
 * Row i is sample number first_seq + i of its (run, host): numbers start at 1, have no gaps and are
 * given by the agent.
 */
#pragma once
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a sample ended. Only OUTCOME_OK rows are judged; the others are counted. */
enum outcome {
#define OUTCOME(name, text) OUTCOME_##name,
#include "model/tbl/outcomes.def"
#undef OUTCOME
};
const char *outcome_name(enum outcome outcome);

#define FRAME_UNKNOWN UINT32_MAX /* a missing level in a text column */
#define FRAME_WARMUP 1u          /* flags: a warm-up sample, kept apart */
#define FRAME_PROFILED 2u        /* flags: taken under a profiler, never judged */
#define FRAME_TAINTED 4u /* flags: kept and marked (throttling, suspend, clock source changed) */

struct frame_number { /* a metric or a recorded number: double per row, NaN = missing */
    char *name; /* elapsed_s, user_s, sys_s, minflt, load_other_cpu, env_bytes, … or a custom metric
                 */
    double *v;
};
struct frame_text { /* a factor level or a recorded word per row, by index into levels */
    char *name;     /* stdout_kind, a factor's name, … */
    char **level;
    size_t n_levels;
    uint32_t *v; /* FRAME_UNKNOWN = missing */
};
struct frame {
    uint64_t first_seq;
    size_t n, cap;
    uint32_t *variant;  /* index into the run's variants */
    uint32_t *cell;     /* combination of factor levels, 0 when there are no factors */
    uint32_t *round;    /* block, from 0 */
    uint32_t *position; /* order within the block (blocked imports: order over the host) */
    uint32_t *session;  /* sitting, from 0 */
    uint8_t *outcome;   /* enum outcome */
    uint8_t *flags;     /* FRAME_… */
    struct frame_number *number;
    size_t n_numbers;
    struct frame_text *text;
    size_t n_texts;
};

struct frame *frame_new(void);
void frame_free(struct frame *frame);
MEM_CLEANUP(frame)
/* Adds a row of zeros, every number missing, every text unknown. Returns its index. */
size_t frame_add_row(struct frame *frame);
/* Index of the column, made (all missing) when absent. */
size_t frame_number_column(struct frame *frame, const char *name);
size_t frame_text_column(struct frame *frame, const char *name);
/* The column's values or NULL when the frame has no such column. */
const double *frame_find_number(const struct frame *frame, const char *name);
const struct frame_text *frame_find_text(const struct frame *frame, const char *name);
/* Index of a level in a text column, added when new. */
uint32_t frame_level(struct frame *frame, size_t text_column, const char *level);
/* Appends all rows of more (columns matched by name). first_seq of an empty frame is taken from
 * more. */
void frame_append(struct frame *frame, const struct frame *more);
/* Rows [from, from + n) as a new frame. */
struct frame *frame_slice(const struct frame *frame, size_t from, size_t n);
/* Numbers, counts and sequence are equal (NaN equals NaN). */
bool frame_equal(const struct frame *a, const struct frame *b);
