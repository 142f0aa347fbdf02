/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Effect against load: the effect of every round over what other programs did meanwhile, all shown
 * hosts in one picture for each candidate and cell, with the fitted line.
 */
#include "analysis/load.h"
#include "analysis/rounds.h"
#include "coordinator/report/num.h"
#include "coordinator/report/show.h"

#include <math.h>
#include <string.h>

enum { HEIGHT = 16, LABEL = 11, COLUMNS_MOST = 240 };

struct scatter {
    const struct show *show;
    uint32_t candidate, cell;
    struct rounds_metric metric;
    double *x, *d; /* of every round with a known load */
    size_t n, cap, cap_d;
    struct load_fit *fit; /* of every host */
    size_t n_fits;
};

static void scatter_done(struct scatter *scatter)
{
    mem_free(scatter->x);
    mem_free(scatter->d);
    mem_free(scatter->fit);
}

static int add_host(struct show *show, size_t trial, const struct frame *frame, void *arg,
                    struct err *err)
{
    struct scatter *scatter = arg;
    struct host_rounds rounds CLEAN_DONE(host_rounds) = {0};
    const struct rounds_options options = {
        .metric = scatter->metric, .candidate = scatter->candidate, .cell = scatter->cell};
    (void)show;
    (void)trial;
    (void)err;
    host_rounds_build(frame, &options, &rounds);
    for (size_t i = 0; i < rounds.n; i++) {
        double x = 0.5 * (rounds.load[0][i] + rounds.load[1][i]);
        if (!isfinite(x) || !isfinite(rounds.d[i])) {
            continue;
        }
        scatter->x = mem_grow(scatter->x, &scatter->cap, scatter->n + 1, sizeof *scatter->x);
        scatter->d = mem_grow(scatter->d, &scatter->cap_d, scatter->n + 1, sizeof *scatter->d);
        scatter->x[scatter->n] = x;
        scatter->d[scatter->n++] = rounds.d[i];
    }
    load_fit_host(rounds.d, rounds.load[0], rounds.load[1], rounds.n,
                  &scatter->fit[scatter->n_fits++]);
    return 0;
}

/* The line over hosts, or of the only host that has one. */
static struct load_finding line_of(const struct scatter *scatter)
{
    struct load_finding finding = {.known = false};
    size_t known = 0;
    load_pool(scatter->fit, scatter->n_fits, scatter->show->run->spec->alpha, &finding);
    for (size_t i = 0; i < scatter->n_fits; i++) {
        known += scatter->fit[i].known ? 1 : 0;
    }
    for (size_t i = 0; i < scatter->n_fits && known == 1; i++) {
        if (scatter->fit[i].known) {
            load_host_finding(&scatter->fit[i], scatter->show->run->spec->alpha, &finding);
        }
    }
    return finding;
}

struct frame_of_plot {
    double x_hi, lo, hi; /* loads from 0 */
    size_t columns;
    char grid[HEIGHT][COLUMNS_MOST + 1];
};

static char *place(struct frame_of_plot *plot, double x, double d)
{
    double right = plot->x_hi > 0.0 ? fmax(x, 0.0) / plot->x_hi : 0.0;
    double up = plot->hi > plot->lo ? (d - plot->lo) / (plot->hi - plot->lo) : 0.5;
    if (!(up >= 0.0 && up <= 1.0)) {
        return NULL; /* the line leaves the picture */
    }
    return &plot->grid[HEIGHT - 1 - (size_t)lround(up * (HEIGHT - 1))]
                      [(size_t)lround(fmin(right, 1.0) * (double)(plot->columns - 1))];
}

static void fill(const struct scatter *scatter, const struct load_finding *line,
                 struct frame_of_plot *plot)
{
    for (size_t r = 0; r < HEIGHT; r++) {
        memset(plot->grid[r], ' ', plot->columns);
    }
    for (size_t i = 0; i < scatter->n; i++) {
        plot->x_hi = fmax(plot->x_hi, scatter->x[i]);
        plot->lo = fmin(plot->lo, scatter->d[i]);
        plot->hi = fmax(plot->hi, scatter->d[i]);
    }
    for (size_t c = 0; c < plot->columns && line->known; c++) {
        double x = plot->x_hi * (double)c / (double)(plot->columns - 1);
        char *cell = place(plot, x, line->effect_at_zero + line->per_cpu * x);
        if (cell != NULL) {
            *cell = '-';
        }
    }
    for (size_t i = 0; i < scatter->n; i++) {
        char *cell = place(plot, scatter->x[i], scatter->d[i]);
        *cell = *cell == '*' || *cell == '@' ? '@' : '*';
    }
}

