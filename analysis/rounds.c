/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From rows to rounds: picks one comparison's rows, puts them in the order they were taken, names
 * the design, pairs the arms. The rules are in docs/STATISTICS.md ("How runs are ordered").
 */
#include "analysis/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rounds_columns.h"
#include "base/mem.h"

#define ALTERNATING_LEAST 5

static int by_order(const void *a, const void *b)
{
    const struct rounds_row *x = a, *y = b;

    if (x->stretch != y->stretch)
        return x->stretch < y->stretch ? -1 : 1;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    if (x->arm != y->arm)
        return x->arm - y->arm;
    return (x->index > y->index) - (x->index < y->index);
}

static int by_round(const void *a, const void *b)
{
    const struct rounds_row *x = a, *y = b;

    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* qsort, but nothing to do for rows that stand in order already: the common case. */
static void sort_rows(struct rounds_row *row, size_t n, int (*compare)(const void *, const void *))
{
    size_t i = 1;

    while (i < n && compare(&row[i - 1], &row[i]) <= 0)
        i++;
    if (i < n)
        qsort(row, n, sizeof *row, compare);
}

static uint64_t session_place(const struct frame *frame, size_t row)
{
    return (uint64_t)frame->session[row] << 32 | frame->position[row];
}

static bool positions_distinct(const struct frame *frame, const struct rounds_row *row, size_t n)
{
    uint64_t *v, most = 0;
    bool distinct = true, rising = true;

    for (size_t i = 0; i < n; i++) {
        const uint64_t here = session_place(frame, row[i].index);

        rising = rising && (i == 0 || here > session_place(frame, row[i - 1].index));
        most = here > most ? here : most;
    }
    if (rising || n > most + 1) /* nothing to sort: all apart, or more rows than places */
        return rising;
    v = mem_array(uint64_t, n + 1);
    for (size_t i = 0; i < n; i++)
        v[i] = session_place(frame, row[i].index);
    rounds_sort_u64(v, n);
    for (size_t i = 1; i < n && distinct; i++)
        distinct = v[i] != v[i - 1];
    mem_free(v);
    return distinct;
}

/* Rows of the comparison, in the order they were taken: by position over the host where positions
 * are all distinct, else by round and position. */
static struct rounds_row *pick_rows(const struct frame *frame, const struct rounds_options *o,
                                    size_t *ret_n)
{
    struct rounds_row *row = mem_array(struct rounds_row, frame->n + 1);
    size_t n = 0;

    for (size_t i = 0; i < frame->n; i++) {
        const bool ours = frame->variant[i] == o->base || frame->variant[i] == o->candidate;

        if (!ours || frame->cell[i] != o->cell ||
            (frame->flags[i] & (FRAME_WARMUP | FRAME_PROFILED)))
            continue;
        row[n++] = (struct rounds_row){.index = i,
                                       .round = (uint64_t)frame->session[i] << 32 | frame->round[i],
                                       .position = frame->position[i],
                                       .arm = frame->variant[i] == o->candidate,
                                       .ended_well = frame->outcome[i] == OUTCOME_OK};
    }
    const bool distinct = positions_distinct(frame, row, n);

    for (size_t i = 0; i < n; i++)
        row[i].stretch = distinct ? frame->session[row[i].index] : row[i].round;
    sort_rows(row, n, by_order);
    for (size_t i = 0; i < n; i++)
        row[i].place = i;
    *ret_n = n;
    return row;
}

/* A round whose rows are not neighbours makes the host blocked; the same arm first in every common
 * round, alternating. */
static enum design name_design(const struct rounds_row *row, size_t n, bool unknown)
{
    size_t common = 0, candidate_first = 0, well = 0;
    bool contiguous = true;

    for (size_t i = 0; i < n;) {
        size_t end = i;
        bool arm[2] = {false, false};
        int first = -1;

        for (; end < n && row[end].round == row[i].round; end++)
            if (row[end].ended_well) {
                well++;
                first = first < 0 ? row[end].arm : first;
                arm[row[end].arm] = true;
            }
        contiguous = contiguous && row[end - 1].place - row[i].place == end - i - 1;
        if (arm[0] && arm[1]) {
            common++;
            candidate_first += first == 1;
        }
        i = end;
    }
    if (well == 0)
        return DESIGN_NONE;
    if (unknown || common == 0)
        return DESIGN_UNPAIRED;
    if (!contiguous)
        return DESIGN_BLOCKED;
    if (common >= ALTERNATING_LEAST && (candidate_first == 0 || candidate_first == common))
        return DESIGN_ALTERNATING;
    return DESIGN_RANDOMISED;
}

static bool good(double value, bool by_difference)
{
    return isfinite(value) && (by_difference || value > 0);
}

static void make_room(struct host_rounds *ret, size_t rounds, size_t runs,
                      const struct rounds_columns *columns)
{
    ret->round = mem_array(uint32_t, rounds + 1);
    ret->session = mem_array(uint32_t, rounds + 1);
    ret->d = mem_array(double, rounds + 1);
    ret->base = mem_array(double, rounds + 1);
    ret->candidate = mem_array(double, rounds + 1);
    for (int arm = 0; arm < 2; arm++) {
        ret->load[arm] = mem_array(double, rounds + 1);
        ret->run[arm] = mem_array(double, runs + 1);
        ret->run_position[arm] = mem_array(double, runs + 1);
        for (int p = 0; p < 4 && columns->has_parts; p++)
            ret->run_part[arm][p] = mem_array(double, runs + 1);
    }
    for (int p = 0; p < 4 && columns->has_parts; p++)
        ret->part[p] = mem_array(double, rounds + 1);
}

struct sums { /* of one arm in one round */
    double logs, raw, parts[4], load;
    size_t n, n_load;
};

static void add_run(const struct rounds_columns *columns, const struct rounds_row *row,
                    double value, struct sums *sums, struct host_rounds *ret)
{
    const int arm = row->arm;
    double part[4], load = columns->load ? columns->load[row->index] : NAN;
    const size_t at = ret->n_run[arm]++;

    sums->logs += columns->by_difference ? 0 : log(value);
    sums->raw += value;
    sums->n++;
    if (isfinite(load)) {
        sums->load += load;
        sums->n_load++;
    }
    ret->run[arm][at] = value;
    ret->run_position[arm][at] = (double)row->place;
    if (!columns->has_parts)
        return;
    rounds_parts(columns, row->index, part);
    for (int p = 0; p < 4; p++) {
        sums->parts[p] += part[p];
        ret->run_part[arm][p][at] = part[p];
    }
}

/* The workload's own doing, not that of whoever stopped it. */
static bool is_failure(enum outcome outcome)
{
    return outcome == OUTCOME_FAILED || outcome == OUTCOME_TIMEOUT ||
           outcome == OUTCOME_NOT_STARTED || outcome == OUTCOME_NO_METRIC;
}

/* Words on the first sample that had no good value. */
static void note_bad(const struct frame *frame, const char *metric, const struct rounds_row *row,
                     double value, struct host_rounds *ret)
{
    const unsigned round = frame->round[row->index];

    if (ret->first_bad)
        return;
    if (!row->ended_well)
        ret->first_bad = mem_printf("round %u: a sample ended as %s", round,
                                    outcome_name((enum outcome)frame->outcome[row->index]));
    else if (isfinite(value))
        ret->first_bad = mem_printf("round %u: %s is %.6g", round, metric, value);
    else
        ret->first_bad = mem_printf("round %u: %s is missing", round, metric);
}

/* One round: rows [0, n) of it in order. Counts and keeps what can be paired. */
static void add_round(const struct frame *frame, const struct rounds_columns *columns,
                      const struct rounds_metric *metric, const struct rounds_row *row, size_t n,
                      struct host_rounds *ret)
{
    const double sign = metric->higher_is_better ? -1 : 1;
    struct sums sums[2] = {{0}};
    const size_t r = ret->n;

    for (size_t i = 0; i < n; i++) {
        const double value = rounds_value(columns, row[i].index);

        ret->failed[row[i].arm] += is_failure((enum outcome)frame->outcome[row[i].index]);
        if (row[i].ended_well && good(value, columns->by_difference))
            add_run(columns, &row[i], value, &sums[row[i].arm], ret);
        else
            note_bad(frame, metric->name, &row[i], value, ret);
    }
    if (sums[0].n == 0 || sums[1].n == 0) {
        ret->dropped++;
        return;
    }
    const double a = (double)sums[0].n, b = (double)sums[1].n;

    ret->round[r] = frame->round[row[0].index];
    ret->session[r] = frame->session[row[0].index];
    ret->base[r] = sums[0].raw / a;
    ret->candidate[r] = sums[1].raw / b;
    ret->d[r] = sign * (columns->by_difference ? ret->candidate[r] - ret->base[r]
                                               : sums[1].logs / b - sums[0].logs / a);
    for (int arm = 0; arm < 2; arm++)
        ret->load[arm][r] = sums[arm].n_load ? sums[arm].load / (double)sums[arm].n_load : NAN;
    for (int p = 0; p < 4 && columns->has_parts; p++)
        ret->part[p][r] = sums[1].parts[p] / b - sums[0].parts[p] / a;
    rounds_labels_set(columns, row, n, r, ret);
    ret->n++;
}

/* Runs were added round by round; the tests on their order want the order they were taken in. */
static void sort_runs(struct host_rounds *ret)
{
    for (int arm = 0; arm < 2; arm++) {
        const size_t n = ret->n_run[arm];
        double **column[6] = {&ret->run[arm],         &ret->run_part[arm][0],
                              &ret->run_part[arm][1], &ret->run_part[arm][2],
                              &ret->run_part[arm][3], &ret->run_position[arm]};
        size_t *place, in_order = 1;
        double *copy;

        while (in_order < n &&
               ret->run_position[arm][in_order - 1] <= ret->run_position[arm][in_order])
            in_order++;
        if (in_order >= n)
            continue;
        place = mem_array(size_t, n + 1);
        copy = mem_array(double, n + 1);
        rounds_sort_index(ret->run_position[arm], n, place);
        for (int c = 0; c < 6; c++) {
            double *v = *column[c];

            if (!v)
                continue;
            for (size_t i = 0; i < n; i++)
                copy[i] = v[place[i]];
            memcpy(v, copy, n * sizeof *v);
        }
        mem_free(place);
        mem_free(copy);
    }
}

static double mean_of(const double *v, size_t n)
{
    double mean = 0;

    for (size_t i = 0; i < n; i++)
        mean += v[i] / (double)n;
    return mean;
}

/* Differences become shares of the base's mean, so that they can be held against the smallest
 * effect that matters; of the candidate's where the base has none of it. */
static void scale_differences(struct host_rounds *ret)
{
    const double base = fabs(mean_of(ret->run[0], ret->n_run[0])),
                 candidate = fabs(mean_of(ret->run[1], ret->n_run[1]));

    ret->scale = base > 0 ? base : candidate > 0 ? candidate : 1;
    for (size_t r = 0; r < ret->n; r++)
        ret->d[r] /= ret->scale;
}

void host_rounds_build(const struct frame *frame, const struct rounds_options *options,
                       struct host_rounds *ret)
{
    size_t n = 0, rounds = 0;
    struct rounds_row *row = pick_rows(frame, options, &n),
                      *grouped = mem_dup(row, (n + 1) * sizeof *row);
    struct rounds_columns columns;

    *ret = (struct host_rounds){.resolution = NAN, .scale = 1};
    sort_rows(grouped, n, by_round);
    for (size_t i = 0; i < n; i++)
        rounds += i == 0 || grouped[i].round != grouped[i - 1].round;
    ret->design = name_design(grouped, n, options->design_unknown);
    rounds_columns_find(frame, options, &columns);
    make_room(ret, rounds, n, &columns);
    rounds_labels_begin(&columns, rounds, ret);
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;

        while (end < n && grouped[end].round == grouped[i].round)
            end++;
        add_round(frame, &columns, &options->metric, &grouped[i], end - i, ret);
        i = end;
    }
    sort_runs(ret);
    if (columns.by_difference)
        scale_differences(ret);
    ret->samples[0] = ret->n_run[0];
    ret->samples[1] = ret->n_run[1];
    ret->resolution = rounds_resolution(ret);
    ret->arms_differ = rounds_arms_differ(frame, options, row, n);
    rounds_columns_done(&columns);
    mem_free(grouped);
    mem_free(row);
}
