/* SPDX-License-Identifier: GPL-3.0-or-later
 * Frames: columns that grow together. All columns have room for cap rows at any time. */
#include "model/sample.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

const char *outcome_name(enum outcome outcome)
{
    static const char *const words[] = {
#define OUTCOME(name, text) text,
#include "model/tbl/outcomes.def"
#undef OUTCOME
    };
    return (size_t)outcome < sizeof words / sizeof *words ? words[outcome] : NULL;
}

struct frame *frame_new(void)
{
    return mem_new(struct frame);
}

void frame_free(struct frame *frame)
{
    if (!frame)
        return;
    for (size_t i = 0; i < frame->n_numbers; i++) {
        mem_free(frame->number[i].name);
        mem_free(frame->number[i].v);
    }
    for (size_t i = 0; i < frame->n_texts; i++) {
        struct frame_text *text = &frame->text[i];

        for (size_t k = 0; k < text->n_levels; k++)
            mem_free(text->level[k]);
        mem_free(text->level);
        mem_free(text->name);
        mem_free(text->v);
    }
    mem_free(frame->number);
    mem_free(frame->text);
    mem_free(frame->variant);
    mem_free(frame->cell);
    mem_free(frame->round);
    mem_free(frame->position);
    mem_free(frame->session);
    mem_free(frame->outcome);
    mem_free(frame->flags);
    mem_free(frame);
}

static void reserve(struct frame *frame, size_t need)
{
    if (need <= frame->cap)
        return;
    size_t cap = frame->cap ? frame->cap : 8;

    while (cap < need)
        cap *= 2;
    frame->variant = mem_resize(frame->variant, cap, sizeof *frame->variant);
    frame->cell = mem_resize(frame->cell, cap, sizeof *frame->cell);
    frame->round = mem_resize(frame->round, cap, sizeof *frame->round);
    frame->position = mem_resize(frame->position, cap, sizeof *frame->position);
    frame->session = mem_resize(frame->session, cap, sizeof *frame->session);
    frame->outcome = mem_resize(frame->outcome, cap, sizeof *frame->outcome);
    frame->flags = mem_resize(frame->flags, cap, sizeof *frame->flags);
    for (size_t i = 0; i < frame->n_numbers; i++)
        frame->number[i].v = mem_resize(frame->number[i].v, cap, sizeof(double));
    for (size_t i = 0; i < frame->n_texts; i++)
        frame->text[i].v = mem_resize(frame->text[i].v, cap, sizeof(uint32_t));
    frame->cap = cap;
}

static void clear_numbers(double *v, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        v[i] = NAN;
}

static void clear_texts(uint32_t *v, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        v[i] = FRAME_UNKNOWN;
}

size_t frame_add_row(struct frame *frame)
{
    const size_t row = frame->n;

    reserve(frame, row + 1);
    frame->variant[row] = frame->cell[row] = frame->round[row] = 0;
    frame->position[row] = frame->session[row] = 0;
    frame->outcome[row] = frame->flags[row] = 0;
    for (size_t i = 0; i < frame->n_numbers; i++)
        frame->number[i].v[row] = NAN;
    for (size_t i = 0; i < frame->n_texts; i++)
        frame->text[i].v[row] = FRAME_UNKNOWN;
    frame->n++;
    return row;
}

size_t frame_number_column(struct frame *frame, const char *name)
{
    const size_t n = frame->n_numbers;

    for (size_t i = 0; i < n; i++)
        if (strcmp(frame->number[i].name, name) == 0)
            return i;
    reserve(frame, 1);
    frame->number = mem_resize(frame->number, n + 1, sizeof *frame->number);
    frame->number[n] = (struct frame_number){
        .name = mem_strdup(name),
        .v = mem_array(double, frame->cap),
    };
    clear_numbers(frame->number[n].v, 0, frame->n);
    frame->n_numbers++;
    return n;
}

size_t frame_text_column(struct frame *frame, const char *name)
{
    const size_t n = frame->n_texts;

    for (size_t i = 0; i < n; i++)
        if (strcmp(frame->text[i].name, name) == 0)
            return i;
    reserve(frame, 1);
    frame->text = mem_resize(frame->text, n + 1, sizeof *frame->text);
    frame->text[n] = (struct frame_text){
        .name = mem_strdup(name),
        .v = mem_array(uint32_t, frame->cap),
    };
    clear_texts(frame->text[n].v, 0, frame->n);
    frame->n_texts++;
    return n;
}

const double *frame_find_number(const struct frame *frame, const char *name)
{
    for (size_t i = 0; i < frame->n_numbers; i++)
        if (strcmp(frame->number[i].name, name) == 0)
            return frame->number[i].v;
    return NULL;
}

const struct frame_text *frame_find_text(const struct frame *frame, const char *name)
{
    for (size_t i = 0; i < frame->n_texts; i++)
        if (strcmp(frame->text[i].name, name) == 0)
            return &frame->text[i];
    return NULL;
}

