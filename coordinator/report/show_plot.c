/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The good/bad plot: the primary metric over time, `*` base, `O` candidate, one plot a host and
 * cell.
 */
#include "coordinator/report/num.h"
#include "coordinator/report/show.h"

#include <math.h>
#include <string.h>

enum { HEIGHT = 16, LABEL = 11, COLUMNS_MOST = 240 };
static const char MARKS[] = "*OX+vs^ndh"; /* by variant, the last for all further ones */
static const char SEVERAL = '@';

static char mark_of(size_t variant)
{
    size_t last = sizeof MARKS - 2;
    return MARKS[variant < last ? variant : last];
}

struct plot {
    double lo, hi;
    size_t n, columns;
    char grid[HEIGHT][COLUMNS_MOST + 1];
};

static void label(const struct show *show, double value)
{
    char text[NUM_SIZE];
    if (str_ends(show->metric.v[0], "_s")) {
        num_seconds(value, true, text);
    } else {
        snprintf(text, sizeof text, "%.4g", value);
    }
    fprintf(show->page.out, "%*s ", LABEL, text);
}

static void put(struct plot *plot, size_t index, double value, char mark)
{
    size_t column = plot->n > 1 ? index * (plot->columns - 1) / (plot->n - 1) : plot->columns / 2;
    double height = plot->hi > plot->lo ? (value - plot->lo) / (plot->hi - plot->lo) : 0.5;
    size_t row = (HEIGHT - 1) - (size_t)lround(height * (HEIGHT - 1));
    char *cell = &plot->grid[row][column];
    *cell = *cell == ' ' || *cell == mark ? mark : SEVERAL;
}

static void draw(const struct show *show, const struct plot *plot)
{
    for (size_t r = 0; r < HEIGHT; r++) {
        size_t end = strlen(plot->grid[r]);
        while (end > 0 && plot->grid[r][end - 1] == ' ') {
            end--;
        }
        if (r % 5 == 0) {
            label(show, plot->hi - (plot->hi - plot->lo) * (double)r / (HEIGHT - 1));
        } else {
            fprintf(show->page.out, "%*s ", LABEL, "");
        }
        fprintf(show->page.out, "%s%s%.*s\n", page_sign(&show->page, SIGN_ZERO), end > 0 ? " " : "",
                (int)end, plot->grid[r]);
    }
    fprintf(show->page.out, "%*s ", LABEL, "");
    for (size_t i = 0; i < plot->columns + 2; i++) {
        fputs(page_sign(&show->page, SIGN_DASH), show->page.out);
    }
    fprintf(show->page.out, "\n%*s   %zu samples in the order they were taken\n", LABEL, "",
            plot->n);
}

static bool fits(const struct frame *frame, const struct show_row *row, size_t cell,
                 const double *v)
{
    return frame->cell[row->row] == cell && isfinite(v[row->row]);
}

static void cell_plot(const struct show *show, const char *host, const struct frame *frame,
                      const double *v, const struct show_row *rows, size_t n, size_t cell)
{
    struct plot *plot = mem_new(struct plot);
    size_t width = show->page.width - LABEL - 4;
    *plot = (struct plot){
        .lo = INFINITY, .hi = -INFINITY, .columns = width > COLUMNS_MOST ? COLUMNS_MOST : width};
    for (size_t r = 0; r < HEIGHT; r++) {
        memset(plot->grid[r], ' ', plot->columns);
    }
    for (size_t i = 0; i < n; i++) {
        if (fits(frame, &rows[i], cell, v)) {
            plot->lo = fmin(plot->lo, v[rows[i].row]);
            plot->hi = fmax(plot->hi, v[rows[i].row]);
            plot->n++;
        }
    }
    size_t index = 0;
    for (size_t i = 0; i < n; i++) {
        if (fits(frame, &rows[i], cell, v)) {
            put(plot, index++, v[rows[i].row], mark_of(frame->variant[rows[i].row]));
        }
    }
    CLEAN_MEM char *words = show_cell(show, cell);
    CLEAN_MEM char *safe = page_safe(host, 200);
    CLEAN_MEM char *title =
        mem_printf("%s%s%s: %s", safe, words[0] != '\0' ? ", " : "", words, show->metric.v[0]);
    CLEAN_MEM char *title_safe = page_safe(title, 400);
    page_put(&show->page, PAGE_BOLD, title_safe);
    fputc('\n', show->page.out);
    if (plot->n > 0) {
        draw(show, plot);
    } else {
        fputs("  n/a: no samples\n", show->page.out);
    }
    fputc('\n', show->page.out);
    mem_free(plot);
}

static int host_plot(struct show *show, size_t trial, const struct frame *frame, void *arg,
                     struct err *err)
{
    (void)arg;
    (void)err;
    size_t n = 0;
    struct show_row *rows = show_rows(show, frame, &n);
    const double *v = show_values(show, frame, 0);
    for (size_t cell = 0; cell < show->n_cells; cell++) {
        cell_plot(show, show->trials.v[trial]->host, frame, v, rows, v != NULL ? n : 0, cell);
    }
    mem_free(rows);
    return 0;
}

int show_plot(struct show *show, struct err *err)
{
    const struct experiment *spec = show->run->spec;
    if (show->metric.n == 0) {
        return err_set(err, ERR_NOT_FOUND, "%s has no samples", show->run->experiment);
    }
    show->by = SHOW_BY_HOST; /* time runs on over the host */
    for (size_t i = 0; i < spec->n_variants; i++) {
        CLEAN_MEM char *name = page_name(&show->page, spec->variant[i].name, 40, false);
        fprintf(show->page.out, "%s%c %s", i == 0 ? "" : "   ", mark_of(i), name);
    }
    fprintf(show->page.out, "   %c several in one place\n\n", SEVERAL);
    return show_each(show, host_plot, NULL, err);
}
