/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A history from CSV: the points of every host on one axis of time, ln(tested/reference) at each,
 * change points, and a small plot of the middle host over time.
 */
#include "analysis/history.h"

#include "coordinator/import/csv.h"
#include "coordinator/import/number.h"
#include "coordinator/offline/offline.h"
#include "coordinator/report/jot.h"
#include "coordinator/report/num.h"
#include "coordinator/report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 1000000, POINTS_MOST = 2000, HEIGHT = 11, LABEL = 9, COLUMNS_MOST = 240 };

struct record {
    char *time, *host;
    double at; /* time as a number; NaN when it is none */
    double value;
    uint64_t line;
};
struct history {
    struct record *record;
    size_t n, cap;
    bool numeric; /* every time is a number */
    struct strlist time, host;
    double **v; /* of each host, one a time; NaN none */
};

static void history_done(struct history *history)
{
    for (size_t i = 0; i < history->n; i++) {
        mem_free(history->record[i].time);
        mem_free(history->record[i].host);
    }
    for (size_t h = 0; history->v && h < history->host.n; h++)
        mem_free(history->v[h]);
    mem_free(history->v);
    mem_free(history->record);
    strlist_done(&history->time);
    strlist_done(&history->host);
}

struct columns {
    size_t time, tested, reference, ratio, host;
};

static int find_columns(const struct csv *csv, struct columns *ret, struct err *err)
{
    *ret =
        (struct columns){csv_find(csv, "time"), csv_find(csv, "tested"), csv_find(csv, "reference"),
                         csv_find(csv, "ratio"), csv_find(csv, "host")};
    if (ret->time == SIZE_MAX)
        ret->time = csv_find(csv, "index");
    if (ret->time == SIZE_MAX)
        return csv_fail(csv, csv_header_line(csv), SIZE_MAX, err,
                        "no column time; allowed: time or index");
    if ((ret->ratio == SIZE_MAX) == (ret->tested == SIZE_MAX) ||
        (ret->tested == SIZE_MAX) != (ret->reference == SIZE_MAX))
        return csv_fail(csv, csv_header_line(csv), SIZE_MAX, err,
                        "allowed: the columns tested and reference, or ratio");
    return 0;
}

/* An empty cell: no value, *ret NaN. */
static int read_value(const struct csv *csv, const struct csv_field *field, size_t column,
                      double *ret, struct err *err)
{
    enum number_kind kind;

    *ret = NAN;
    if (field[column].length == 0)
        return 0;
    kind = number_read(field[column].text, field[column].length, ret);
    if (kind != NUMBER_OK)
        return csv_fail(csv, field[column].line, column, err, "%s", number_complaint(kind));
    if (!(*ret > 0.0))
        return csv_fail(csv, field[column].line, column, err, "found %s; allowed: above 0",
                        field[column].text);
    return 0;
}

static int read_record(const struct csv *csv, const struct csv_field *field,
                       const struct columns *at, struct history *history, struct err *err)
{
    double tested = NAN, reference = 1.0, number = NAN;
    const char *host = at->host == SIZE_MAX ? "" : field[at->host].text;

    if (read_value(csv, field, at->ratio == SIZE_MAX ? at->tested : at->ratio, &tested, err) < 0)
        return -1;
    if (at->ratio == SIZE_MAX && read_value(csv, field, at->reference, &reference, err) < 0)
        return -1;
    if (field[at->time].length == 0)
        return csv_fail(csv, field[at->time].line, at->time, err, "found nothing; allowed: a time");
    if (history->n == ROWS_MOST)
        return csv_fail(csv, 0, SIZE_MAX, err, "over %d rows", ROWS_MOST);
    if (number_read(field[at->time].text, field[at->time].length, &number) != NUMBER_OK)
        history->numeric = false;
    history->record =
        mem_grow(history->record, &history->cap, history->n + 1, sizeof *history->record);
    history->record[history->n++] = (struct record){.time = mem_strdup(field[at->time].text),
                                                    .host = mem_strdup(host),
                                                    .at = number,
                                                    .value = log(tested / reference),
                                                    .line = csv_line(csv)};
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const struct record *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return strcmp(x->host, y->host);
}

static int by_text(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    int order = strcmp(x->time, y->time);

    return order != 0 ? order : strcmp(x->host, y->host);
}

static size_t place_of(const struct strlist *list, const char *text)
{
    size_t at = 0;

    while (at < list->n && strcmp(list->v[at], text) != 0)
        at++;
    return at;
}

