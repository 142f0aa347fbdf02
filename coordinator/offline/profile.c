/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles read, put side by side by symbol, compared, printed: z, change, percent. Idle and total
 * are summed apart.
 */
#include "analysis/profdiff.h"
#include "coordinator/offline/offline.h"
#include "coordinator/offline/profile_read.h"
#include "coordinator/report/jot.h"
#include "coordinator/report/num.h"
#include "coordinator/report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALLED 0.05 /* adjusted p at or below which a change is marked */

struct table {
    const char **name;
    struct profdiff_profile *profile;
    double **ticks; /* of each profile */
    size_t n_names, n_profiles;
};

static void table_done(struct table *table)
{
    for (size_t p = 0; table->ticks && p < table->n_profiles; p++)
        mem_free(table->ticks[p]);
    mem_free(table->ticks);
    mem_free(table->profile);
    mem_free(table->name);
}

static int by_symbol(const void *a, const void *b)
{
    const struct profile_tick *x = a, *y = b;

    return strcmp(x->symbol, y->symbol);
}

/* Names in order of bytes; ticks of the same symbol and profile add up. */
static void table_build(struct profile_ticks *ticks, size_t n_from, size_t n_to,
                        const struct offline_profile_options *options, struct table *ret)
{
    ret->n_profiles = n_from + n_to;
    ret->name = mem_array(const char *, ticks->n);
    ret->profile = mem_array(struct profdiff_profile, ret->n_profiles);
    ret->ticks = mem_array(double *, ret->n_profiles);
    for (size_t p = 0; p < ret->n_profiles; p++) {
        ret->ticks[p] = mem_array(double, ticks->n);
        ret->profile[p] = (struct profdiff_profile){.ticks = ret->ticks[p],
                                                    .exposure = p < n_from ? options->exposure_from
                                                                           : options->exposure_to,
                                                    .after = p >= n_from};
    }
    qsort(ticks->v, ticks->n, sizeof *ticks->v, by_symbol);
    for (size_t i = 0; i < ticks->n; i++) {
        const struct profile_tick *tick = &ticks->v[i];

        if (ret->n_names == 0 || strcmp(ret->name[ret->n_names - 1], tick->symbol) != 0)
            ret->name[ret->n_names++] = tick->symbol;
        ret->ticks[tick->profile][ret->n_names - 1] += tick->ticks;
    }
}

static void put_signed(FILE *out, int width, double value)
{
    char text[NUM_SIZE];

    (void)snprintf(text, sizeof text, fabs(value) < 9.95 ? "%+.1f" : "%+.0f", value);
    (void)fprintf(out, "%*s", width, text);
}

static void put_row(const struct page *page, const char *z, double before, double after,
                    double delta, const char *percent, const char *name)
{
    CLEAN_MEM char *shown = page_name(page, name, page->width > 60 ? page->width - 46 : 14, false);

    (void)fprintf(page->out, "%7s ", z);
    put_signed(page->out, 9, delta);
    (void)fprintf(page->out, " %9s %7.0f %7.0f  %s\n", percent, before, after, shown);
}

static void percent_text(double before, double delta, bool is_new, char ret[NUM_SIZE])
{
    if (is_new)
        (void)snprintf(ret, NUM_SIZE, "new");
    else if (before > 0.0)
        (void)snprintf(ret, NUM_SIZE, "%+.1f%%", 100.0 * delta / before);
    else
        (void)snprintf(ret, NUM_SIZE, "n/a");
}

static void put_sum(const struct page *page, double scale, const char *name, double before,
                    double after)
{
    char percent[NUM_SIZE];
    double delta = after * scale - before;

    if (before <= 0.0 && after <= 0.0)
        return;
    percent_text(before, delta, before <= 0.0, percent);
    put_row(page, "", before, after, delta, percent, name);
}

/* What a tick of one side is worth on the other: exposure before over after, all profiles. */
static double scale_of(const struct table *table)
{
    double exposure[2] = {0.0, 0.0};

    for (size_t p = 0; p < table->n_profiles; p++)
        exposure[table->profile[p].after] += table->profile[p].exposure;
    return exposure[0] / exposure[1];
}

/* Where no line says `total`, it is the sum. */
static void complete_total(struct profdiff_result *result)
{
    if (result->total_before > 0.0 || result->total_after > 0.0)
        return;
    result->total_before = result->idle_before;
    result->total_after = result->idle_after;
    for (size_t i = 0; i < result->n; i++) {
        result->total_before += result->row[i].before;
        result->total_after += result->row[i].after;
    }
}

