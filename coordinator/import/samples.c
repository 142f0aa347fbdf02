/* SPDX-License-Identifier: GPL-3.0-or-later
 * Rows of samples.csv, each checked as it is read. */
#include "coordinator/import/samples.h"

#include <string.h>

#include "coordinator/import/number.h"

static const char *const place_columns[] = {"host",  "variant",  "epoch",
                                            "round", "position", "session"};
static const char *const number_columns[] = {
    "elapsed_s", "user_s",     "sys_s",          "minflt",       "majflt",  "nvcsw",
    "nivcsw",    "maxrss_kib", "load_other_cpu", "psi_cpu_some", "loadavg1"};
static const char *const text_columns[] = {"stdout_kind", "sink"};

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (str_eq(name, list[i]))
            return true;
    }
    return false;
}
#define IS_ONE_OF(name, list) is_one_of((name), (list), sizeof(list) / sizeof *(list))

bool sample_is_text(const char *text, size_t length)
{
    size_t from = 0;

    for (size_t i = 0; i <= length; i++) {
        if (i < length && text[i] != '\t' && text[i] != '\n' && text[i] != '\r')
            continue;
        if (str_has_control(text + from, i - from))
            return false;
        from = i + 1;
    }
    return true;
}

static int find_needed(struct sample_reader *reader, const char *name, size_t *ret, struct err *err)
{
    *ret = csv_find(reader->csv, name);
    if (*ret == SIZE_MAX)
        return csv_fail(reader->csv, csv_header_line(reader->csv), SIZE_MAX, err, "no column %s",
                        name);
    return 0;
}

static int find_places(struct sample_reader *reader, struct err *err)
{
    if (find_needed(reader, "host", &reader->at_host, err) < 0 ||
        find_needed(reader, "variant", &reader->at_variant, err) < 0)
        return -1;
    reader->at_epoch = csv_find(reader->csv, "epoch");
    reader->at_round = csv_find(reader->csv, "round");
    reader->at_position = csv_find(reader->csv, "position");
    reader->at_session = csv_find(reader->csv, "session");
    if (reader->at_epoch != SIZE_MAX && !reader->hosts_grow && !reader->hosts->has_epochs)
        return csv_fail(reader->csv, csv_header_line(reader->csv), reader->at_epoch, err,
                        "%s has no such column", reader->hosts->file);
    return 0;
}

static int find_metric(struct sample_reader *reader, const char *metric, struct err *err)
{
    const char *name = metric ? metric : "elapsed_s";

    reader->at_metric = csv_find(reader->csv, name);
    if (reader->at_metric == SIZE_MAX)
        return csv_fail(reader->csv, csv_header_line(reader->csv), SIZE_MAX, err, "no column %s%s",
                        name, metric ? "" : "; name the metric's with --metric");
    if (IS_ONE_OF(name, place_columns))
        return csv_fail(reader->csv, csv_header_line(reader->csv), reader->at_metric, err,
                        "no metric");
    reader->column[reader->at_metric].role = COLUMN_NUMBER;
    reader->column[reader->at_metric].is_metric = true;
    return 0;
}

/* A column of the options: it must be there and be free to be text. */
static int take_text_column(struct sample_reader *reader, const char *name, size_t *ret,
                            struct err *err)
{
    size_t at = 0;

    if (find_needed(reader, name, &at, err) < 0)
        return -1;
    if (reader->column[at].role == COLUMN_PLACE || reader->column[at].is_metric)
        return csv_fail(reader->csv, csv_header_line(reader->csv), at, err,
                        "cannot be a factor too");
    reader->column[at].role = COLUMN_TEXT;
    reader->column[at].is_kept = true;
    *ret = at;
    return 0;
}

static int find_factors(struct sample_reader *reader, const struct import_options *options,
                        struct err *err)
{
    size_t at = 0;

    if (options->factor.n > LIMIT_FACTORS)
        return err_set(err, ERR_INPUT, "%zu factors: at most %d", options->factor.n, LIMIT_FACTORS);
    for (size_t i = 0; i < options->factor.n; i++) {
        if (take_text_column(reader, options->factor.v[i], &reader->at_factor[i], err) < 0)
            return err_wrap(err, "--factor %s", options->factor.v[i]);
        reader->column[reader->at_factor[i]].is_factor = true;
    }
    reader->n_factors = options->factor.n;
    for (size_t i = 0; i < options->part_of_variant.n; i++) {
        if (take_text_column(reader, options->part_of_variant.v[i], &at, err) < 0)
            return err_wrap(err, "--part-of-variant %s", options->part_of_variant.v[i]);
    }
    return 0;
}

int sample_reader_open(struct sample_reader *reader, const struct import_options *options,
                       struct host_table *hosts, struct err *err)
{
    size_t n = 0;

    if (csv_open(options->samples, options->samples_name, &reader->csv, err) < 0)
        return -1;
    reader->hosts = hosts;
    reader->hosts_grow = hosts->file == NULL;
    n = csv_columns(reader->csv);
    reader->column = mem_array(struct sample_column, n);
    for (size_t i = 0; i < n; i++) {
        const char *name = csv_column(reader->csv, i);

        reader->column[i].role = IS_ONE_OF(name, place_columns)    ? COLUMN_PLACE
                                 : IS_ONE_OF(name, number_columns) ? COLUMN_NUMBER
                                 : IS_ONE_OF(name, text_columns)   ? COLUMN_TEXT
                                                                   : COLUMN_UNSURE;
    }
    if (find_places(reader, err) < 0 || find_metric(reader, options->metric, err) < 0)
        return -1;
    return find_factors(reader, options, err);
}

