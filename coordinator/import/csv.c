/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The CSV reader. A record is gathered in one buffer, its fields as offsets into it, turned into
 * pointers when the record is complete. Plain stretches are copied whole; only commas, quotes, line
 * ends and NUL stop the scan.
 */
#include "coordinator/import/csv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fdio.h"
#include "base/str.h"
#include "coordinator/import/input.h"
#include "model/limits.h"

#define BUFFER (256 * 1024)
#define END (-1)

struct csv {
    char *name;
    int fd;
    char *buffer;
    size_t at, filled;
    int read_errno; /* of a read that failed */
    uint64_t line;  /* of the next byte */
    uint64_t record_line;
    struct str record;
    size_t *start; /* of each field in record; one more for the end */
    struct csv_field *field;
    size_t n, cap_start, cap_field;
    unsigned char high; /* all bytes of the field or-ed: below 0x80 it is ASCII */
    struct strlist header;
    uint64_t header_line;
    off_t body;         /* where the first record after the header begins */
    uint64_t body_line; /* and its line */
    off_t before;       /* bytes of the file before buffer[0] */
};

void csv_free(struct csv *csv)
{
    if (!csv)
        return;
    fdio_close(&csv->fd);
    mem_free(csv->name);
    mem_free(csv->buffer);
    str_done(&csv->record);
    mem_free(csv->start);
    mem_free(csv->field);
    strlist_done(&csv->header);
    mem_free(csv);
}

const char *csv_name(const struct csv *csv)
{
    return csv->name;
}

size_t csv_columns(const struct csv *csv)
{
    return csv->header.n;
}

const char *csv_column(const struct csv *csv, size_t column)
{
    return csv->header.v[column];
}

uint64_t csv_header_line(const struct csv *csv)
{
    return csv->header_line;
}

size_t csv_find(const struct csv *csv, const char *column)
{
    for (size_t i = 0; i < csv->header.n; i++) {
        if (str_eq(csv->header.v[i], column))
            return i;
    }
    return SIZE_MAX;
}

uint64_t csv_line(const struct csv *csv)
{
    return csv->record_line;
}

/* The header's own fields are named by what they hold. */
static const char *name_of(const struct csv *csv, size_t column)
{
    if (column < csv->header.n)
        return csv->header.v[column];
    if (csv->header.n == 0 && column < csv->n && csv->field[column].text)
        return csv->field[column].text;
    return "";
}

int csv_fail(const struct csv *csv, uint64_t line, size_t column, struct err *err, const char *fmt,
             ...)
{
    const char *name = name_of(csv, column);
    char text[512], place[256] = "";
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (column != SIZE_MAX)
        snprintf(place, sizeof place, "column %zu%s%.160s: ", column + 1, *name ? " " : "", name);
    return err_set(err, ERR_INPUT, "%s:%llu: %s%s", csv->name,
                   (unsigned long long)(line ? line : csv->record_line), place, text);
}

/* ---- bytes ---- */
static bool fill(struct csv *csv)
{
    ssize_t n = 0;

    do
        n = read(csv->fd, csv->buffer, BUFFER);
    while (n < 0 && errno == EINTR);
    csv->before += (off_t)csv->filled;
    csv->at = 0;
    csv->filled = n > 0 ? (size_t)n : 0;
    csv->read_errno = n < 0 ? errno : 0;
    return n > 0;
}

static int peek(struct csv *csv)
{
    if (csv->at == csv->filled && !fill(csv))
        return END;
    return (unsigned char)csv->buffer[csv->at];
}

static bool is_stop(char c)
{
    return c == ',' || c == '\n' || c == '\r' || c == '"' || c == '\0';
}

/* ---- records ---- */
static void begin_field(struct csv *csv)
{
    if (csv->n + 2 > csv->cap_start)
        csv->start = mem_grow(csv->start, &csv->cap_start, csv->n + 2, sizeof *csv->start);
    if (csv->n + 1 > csv->cap_field)
        csv->field = mem_grow(csv->field, &csv->cap_field, csv->n + 1, sizeof *csv->field);
    csv->start[csv->n] = csv->record.length;
    csv->field[csv->n] = (struct csv_field){.line = csv->line};
    csv->high = 0;
}

static int fail_here(struct csv *csv, struct err *err, const char *text)
{
    return csv_fail(csv, csv->field[csv->n].line, csv->n, err, "%s", text);
}