static void draw(const struct scatter *scatter, const struct frame_of_plot *plot,
                 struct num_scale scale)
{
    const struct page *page = &scatter->show->page;
    for (size_t r = 0; r < HEIGHT; r++) {
        char text[NUM_SIZE] = "";
        size_t end = plot->columns;
        while (end > 0 && plot->grid[r][end - 1] == ' ') {
            end--;
        }
        if (r % 5 == 0) {
            double d = plot->hi - (plot->hi - plot->lo) * (double)r / (HEIGHT - 1);
            num_percent(num_pct(d, scale), text);
        }
        fprintf(page->out, "%*s %s%s%.*s\n", LABEL, text, page_sign(page, SIGN_ZERO),
                end > 0 ? " " : "", (int)end, plot->grid[r]);
    }
    fprintf(page->out, "%*s ", LABEL, "");
    for (size_t i = 0; i < plot->columns + 2; i++) {
        fputs(page_sign(page, SIGN_DASH), page->out);
    }
    fputc('\n', page->out);
    page_line(page, "  ", 2, "Across: 0 to %.2f CPUs of other programs; %zu rounds.", plot->x_hi,
              scatter->n);
}

static void say_line(const struct page *page, const struct load_finding *line,
                     struct num_scale scale)
{
    char zero[NUM_SIZE], slope[NUM_SIZE];
    if (!line->known) {
        page_line(page, "  ", 2,
                  "No line: a host needs 8 rounds whose loads differ for one to be fitted.");
        return;
    }
    num_effect(line->effect_at_zero, line->ci, scale, zero);
    num_effect(line->per_cpu, line->per_cpu_ci, scale, slope);
    page_line(page, "  ", 2, "The line: %s without load, %s for each busy CPU.", zero, slope);
}

static void put_title(const struct scatter *scatter)
{
    const struct show *show = scatter->show;
    const struct experiment *spec = show->run->spec;
    CLEAN_MEM char *words = show_cell(show, scatter->cell);
    CLEAN_MEM char *title = mem_printf(
        "%s against %s%s%s: effect on %s", spec->variant[scatter->candidate].name,
        spec->variant[0].name, words[0] != '\0' ? ", " : "", words, scatter->metric.name);
    CLEAN_MEM char *safe = page_safe(title, 400);
    page_put(&show->page, PAGE_BOLD, safe);
    fputc('\n', show->page.out);
}

static int one(struct show *show, uint32_t candidate, uint32_t cell,
               const struct rounds_metric *metric, struct err *err)
{
    struct scatter scatter CLEAN_DONE(scatter) = {.show = show,
                                                  .candidate = candidate,
                                                  .cell = cell,
                                                  .metric = *metric,
                                                  .fit =
                                                      mem_array(struct load_fit, show->trials.n)};
    const struct num_scale scale = {.higher_is_better = metric->higher_is_better,
                                    .by_difference = metric->by_difference};
    if (show_each(show, add_host, &scatter, err) != 0) {
        return -1;
    }
    put_title(&scatter);
    if (scatter.n == 0) {
        fputs("  n/a: no rounds whose load is known\n\n", show->page.out);
        return 0;
    }
    struct load_finding line = line_of(&scatter);
    struct frame_of_plot *plot = mem_new(struct frame_of_plot);
    size_t width = show->page.width > LABEL + 14 ? show->page.width - LABEL - 4 : 10;
    plot->lo = INFINITY;
    plot->hi = -INFINITY;
    plot->columns = width > COLUMNS_MOST ? COLUMNS_MOST : width;
    fill(&scatter, &line, plot);
    draw(&scatter, plot, scale);
    say_line(&show->page, &line, scale);
    fputc('\n', show->page.out);
    mem_free(plot);
    return 0;
}

int show_load(struct show *show, struct err *err)
{
    const struct experiment *spec = show->run->spec;
    if (show->metric.n == 0) {
        return err_set(err, ERR_NOT_FOUND, "%s has no samples", show->run->experiment);
    }
    struct rounds_metric metric = {.name = show->metric.v[0],
                                   .by_difference = rounds_metric_by_difference(show->metric.v[0])};
    for (size_t i = 0; i < spec->n_metric_defs; i++) {
        if (str_eq(spec->metric_def[i].name, metric.name)) {
            metric.higher_is_better = spec->metric_def[i].higher_is_better;
        }
    }
    fputs("* a round   @ several   - the fitted line   up is worse\n\n", show->page.out);
    for (uint32_t v = 1; v < spec->n_variants; v++) {
        for (uint32_t cell = 0; cell < show->n_cells; cell++) {
            if (!spec->variant[v].is_control && one(show, v, cell, &metric, err) != 0) {
                return -1;
            }
        }
    }
    return 0;
}
