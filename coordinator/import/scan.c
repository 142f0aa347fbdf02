/* SPDX-License-Identifier: GPL-3.0-or-later
 * The first pass: checks, types, order. */
#include "coordinator/import/scan.h"

#include <stdio.h>
#include <string.h>

#include "coordinator/import/number.h"

#define DISTINCT_FEW 1000  /* texts that any column may hold */
#define DISTINCT_MAX 65536 /* counted no further */

void scan_done(struct scan *scan, size_t n_columns)
{
    for (size_t i = 0; i < n_columns && scan->column; i++)
        seen_done(&scan->column[i].distinct);
    mem_free(scan->column);
    mem_free(scan->arm);
    mem_free(scan->rows);
    *scan = (struct scan){0};
}

/* ---- order ---- */
static void make_room(struct scan *scan, size_t n_hosts)
{
    size_t n_arms = n_hosts * LIMIT_VARIANTS;

    if (n_arms <= scan->n_arms)
        return;
    scan->arm = mem_grow(scan->arm, &scan->cap_arms, n_arms, sizeof *scan->arm);
    memset(scan->arm + scan->n_arms, 0, (n_arms - scan->n_arms) * sizeof *scan->arm);
    scan->n_arms = n_arms;
    scan->rows = mem_grow(scan->rows, &scan->cap_rows, n_hosts, sizeof *scan->rows);
    memset(scan->rows + scan->n_rows_hosts, 0, (n_hosts - scan->n_rows_hosts) * sizeof *scan->rows);
    scan->n_rows_hosts = n_hosts;
}

/* <0, 0, >0 as the row lies before, at or behind the one before it. */
static int compare_place(const struct sample_row *row, const struct arm_order *arm)
{
    if (row->session != arm->session)
        return row->session < arm->session ? -1 : 1;
    if (row->round != arm->round)
        return row->round < arm->round ? -1 : 1;
    if (row->position != arm->position)
        return row->position < arm->position ? -1 : 1;
    return 0;
}

static int note_order(struct scan *scan, const struct sample_reader *reader,
                      const struct sample_row *row, struct err *err)
{
    struct arm_order *arm = &scan->arm[row->host * LIMIT_VARIANTS + row->variant];
    int order = arm->any ? compare_place(row, arm) : 1;

    if (reader->at_round == SIZE_MAX || reader->at_position == SIZE_MAX)
        return 0; /* nothing that could be there twice */
    if (order == 0)
        return csv_fail(reader->csv, 0, reader->at_host, err,
                        "host, variant, round and position are those of line %llu",
                        (unsigned long long)arm->line);
    if (order < 0)
        arm->unordered = true;
    *arm = (struct arm_order){.line = csv_line(reader->csv),
                              .session = row->session,
                              .round = row->round,
                              .position = row->position,
                              .any = true,
                              .unordered = arm->unordered};
    return 0;
}

/* ---- columns ---- */
static int check_text(const struct sample_reader *reader, const struct csv_field *field, size_t at,
                      struct err *err)
{
    if (!sample_is_text(field->text, field->length))
        return csv_fail(reader->csv, field->line, at, err, "control character: %.40s", field->text);
    return 0;
}

static void note_text(struct column_scan *column, const struct csv_field *field)
{
    column->words++;
    if (column->distinct.n < DISTINCT_MAX)
        (void)seen_add(&column->distinct, seen_mix_bytes(field->text, field->length), 1);
}

static int note_number(struct scan *scan, const struct sample_reader *reader,
                       const struct csv_field *field, size_t at, struct err *err)
{
    double value = 0;
    enum number_kind kind =
        field->length ? number_read(field->text, field->length, &value) : NUMBER_OK;

    if (kind != NUMBER_OK)
        return csv_fail(reader->csv, field->line, at, err, "\"%.40s\": %s", field->text,
                        number_complaint(kind));
    scan->column[at].numbers += field->length > 0;
    if (!reader->column[at].is_metric || value > 0)
        return 0;
    if (scan->unusable++ == 0) {
        scan->unusable_line = field->line;
        snprintf(scan->unusable_text, sizeof scan->unusable_text, "%.40s", field->text);
    }
    return 0;
}

static int note_unsure(struct scan *scan, const struct sample_reader *reader,
                       const struct csv_field *field, size_t at, struct err *err)
{
    struct column_scan *column = &scan->column[at];
    double value = 0;
    enum number_kind kind = NUMBER_OK;

    if (field->length == 0)
        return 0;
    kind = number_read(field->text, field->length, &value);
    if (kind == NUMBER_OK) {
        column->numbers++;
        return 0;
    }
    if (column->words == 0) {
        column->word_line = field->line;
        column->word_kind = (int)kind;
        snprintf(column->word, sizeof column->word, "%.40s", field->text);
    }
    note_text(column, field);
    return check_text(reader, field, at, err);
}

