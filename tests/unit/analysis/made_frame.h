/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Made-up samples for tests of the analysis: frames row by row or as pairs of rounds, hosts with
 * facts, and one call from frames to an answer. Numbers come from a seeded generator only.
 */
#pragma once
#include "analysis/judge.h"
#include "base/mem.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline void made_near(const char *what, double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%s: want %.12g within %.3g, got %.12g", what, want, tolerance, got);
}

static inline void made_text(const char *what, const char *got, const char *want)
{
    if (!got || strcmp(got, want) != 0)
        fail_msg("%s: want \"%s\", got \"%s\"", what, want, got ? got : "NULL");
}

static inline void made_set(struct frame *frame, size_t row, const char *column, double value)
{
    const size_t at = frame_number_column(frame, column);

    frame->number[at].v[row] = value;
}

static inline void made_word(struct frame *frame, size_t row, const char *column, const char *word)
{
    const size_t at = frame_text_column(frame, column);

    frame->text[at].v[row] = frame_level(frame, at, word);
}

/* One sample of elapsed_s; returns its row. */
static inline size_t made_row(struct frame *frame, uint32_t variant, uint32_t round,
                              uint32_t position, double elapsed)
{
    const size_t row = frame_add_row(frame);

    frame->first_seq = 1;
    frame->variant[row] = variant;
    frame->round[row] = round;
    frame->position[row] = position;
    made_set(frame, row, "elapsed_s", elapsed);
    return row;
}

/* Base and candidate in random order within each round; noise: sd on the log scale. */
static inline struct frame *made_pairs(size_t rounds, double effect, double noise, uint64_t seed)
{
    struct frame *frame = frame_new();
    struct rng rng;

    rng_seed(&rng, seed);
    for (uint32_t r = 0; r < rounds; r++) {
        const uint32_t first = (uint32_t)rng_below(&rng, 2);

        for (uint32_t place = 0; place < 2; place++) {
            const uint32_t variant = place ? 1 - first : first;

            made_row(frame, variant, r, place,
                     0.1 * exp((variant ? effect : 0) + noise * rng_normal(&rng)));
        }
    }
    return frame;
}

/* A frame's rows in another order. */
static inline struct frame *made_shuffled(const struct frame *frame, uint64_t seed)
{
    size_t *order = mem_array(size_t, frame->n + 1);
    struct frame *ret = frame_new();
    struct rng rng;

    rng_seed(&rng, seed);
    for (size_t i = 0; i < frame->n; i++)
        order[i] = i;
    rng_shuffle(&rng, order, frame->n);
    for (size_t i = 0; i < frame->n; i++) {
        CLEAN(frame) struct frame *one = frame_slice(frame, order[i], 1);

        frame_append(ret, one);
    }
    mem_free(order);
    return ret;
}

struct made_host {
    const char *name;
    struct frame *frame;    /* NULL: not measured */
    struct fact_set *facts; /* NULL: none */
    const char *machine;
};

static const char *const made_variants[] = {"A", "B", "C", "D"};

static inline struct judge_options made_options(void)
{
    return (struct judge_options){.experiment = "made",
                                  .run = 1,
                                  .seed = 7,
                                  .alpha = 0.05,
                                  .min_effect = 0.01,
                                  .metric = "elapsed_s",
                                  .unit = "s",
                                  .variant = made_variants,
                                  .n_variants = 2,
                                  .control = SIZE_MAX,
                                  .draws = 199,
                                  .threads = 1};
}

static inline struct answer *made_answer(const struct judge_options *options,
                                         const struct made_host *hosts, size_t n)
{
    CLEAN(fact_set) struct fact_set *none = fact_set_new();
    struct judge_host *host = mem_array(struct judge_host, n + 1);
    CLEAN(judge) struct judge *judge = NULL;
    struct answer *answer = NULL;
    struct err err = {0};
    int rc;

    for (size_t i = 0; i < n; i++)
        host[i] = (struct judge_host){.name = hosts[i].name,
                                      .facts = hosts[i].facts ? hosts[i].facts : none,
                                      .machine = hosts[i].machine,
                                      .measured = hosts[i].frame != NULL};
    rc = judge_new(options, host, n, &judge, &err);
    for (size_t i = 0; rc == 0 && i < n; i++)
        if (hosts[i].frame)
            rc = judge_add(judge, i, hosts[i].frame, &err);
    if (rc == 0)
        rc = judge_finish(judge, &answer, &err);
    mem_free(host);
    if (rc < 0)
        fail_msg("%s", err.text);
    return answer;
}

/* The answer for one host with these samples. */
static inline struct answer *made_answer_one(const struct judge_options *options,
                                             struct frame *frame)
{
    const struct made_host host = {.name = "one", .frame = frame};

    return made_answer(options, &host, 1);
}
