/* SPDX-License-Identifier: GPL-3.0-or-later
 * One sample becomes one row: outcome, metrics of output, nuisance levels, factors; what a failed
 * one said is kept. */
#pragma once
#include "agent/child.h"
#include "model/plan.h"
#include "proto/wire.h"

struct record_place {
    const struct experiment *experiment;
    const struct plan_block *block;
    const struct plan_step *step;
    uint64_t seq;
    size_t row;       /* made by the caller, metrics already in it */
    size_t cwd_bytes; /* length of the working directory's path */
    bool is_warmup;
};
/* Fills the row and, when the sample is not OK, adds its output to the batch. ret_why (may be NULL)
 * gets a line about what went wrong. Returns the outcome. */
enum outcome record_sample(const struct record_place *place, const struct child_result *result,
                           struct wire_batch *batch, struct str *ret_why);
/* A row for a sample that was given up before it started. */
void record_refused(const struct record_place *place, const char *why, struct wire_batch *batch);