/* Records in order become points: a row of values for each host over all times. */
static int align(const char *file, struct history *history, struct err *err)
{
    size_t point = 0;

    if (!history->record)
        return 0;
    qsort(history->record, history->n, sizeof *history->record,
          history->numeric ? by_number : by_text);
    const struct record *records = history->record;

    for (size_t i = 0; i < history->n; i++) {
        const struct record *record = &records[i], *last = i > 0 ? &records[i - 1] : NULL;
        const bool same = last && (history->numeric ? last->at == record->at
                                                    : strcmp(last->time, record->time) == 0);

        if (same && strcmp(last->host, record->host) == 0)
            return err_set(
                err, ERR_INPUT, "%s:%llu: time %s%s%s twice; first on line %llu", file,
                (unsigned long long)(record->line > last->line ? record->line : last->line),
                record->time, record->host[0] ? " of host " : "", record->host,
                (unsigned long long)(record->line > last->line ? last->line : record->line));
        if (!same)
            strlist_add(&history->time, record->time);
        if (!strlist_has(&history->host, record->host))
            strlist_add(&history->host, record->host);
    }
    if (history->time.n > POINTS_MOST)
        return err_set(err, ERR_LIMIT, "%s: %zu points in time; allowed: %d", file, history->time.n,
                       POINTS_MOST);
    strlist_sort(&history->host);
    history->v = mem_array(double *, history->host.n);
    for (size_t h = 0; h < history->host.n; h++) {
        history->v[h] = mem_array(double, history->time.n);
        for (size_t t = 0; t < history->time.n; t++)
            history->v[h][t] = NAN;
    }
    for (size_t i = 0; i < history->n; i++) {
        const struct record *record = &history->record[i];

        if (i > 0 && (history->numeric ? record[-1].at != record->at
                                       : strcmp(record[-1].time, record->time) != 0))
            point++;
        history->v[place_of(&history->host, record->host)][point] = record->value;
    }
    return 0;
}

static int load(const char *path, struct history *ret, struct err *err)
{
    CLEAN(csv) struct csv *csv = NULL;
    const struct csv_field *field;
    struct columns columns;
    int more;

    ret->numeric = true;
    if (csv_open(path, NULL, &csv, err) < 0 || find_columns(csv, &columns, err) < 0)
        return -1;
    while ((more = csv_next(csv, &field, err)) > 0)
        if (read_record(csv, field, &columns, ret, err) < 0)
            return -1;
    if (more < 0)
        return -1;
    if (ret->n == 0)
        return csv_fail(csv, 0, SIZE_MAX, err, "no points");
    return align(csv_name(csv), ret, err);
}

/* ---- what is shown ---- */

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median over the hosts at each time; NaN where none has a value. */
static double *middle(const struct history *history)
{
    double *ret = mem_array(double, history->time.n);
    double *known = mem_array(double, history->host.n);

    for (size_t t = 0; t < history->time.n; t++) {
        size_t n = 0;

        for (size_t h = 0; h < history->host.n; h++)
            if (!isnan(history->v[h][t]))
                known[n++] = history->v[h][t];
        qsort(known, n, sizeof *known, rising);
        ret[t] = n > 0 ? 0.5 * (known[(n - 1) / 2] + known[n / 2]) : NAN;
    }
    mem_free(known);
    return ret;
}

static double pct(double log_ratio)
{
    return 100.0 * expm1(log_ratio);
}

static void plot_labels(const struct page *page, size_t row, double lo, double hi)
{
    char text[NUM_SIZE] = "";

    if (row % 5 == 0)
        num_percent(pct(hi - (hi - lo) * (double)row / (HEIGHT - 1)), text);
    (void)fprintf(page->out, "%*s ", LABEL, text);
}

