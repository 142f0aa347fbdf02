/* SPDX-License-Identifier: GPL-3.0-or-later
 * See rounds_columns.h. */
#include "analysis/rounds_columns.h"

#include <gsl/gsl_heapsort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rising.h"
#include "base/mem.h"

static const char *const difference_metrics[] = {"wait_s",        "minflt",        "majflt",
                                                 "nvcsw",         "nivcsw",        "migrations",
                                                 "io_read_bytes", "io_write_bytes"};
static const char *const nuisance_numbers[] = {"env_bytes", "cwd_bytes", "stack_offset"};

bool rounds_metric_by_difference(const char *name)
{
    for (size_t i = 0; i < sizeof difference_metrics / sizeof difference_metrics[0]; i++)
        if (strcmp(name, difference_metrics[i]) == 0)
            return true;
    return false;
}

static bool listed(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

void rounds_columns_find(const struct frame *frame, const struct rounds_options *options,
                         struct rounds_columns *ret)
{
    *ret = (struct rounds_columns){.metric = frame_find_number(frame, options->metric.name),
                                   .by_difference = options->metric.by_difference,
                                   .elapsed = frame_find_number(frame, "elapsed_s"),
                                   .user = frame_find_number(frame, "user_s"),
                                   .sys = frame_find_number(frame, "sys_s"),
                                   .load = frame_find_number(frame, "load_other_cpu"),
                                   .position = frame->position};
    ret->has_parts = ret->elapsed && ret->user && ret->sys;
    if (!ret->metric) {
        ret->derived_cpu = ret->user && ret->sys && strcmp(options->metric.name, "cpu_s") == 0;
        ret->derived_wait = ret->has_parts && strcmp(options->metric.name, "wait_s") == 0;
    }
    ret->text = mem_array(const struct frame_text *, frame->n_texts + 1);
    for (size_t t = 0; t < frame->n_texts; t++)
        if (!listed(frame->text[t].name, options->factor, options->n_factors) &&
            !listed(frame->text[t].name, options->part_of_variant, options->n_part_of_variant))
            ret->text[ret->n_texts++] = &frame->text[t];
    for (size_t i = 0; i < sizeof nuisance_numbers / sizeof nuisance_numbers[0]; i++) {
        const double *v = frame_find_number(frame, nuisance_numbers[i]);

        if (v && !listed(nuisance_numbers[i], options->factor, options->n_factors)) {
            ret->number[ret->n_numbers].name = nuisance_numbers[i];
            ret->number[ret->n_numbers++].v = v;
        }
    }
}

void rounds_columns_done(struct rounds_columns *columns)
{
    mem_free((void *)columns->text);
}

double rounds_value(const struct rounds_columns *columns, size_t row)
{
    if (columns->metric)
        return columns->metric[row];
    if (columns->derived_cpu)
        return columns->user[row] + columns->sys[row];
    if (columns->derived_wait)
        return columns->elapsed[row] - columns->user[row] - columns->sys[row];
    return NAN;
}

void rounds_parts(const struct rounds_columns *columns, size_t row, double ret[4])
{
    ret[0] = columns->elapsed[row];
    ret[1] = columns->user[row];
    ret[2] = columns->sys[row];
    ret[3] = ret[0] - ret[1] - ret[2];
    if (!isfinite(ret[3])) /* the four belong together: one is missing, all are */
        ret[0] = ret[1] = ret[2] = ret[3] = NAN;
}

/* Labels: one a nuisance text, one a nuisance number, and the base's place within the round. */
void rounds_labels_begin(const struct rounds_columns *columns, size_t rounds,
                         struct host_rounds *ret)
{
    ret->n_labels = columns->n_texts + columns->n_numbers + 1;
    ret->label = mem_array(struct rounds_label, ret->n_labels);
    for (size_t l = 0; l < ret->n_labels; l++) {
        struct rounds_label *label = &ret->label[l];

        if (l < columns->n_texts) {
            label->name = mem_strdup(columns->text[l]->name);
            label->text = mem_array(const char *, rounds + 1);
            for (size_t k = 0; k < columns->text[l]->n_levels; k++)
                strlist_add(&label->level, columns->text[l]->level[k]);
        } else if (l < columns->n_texts + columns->n_numbers) {
            label->name = mem_strdup(columns->number[l - columns->n_texts].name);
            label->number = mem_array(double, rounds + 1);
        } else {
            label->name = mem_strdup("position");
            label->text = mem_array(const char *, rounds + 1);
            strlist_add(&label->level, "base first");
            strlist_add(&label->level, "candidate first");
        }
    }
}

void rounds_labels_set(const struct rounds_columns *columns, const struct rounds_row *row, size_t n,
                       size_t round, struct host_rounds *ret)
{
    size_t base = 0;

    while (base + 1 < n && row[base].arm != 0)
        base++;
    for (size_t l = 0; l < ret->n_labels; l++) {
        struct rounds_label *label = &ret->label[l];

        if (l < columns->n_texts) {
            const uint32_t level = columns->text[l]->v[row[base].index];

            label->text[round] = level == FRAME_UNKNOWN ? NULL : label->level.v[level];
        } else if (l < columns->n_texts + columns->n_numbers) {
            label->number[round] = columns->number[l - columns->n_texts].v[row[base].index];
        } else {
            label->text[round] = label->level.v[base != 0];
        }
    }
}

/* The one level of an arm's rows; FRAME_UNKNOWN when none is known, -2 when they differ. */
#define SEVERAL (FRAME_UNKNOWN - 1)
static uint32_t only_level(const struct frame_text *text, const struct rounds_row *row, size_t n,
                           int arm)
{
    uint32_t level = FRAME_UNKNOWN;

    for (size_t i = 0; i < n; i++) {
        const uint32_t here = text->v[row[i].index];

        if (row[i].arm != arm || here == FRAME_UNKNOWN)
            continue;
        if (level != FRAME_UNKNOWN && level != here)
            return SEVERAL;
        level = here;
    }
    return level;
}

char *rounds_arms_differ(const struct frame *frame, const struct rounds_options *options,
                         const struct rounds_row *row, size_t n)
{
    const char *first = NULL;

    for (size_t t = 0; t < frame->n_texts; t++) {
        const struct frame_text *text = &frame->text[t];

        if (listed(text->name, options->part_of_variant, options->n_part_of_variant) ||
            listed(text->name, options->factor, options->n_factors))
            continue;
        const uint32_t a = only_level(text, row, n, 0), b = only_level(text, row, n, 1);

        if (a < SEVERAL && b < SEVERAL && a != b && (!first || strcmp(text->name, first) < 0))
            first = text->name;
    }
    return mem_strdup(first);
}

double rounds_resolution(const struct host_rounds *rounds)
{
    const size_t n = rounds->n_run[0] + rounds->n_run[1];
    double *v = mem_array(double, n + 1), step = INFINITY, sum = 0;

    for (int arm = 0; arm < 2; arm++)
        for (size_t i = 0; i < rounds->n_run[arm]; i++)
            v[i + (arm ? rounds->n_run[0] : 0)] = rounds->run[arm][i];
    rising_sort(v, n);
    for (size_t i = 0; i < n; i++) {
        sum += v[i];
        if (i > 0 && v[i] > v[i - 1])
            step = fmin(step, v[i] - v[i - 1]);
    }
    if (isinf(step) && n > 0) { /* one value only: the last digit it was printed with */
        step = 1;
        while (step > 1e-12 && fabs(remainder(v[0], step)) > step * 1e-6)
            step /= 10;
    }
    mem_free(v);
    return n && sum != 0 ? step / fabs(sum / (double)n) : NAN;
}

static int compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

void rounds_sort_u64(uint64_t *v, size_t n)
{
    qsort(v, n, sizeof *v, compare_u64);
}

static int compare_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void rounds_sort_index(const double *key, size_t n, size_t *ret_index)
{
    gsl_heapsort_index(ret_index, key, n, sizeof *key, compare_double);
}