static int note_columns(struct scan *scan, const struct sample_reader *reader,
                        const struct csv_field *field, struct err *err)
{
    size_t n = csv_columns(reader->csv);

    for (size_t i = 0; i < n; i++) {
        int rc = 0;

        switch (reader->column[i].role) {
        case COLUMN_NUMBER:
            rc = note_number(scan, reader, &field[i], i, err);
            break;
        case COLUMN_UNSURE:
            rc = note_unsure(scan, reader, &field[i], i, err);
            break;
        case COLUMN_TEXT:
            rc = check_text(reader, &field[i], i, err);
            if (field[i].length)
                note_text(&scan->column[i], &field[i]);
            break;
        case COLUMN_PLACE:
        case COLUMN_LEFT_OUT:
            break;
        }
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* ---- the whole ---- */
static int settle_column(struct scan *scan, struct sample_reader *reader, size_t at,
                         struct strlist *warnings, struct err *err)
{
    struct column_scan *found = &scan->column[at];
    struct sample_column *column = &reader->column[at];

    if (column->role == COLUMN_UNSURE && found->numbers > found->words && found->words > 0)
        return csv_fail(reader->csv, found->word_line, at, err,
                        "\"%s\": %s, but most of this column is (--part-of-variant or --factor "
                        "take it as text)",
                        found->word, number_complaint((enum number_kind)found->word_kind));
    if (column->role == COLUMN_UNSURE)
        column->role = found->words ? COLUMN_TEXT : COLUMN_NUMBER;
    if (found->numbers + found->words == 0 && !column->is_metric && !column->is_kept)
        column->role = COLUMN_LEFT_OUT; /* every cell empty */
    if (column->role == COLUMN_TEXT && !column->is_kept && found->distinct.n > DISTINCT_FEW &&
        found->distinct.n > found->words / 10) {
        CLEAN_MEM char *line =
            mem_printf("%s: column %zu %s: hardly a text comes twice: no factor, left out",
                       csv_name(reader->csv), at + 1, csv_column(reader->csv, at));

        strlist_add(warnings, line);
        column->role = COLUMN_LEFT_OUT;
    }
    return 0;
}

static int settle_columns(struct scan *scan, struct sample_reader *reader, struct strlist *warnings,
                          struct err *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < csv_columns(reader->csv); i++) {
        if (reader->column[i].role == COLUMN_PLACE)
            continue;
        if (settle_column(scan, reader, i, warnings, err) < 0)
            return -1;
        kept += reader->column[i].role != COLUMN_LEFT_OUT;
    }
    if (kept > LIMIT_BATCH_COLUMNS)
        return csv_fail(reader->csv, csv_header_line(reader->csv), SIZE_MAX, err,
                        "%zu columns of metrics and words: at most %d", kept, LIMIT_BATCH_COLUMNS);
    return 0;
}

static int check_whole(const struct scan *scan, const struct sample_reader *reader, struct err *err)
{
    size_t cells = reader->variant.n;

    if (scan->n_rows == 0)
        return csv_fail(reader->csv, 0, SIZE_MAX, err, "no samples");
    if (reader->variant.n < 2)
        return csv_fail(reader->csv, 0, reader->at_variant, err,
                        "only variant %s: nothing to compare it with", reader->variant.v[0]);
    for (size_t i = 0; i < reader->n_factors; i++)
        cells *= reader->level[i].n;
    if (cells > LIMIT_CELLS)
        return csv_fail(reader->csv, 0, SIZE_MAX, err,
                        "%zu combinations of variants and levels: at most %d", cells, LIMIT_CELLS);
    return 0;
}

static void warn_unusable(const struct scan *scan, const struct sample_reader *reader,
                          struct strlist *warnings)
{
    CLEAN_MEM char *line = NULL;

    if (scan->unusable == 0)
        return;
    line = mem_printf("%s:%llu: column %zu %s: %s%s%s: left out, and its round where the variant "
                      "has no other sample in it "
                      "(%llu row%s in all)",
                      csv_name(reader->csv), (unsigned long long)scan->unusable_line,
                      reader->at_metric + 1, csv_column(reader->csv, reader->at_metric),
                      scan->unusable_text[0] ? "\"" : "",
                      scan->unusable_text[0] ? scan->unusable_text : "a missing value",
                      scan->unusable_text[0] ? "\" is not above 0" : "",
                      (unsigned long long)scan->unusable, scan->unusable == 1 ? "" : "s");
    strlist_add(warnings, line);
}

int scan_samples(struct scan *scan, struct sample_reader *reader, struct strlist *warnings,
                 struct err *err)
{
    const struct csv_field *field = NULL;
    struct sample_row row = {0};
    int rc = 0;

    scan->column = mem_array(struct column_scan, csv_columns(reader->csv));
    make_room(scan, reader->hosts->n);
    while ((rc = sample_reader_next(reader, &row, &field, err)) > 0) {
        make_room(scan, reader->hosts->n);
        if (note_order(scan, reader, &row, err) < 0 || note_columns(scan, reader, field, err) < 0)
            return -1;
        scan->rows[row.host]++;
        scan->n_rows++;
    }
    if (rc < 0 || check_whole(scan, reader, err) < 0 ||
        settle_columns(scan, reader, warnings, err) < 0)
        return -1;
    warn_unusable(scan, reader, warnings);
    return 0;
}
