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

    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int by_round(const void *a, const void *b)
{
    const struct rounds_row *x = a, *y = b;

    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    return by_order(a, b);
}

static bool positions_distinct(const struct frame *frame, const struct rounds_row *row, size_t n)
{
    uint64_t *v = mem_array(uint64_t, n + 1);
    bool distinct = true;

    for (size_t i = 0; i < n; i++)
        v[i] = (uint64_t)frame->session[row[i].index] << 32 | frame->position[row[i].index];
    rounds_sort_u64(v, n);
    for (size_t i = 1; i < n && distinct; i++)
        distinct = v[i] != v[i - 1];
    mem_free(v);
    return distinct;
}

/* Rows of the comparison, in the order they were taken. */
static struct rounds_row *pick_rows(const struct frame *frame, const struct rounds_options *o,
                                    size_t *ret_n)
{
    struct rounds_row *row = mem_array(struct rounds_row, frame->n + 1);
    size_t n = 0;

    for (size_t i = 0; i < frame->n; i++) {
        const bool ours = frame->variant[i] == o->base || frame->variant[i] == o->candidate;

        if (!ours || frame->cell[i] != o->cell || frame->outcome[i] != OUTCOME_OK ||
            (frame->flags[i] & (FRAME_WARMUP | FRAME_PROFILED)))
            continue;
        row[n++] = (struct rounds_row){.index = i,
                                       .round = (uint64_t)frame->session[i] << 32 | frame->round[i],
                                       .arm = frame->variant[i] == o->candidate};
    }
    const bool distinct = positions_distinct(frame, row, n);

    for (size_t i = 0; i < n; i++) {
        const size_t at = row[i].index;

        row[i].order = distinct ? (double)frame->session[at] * 0x1p32 + frame->position[at]
                                : (double)row[i].round * 0x1p20 + frame->position[at];
    }
    qsort(row, n, sizeof *row, by_order);
    for (size_t i = 0; i < n; i++)
        row[i].place = i;
    *ret_n = n;
    return row;
}

/* A round whose rows are not neighbours makes the host blocked; the same arm first in every common
 * round, alternating. */
