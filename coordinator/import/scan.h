/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first pass over the samples: every row is checked, every column gets a type, and it is found
 * out whether the rows come in order (then nothing can be there twice, and the second pass needs no
 * memory for that).
 *
 * A column not known by name is a number when all its values are, text when half of them or more
 * are not; in between, the first value that is no number is an error.
 */
#pragma once
#include "coordinator/import/samples.h"

struct arm_order { /* of one variant on one host */
    uint64_t line;
    uint32_t session, round, position; /* of the row before */
    bool any, unordered;
};
struct column_scan {
    uint64_t numbers, words;
    uint64_t word_line; /* of the first value that is no number */
    int word_kind;      /* enum number_kind of it */
    char word[41];
    struct seen distinct; /* texts met */
};
struct scan {
    uint64_t n_rows;
    struct arm_order *arm; /* LIMIT_VARIANTS a host */
    size_t n_arms, cap_arms;
    uint64_t *rows; /* per host */
    size_t n_rows_hosts, cap_rows;
    struct column_scan *column;
    uint64_t unusable,
        unusable_line; /* rows whose primary metric is missing, zero or negative; the first one */
    char unusable_text[41];
};
void scan_done(struct scan *scan, size_t n_columns);
/* Afterwards no column of the reader is COLUMN_UNSURE. Adds to warnings. */
MUST_CHECK int scan_samples(struct scan *scan, struct sample_reader *reader,
                            struct strlist *warnings, struct err *err);
