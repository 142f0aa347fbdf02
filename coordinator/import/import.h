/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The import room: measurements made elsewhere become a run of the store, judged like one of
 * muster's own. All or nothing: whatever is wrong with a file, the store is as it was before. An
 * error names FILE:LINE, the column's place and name, what was found and what was expected, and has
 * ERR_INPUT.
 */
#pragma once
#include "coordinator/store/store.h"

struct import_options {
    const char *format;     /* an importer's name; NULL: csv */
    const char *experiment; /* the run becomes the next of this name */
    const char *hosts;   /* path of hosts.csv; NULL: hosts are those named by the samples, nothing
                            known of them */
    const char *samples; /* path; "-" is standard input */
    const char *hosts_name;   /* what messages call the files; NULL: the paths */
    const char *samples_name; /* (uploaded files lie under names of their own) */
    const char *metric;       /* column; NULL: elapsed_s */
    const char *unit;         /* NULL: told by the column's name where it can be */
    bool higher_is_better;
    const char *base;               /* variant; NULL: the first one in the file */
    const char *control;            /* variant that is a second copy of the base; NULL: none */
    double min_effect;              /* a fraction; NaN or 0: 0.01 */
    struct strlist factor;          /* columns that are crossed with the variants */
    struct strlist part_of_variant; /* columns that may differ between the arms */
    struct strlist suspect;         /* facts to be tested first */
};
struct import_result {
    int64_t run, number;
    size_t n_hosts, n_variants;
    uint64_t n_samples;
    struct strlist warnings; /* one line each, with file and line */
};
void import_result_done(struct import_result *result);

/* By the importer that options name. Works inside a transaction of the caller's or in its own.
 * ERR_USAGE for an unknown format or a missing option. */
MUST_CHECK int import_run(struct store *store, const struct import_options *options,
                          struct import_result *ret, struct err *err);
/* hosts.csv and samples.csv (docs/man muster-import): two passes over the samples, rows are flushed
 * to the store in batches, so that memory does not grow with their number; only a file whose rows
 * are out of order takes 16 to 32 bytes a row, to find duplicates. */
MUST_CHECK int import_csv(struct store *store, const struct import_options *options,
                          struct import_result *ret, struct err *err);

/* One file of format/ each: FILE.c defines importer_FILE. */
struct importer_ops {
    const char *name, *help; /* help: one line */
    int (*read)(struct store *store, const struct import_options *options,
                struct import_result *ret, struct err *err);
};
extern const struct importer_ops *const importer_registry[];
extern const size_t importer_registry_n;
