/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The compare table (base value ~ spread, signed change, candidate value ~ spread, metric) per host
 * and in total, and the percent table (each variant as a percentage of the first). Plain means:
 * what they are worth is explain's to say.
 */
#include "coordinator/report/num.h"
#include "coordinator/report/show_stats.h"

#include <math.h>

enum { VALUE = 13, SPREAD = 6, CHANGE = 9, LABEL = 24, CELL_WIDTH = 18 };

/* ---- compare ---- */

static void spread_text(double pct, char ret[NUM_SIZE])
{
    if (isfinite(pct)) {
        snprintf(ret, NUM_SIZE, "%.*f%%", pct >= 10.0 ? 0 : 1, pct);
    } else {
        snprintf(ret, NUM_SIZE, "n/a");
    }
}

static void value_text(double value, char ret[NUM_SIZE])
{
    if (isfinite(value)) {
        snprintf(ret, NUM_SIZE, "%.5g", value == 0.0 ? 0.0 : value);
    } else {
        snprintf(ret, NUM_SIZE, "n/a");
    }
}

static void compare_row(const struct show *show, const char *metric, double base,
                        double base_spread, double change_pct, double candidate,
                        double candidate_spread)
{
    char a[NUM_SIZE], b[NUM_SIZE], sa[NUM_SIZE], sb[NUM_SIZE], change[NUM_SIZE];
    value_text(base, a);
    value_text(candidate, b);
    spread_text(base_spread, sa);
    spread_text(candidate_spread, sb);
    num_percent(change_pct, change);
    CLEAN_MEM char *name = page_name(&show->page, metric, 28, false);
    fprintf(show->page.out, "%*s ~ %*s  %*s  %*s ~ %*s  %s\n", VALUE, a, SPREAD, sa, CHANGE, change,
            VALUE, b, SPREAD, sb, name);
}

static void compare_title(const struct show *show, const char *host, size_t candidate, size_t cell)
{
    const struct experiment *spec = show->run->spec;
    CLEAN_MEM char *words = show_cell(show, cell);
    CLEAN_MEM char *title = mem_printf("%s: %s against %s%s%s", host, spec->variant[candidate].name,
                                       spec->variant[0].name, words[0] != '\0' ? ", " : "", words);
    CLEAN_MEM char *safe = page_safe(title, 1000);
    page_put(&show->page, PAGE_BOLD, safe);
    fputc('\n', show->page.out);
}

static void compare_host(const struct show *show, const struct show_stats *stats, size_t host,
                         size_t candidate, size_t cell)
{
    compare_title(show, show->trials.v[host]->host, candidate, cell);
    size_t rows = 0;
    for (size_t m = 0; m < stats->n_metrics; m++) {
        const struct show_stat *a = show_stats_at(stats, host, cell, 0, m);
        const struct show_stat *b = show_stats_at(stats, host, cell, candidate, m);
        if (a->n == 0 && b->n == 0) {
            continue;
        }
        bool both = a->n > 0 && b->n > 0 && a->mean != 0.0;
        compare_row(show, show->metric.v[m], a->n > 0 ? a->mean : NAN, show_stat_spread_pct(a),
                    both ? 100.0 * (b->mean - a->mean) / fabs(a->mean) : NAN,
                    b->n > 0 ? b->mean : NAN, show_stat_spread_pct(b));
        rows++;
    }
    if (rows == 0) {
        fputs("  n/a: no samples\n", show->page.out);
    }
}

/* Geometric means over the hosts that have both, so that the change is the mean of the hosts' own
 * changes: hosts are never pooled before the ratio is taken. The spread is that of the hosts' log
 * ratios, on the candidate's side. */
static void compare_total(const struct show *show, const struct show_stats *stats, size_t candidate,
                          size_t cell)
{
    compare_title(show, "TOTAL (geometric mean over hosts)", candidate, cell);
    for (size_t m = 0; m < stats->n_metrics; m++) {
        double sum_a = 0.0, sum_b = 0.0;
        size_t n = 0;
        for (size_t h = 0; h < stats->n_hosts; h++) {
            const struct show_stat *a = show_stats_at(stats, h, cell, 0, m);
            const struct show_stat *b = show_stats_at(stats, h, cell, candidate, m);
            if (a->n > 0 && b->n > 0 && a->mean > 0.0 && b->mean > 0.0) {
                sum_a += log(a->mean);
                sum_b += log(b->mean);
                n++;
            }
        }
        if (n > 0) {
            double k = (double)n;
            compare_row(show, show->metric.v[m], exp(sum_a / k), NAN,
                        100.0 * expm1((sum_b - sum_a) / k), exp(sum_b / k), NAN);
        }
    }
}