/* Points as `*` (`@` where several share a place), a bar at each change. */
static void plot(const struct page *page, const struct history *history, const double *v,
                 const struct history_change *change, size_t n_changes)
{
    size_t n = history->time.n, width = page->width > LABEL + 24 ? page->width - LABEL - 4 : 20;
    size_t columns = width < COLUMNS_MOST ? width : COLUMNS_MOST;
    char grid[HEIGHT][COLUMNS_MOST];
    double lo = INFINITY, hi = -INFINITY;

    if (n == 0)
        return;
    memset(grid, ' ', sizeof grid);
    columns = columns < n ? columns : n;
    for (size_t t = 0; t < n; t++) {
        lo = isnan(v[t]) ? lo : fmin(lo, v[t]);
        hi = isnan(v[t]) ? hi : fmax(hi, v[t]);
    }
    for (size_t c = 0; c < n_changes; c++)
        for (size_t row = 0; row < HEIGHT; row++)
            grid[row][change[c].at * columns / n] = '|';
    for (size_t t = 0; t < n && lo <= hi; t++) {
        double height = hi > lo ? (v[t] - lo) / (hi - lo) : 0.5;

        if (isnan(v[t]))
            continue;
        char *cell = &grid[HEIGHT - 1 - (size_t)lround(height * (HEIGHT - 1))][t * columns / n];
        *cell = *cell == '*' || *cell == '@' ? '@' : '*';
    }
    for (size_t row = 0; row < HEIGHT && lo <= hi; row++) {
        size_t end = columns;

        while (end > 0 && grid[row][end - 1] == ' ')
            end--;
        plot_labels(page, row, lo, hi);
        (void)fprintf(page->out, "%s%s%.*s\n", page_sign(page, SIGN_ZERO), end > 0 ? " " : "",
                      (int)end, grid[row]);
    }
    CLEAN_MEM char *first = page_name(page, history->time.v[0], 30, false);
    CLEAN_MEM char *last = page_name(page, history->time.v[n - 1], 30, false);
    (void)fprintf(page->out, "%*s %s to %s, %zu points\n\n", LABEL, "", first, last, n);
}

static void print_text(const struct history *history, const struct history_change *change, size_t n,
                       const struct report_style *style, FILE *out)
{
    CLEAN_MEM char *hosts = page_count(history->host.n, "host");
    CLEAN_MEM char *points = page_count(history->time.n, "point");
    CLEAN_MEM double *v = middle(history);
    struct page page;

    page_init(&page, style, out);
    if (!style->quiet) {
        plot(&page, history, v, change, n);
        page_line(&page, "", 0, "Tested against reference, in percent of the reference%s; %s, %s.",
                  history->host.n > 1 ? " (median over hosts)" : "", points, hosts);
    }
    if (n == 0)
        page_line(&page, "", 0, "No change point.");
    for (size_t c = 0; c < n && change[c].at < history->time.n; c++) {
        CLEAN_MEM char *time = page_name(&page, history->time.v[change[c].at], 40, false);
        char before[NUM_SIZE], after[NUM_SIZE], shift[NUM_SIZE], p[NUM_SIZE];

        num_percent(pct(change[c].before), before);
        num_percent(pct(change[c].after), after);
        num_percent(pct(change[c].shift), shift);
        num_p(change[c].p, p);
        page_line(&page, "", 2, "Change at %s (point %zu): shift %s, from %s to %s (%s).", time,
                  change[c].at, shift, before, after, p);
    }
}

static void print_json(const struct history *history, const struct history_change *change, size_t n,
                       FILE *out)
{
    CLEAN_DONE(jot) struct jot jot = {0};

    jot_open(&jot, NULL, '{');
    jot_int(&jot, "schema", 1);
    jot_count(&jot, "points", history->time.n);
    jot_texts(&jot, "hosts", &history->host);
    jot_open(&jot, "changes", '[');
    for (size_t c = 0; c < n && change[c].at < history->time.n; c++) {
        jot_open(&jot, NULL, '{');
        jot_count(&jot, "at", change[c].at);
        jot_text(&jot, "time", history->time.v[change[c].at]);
        jot_number(&jot, "before", change[c].before);
        jot_number(&jot, "after", change[c].after);
        jot_number(&jot, "shift", change[c].shift);
        jot_number(&jot, "pct", pct(change[c].shift));
        jot_number(&jot, "p", change[c].p);
        jot_close(&jot, '{');
    }
    jot_close(&jot, '[');
    jot_close(&jot, '{');
    (void)fprintf(out, "%s\n", str_get(&jot.text));
}

int offline_history(const struct offline_history_options *options, const struct report_style *style,
                    FILE *out, struct err *err)
{
    CLEAN_DONE(history) struct history history = {0};
    CLEAN_MEM struct history_series *series = NULL;
    CLEAN_MEM struct history_change *change = NULL;
    size_t n = 0;

    if (load(options->from, &history, err) < 0)
        return -1;

    const struct history_options how = {
        .theta = log1p(options->min_effect), .alpha = options->alpha, .seed = options->seed};

    series = mem_array(struct history_series, history.host.n);
    for (size_t h = 0; h < history.host.n; h++)
        series[h] = (struct history_series){history.host.v[h], history.v[h]};
    history_change_points(series, history.host.n, history.time.n, &how, &change, &n);
    if (options->json)
        print_json(&history, change, n, out);
    else
        print_text(&history, change, n, style, out);
    return 0;
}
