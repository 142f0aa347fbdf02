/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The run table: a row a sample in the order of measuring, averages per variant below. As many
 * metrics as the width takes; the others are named at the end.
 */
#include "coordinator/report/num.h"
#include "coordinator/report/show.h"

#include <inttypes.h>
#include <math.h>

enum { COLUMN = 11, VARIANT_MOST = 16, CELL_MOST = 24 };

struct widths {
    size_t variant, cell, metrics; /* columns; number of metrics shown */
};

static struct widths measure(const struct show *show)
{
    const struct experiment *spec = show->run->spec;
    struct widths w = {.variant = 7};
    for (size_t i = 0; i < spec->n_variants; i++) {
        size_t n = str_columns(spec->variant[i].name);
        w.variant = n > w.variant ? n : w.variant;
    }
    w.variant = w.variant > VARIANT_MOST ? VARIANT_MOST : w.variant;
    for (size_t i = 0; i < show->n_cells && spec->n_factors > 0; i++) {
        CLEAN_MEM char *cell = show_cell(show, i);
        size_t n = str_columns(cell);
        w.cell = n > w.cell ? n : w.cell;
    }
    w.cell = w.cell > CELL_MOST ? CELL_MOST : w.cell;
    size_t taken = 14 + w.variant + (w.cell > 0 ? w.cell + 2 : 0);
    size_t room = show->page.width > taken ? (show->page.width - taken) / (COLUMN + 1) : 0;
    w.metrics = room < 1 ? 1 : room < show->metric.n ? room : show->metric.n;
    w.metrics = show->metric.n == 0 ? 0 : w.metrics;
    return w;
}

static void number(const struct show *show, double value)
{
    char text[NUM_SIZE];
    if (isfinite(value)) {
        snprintf(text, sizeof text, fabs(value) < 1e7 && fabs(value) >= 1e-3 ? "%.6g" : "%.4g",
                 value == 0.0 ? 0.0 : value);
    } else {
        num_plain(value, text);
    }
    fprintf(show->page.out, " %*s", COLUMN, text);
}

static void heading(const struct show *show, const struct widths *w)
{
    fprintf(show->page.out, "%6s %5s  %-*s", "round", "pos", (int)w->variant, "variant");
    if (w->cell > 0) {
        fprintf(show->page.out, "  %-*s", (int)w->cell, "cell");
    }
    for (size_t m = 0; m < w->metrics; m++) {
        CLEAN_MEM char *name = page_name(&show->page, show->metric.v[m], COLUMN, false);
        fprintf(show->page.out, " %*s%s", (int)(COLUMN - str_columns(name)), "", name);
    }
    fputc('\n', show->page.out);
}

static void sample(const struct show *show, const struct widths *w, const struct frame *frame,
                   const struct show_row *row)
{
    const struct experiment *spec = show->run->spec;
    CLEAN_MEM char *variant =
        page_name(&show->page, spec->variant[frame->variant[row->row]].name, w->variant, true);
    fprintf(show->page.out, "%6" PRIu32 " %5" PRIu32 "  %s", row->round, row->position, variant);
    if (w->cell > 0) {
        CLEAN_MEM char *cell = show_cell(show, frame->cell[row->row]);
        CLEAN_MEM char *shown = page_name(&show->page, cell, w->cell, true);
        fprintf(show->page.out, "  %s", shown);
    }
    for (size_t m = 0; m < w->metrics; m++) {
        const double *v = show_values(show, frame, m);
        number(show, v != NULL ? v[row->row] : NAN);
    }
    fputc('\n', show->page.out);
}

static void average(const struct show *show, const struct widths *w, const struct frame *frame,
                    const struct show_row *rows, size_t n, size_t variant)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += frame->variant[rows[i].row] == variant ? 1 : 0;
    }
    if (count == 0) {
        return;
    }
    CLEAN_MEM char *name =
        page_name(&show->page, show->run->spec->variant[variant].name, w->variant, true);
    page_paint(&show->page, PAGE_BOLD);
    fprintf(show->page.out, "%12s  %s", "average of", name);
    if (w->cell > 0) {
        fprintf(show->page.out, "  %*s", (int)w->cell, "");
    }
    for (size_t m = 0; m < w->metrics; m++) {
        const double *v = show_values(show, frame, m);
        double sum = 0.0;
        size_t known = 0;
        for (size_t i = 0; i < n && v != NULL; i++) {
            if (frame->variant[rows[i].row] == variant && isfinite(v[rows[i].row])) {
                sum += v[rows[i].row];
                known++;
            }
        }
        number(show, known > 0 ? sum / (double)known : NAN);
    }
    page_paint(&show->page, PAGE_PLAIN);
    fputc('\n', show->page.out);
}

static int host_table(struct show *show, size_t trial, const struct frame *frame, void *arg,
                      struct err *err)
{
    const struct widths *w = arg;
    (void)err;
    size_t n = 0;
    struct show_row *rows = show_rows(show, frame, &n);
    CLEAN_MEM char *name = page_safe(show->trials.v[trial]->host, 200);
    CLEAN_MEM char *title = mem_printf("%s: %zu samples%s", name, n, n < frame->n ? " judged" : "");
    fputs(trial > 0 ? "\n" : "", show->page.out);
    page_put(&show->page, PAGE_BOLD, title);
    if (n < frame->n) {
        fprintf(show->page.out, ", %zu more not judged (warm-ups, failed or profiled)",
                frame->n - n);
    }
    fputc('\n', show->page.out);
    if (n > 0) {
        heading(show, w);
    }
    for (size_t from = 0; from < n;) {
        size_t to = from;
        while (to < n && rows[to].group == rows[from].group) {
            sample(show, w, frame, &rows[to++]);
        }
        for (size_t v = 0; v < show->run->spec->n_variants; v++) {
            average(show, w, frame, rows + from, to - from, v);
        }
        from = to;
    }
    mem_free(rows);
    return 0;
}

int show_table(struct show *show, struct err *err)
{
    struct widths w = measure(show);
    if (show_each(show, host_table, &w, err) != 0) {
        return -1;
    }
    if (w.metrics < show->metric.n && !show->call->style.quiet) {
        struct strlist more CLEAN_DONE(strlist) = {0};
        for (size_t m = w.metrics; m < show->metric.n; m++) {
            strlist_add(&more, show->metric.v[m]);
        }
        CLEAN_MEM char *names = page_names(&show->page, &more, 20);
        page_line(&show->page, "", 0,
                  "not shown for want of width: %s (--width, --metric, --as csv)", names);
    }
    return 0;
}
