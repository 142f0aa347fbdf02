/* SPDX-License-Identifier: GPL-3.0-or-later
 * The experiment as a part of other generated messages (a lease, a request). Private to proto/. */
#pragma once
#include "model/experiment.h"
#include "wire_pb.h"

#include "experiment.pb-c.h"

/* A generated experiment over the texts of a model one. */
struct wire_experiment {
    Muster__Experiment pb;
    Muster__Variant *variant, **variants;
    Muster__Factor *factor, **factors;
    Muster__MetricDef *metric, **metrics;
};
/* Borrows from experiment until wire_experiment_done. */
void wire_experiment_init(struct wire_experiment *wire, const struct experiment *experiment);
void wire_experiment_done(struct wire_experiment *wire);
/* Checks every field and copies. What an experiment must be beyond its fields is experiment_check's
 * to say. */
MUST_CHECK int wire_experiment_read(const Muster__Experiment *pb, struct experiment **ret,
                                    struct err *err);

/* Name and value pairs; the array made by wire_pairs_init is freed by wire_pairs_done. */
Muster__Pair **wire_pairs_init(const struct strmap *map);
void wire_pairs_done(Muster__Pair **pairs, size_t n);
MUST_CHECK int wire_pairs_read(Muster__Pair *const *pairs, size_t n, size_t max_n, size_t max_value,
                               const char *what, struct strmap *ret, struct err *err);
