/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums up samples for the compare and percent tables and writes the sums as JSON.
 */
#include "coordinator/report/show_stats.h"

#include "coordinator/report/jot.h"

#include <math.h>

void show_stats_done(struct show_stats *stats)
{
    mem_free(stats->v);
}

static size_t index_of(const struct show_stats *s, size_t host, size_t cell, size_t variant,
                       size_t metric)
{
    return ((host * s->n_cells + cell) * s->n_variants + variant) * s->n_metrics + metric;
}

const struct show_stat *show_stats_at(const struct show_stats *stats, size_t host, size_t cell,
                                      size_t variant, size_t metric)
{
    return &stats->v[index_of(stats, host, cell, variant, metric)];
}

static void add(struct show_stat *stat, double value)
{
    stat->n++;
    double delta = value - stat->mean;
    stat->mean += delta / (double)stat->n;
    stat->m2 += delta * (value - stat->mean);
}

static int add_host(struct show *show, size_t trial, const struct frame *frame, void *arg,
                    struct err *err)
{
    struct show_stats *stats = arg;
    (void)err;
    for (size_t m = 0; m < stats->n_metrics; m++) {
        const double *v = show_values(show, frame, m);
        for (size_t i = 0; v != NULL && i < frame->n; i++) {
            bool inside = frame->cell[i] < stats->n_cells && frame->variant[i] < stats->n_variants;
            if (inside && show_judged(frame, i) && isfinite(v[i])) {
                add(&stats->v[index_of(stats, trial, frame->cell[i], frame->variant[i], m)], v[i]);
            }
        }
    }
    return 0;
}

int show_stats_load(struct show *show, struct show_stats *ret, struct err *err)
{
    struct show_stats stats = {.n_hosts = show->trials.n,
                               .n_cells = show->n_cells,
                               .n_variants = show->run->spec->n_variants,
                               .n_metrics = show->metric.n};
    stats.v = mem_alloc(stats.n_hosts * stats.n_cells * stats.n_variants * stats.n_metrics,
                        sizeof *stats.v);
    if (show_each(show, add_host, &stats, err) != 0) {
        show_stats_done(&stats);
        return -1;
    }
    *ret = stats;
    return 0;
}

double show_stat_sd(const struct show_stat *stat)
{
    return stat->n < 2 ? NAN : sqrt(stat->m2 / (double)(stat->n - 1));
}

double show_stat_spread_pct(const struct show_stat *stat)
{
    return stat->n < 2 || stat->mean == 0.0 ? NAN : 100.0 * show_stat_sd(stat) / fabs(stat->mean);
}

int show_stats_json(struct show *show, struct err *err)
{
    struct show_stats stats CLEAN_DONE(show_stats) = {0};
    if (show_stats_load(show, &stats, err) != 0) {
        return -1;
    }
    const struct experiment *spec = show->run->spec;
    struct jot jot CLEAN_DONE(jot) = {0};
    jot_open(&jot, NULL, '{');
    jot_int(&jot, "schema", 1);
    jot_text(&jot, "experiment", show->run->experiment);
    jot_int(&jot, "run", show->run->number);
    jot_open(&jot, "rows", '[');
    for (size_t h = 0; h < stats.n_hosts; h++) {
        for (size_t k = 0; k < stats.n_cells * stats.n_variants * stats.n_metrics; k++) {
            size_t metric = k % stats.n_metrics, variant = k / stats.n_metrics % stats.n_variants;
            size_t cell = k / stats.n_metrics / stats.n_variants;
            const struct show_stat *stat = show_stats_at(&stats, h, cell, variant, metric);
            const struct show_stat *base = show_stats_at(&stats, h, cell, 0, metric);
            jot_open(&jot, NULL, '{');
            jot_text(&jot, "host", show->trials.v[h]->host);
            jot_text(&jot, "variant", spec->variant[variant].name);
            jot_open(&jot, "cell", '{');
            for (size_t f = 0; f < spec->n_factors; f++) {
                jot_text(&jot, spec->factor[f].name, experiment_level(spec, cell, f));
            }
            jot_close(&jot, '{');
            jot_text(&jot, "metric", show->metric.v[metric]);
            jot_count(&jot, "n", stat->n);
            jot_number(&jot, "mean", stat->n > 0 ? stat->mean : NAN);
            jot_number(&jot, "sd", show_stat_sd(stat));
            jot_number(&jot, "percent_of_base",
                       stat->n > 0 && base->n > 0 ? 100.0 * stat->mean / base->mean : NAN);
            jot_close(&jot, '{');
        }
        fputs(str_get(&jot.text), show->page.out);
        str_clear(&jot.text);
    }
    jot_close(&jot, '[');
    jot_close(&jot, '{');
    fputs(str_get(&jot.text), show->page.out);
    return 0;
}

static int samples_of_host(struct show *show, size_t trial, const struct frame *frame, void *arg,
                           struct err *err)
{
    struct jot *jot = arg;
    const struct experiment *spec = show->run->spec;
    (void)err;
    for (size_t i = 0; i < frame->n; i++) {
        if (frame->variant[i] >= spec->n_variants || frame->cell[i] >= show->n_cells) {
            continue;
        }
        jot_open(jot, NULL, '{');
        jot_text(jot, "host", show->trials.v[trial]->host);
        jot_text(jot, "variant", spec->variant[frame->variant[i]].name);
        jot_open(jot, "cell", '{');
        for (size_t f = 0; f < spec->n_factors; f++) {
            jot_text(jot, spec->factor[f].name, experiment_level(spec, frame->cell[i], f));
        }
        jot_close(jot, '{');
        jot_count(jot, "session", frame->session[i]);
        jot_count(jot, "round", frame->round[i]);
        jot_count(jot, "position", frame->position[i]);
        jot_text(jot, "outcome", outcome_name((enum outcome)frame->outcome[i]));
        jot_bool(jot, "judged", show_judged(frame, i));
        jot_open(jot, "metrics", '{');
        for (size_t m = 0; m < show->metric.n; m++) {
            const double *v = show_values(show, frame, m);
            jot_number(jot, show->metric.v[m], v != NULL ? v[i] : NAN);
        }
        jot_close(jot, '{');
        jot_close(jot, '{');
    }
    fputs(str_get(&jot->text), show->page.out);
    str_clear(&jot->text);
    return 0;
}

int show_samples_json(struct show *show, struct err *err)
{
    struct jot jot CLEAN_DONE(jot) = {0};
    jot_open(&jot, NULL, '{');
    jot_int(&jot, "schema", 1);
    jot_text(&jot, "experiment", show->run->experiment);
    jot_int(&jot, "run", show->run->number);
    jot_open(&jot, "samples", '[');
    if (show_each(show, samples_of_host, &jot, err) != 0) {
        return -1;
    }
    jot_close(&jot, '[');
    jot_close(&jot, '{');
    fputs(str_get(&jot.text), show->page.out);
    return 0;
}
