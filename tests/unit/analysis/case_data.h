/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cases of tests/cases/fleet as arrays, read by a reader of their own: hosts with their facts
 * and, from round-wise pairs, the effects and trimmed pairs that the pool is made of. Independent
 * of the code under test except for fact sets.
 */
#pragma once
#include "base/mem.h"
#include "base/str.h"
#include "model/host.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CASE_ROUNDS 64
#define CASE_COLUMNS 64
#define CASE_FIELD 128

struct case_host {
    char name[CASE_FIELD];
    struct fact_set *facts;
    size_t n;              /* rounds with both arms */
    double d[CASE_ROUNDS]; /* effects, > 0 is worse */
    double load_a[CASE_ROUNDS], load_b[CASE_ROUNDS];
    char sink[CASE_ROUNDS][CASE_FIELD]; /* stdout_kind of A's sample */
    double position[CASE_ROUNDS];       /* of A's sample */
    double y, v, df;                    /* trimmed pair */
    bool pooled;                        /* >= 5 rounds and not blocked */
    const json_t *expected;
};
struct case_data {
    struct case_host *host;
    size_t n;
    json_t *truth, *expected;
};

struct case_table {
    char name[CASE_COLUMNS][CASE_FIELD], field[CASE_COLUMNS][CASE_FIELD];
    size_t columns;
};

static inline FILE *case_open(const char *directory, const char *file)
{
    char path[1024];

    snprintf(path, sizeof path, TEST_SOURCE_DIR "/tests/cases/%s/%s", directory, file);

    FILE *in = fopen(path, "re");

    if (!in)
        fail_msg("cannot open %s", path);
    return in;
}

/* Reads one line of plain CSV (these files quote nothing) into `into`; false at the end. */
static inline bool case_line(FILE *in, char into[CASE_COLUMNS][CASE_FIELD], size_t *ret_columns)
{
    char line[8192], *at = line;
    size_t n = 0;

    do {
        if (!fgets(line, sizeof line, in))
            return false;
    } while (line[0] == '#');
    line[strcspn(line, "\r\n")] = '\0';
    for (bool more = true; more; n++) {
        size_t length = strcspn(at, ",");

        assert_true(n < CASE_COLUMNS && length < CASE_FIELD);
        memcpy(into[n], at, length);
        into[n][length] = '\0';
        more = at[length] == ',';
        at += length + 1;
    }
    *ret_columns = n;
    return true;
}

static inline const char *case_get(const struct case_table *table, const char *name)
{
    for (size_t i = 0; i < table->columns; i++)
        if (strcmp(table->name[i], name) == 0)
            return table->field[i];
    return "";
}

static inline double case_number(const struct case_table *table, const char *name)
{
    const char *text = case_get(table, name);

    return *text ? strtod(text, NULL) : NAN;
}

static inline struct case_host *case_find(struct case_data *data, const char *name)
{
    for (size_t i = 0; i < data->n; i++)
        if (strcmp(data->host[i].name, name) == 0)
            return &data->host[i];
    fail_msg("host %s is not in hosts.csv", name);
    return NULL;
}

static inline void case_read_hosts(struct case_data *data, const char *directory)
{
    FILE *in = case_open(directory, "hosts.csv");
    struct case_table *table = mem_new(struct case_table);
    size_t cap = 0;

    assert_true(case_line(in, table->name, &table->columns));
    while (case_line(in, table->field, &table->columns)) {
        data->host = mem_grow(data->host, &cap, data->n + 1, sizeof *data->host);

        struct case_host *host = &data->host[data->n++];

        memset(host, 0, sizeof *host);
        strcpy(host->name, case_get(table, "host"));
        host->facts = fact_set_new();
        for (size_t i = 0; i < table->columns; i++)
            if (strcmp(table->name[i], "host") != 0 && table->field[i][0])
                assert_int_equal(fact_set_put(host->facts, table->name[i], table->field[i],
                                              FACT_IDENTITY, "import", NULL),
                                 0);
    }
    mem_free(table);
    fclose(in);
}

struct case_sample {
    bool have[2];
    double value[2], load[2], position;
    char sink[CASE_FIELD];
};

static inline int case_rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* 20 % trimmed mean, its squared standard error from the Winsorised variance with divisor R - 1,
 * df. */
static inline void case_trim(const double *d, size_t n, double *ret_y, double *ret_v,
                             double *ret_df)
{
    double *sorted = mem_dup(d, n * sizeof *d), sum = 0.0, mean = 0.0, squares = 0.0;
    size_t g = n / 5;

    qsort(sorted, n, sizeof *sorted, case_rising);
    for (size_t i = g; i < n - g; i++)
        sum += sorted[i];
    for (size_t i = 0; i < n; i++) {
        sorted[i] = i < g ? sorted[g] : i >= n - g ? sorted[n - g - 1] : sorted[i];
        mean += sorted[i] / (double)n;
    }
    for (size_t i = 0; i < g; i++) /* the loop above met sorted[g] before it reached the first g */
        sorted[i] = sorted[g];
    for (size_t i = 0; i < n; i++)
        squares += (sorted[i] - mean) * (sorted[i] - mean);

    double inner = 1.0 - 2.0 * (double)g / (double)n;

    *ret_y = sum / (double)(n - 2 * g);
    *ret_v = squares / (double)(n - 1) / (inner * inner * (double)n);
    *ret_df = (double)(n - 2 * g - 1);
    mem_free(sorted);
}