static enum design name_design(const struct rounds_row *in_order,
                               const struct rounds_row *by_rounds, size_t n, bool unknown)
{
    size_t common = 0, candidate_first = 0;
    bool contiguous = true;

    if (n == 0)
        return DESIGN_NONE;
    for (size_t i = 0; i < n;) {
        size_t end = i;
        bool arm[2] = {false, false};

        for (; end < n && by_rounds[end].round == by_rounds[i].round; end++)
            arm[by_rounds[end].arm] = true;
        contiguous = contiguous && by_rounds[end - 1].place - by_rounds[i].place == end - i - 1;
        if (arm[0] && arm[1]) {
            common++;
            candidate_first += by_rounds[i].arm == 1;
        }
        i = end;
    }
    (void)in_order;
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

static void note_bad(const struct frame *frame, const struct rounds_row *row, double value,
                     struct host_rounds *ret)
{
    if (ret->first_bad)
        return;
    ret->first_bad = isfinite(value)
                         ? mem_printf("round %u: %s value %.6g", frame->round[row->index],
                                      value < 0 ? "negative" : "zero", value)
                         : mem_printf("round %u: no value", frame->round[row->index]);
}

/* One round: rows [0, n) of it in order. Counts and keeps what can be paired. */
static void add_round(const struct frame *frame, const struct rounds_columns *columns, double sign,
                      const struct rounds_row *row, size_t n, struct host_rounds *ret)
{
    struct sums sums[2] = {{0}};
    const size_t r = ret->n;

    for (size_t i = 0; i < n; i++) {
        const double value = rounds_value(columns, row[i].index);

        if (good(value, columns->by_difference))
            add_run(columns, &row[i], value, &sums[row[i].arm], ret);
        else
            note_bad(frame, &row[i], value, ret);
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
        size_t *place = mem_array(size_t, n + 1);
        double *copy = mem_array(double, n + 1);
        double **column[6] = {&ret->run[arm],         &ret->run_part[arm][0],
                              &ret->run_part[arm][1], &ret->run_part[arm][2],
                              &ret->run_part[arm][3], &ret->run_position[arm]};

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

/* Differences become shares of the base's mean, so that they can be held against the smallest
 * effect that matters. */
static void scale_differences(struct host_rounds *ret)
{
    double mean = 0;

    for (size_t r = 0; r < ret->n; r++)
        mean += ret->base[r] / (double)ret->n;
    for (size_t r = 0; r < ret->n; r++)
        ret->d[r] = mean != 0 ? ret->d[r] / fabs(mean) : 0;
}

void host_rounds_build(const struct frame *frame, const struct rounds_options *options,
                       struct host_rounds *ret)
{
    size_t n = 0, rounds = 0;
    struct rounds_row *row = pick_rows(frame, options, &n),
                      *grouped = mem_dup(row, (n + 1) * sizeof *row);
    struct rounds_columns columns;
    const double sign = options->metric.higher_is_better ? -1 : 1;

    *ret = (struct host_rounds){.resolution = NAN};
    qsort(grouped, n, sizeof *grouped, by_round);
    for (size_t i = 0; i < n; i++)
        rounds += i == 0 || grouped[i].round != grouped[i - 1].round;
    ret->design = name_design(row, grouped, n, options->design_unknown);
    rounds_columns_find(frame, options, &columns);
    make_room(ret, rounds, n, &columns);
    rounds_labels_begin(&columns, rounds, ret);
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;

        while (end < n && grouped[end].round == grouped[i].round)
            end++;
        add_round(frame, &columns, sign, &grouped[i], end - i, ret);
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

static void append(double **into, size_t n, double **more, size_t m)
{
    if (!*into && !*more)
        return;
    *into = mem_resize(*into, n + m + 1, sizeof **into);
    for (size_t i = 0; i < m; i++)
        (*into)[n + i] = *more ? (*more)[i] : NAN;
}

static void join_labels(struct host_rounds *into, struct host_rounds *more)
{
    for (size_t l = 0; l < into->n_labels; l++) {
        struct rounds_label *label = &into->label[l];
        struct rounds_label *other = NULL;

        for (size_t k = 0; k < more->n_labels; k++)
            if (strcmp(more->label[k].name, label->name) == 0)
                other = &more->label[k];
        if (label->text)
            label->text =
                mem_resize((void *)label->text, into->n + more->n + 1, sizeof *label->text);
        else
            label->number = mem_resize(label->number, into->n + more->n + 1, sizeof *label->number);
        for (size_t r = 0; r < more->n; r++)
            if (label->text)
                label->text[into->n + r] = other && other->text ? other->text[r] : NULL;
            else
                label->number[into->n + r] = other && other->number ? other->number[r] : NAN;
        for (size_t k = 0; other && k < other->level.n; k++) {
            strlist_add(&label->level, "");
            mem_free(label->level.v[label->level.n - 1]);
            label->level.v[label->level.n - 1] =
                mem_steal(&other->level.v[k]); /* the rounds point at it */
        }
    }
}

void host_rounds_join(struct host_rounds *into, struct host_rounds *more)
{
    const uint32_t after = into->n ? into->session[into->n - 1] + 1 : 0;
    const double last =
        into->n_run[0] + into->n_run[1] ? (double)(into->n_run[0] + into->n_run[1]) : 0;
    const bool parts = into->part[0] && more->part[0];

    if (into->design == DESIGN_NONE || more->design > into->design)
        into->design = more->design; /* the weaker design of the two */
    join_labels(into, more);
    into->round = mem_resize(into->round, into->n + more->n + 1, sizeof *into->round);
    into->session = mem_resize(into->session, into->n + more->n + 1, sizeof *into->session);
    for (size_t r = 0; r < more->n; r++) {
        into->round[into->n + r] = more->round[r];
        into->session[into->n + r] = after + more->session[r];
    }
    append(&into->d, into->n, &more->d, more->n);
    append(&into->base, into->n, &more->base, more->n);
    append(&into->candidate, into->n, &more->candidate, more->n);
    for (int arm = 0; arm < 2; arm++) {
        append(&into->load[arm], into->n, &more->load[arm], more->n);
        for (size_t i = 0; i < more->n_run[arm]; i++)
            more->run_position[arm][i] += last;
        append(&into->run[arm], into->n_run[arm], &more->run[arm], more->n_run[arm]);
        append(&into->run_position[arm], into->n_run[arm], &more->run_position[arm],
               more->n_run[arm]);
        for (int p = 0; p < 4; p++)
            append(&into->run_part[arm][p], into->n_run[arm], &more->run_part[arm][p],
                   more->n_run[arm]);
    }
    for (int p = 0; p < 4; p++) {
        append(&into->part[p], into->n, &more->part[p], more->n);
        if (!parts) {
            mem_free(into->part[p]);
            into->part[p] = NULL;
        }
    }
    into->n += more->n;
    into->dropped += more->dropped;
    for (int arm = 0; arm < 2; arm++) {
        into->n_run[arm] += more->n_run[arm];
        into->samples[arm] += more->samples[arm];
    }
    into->resolution = rounds_resolution(into);
    if (!into->arms_differ)
        into->arms_differ = mem_steal(&more->arms_differ);
    if (!into->first_bad)
        into->first_bad = mem_steal(&more->first_bad);
    host_rounds_done(more);
    *more = (struct host_rounds){0};
}

void host_rounds_done(struct host_rounds *rounds)
{
    mem_free(rounds->round);
    mem_free(rounds->session);
    mem_free(rounds->d);
    mem_free(rounds->base);
    mem_free(rounds->candidate);
    for (int p = 0; p < 4; p++)
        mem_free(rounds->part[p]);
    for (int arm = 0; arm < 2; arm++) {
        mem_free(rounds->load[arm]);
        mem_free(rounds->run[arm]);
        mem_free(rounds->run_position[arm]);
        for (int p = 0; p < 4; p++)
            mem_free(rounds->run_part[arm][p]);
    }
    for (size_t l = 0; l < rounds->n_labels; l++) {
        strlist_done(&rounds->label[l].level);
        mem_free((void *)rounds->label[l].text);
        mem_free(rounds->label[l].number);
        mem_free(rounds->label[l].name);
    }
    mem_free(rounds->label);
    mem_free(rounds->arms_differ);
    mem_free(rounds->first_bad);
}
