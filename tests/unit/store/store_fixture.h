/* SPDX-License-Identifier: GPL-3.0-or-later
 * A store in a directory of its own, a small experiment, and frames whose numbers tell where they
 * belong. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fdio.h"
#include "coordinator/store/store.h"

#define must(call)                                                                                 \
    do {                                                                                           \
        struct err must_err = {0};                                                                 \
        struct err *err = &must_err;                                                               \
        if ((call) < 0)                                                                            \
            fail_msg("%s: %s", #call, must_err.text);                                              \
    } while (0)
/* The call fails with the code and its text holds the words. */
#define must_fail(call, want_code, words)                                                          \
    do {                                                                                           \
        struct err must_err = {0};                                                                 \
        struct err *err = &must_err;                                                               \
        int must_rc = (call);                                                                      \
        if (must_rc >= 0)                                                                          \
            fail_msg("%s: want a failure, got %d", #call, must_rc);                                \
        if (must_err.code != (want_code) || !strstr(must_err.text, (words)))                       \
            fail_msg("%s: want %s \"%s\", got %s \"%s\"", #call, err_code_name(want_code),         \
                     (words), err_code_name(must_err.code), must_err.text);                        \
    } while (0)

struct place_of_test {
    char directory[64];
    char path[96];
};

static inline int make_place(void **state)
{
    struct place_of_test *place = mem_new(struct place_of_test);

    snprintf(place->directory, sizeof place->directory, "/tmp/muster-store-XXXXXX");
    if (!mkdtemp(place->directory))
        return -1;
    snprintf(place->path, sizeof place->path, "%s/muster.db", place->directory);
    *state = place;
    return 0;
}

static inline int drop_place(void **state)
{
    struct place_of_test *place = *state;
    int rc = fdio_remove_tree(place->directory, NULL);

    mem_free(place);
    return rc;
}

static inline struct experiment *small_experiment(const char *name)
{
    struct experiment *e = experiment_new();

    mem_free(e->name);
    e->name = mem_strdup(name);
    e->variant = mem_array(struct variant, 2);
    e->n_variants = 2;
    e->variant[0].name = mem_strdup("A");
    e->variant[0].run = mem_strdup("./a");
    e->variant[1].name = mem_strdup("B");
    e->variant[1].run = mem_strdup("./b");
    return e;
}

static inline struct run *small_run(const char *name)
{
    struct run *run = mem_new(struct run);

    run->experiment = mem_strdup(name);
    run->seed = 0xfedcba9876543210u;
    run->state = RUN_RUNNING;
    run->created_wall_us = 1700000000000000;
    run->spec = small_experiment(name);
    return run;
}

/* A run over the hosts, stored. */
static inline int64_t add_run(struct store *store, const char *name, const char *const *hosts,
                              size_t n)
{
    CLEAN(run) struct run *run = small_run(name);
    CLEAN_DONE(strlist) struct strlist list = {0};

    for (size_t i = 0; i < n; i++)
        strlist_add(&list, hosts[i]);
    must(store_run_add(store, run, &list, err));
    return run->id;
}

/* Rows first … first + n - 1; elapsed_s of row i is its own number, so that a lost or doubled row
 * shows. */
static inline struct frame *numbered_frame(uint64_t first, size_t n)
{
    struct frame *frame = frame_new();

    frame->first_seq = first;
    for (size_t i = 0; i < n; i++) {
        size_t row = frame_add_row(frame);
        size_t number = frame_number_column(frame, "elapsed_s");
        size_t text = frame_text_column(frame, "stdout_kind");

        frame->variant[row] = (uint32_t)((first + i) % 2);
        frame->round[row] = (uint32_t)((first + i) / 2);
        frame->outcome[row] = (first + i) % 10 == 0 ? OUTCOME_FAILED : OUTCOME_OK;
        frame->number[number].v[row] = (double)(first + i);
        frame->text[text].v[row] = frame_level(frame, text, (first + i) % 3 ? "pipe" : "file");
    }
    return frame;
}

static inline struct trial *find_trial(const struct trial_list *list, const char *host)
{
    for (size_t i = 0; i < list->n; i++) {
        if (str_eq(list->v[i]->host, host))
            return list->v[i];
    }
    fail_msg("no trial of %s", host);
    return NULL;
}