static inline void case_read_samples(struct case_data *data, const char *directory)
{
    const char *metric = json_string_value(json_object_get(data->truth, "metric"));
    const char *better = json_string_value(json_object_get(data->truth, "better"));
    double sign = strcmp(better, "higher") == 0 ? -1.0 : 1.0;
    struct case_sample *sample = mem_array(struct case_sample, data->n * CASE_ROUNDS);
    struct case_table *table = mem_new(struct case_table);
    FILE *in = case_open(directory, "samples.csv");

    assert_true(case_line(in, table->name, &table->columns));
    while (case_line(in, table->field, &table->columns)) {
        size_t host = (size_t)(case_find(data, case_get(table, "host")) - data->host);
        size_t round = strtoul(case_get(table, "round"), NULL, 10);
        int arm = strcmp(case_get(table, "variant"), "B") == 0;

        assert_true(round < CASE_ROUNDS);

        struct case_sample *to = &sample[host * CASE_ROUNDS + round];

        to->have[arm] = true;
        to->value[arm] = case_number(table, metric);
        to->load[arm] = case_number(table, "load_other_cpu");
        if (arm == 0) {
            to->position = case_number(table, "position");
            strcpy(to->sink, case_get(table, "stdout_kind"));
        }
    }
    fclose(in);
    mem_free(table);
    for (size_t i = 0; i < data->n * CASE_ROUNDS; i++) {
        struct case_host *host = &data->host[i / CASE_ROUNDS];

        if (!sample[i].have[0] || !sample[i].have[1])
            continue;
        host->d[host->n] = sign * (log(sample[i].value[1]) - log(sample[i].value[0]));
        host->load_a[host->n] = sample[i].load[0];
        host->load_b[host->n] = sample[i].load[1];
        host->position[host->n] = sample[i].position;
        strcpy(host->sink[host->n++], sample[i].sink);
    }
    mem_free(sample);
}

static inline json_t *case_json(const char *directory, const char *file)
{
    json_error_t error;
    FILE *in = case_open(directory, file);
    json_t *json = json_loadf(in, 0, &error);

    fclose(in);
    if (!json)
        fail_msg("%s/%s: %s", directory, file, error.text);
    return json;
}

/* directory: "fleet/uniform". */
static inline void case_load(const char *directory, struct case_data *ret)
{
    const json_t *hosts, *expected;
    size_t i;

    *ret = (struct case_data){0};
    ret->truth = case_json(directory, "truth.json");
    ret->expected = case_json(directory, "expected.json");
    case_read_hosts(ret, directory);
    case_read_samples(ret, directory);
    hosts = json_object_get(ret->expected, "hosts");
    json_array_foreach(hosts, i, expected)
    {
        const char *design = json_string_value(json_object_get(expected, "design"));
        struct case_host *host =
            case_find(ret, json_string_value(json_object_get(expected, "host")));

        host->expected = expected;
        host->pooled = host->n >= 5 && design && strcmp(design, "blocked") != 0;
        if (host->pooled)
            case_trim(host->d, host->n, &host->y, &host->v, &host->df);
    }
}

static inline void case_done(struct case_data *data)
{
    for (size_t i = 0; i < data->n; i++)
        fact_set_free(data->host[i].facts);
    mem_free(data->host);
    json_decref(data->truth);
    json_decref(data->expected);
}

/* The pooled hosts' numbers side by side; returns how many. */
static inline size_t case_pool(const struct case_data *data, double *y, double *v, double *df)
{
    size_t k = 0;

    for (size_t i = 0; i < data->n; i++)
        if (data->host[i].pooled) {
            y[k] = data->host[i].y;
            v[k] = data->host[i].v;
            df[k++] = data->host[i].df;
        }
    return k;
}

static inline void case_near(const char *what, double want, double got, double tolerance)
{
    if (!(fabs(want - got) <= tolerance))
        fail_msg("%s: want %.12g within %.3g, got %.12g", what, want, tolerance, got);
}

/* want: a JSON number compared to 1e-6 relative (and 1e-9 absolute), or null for NaN. */
static inline void case_same(const char *what, const json_t *want, double got)
{
    if (!want || json_is_null(want)) {
        if (!isnan(got))
            fail_msg("%s: want null, got %.12g", what, got);
        return;
    }
    case_near(what, json_number_value(want), got, 1e-6 * fabs(json_number_value(want)) + 1e-9);
}

static const char *const case_fleets[] = {
    "fleet/aa",        "fleet/aa-alternating", "fleet/confounded",
    "fleet/fact",      "fleet/fact-8-hosts",   "fleet/gaps-and-dead-hosts",
    "fleet/host-only", "fleet/load",           "fleet/mixed",
    "fleet/modes",     "fleet/numeric",        "fleet/throughput",
    "fleet/uniform",   "fleet/wait",
};
#define CASE_FLEETS (sizeof case_fleets / sizeof *case_fleets)
