/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study room: a run in the store becomes an answer. Streams one host's samples at a time into
 * analysis/judge.
 */
#pragma once
#include "analysis/answer.h"
#include "analysis/judge.h"
#include "coordinator/store/store.h"

struct study_options {
    double alpha, min_effect; /* NaN: the experiment's */
    const char *metric;       /* NULL: the experiment's primary one */
    uint64_t seed;            /* 0: derived from the run's */
    struct strlist suspect;   /* added to the run's */
    unsigned draws;           /* 0: 999 */
    const char *hosts;        /* selection expression, NULL: all */
};
/* The seed used when none is given: the run's, below 2^53 so that every JSON reader reads it back.
 */
uint64_t study_seed(const struct run *run);
void study_options_done(struct study_options *options); /* frees suspect; the texts are borrowed */
/* Hosts of the run that failed, were lost or never started, and a run that still goes on, are named
 * in the answer's warnings. ERR_USAGE for an unknown metric or a wrong expression. */
MUST_CHECK int study_explain(struct store *store, const struct run *run,
                             const struct study_options *options, struct answer **ret,
                             struct err *err);
