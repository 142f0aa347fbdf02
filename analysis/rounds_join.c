/* SPDX-License-Identifier: GPL-3.0-or-later
 * One machine measured under several names: its rounds put one behind the other. And the end of a
 * host's rounds. */
#include "analysis/rounds.h"

#include <math.h>
#include <string.h>

#include "analysis/rounds_columns.h"
#include "base/mem.h"

static void append(double **into, size_t n, const double *more, size_t m)
{
    *into = mem_resize(*into, n + m + 1, sizeof **into);
    if (m > 0)
        memcpy(*into + n, more, m * sizeof **into);
}

static void drop_parts(struct host_rounds *rounds)
{
    for (int p = 0; p < 4; p++) {
        mem_free(rounds->part[p]);
        rounds->part[p] = NULL;
        for (int arm = 0; arm < 2; arm++) {
            mem_free(rounds->run_part[arm][p]);
            rounds->run_part[arm][p] = NULL;
        }
    }
}

/* The list's own copy of a level, added when new. */
static const char *own_level(struct strlist *levels, const char *text)
{
    if (!text)
        return NULL;
    for (size_t i = 0; i < levels->n; i++)
        if (strcmp(levels->v[i], text) == 0)
            return levels->v[i];
    strlist_add(levels, text);
    return levels->v[levels->n - 1];
}

static const struct rounds_label *find_label(const struct host_rounds *rounds, const char *name)
{
    for (size_t l = 0; l < rounds->n_labels; l++)
        if (strcmp(rounds->label[l].name, name) == 0)
            return &rounds->label[l];
    return NULL;
}

static void join_label(struct rounds_label *label, size_t n, const struct rounds_label *more,
                       size_t m)
{
    if (label->text) {
        label->text = mem_resize((void *)label->text, n + m + 1, sizeof *label->text);
        for (size_t r = 0; r < m; r++)
            label->text[n + r] =
                more && more->text ? own_level(&label->level, more->text[r]) : NULL;
    } else {
        label->number = mem_resize(label->number, n + m + 1, sizeof *label->number);
        for (size_t r = 0; r < m; r++)
            label->number[n + r] = more && more->number ? more->number[r] : NAN;
    }
}

static void join_runs(struct host_rounds *into, struct host_rounds *more)
{
    double after = 0; /* the other host's runs stand behind these */

    for (int arm = 0; arm < 2; arm++)
        if (into->n_run[arm] > 0)
            after = fmax(after, into->run_position[arm][into->n_run[arm] - 1] + 1);
    for (int arm = 0; arm < 2; arm++) {
        const size_t n = into->n_run[arm], m = more->n_run[arm];

        for (size_t i = 0; i < m; i++)
            more->run_position[arm][i] += after;
        append(&into->run[arm], n, more->run[arm], m);
        append(&into->run_position[arm], n, more->run_position[arm], m);
        for (int p = 0; p < 4 && into->part[p]; p++)
            append(&into->run_part[arm][p], n, more->run_part[arm][p], m);
        into->n_run[arm] += m;
        into->samples[arm] += more->samples[arm];
        into->failed[arm] += more->failed[arm];
    }
}

/* The weaker of the two; that of the one with rounds where the other has none. */
static enum design joined_design(const struct host_rounds *a, const struct host_rounds *b)
{
    if ((a->n > 0) != (b->n > 0))
        return a->n > 0 ? a->design : b->design;
    return a->design > b->design ? a->design : b->design;
}

void host_rounds_join(struct host_rounds *into, struct host_rounds *more)
{
    const uint32_t after = into->n ? into->session[into->n - 1] + 1 : 0;

    if (!into->part[0] || !more->part[0]) {
        drop_parts(into);
        drop_parts(more);
    }
    into->design = joined_design(into, more);
    for (size_t l = 0; l < into->n_labels; l++)
        join_label(&into->label[l], into->n, find_label(more, into->label[l].name), more->n);
    into->round = mem_resize(into->round, into->n + more->n + 1, sizeof *into->round);
    into->session = mem_resize(into->session, into->n + more->n + 1, sizeof *into->session);
    for (size_t r = 0; r < more->n; r++) {
        into->round[into->n + r] = more->round[r];
        into->session[into->n + r] = after + more->session[r];
    }
    append(&into->d, into->n, more->d, more->n);
    append(&into->base, into->n, more->base, more->n);
    append(&into->candidate, into->n, more->candidate, more->n);
    for (int arm = 0; arm < 2; arm++)
        append(&into->load[arm], into->n, more->load[arm], more->n);
    for (int p = 0; p < 4 && into->part[p]; p++)
        append(&into->part[p], into->n, more->part[p], more->n);
    join_runs(into, more);
    into->n += more->n;
    into->dropped += more->dropped;
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