static int end_field(struct csv *csv, struct err *err)
{
    size_t length = csv->record.length - csv->start[csv->n];

    if (length > LIMIT_FIELD)
        return csv_fail(csv, csv->field[csv->n].line, csv->n, err,
                        "a field of %zu bytes: at most %d", length, LIMIT_FIELD);
    if ((csv->high & 0x80) && !str_is_utf8(csv->record.text + csv->start[csv->n], length))
        return fail_here(csv, err, "not UTF-8");
    str_addc(&csv->record, '\0');
    csv->field[csv->n].length = length;
    csv->n++;
    if (csv->n > LIMIT_CSV_COLUMNS)
        return csv_fail(csv, 0, SIZE_MAX, err, "more than %d columns", LIMIT_CSV_COLUMNS);
    return 0;
}

/* Copies up to the next byte that means something; a field far over its limit is not gathered
 * further. */
static int copy_plain(struct csv *csv, bool quoted, struct err *err)
{
    size_t from = csv->at;
    unsigned char high = 0;

    while (csv->at < csv->filled) {
        char c = csv->buffer[csv->at];

        if (quoted ? c == '"' || c == '\0' : is_stop(c))
            break;
        if (c == '\n')
            csv->line++;
        high |= (unsigned char)c;
        csv->at++;
    }
    csv->high |= high;
    str_add_bytes(&csv->record, csv->buffer + from, csv->at - from);
    if (csv->record.length - csv->start[csv->n] > LIMIT_FIELD + BUFFER)
        return fail_here(csv, err, "a field of more than 65536 bytes");
    if (csv->record.length > LIMIT_CSV_RECORD)
        return csv_fail(csv, 0, SIZE_MAX, err, "a record of more than %d bytes", LIMIT_CSV_RECORD);
    return 0;
}

/* Behind the opening quote; stops behind the closing one. */
static int read_quoted(struct csv *csv, struct err *err)
{
    for (;;) {
        int c = peek(csv);

        if (c == END)
            return fail_here(csv, err, "a quote that is never closed");
        if (c == '\0')
            return fail_here(csv, err, "control character \\x00");
        if (c == '"') {
            csv->at++;
            if (peek(csv) != '"')
                return 0;
            str_addc(&csv->record, '"');
            csv->at++;
        } else if (copy_plain(csv, true, err) < 0)
            return -1;
    }
}

static int read_plain(struct csv *csv, struct err *err)
{
    for (;;) {
        int c = peek(csv);

        if (c == ',' || c == '\n' || c == '\r' || c == END)
            return 0;
        if (c == '"')
            return fail_here(
                csv, err,
                "a quote inside a field: put the whole field in quotes and write \"\" for each");
        if (c == '\0')
            return fail_here(csv, err, "control character \\x00");
        if (copy_plain(csv, false, err) < 0)
            return -1;
    }
}

/* At the separator behind a field: 1 another field follows, 0 the record ended. */
static int end_separator(struct csv *csv, struct err *err)
{
    int c = peek(csv);

    if (c == ',') {
        csv->at++;
        return 1;
    }
    if (c == '\r') {
        csv->at++;
        c = peek(csv);
        if (c != '\n' && c != END)
            return fail_here(csv, err, "a carriage return that ends no line");
    }
    if (c == '\n') {
        csv->at++;
        csv->line++;
        return 0;
    }
    return c == END ? 0 : fail_here(csv, err, "text behind a closing quote");
}

static int read_field(struct csv *csv, bool *ret_quoted, struct err *err)
{
    int more = 0;

    begin_field(csv);
    *ret_quoted = peek(csv) == '"';
    if (*ret_quoted)
        csv->at++;
    if ((*ret_quoted ? read_quoted(csv, err) : read_plain(csv, err)) < 0)
        return -1;
    more = end_separator(csv, err);
    if (more < 0 || end_field(csv, err) < 0)
        return -1;
    return more;
}

/* The end of what could be read is not the end of the file when reading failed. */
static int fail_unread(const struct csv *csv, struct err *err)
{
    if (!csv->read_errno)
        return 0;
    errno = csv->read_errno;
    return err_sys(err, "read %s", csv->name);
}