static void print_text(const struct offline_profile_options *options, const struct table *table,
                       const struct profdiff_result *result, const struct report_style *style,
                       FILE *out)
{
    size_t shown = options->top > 0 && options->top < result->n ? (size_t)options->top : result->n;
    double scale = scale_of(table);
    size_t called = 0;
    struct page page;

    page_init(&page, style, out);
    for (size_t i = 0; i < result->n; i++)
        called += result->row[i].p_adjusted <= CALLED;
    if (!style->quiet) {
        page_line(&page, "", 0,
                  "%zu of %zu symbols changed by more than chance (p <= %.2g after correction for "
                  "all symbols, marked *).",
                  called, result->n, CALLED);
        if (result->poisson_only)
            page_line(&page, "", 0,
                      "One profile a side: how much profiles scatter from run to run cannot be "
                      "seen, so z is at its largest. Give --from and --to several times.");
        else
            page_line(&page, "", 0, "z allows for the scatter between profiles (phi %.3g).",
                      result->phi);
        if (scale != 1.0)
            page_line(&page, "", 0, "Changes are at the exposure of the first side (ticks x %.4g).",
                      scale);
        (void)fputc('\n', out);
    }
    (void)fprintf(out, "%7s %9s %9s %7s %7s  %s\n", "z", "change", "percent", "from", "to",
                  "symbol");
    put_sum(&page, scale, "total", result->total_before, result->total_after);
    put_sum(&page, scale, "idle", result->idle_before, result->idle_after);
    for (size_t i = 0; i < shown; i++) {
        const struct profdiff_row *row = &result->row[i];
        char z[NUM_SIZE], percent[NUM_SIZE];

        (void)snprintf(z, sizeof z, "%s%+.1f", row->p_adjusted <= CALLED ? "*" : "", row->z);
        percent_text(row->before, row->delta, row->is_new, percent);
        put_row(&page, z, row->before, row->after, row->delta, percent, table->name[row->symbol]);
    }
    if (shown < result->n && !style->quiet)
        (void)fprintf(out, "and %zu more (--top 0 shows all)\n", result->n - shown);
}

static void jot_sum(struct jot *jot, const char *key, double before, double after)
{
    jot_open(jot, key, '{');
    jot_number(jot, "from", before);
    jot_number(jot, "to", after);
    jot_close(jot, '{');
}

static void print_json(const struct table *table, const struct profdiff_result *result, FILE *out)
{
    CLEAN_DONE(jot) struct jot jot = {0};

    jot_open(&jot, NULL, '{');
    jot_int(&jot, "schema", 1);
    jot_sum(&jot, "total", result->total_before, result->total_after);
    jot_sum(&jot, "idle", result->idle_before, result->idle_after);
    jot_number(&jot, "phi", result->poisson_only ? NAN : result->phi);
    jot_open(&jot, "symbols", '[');
    for (size_t i = 0; i < result->n; i++) {
        const struct profdiff_row *row = &result->row[i];

        jot_open(&jot, NULL, '{');
        jot_text(&jot, "symbol", table->name[row->symbol]);
        jot_number(&jot, "from", row->before);
        jot_number(&jot, "to", row->after);
        jot_number(&jot, "delta", row->delta);
        jot_number(&jot, "pct", row->percent);
        jot_bool(&jot, "new", row->is_new);
        jot_number(&jot, "z", row->z);
        jot_number(&jot, "p", row->p);
        jot_number(&jot, "p_adjusted", row->p_adjusted);
        jot_close(&jot, '{');
    }
    jot_close(&jot, '[');
    jot_close(&jot, '{');
    (void)fprintf(out, "%s\n", str_get(&jot.text));
}

static int read_all(const struct offline_profile_options *options, struct profile_ticks *ret,
                    struct err *err)
{
    size_t profile = 0;

    if (options->diff)
        return profile_read_diff(options->diff, ret, err);
    for (size_t i = 0; i < options->from.n; i++)
        if (profile_read(options->from.v[i], profile++, ret, err) < 0)
            return -1;
    for (size_t i = 0; i < options->to.n; i++)
        if (profile_read(options->to.v[i], profile++, ret, err) < 0)
            return -1;
    return 0;
}

int offline_profile(const struct offline_profile_options *options, const struct report_style *style,
                    FILE *out, struct err *err)
{
    CLEAN_DONE(profile_ticks) struct profile_ticks ticks = {0};
    CLEAN_DONE(table) struct table table = {0};
    struct profdiff_result result = {0};

    if (!(options->exposure_from > 0.0 && options->exposure_to > 0.0))
        return err_set(err, ERR_USAGE, "exposures must be above 0");
    if (read_all(options, &ticks, err) < 0)
        return -1;
    table_build(&ticks, options->diff ? 1 : options->from.n, options->diff ? 1 : options->to.n,
                options, &table);
    profdiff_compare(table.name, table.n_names, table.profile, table.n_profiles, PROFDIFF_BH, 0,
                     &result);
    complete_total(&result);
    if (options->json)
        print_json(&table, &result, out);
    else
        print_text(options, &table, &result, style, out);
    profdiff_done(&result);
    return 0;
}
