/* SPDX-License-Identifier: GPL-3.0-or-later
 * For formats of other tools: an importer writes their numbers as samples.csv (and hosts.csv) into
 * files without a name, and the CSV importer takes it from there, so that every check and every
 * rule is the same. */
#pragma once
#include "coordinator/import/import.h"

#include <stdio.h>

#define CONVERT_FILE_MAX (64u * 1024 * 1024) /* bytes of a file that is read whole */
#define CONVERT_HOST "local"                 /* of formats that name no host */
struct convert {
    FILE *samples;
    FILE *hosts; /* left empty: the user's hosts.csv, or none */
};
MUST_CHECK int convert_open(struct convert *convert, struct err *err);
void convert_done(struct convert *convert);
/* One field, always in quotes. */
void convert_text(FILE *out, const char *text);
/* Imports what was written; messages call it "NAME, as CSV". options->metric and the like apply as
 * they are. */
MUST_CHECK int convert_import(struct convert *convert, struct store *store,
                              const struct import_options *options, struct import_result *ret,
                              struct err *err);
/* The whole input as text, capped; "-" is standard input. */
MUST_CHECK int convert_read(const struct import_options *options, struct str *ret, struct err *err);
/* What messages call the input. */
const char *convert_name(const struct import_options *options);