/* 1 a record, 0 end of file. */
static int read_record(struct csv *csv, struct err *err)
{
    bool quoted = false;
    int more = 1;

    do {
        str_clear(&csv->record);
        csv->n = 0;
        csv->record_line = csv->line;
        if (peek(csv) == END)
            return fail_unread(csv, err);
        do
            more = read_field(csv, &quoted, err);
        while (more > 0);
        if (more < 0 || fail_unread(csv, err) < 0)
            return -1;
    } while (csv->n == 1 && csv->field[0].length == 0 && !quoted); /* nothing on the line */
    for (size_t i = 0; i < csv->n; i++)
        csv->field[i].text = csv->record.text + csv->start[i];
    return 1;
}

/* ---- the file ---- */
static void skip_mark(struct csv *csv)
{
    if (peek(csv) == 0xef && csv->filled - csv->at >= 3 &&
        memcmp(csv->buffer + csv->at, "\xef\xbb\xbf", 3) == 0)
        csv->at += 3;
}

static void skip_comments(struct csv *csv)
{
    while (peek(csv) == '#') {
        int c = 0;

        while ((c = peek(csv)) != END && c != '\n')
            csv->at++;
        if (c == '\n') {
            csv->at++;
            csv->line++;
        }
    }
}

static int take_header(struct csv *csv, struct err *err)
{
    for (size_t i = 0; i < csv->n; i++) {
        const struct csv_field *field = &csv->field[i];

        if (field->length == 0)
            return csv_fail(csv, 0, i, err, "a column without a name");
        if (field->length > LIMIT_NAME)
            return csv_fail(csv, 0, i, err, "a name of %zu bytes: at most %d", field->length,
                            LIMIT_NAME);
        if (str_has_control(field->text, field->length))
            return csv_fail(csv, 0, i, err, "control character in a name");
        for (size_t k = 0; k < i; k++) {
            if (str_eq(csv->field[k].text, field->text))
                return csv_fail(csv, 0, i, err, "named twice (column %zu has this name too)",
                                k + 1);
        }
    }
    for (size_t i = 0; i < csv->n; i++)
        strlist_add(&csv->header, csv->field[i].text);
    return 0;
}

static int read_header(struct csv *csv, struct err *err)
{
    int rc = 0;

    skip_mark(csv);
    skip_comments(csv);
    rc = read_record(csv, err);
    if (rc < 0)
        return -1;
    if (rc == 0)
        return csv_fail(csv, 0, SIZE_MAX, err, "nothing in this file: a header line is needed");
    csv->header_line = csv->record_line;
    if (csv->n == 1 && strpbrk(csv->field[0].text, ";\t"))
        return csv_fail(csv, 0, SIZE_MAX, err,
                        "one column with %s in its name: fields must be separated by commas",
                        strchr(csv->field[0].text, ';') ? "semicolons" : "tabs");
    csv->body = csv->before + (off_t)csv->at;
    csv->body_line = csv->line;
    return take_header(csv, err);
}

int csv_open(const char *path, const char *name, struct csv **ret, struct err *err)
{
    CLEAN(csv) struct csv *csv = mem_new(struct csv);

    csv->fd = -1;
    csv->name = mem_strdup(name ? name : path);
    csv->line = 1;
    csv->record_line = 1;
    csv->fd = input_open(path, csv->name, err);
    if (csv->fd < 0)
        return -1;
    csv->buffer = mem_alloc(1, BUFFER);
    if (read_header(csv, err) < 0)
        return -1;
    *ret = mem_steal(&csv);
    return 0;
}

int csv_next(struct csv *csv, const struct csv_field **ret, struct err *err)
{
    int rc = read_record(csv, err);

    if (rc <= 0)
        return rc;
    if (csv->n < csv->header.n)
        return csv_fail(csv, 0, csv->n, err, "%zu field%s, the header has %zu", csv->n,
                        csv->n == 1 ? "" : "s", csv->header.n);
    if (csv->n > csv->header.n)
        return csv_fail(csv, 0, csv->header.n, err, "%zu fields, the header has %zu", csv->n,
                        csv->header.n);
    *ret = csv->field;
    return 1;
}

int csv_rewind(struct csv *csv, struct err *err)
{
    if (lseek(csv->fd, csv->body, SEEK_SET) < 0)
        return err_sys(err, "read %s again", csv->name);
    csv->before = csv->body;
    csv->at = 0;
    csv->filled = 0;
    csv->line = csv->body_line;
    csv->record_line = csv->body_line;
    return 0;
}