uint32_t frame_level(struct frame *frame, size_t text_column, const char *level)
{
    struct frame_text *text = &frame->text[text_column];
    const size_t n = text->n_levels;

    for (size_t i = 0; i < n; i++)
        if (strcmp(text->level[i], level) == 0)
            return (uint32_t)i;
    /* Room doubles: it is full whenever n is a power of two. */
    if ((n & (n - 1)) == 0)
        text->level = mem_resize(text->level, n ? 2 * n : 1, sizeof *text->level);
    text->level[n] = mem_strdup(level);
    text->n_levels++;
    return (uint32_t)n;
}

/* Rows [from, from + n) of more go behind the rows of frame, column by column. */
static void append_rows(struct frame *frame, const struct frame *more, size_t from, size_t n)
{
    const size_t at = frame->n;

    if (n == 0)
        return;
    reserve(frame, at + n);
    memcpy(frame->variant + at, more->variant + from, n * sizeof *frame->variant);
    memcpy(frame->cell + at, more->cell + from, n * sizeof *frame->cell);
    memcpy(frame->round + at, more->round + from, n * sizeof *frame->round);
    memcpy(frame->position + at, more->position + from, n * sizeof *frame->position);
    memcpy(frame->session + at, more->session + from, n * sizeof *frame->session);
    memcpy(frame->outcome + at, more->outcome + from, n);
    memcpy(frame->flags + at, more->flags + from, n);
    for (size_t i = 0; i < frame->n_numbers; i++) {
        const double *v = frame_find_number(more, frame->number[i].name);

        if (v)
            memcpy(frame->number[i].v + at, v + from, n * sizeof *v);
        else
            clear_numbers(frame->number[i].v, at, at + n);
    }
    for (size_t i = 0; i < frame->n_texts; i++)
        clear_texts(frame->text[i].v, at, at + n);
    for (size_t i = 0; i < more->n_texts; i++) {
        const struct frame_text *text = &more->text[i];
        const size_t column = frame_text_column(frame, text->name);
        CLEAN_MEM uint32_t *level = mem_array(uint32_t, text->n_levels);

        for (size_t k = 0; k < text->n_levels; k++)
            level[k] = frame_level(frame, column, text->level[k]);
        for (size_t row = 0; row < n; row++)
            if (text->v[from + row] != FRAME_UNKNOWN)
                frame->text[column].v[at + row] = level[text->v[from + row]];
    }
    frame->n += n;
}

static void make_columns(struct frame *frame, const struct frame *like)
{
    for (size_t i = 0; i < like->n_numbers; i++)
        frame_number_column(frame, like->number[i].name);
    for (size_t i = 0; i < like->n_texts; i++)
        frame_text_column(frame, like->text[i].name);
}

void frame_append(struct frame *frame, const struct frame *more)
{
    if (frame->n == 0)
        frame->first_seq = more->first_seq;
    make_columns(frame, more);
    append_rows(frame, more, 0, more->n);
}

struct frame *frame_slice(const struct frame *frame, size_t from, size_t n)
{
    struct frame *slice = frame_new();

    slice->first_seq = frame->first_seq + from;
    make_columns(slice, frame);
    append_rows(slice, frame, from, n);
    return slice;
}

static bool numbers_equal(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

static bool texts_equal(const struct frame_text *a, const struct frame_text *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *left = a->v[i] == FRAME_UNKNOWN ? NULL : a->level[a->v[i]];
        const char *right = b->v[i] == FRAME_UNKNOWN ? NULL : b->level[b->v[i]];

        if (!str_eq(left, right))
            return false;
    }
    return true;
}

static bool same_words(const uint32_t *a, const uint32_t *b, size_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

bool frame_equal(const struct frame *a, const struct frame *b)
{
    const size_t n = a->n;

    if (n != b->n || a->first_seq != b->first_seq || a->n_numbers != b->n_numbers ||
        a->n_texts != b->n_texts)
        return false;
    if (!same_words(a->variant, b->variant, n) || !same_words(a->cell, b->cell, n) ||
        !same_words(a->round, b->round, n) || !same_words(a->position, b->position, n) ||
        !same_words(a->session, b->session, n))
        return false;
    if (n && (memcmp(a->outcome, b->outcome, n) != 0 || memcmp(a->flags, b->flags, n) != 0))
        return false;
    for (size_t i = 0; i < a->n_numbers; i++) {
        const double *v = frame_find_number(b, a->number[i].name);
        if (!v || !numbers_equal(a->number[i].v, v, n))
            return false;
    }
    for (size_t i = 0; i < a->n_texts; i++) {
        const struct frame_text *text = frame_find_text(b, a->text[i].name);
        if (!text || !texts_equal(&a->text[i], text, n))
            return false;
    }
    return true;
}
