/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster show`: arguments, which columns, which rows; the forms are show_*.c.
 */
#include "coordinator/report/show.h"

#include <stdlib.h>
#include <string.h>

/* Columns in the order people look for them. */
static const char *const USUAL[] = {"elapsed_s", "user_s", "sys_s",  "gc_time",   "minflt",
                                    "majflt",    "nvcsw",  "nivcsw", "maxrss_kib"};

struct form {
    const char *name;
    int (*text)(struct show *show, struct err *err);
    int (*json)(struct show *show, struct err *err);
    enum show_by by; /* unless told */
};
static const struct form FORMS[] = {
    {"table",   show_table,   show_samples_json, SHOW_BY_HOST  },
    {"plot",    show_plot,    show_samples_json, SHOW_BY_HOST  },
    {"load",    show_load,    show_samples_json, SHOW_BY_HOST  },
    {"compare", show_compare, show_stats_json,   SHOW_BY_HOST  },
    {"percent", show_percent, show_stats_json,   SHOW_BY_FACTOR},
};

bool show_judged(const struct frame *frame, size_t row)
{
    return frame->outcome[row] == OUTCOME_OK &&
           (frame->flags[row] & (FRAME_WARMUP | FRAME_PROFILED)) == 0;
}

const double *show_values(const struct show *show, const struct frame *frame, size_t m)
{
    return frame_find_number(frame, show->metric.v[m]);
}

char *show_cell(const struct show *show, size_t cell)
{
    const struct experiment *spec = show->run->spec;
    struct str out = {0};
    for (size_t f = 0; f < spec->n_factors; f++) {
        str_addf(&out, "%s%s = %s", f == 0 ? "" : ", ", spec->factor[f].name,
                 experiment_level(spec, cell, f));
    }
    return str_take(&out);
}

int show_each(struct show *show,
              int (*on_host)(struct show *show, size_t trial, const struct frame *frame, void *arg,
                             struct err *err),
              void *arg, struct err *err)
{
    for (size_t i = 0; i < show->trials.n; i++) {
        CLEAN(frame) struct frame *frame = NULL;
        if (store_frame_get(show->call->store, show->run->id, show->trials.v[i]->host, &frame,
                            err) != 0 ||
            on_host(show, i, frame, arg, err) != 0) {
            return err_wrap(err, "samples of %s", show->trials.v[i]->host);
        }
    }
    return 0;
}

static int by_order(const void *a, const void *b)
{
    const struct show_row *x = a, *y = b;
    const uint64_t pairs[4][2] = {
        {x->group,   y->group  },
        {x->session, y->session},
        {x->place,   y->place  },
        {x->row,     y->row    }
    };
    for (size_t i = 0; i < 4; i++) {
        if (pairs[i][0] != pairs[i][1]) {
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
        }
    }
    return 0;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool positions_run_on(const struct show_row *rows, size_t n)
{
    uint64_t *at = mem_array(uint64_t, n);
    bool distinct = true;
    for (size_t i = 0; i < n; i++) {
        at[i] = (uint64_t)rows[i].session << 32 | rows[i].position;
    }
    qsort(at, n, sizeof *at, by_number);
    for (size_t i = 1; i < n; i++) {
        distinct = distinct && at[i] != at[i - 1];
    }
    mem_free(at);
    return distinct;
}

struct show_row *show_rows(const struct show *show, const struct frame *frame, size_t *ret_n)
{
    struct show_row *rows = mem_array(struct show_row, frame->n);
    size_t n = 0;
    for (size_t i = 0; i < frame->n; i++) {
        if (!show_judged(frame, i) || frame->variant[i] >= show->run->spec->n_variants ||
            frame->cell[i] >= show->n_cells) {
            continue;
        }
        size_t group = show->by == SHOW_BY_VARIANT  ? frame->variant[i]
                       : show->by == SHOW_BY_FACTOR ? frame->cell[i]
                                                    : 0;
        rows[n++] = (struct show_row){.group = group,
                                      .row = i,
                                      .session = frame->session[i],
                                      .round = frame->round[i],
                                      .position = frame->position[i]};
    }
    bool run_on = positions_run_on(rows, n);
    for (size_t i = 0; i < n; i++) {
        rows[i].place =
            run_on ? rows[i].position : (uint64_t)rows[i].round << 32 | rows[i].position;
    }
    qsort(rows, n, sizeof *rows, by_order);
    *ret_n = n;
    return rows;
}

static void add_once(struct strlist *list, const struct strlist *known, const char *name)
{
    if (strlist_has(known, name) && !strlist_has(list, name)) {
        strlist_add(list, name);
    }
}

static int choose_metrics(struct show *show, struct err *err)
{
    const struct experiment *spec = show->run->spec;
    struct strlist numbers CLEAN_DONE(strlist) = {0};
    struct strlist texts CLEAN_DONE(strlist) = {0};
    if (store_columns(show->call->store, show->run->id, &numbers, &texts, err) != 0) {
        return -1;
    }
    const char *only = query_text(show->call, "metric");
    if (only != NULL) {
        if (!strlist_has(&numbers, only)) {
            const char *near = str_nearest(only, (const char *const *)numbers.v, numbers.n);
            return err_set(err, ERR_USAGE, "%s has no metric %s%s%s%s", show->run->experiment, only,
                           near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                           near != NULL ? "?" : "");
        }
        strlist_add(&show->metric, only);
        return 0;
    }
    add_once(&show->metric, &numbers, spec->metric);
    for (size_t i = 0; i < sizeof USUAL / sizeof *USUAL; i++) {
        add_once(&show->metric, &numbers, USUAL[i]);
    }
    for (size_t i = 0; i < spec->n_metric_defs; i++) {
        add_once(&show->metric, &numbers, spec->metric_def[i].name);
    }
    for (size_t i = 0; i < numbers.n; i++) {
        add_once(&show->metric, &numbers, numbers.v[i]);
    }
    return 0;
}

static int choose_hosts(struct show *show, struct err *err)
{
    if (store_trials(show->call->store, show->run->id, &show->trials, err) != 0) {
        return -1;
    }
    const char *only = query_text(show->call, "host");
    if (only == NULL) {
        return 0;
    }
    size_t n = 0;
    for (size_t i = 0; i < show->trials.n; i++) {
        if (str_eq(show->trials.v[i]->host, only)) {
            show->trials.v[n++] = show->trials.v[i];
        } else {
            trial_free(show->trials.v[i]);
        }
    }
    show->trials.n = n;
    return n > 0 ? 0
                 : err_set(err, ERR_NOT_FOUND, "%s did not run on host %s", show->run->experiment,
                           only);
}

static int choose_by(struct show *show, const struct form *form, struct err *err)
{
    static const char *const words[] = {"host", "variant", "factor"};
    const char *by = query_text(show->call, "by");
    show->by = form->by;
    for (int i = 0; by != NULL && i < 3; i++) {
        if (str_eq(by, words[i])) {
            show->by = (enum show_by)i;
            return 0;
        }
    }
    return by == NULL ? 0
                      : err_set(err, ERR_USAGE, "by: found %s, allowed: host, variant, factor", by);
}

static void show_done(struct show *show)
{
    trial_list_done(&show->trials);
    strlist_done(&show->metric);
}

int query_show(struct query_call *call, struct err *err)
{
    const char *as = query_text(call, "as");
    const struct form *form = as == NULL ? &FORMS[0] : NULL;
    if (str_eq(as, "csv")) {
        bool narrowed = query_text(call, "metric") != NULL || query_text(call, "host") != NULL ||
                        query_text(call, "by") != NULL;
        return narrowed
                   ? err_set(err, ERR_USAGE,
                             "csv holds all hosts and metrics: metric, host and by do not apply")
                   : query_export(call, err);
    }
    for (size_t i = 0; form == NULL && i < sizeof FORMS / sizeof *FORMS; i++) {
        form = str_eq(FORMS[i].name, as) ? &FORMS[i] : NULL;
    }
    if (form == NULL) {
        return err_set(err, ERR_USAGE,
                       "as: found %s, allowed: table, compare, percent, plot, load, csv", as);
    }
    CLEAN(run) struct run *run = NULL;
    if (query_run(call, &run, err) != 0) {
        return -1;
    }
    struct show show CLEAN_DONE(show) = {
        .call = call, .run = run, .n_cells = experiment_cells(run->spec)};
    page_init(&show.page, &call->style, call->out);
    if (choose_by(&show, form, err) != 0 || choose_metrics(&show, err) != 0 ||
        choose_hosts(&show, err) != 0) {
        return -1;
    }
    return call->json ? form->json(&show, err) : form->text(&show, err);
}