void sample_reader_done(struct sample_reader *reader)
{
    csv_free(reader->csv);
    mem_free(reader->column);
    strlist_done(&reader->variant);
    for (size_t i = 0; i < LIMIT_FACTORS; i++)
        strlist_done(&reader->level[i]);
    *reader = (struct sample_reader){0};
}

/* ---- one row ---- */
static int check_name(const struct sample_reader *reader, const struct csv_field *field, size_t at,
                      struct err *err)
{
    if (field[at].length > LIMIT_NAME)
        return csv_fail(reader->csv, field[at].line, at, err, "a name of %zu bytes: at most %d",
                        field[at].length, LIMIT_NAME);
    if (str_has_control(field[at].text, field[at].length))
        return csv_fail(reader->csv, field[at].line, at, err, "control character in a name: %s",
                        field[at].text);
    return 0;
}

static bool is_last_host(const struct sample_reader *reader, const char *plain, const char *epoch)
{
    const struct import_host *last = NULL;

    if (reader->last_host >= reader->hosts->n)
        return false;
    last = &reader->hosts->v[reader->last_host];
    return strcmp(last->plain, plain) == 0 && strcmp(last->epoch ? last->epoch : "", epoch) == 0;
}

static int read_host(struct sample_reader *reader, const struct csv_field *field, size_t *ret,
                     struct err *err)
{
    const struct csv_field *host = &field[reader->at_host];
    const char *epoch = reader->at_epoch == SIZE_MAX ? "" : field[reader->at_epoch].text;
    int rc = 0;

    if (is_last_host(reader, host->text, epoch)) {
        *ret = reader->last_host;
        return 0;
    }
    if (host->length == 0)
        return csv_fail(reader->csv, host->line, reader->at_host, err, "a host without a name");
    if (check_name(reader, field, reader->at_host, err) < 0 ||
        (reader->at_epoch != SIZE_MAX && check_name(reader, field, reader->at_epoch, err) < 0))
        return -1;
    rc = host_table_find(reader->hosts, host->text, epoch, ret);
    if (rc == HOST_ABSENT && reader->hosts_grow)
        rc = host_table_add(reader->hosts, host->text, epoch, ret, err);
    else if (rc == HOST_ABSENT)
        rc = csv_fail(reader->csv, host->line, reader->at_host, err, "%s%s%s is not in %s",
                      host->text, *epoch ? " of epoch " : "", epoch, reader->hosts->file);
    else if (rc == HOST_AMBIGUOUS)
        rc = csv_fail(reader->csv, host->line, reader->at_host, err,
                      "%s has several epochs in %s: which one is meant? (column epoch)", host->text,
                      reader->hosts->file);
    if (rc < 0)
        return -1;
    reader->last_host = *ret;
    return 0;
}

/* Place of text in a list of a few names, added when new. */
static size_t intern(struct strlist *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->v[i], text) == 0)
            return i;
    }
    strlist_add(list, text);
    return list->n - 1;
}

static int read_variant(struct sample_reader *reader, const struct csv_field *field, uint32_t *ret,
                        struct err *err)
{
    const struct csv_field *variant = &field[reader->at_variant];
    size_t before = reader->variant.n;
    size_t place = intern(&reader->variant, variant->text);

    *ret = (uint32_t)place;
    if (place < before)
        return 0;
    if (variant->length == 0)
        return csv_fail(reader->csv, variant->line, reader->at_variant, err,
                        "a variant without a name");
    if (place >= LIMIT_VARIANTS)
        return csv_fail(reader->csv, variant->line, reader->at_variant, err,
                        "more than %d variants", LIMIT_VARIANTS);
    return check_name(reader, field, reader->at_variant, err);
}

static int read_level(struct sample_reader *reader, const struct csv_field *field, size_t factor,
                      uint32_t *ret, struct err *err)
{
    size_t at = reader->at_factor[factor];
    size_t before = reader->level[factor].n;
    size_t place = intern(&reader->level[factor], field[at].text);

    *ret = (uint32_t)place;
    if (place < before)
        return 0;
    if (field[at].length == 0)
        return csv_fail(reader->csv, field[at].line, at, err,
                        "a crossed factor needs a level in every row");
    if (place >= LIMIT_LEVELS)
        return csv_fail(reader->csv, field[at].line, at, err, "more than %d levels", LIMIT_LEVELS);
    return check_name(reader, field, at, err);
}

static int read_whole(const struct sample_reader *reader, const struct csv_field *field, size_t at,
                      uint32_t *ret, struct err *err)
{
    if (at == SIZE_MAX) {
        *ret = 0;
        return 0;
    }
    if (number_read_whole(field[at].text, field[at].length, ret) == 0)
        return 0;
    return csv_fail(reader->csv, field[at].line, at, err,
                    "\"%.40s\": a whole number from 0 is needed", field[at].text);
}

int sample_reader_next(struct sample_reader *reader, struct sample_row *ret,
                       const struct csv_field **ret_field, struct err *err)
{
    const struct csv_field *field = NULL;
    int rc = csv_next(reader->csv, &field, err);

    if (rc <= 0)
        return rc;
    if (read_host(reader, field, &ret->host, err) < 0 ||
        read_variant(reader, field, &ret->variant, err) < 0 ||
        read_whole(reader, field, reader->at_round, &ret->round, err) < 0 ||
        read_whole(reader, field, reader->at_position, &ret->position, err) < 0 ||
        read_whole(reader, field, reader->at_session, &ret->session, err) < 0)
        return -1;
    if (ret->session >= LIMIT_SESSIONS)
        return csv_fail(reader->csv, 0, reader->at_session, err,
                        "session %u: less than %d are possible", ret->session, LIMIT_SESSIONS);
    for (size_t i = 0; i < reader->n_factors; i++) {
        if (read_level(reader, field, i, &ret->level[i], err) < 0)
            return -1;
    }
    *ret_field = field;
    return 1;
}
