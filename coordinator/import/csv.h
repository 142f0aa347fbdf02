/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * RFC 4180, strictly, one record at a time: UTF-8 with or without a byte order mark, CRLF or LF,
 * quoted fields with commas, doubled quotes and line breaks, `#` lines before the header. Bounded
 * by LIMIT_FIELD, LIMIT_CSV_COLUMNS and LIMIT_CSV_RECORD. The first record is the header, whose
 * names appear in every later message.
 */
#pragma once
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct csv_field {
    const char *text; /* UTF-8, NUL-terminated, without NUL inside; valid until the next record */
    size_t length;
    uint64_t line; /* of the file, where the field begins; from 1 */
};
struct csv;
/* name: what messages call the file, NULL: path. "-" is standard input. Reads the header: an empty
 * file is ERR_INPUT. */
MUST_CHECK int csv_open(const char *path, const char *name, struct csv **ret, struct err *err);
void csv_free(struct csv *csv);
MEM_CLEANUP(csv)
const char *csv_name(const struct csv *csv);
size_t csv_columns(const struct csv *csv);
const char *csv_column(const struct csv *csv, size_t column); /* its name in the header */
uint64_t csv_header_line(const struct csv *csv);
/* Index of a named column, or SIZE_MAX. */
size_t csv_find(const struct csv *csv, const char *column);
/* The next record: 1 and *ret (csv_columns fields), 0 at the end. Lines with nothing on them are
 * passed over. */
MUST_CHECK int csv_next(struct csv *csv, const struct csv_field **ret, struct err *err);
/* Line on which the current record begins; at the end of the file: the line after the last. */
uint64_t csv_line(const struct csv *csv);
/* Back to the first record after the header. */
MUST_CHECK int csv_rewind(struct csv *csv, struct err *err);
/* "FILE:LINE: column N NAME: text" with ERR_INPUT; returns -1. column SIZE_MAX: without "column".
 * line 0: the current record's. */
int csv_fail(const struct csv *csv, uint64_t line, size_t column, struct err *err, const char *fmt,
             ...) PRINTF_LIKE(5, 6);
