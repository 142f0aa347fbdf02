/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * samples.csv as rows: who was measured, which variant, where in the design. Used for both passes:
 * the first learns variants and levels, the second finds them there. What a column holds beyond
 * that is scan.h's.
 */
#pragma once
#include "coordinator/import/csv.h"
#include "coordinator/import/host_table.h"
#include "coordinator/import/import.h"
#include "model/limits.h"

enum column_role {
    COLUMN_PLACE,  /* host, variant, epoch, round, position, session */
    COLUMN_NUMBER, /* known to be one, or found to be by the scan */
    COLUMN_TEXT,
    COLUMN_UNSURE, /* until the scan has seen every value */
    COLUMN_LEFT_OUT
};
struct sample_column {
    enum column_role role;
    bool is_metric; /* the primary one */
    bool is_kept;   /* text asked for by name: never left out */
    bool is_factor; /* crossed: control characters are no part of a level */
};
struct sample_reader {
    struct csv *csv;
    struct host_table *hosts;
    bool hosts_grow;              /* no hosts.csv: a new name is a new host */
    struct sample_column *column; /* csv_columns of them */
    size_t at_host, at_variant, at_epoch, at_round, at_position, at_session,
        at_metric;          /* SIZE_MAX: no such column */
    struct strlist variant; /* in order of appearance */
    size_t n_factors;
    size_t at_factor[LIMIT_FACTORS];
    struct strlist level[LIMIT_FACTORS];
    size_t last_host;
};
struct sample_row {
    size_t host;                   /* place in the table */
    uint32_t variant;              /* by appearance */
    uint32_t level[LIMIT_FACTORS]; /* by appearance */
    uint32_t round, position, session;
};
/* Opens the samples and gives every column its role. hosts is borrowed. */
MUST_CHECK int sample_reader_open(struct sample_reader *reader,
                                  const struct import_options *options, struct host_table *hosts,
                                  struct err *err);
void sample_reader_done(struct sample_reader *reader);
/* 1 a row, 0 the end. *ret_field: the record, valid until the next call. */
MUST_CHECK int sample_reader_next(struct sample_reader *reader, struct sample_row *ret,
                                  const struct csv_field **ret_field, struct err *err);
/* Text as it may stand in a cell: control characters only tab and line breaks. */
bool sample_is_text(const char *text, size_t length);
