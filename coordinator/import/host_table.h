/* SPDX-License-Identifier: GPL-3.0-or-later
 * The hosts of an import: read from hosts.csv, or met in the samples when there is none. A host of
 * an epoch is a host of its own, named host@epoch. */
#pragma once
#include "model/host.h"

#include "coordinator/import/seen.h"

struct import_host {
    char *name;  /* as stored: host, or host@epoch */
    char *plain; /* without the epoch */
    char *epoch; /* NULL: none */
    struct fact_set *facts;
};
struct host_table {
    struct import_host *v;
    size_t n, cap;
    struct seen index;   /* by name: place + 1; equal hashes are compared */
    char *file;          /* name of hosts.csv, NULL: the table grows as samples are read */
    bool has_epochs;     /* hosts.csv has a column epoch */
    struct strlist fact; /* columns, in order */
};
void host_table_done(struct host_table *table);
/* Reads hosts.csv (path; name as in messages). */
MUST_CHECK int host_table_read(struct host_table *table, const char *path, const char *name,
                               struct err *err);
/* Adds a host without facts. ERR_LIMIT. */
MUST_CHECK int host_table_add(struct host_table *table, const char *plain, const char *epoch,
                              size_t *ret, struct err *err);
/* Place of a host, or: HOST_ABSENT; HOST_AMBIGUOUS when it has several epochs and none was given
 * (epoch NULL or ""). */
enum { HOST_ABSENT = 1, HOST_AMBIGUOUS = 2 };
MUST_CHECK int host_table_find(const struct host_table *table, const char *plain, const char *epoch,
                               size_t *ret);
