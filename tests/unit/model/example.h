/* SPDX-License-Identifier: GPL-3.0-or-later
 * A small experiment to take apart: two variants, `threads` at 1 and 4, `sink` at pipe and null. */
#pragma once
#include "model/experiment.h"

static inline void example_variant(struct experiment *e, const char *name, const char *run)
{
    e->variant = mem_resize(e->variant, e->n_variants + 1, sizeof *e->variant);
    e->variant[e->n_variants++] =
        (struct variant){.name = mem_strdup(name), .run = mem_strdup(run)};
}

static inline void example_factor(struct experiment *e, const char *name, const char *first,
                                  const char *second)
{
    e->factor = mem_resize(e->factor, e->n_factors + 1, sizeof *e->factor);
    struct factor *factor = &e->factor[e->n_factors++];

    *factor = (struct factor){.name = mem_strdup(name)};
    strlist_add(&factor->level, first);
    strlist_add(&factor->level, second);
}

static inline struct experiment *example_experiment(void)
{
    struct experiment *e = experiment_new();

    e->name = mem_strdup("example");
    example_variant(e, "old", "./old ${threads}");
    example_variant(e, "new", "./new ${threads}");
    example_factor(e, "threads", "1", "4");
    example_factor(e, "sink", "pipe", "null");
    return e;
}

static inline void example_set(char **slot, const char *text)
{
    mem_free(*slot);
    *slot = mem_strdup(text);
}