int show_compare(struct show *show, struct err *err)
{
    struct show_stats stats CLEAN_DONE(show_stats) = {0};
    if (show_stats_load(show, &stats, err) != 0) {
        return -1;
    }
    if (!show->call->style.quiet) {
        fprintf(show->page.out, "%*s ~ %*s  %*s  %*s ~ %*s  %s\n\n", VALUE, "base", SPREAD,
                "spread", CHANGE, "change", VALUE, "candidate", SPREAD, "spread", "metric");
    }
    size_t n_pairs = (stats.n_variants - 1) * stats.n_cells;
    size_t n = stats.n_hosts * n_pairs;
    for (size_t i = 0; i < n; i++) { /* the slowest index is what is grouped by */
        size_t host, candidate, cell;
        if (show->by == SHOW_BY_HOST) {
            host = i / n_pairs;
            candidate = i % n_pairs / stats.n_cells;
            cell = i % stats.n_cells;
        } else if (show->by == SHOW_BY_VARIANT) {
            candidate = i / (stats.n_cells * stats.n_hosts);
            cell = i / stats.n_hosts % stats.n_cells;
            host = i % stats.n_hosts;
        } else {
            cell = i / ((stats.n_variants - 1) * stats.n_hosts);
            candidate = i / stats.n_hosts % (stats.n_variants - 1);
            host = i % stats.n_hosts;
        }
        compare_host(show, &stats, host, candidate + 1, cell);
        fputc('\n', show->page.out);
    }
    for (size_t i = 0; i < n_pairs && stats.n_hosts > 1; i++) {
        compare_total(show, &stats, i / stats.n_cells + 1, i % stats.n_cells);
    }
    return 0;
}

/* ---- percent ---- */

enum dim { DIM_HOST, DIM_CELL, DIM_VARIANT };

static char *dim_label(const struct show *show, enum dim dim, size_t i)
{
    switch (dim) {
    case DIM_HOST:
        return mem_strdup(show->trials.v[i]->host);
    case DIM_CELL: {
        char *words = show_cell(show, i);
        if (words[0] == '\0') {
            mem_free(words);
            return mem_strdup("all samples");
        }
        return words;
    }
    case DIM_VARIANT:
        break;
    }
    return mem_strdup(show->run->spec->variant[i].name);
}

static void percent_cell(const struct show *show, const struct show_stat *stat,
                         const struct show_stat *base)
{
    char text[NUM_SIZE] = "n/a";
    if (stat->n > 0 && base->n > 0 && base->mean != 0.0) {
        char spread[NUM_SIZE];
        spread_text(show_stat_spread_pct(stat), spread);
        snprintf(text, sizeof text, "%.1f%% ~ %.10s", 100.0 * stat->mean / base->mean, spread);
    }
    fprintf(show->page.out, " %*s", CELL_WIDTH, text);
}

int show_percent(struct show *show, struct err *err)
{
    static const enum dim order[3][3] = {
        [SHOW_BY_HOST] = {DIM_HOST,    DIM_CELL, DIM_VARIANT},
        [SHOW_BY_VARIANT] = {DIM_VARIANT, DIM_HOST, DIM_CELL   },
        [SHOW_BY_FACTOR] = {DIM_CELL,    DIM_HOST, DIM_VARIANT}
    };
    struct show_stats stats CLEAN_DONE(show_stats) = {0};
    if (show->metric.n == 0) {
        return err_set(err, ERR_NOT_FOUND, "%s has no samples", show->run->experiment);
    }
    if (show_stats_load(show, &stats, err) != 0) {
        return -1;
    }
    const size_t size[3] = {
        [DIM_HOST] = stats.n_hosts, [DIM_CELL] = stats.n_cells, [DIM_VARIANT] = stats.n_variants};
    const enum dim *dims = order[show->by];
    CLEAN_MEM char *base = page_name(&show->page, show->run->spec->variant[0].name, 40, false);
    CLEAN_MEM char *metric = page_name(&show->page, show->metric.v[0], 40, false);
    page_line(
        &show->page, "", 0,
        "%s in percent of %s on the same host, mean ~ standard deviation in percent of its mean",
        metric, base);
    for (size_t table = 0; table < size[dims[0]]; table++) {
        CLEAN_MEM char *name = dim_label(show, dims[0], table);
        CLEAN_MEM char *title = page_safe(name, 400);
        page_heading(&show->page, title);
        fprintf(show->page.out, "%*s", LABEL, "");
        for (size_t c = 0; c < size[dims[2]]; c++) {
            CLEAN_MEM char *label = dim_label(show, dims[2], c);
            CLEAN_MEM char *shown = page_name(&show->page, label, CELL_WIDTH, false);
            fprintf(show->page.out, " %*s%s", (int)(CELL_WIDTH - str_columns(shown)), "", shown);
        }
        fputc('\n', show->page.out);
        for (size_t r = 0; r < size[dims[1]]; r++) {
            CLEAN_MEM char *label = dim_label(show, dims[1], r);
            CLEAN_MEM char *shown = page_name(&show->page, label, LABEL, true);
            fputs(shown, show->page.out);
            for (size_t c = 0; c < size[dims[2]]; c++) {
                size_t at[3] = {0};
                at[dims[0]] = table;
                at[dims[1]] = r;
                at[dims[2]] = c;
                percent_cell(show,
                             show_stats_at(&stats, at[DIM_HOST], at[DIM_CELL], at[DIM_VARIANT], 0),
                             show_stats_at(&stats, at[DIM_HOST], at[DIM_CELL], 0, 0));
            }
            fputc('\n', show->page.out);
        }
    }
    return 0;
}
