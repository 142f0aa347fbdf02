/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text form of Go's benchmarks, for benchstat and its kin: a line a sample, `key: value` lines
 * for host, facts and variant. benchstat -col /variant … compares; elapsed_s becomes ns/op, other
 * numbers keep their name as unit.
 */
#include "coordinator/report/export.h"

#include <ctype.h>
#include <math.h>

extern const struct export_ops export_gobench;

/* A name as the format allows it: no spaces, first letter upper case. */
static void put_name(FILE *out, const char *name, bool first)
{
    for (const unsigned char *p = (const unsigned char *)name; *p; p++) {
        unsigned char c = *p <= ' ' || *p == '/' || *p == '=' ? '_' : *p;

        fputc(first && p == (const unsigned char *)name ? toupper(c) : c, out);
    }
}

static void put_value(FILE *out, const char *column, double value)
{
    char text[32];
    bool elapsed = str_eq(column, "elapsed_s");

    if (!isfinite(value))
        return;
    str_from_double(elapsed ? value * 1e9 : value, text);
    fprintf(out, " %s ", text);
    if (elapsed)
        fputs("ns/op", out);
    else
        put_name(out, column, false);
}

static void put_sample(FILE *out, const struct run *run, const struct frame *frame, size_t row)
{
    const struct experiment *spec = run->spec;

    fputs("Benchmark", out);
    put_name(out, run->experiment, true);
    fputs("/variant=", out);
    put_name(out, spec->variant[frame->variant[row]].name, false);
    for (size_t i = 0; i < spec->n_factors; i++) {
        fputc('/', out);
        put_name(out, spec->factor[i].name, false);
        fputc('=', out);
        put_name(out, experiment_level(spec, frame->cell[row], i), false);
    }
    fputs(" 1", out);
    for (size_t i = 0; i < frame->n_numbers; i++)
        put_value(out, frame->number[i].name, frame->number[i].v[row]);
    fputc('\n', out);
}

static int put_host(struct store *store, const struct run *run, const struct trial *trial,
                    FILE *out, struct err *err)
{
    CLEAN(fact_set) struct fact_set *facts = NULL;
    CLEAN(frame) struct frame *frame = NULL;

    if (export_facts(store, trial, &facts, err) < 0 ||
        store_frame_get(store, run->id, trial->host, &frame, err) < 0)
        return -1;
    if (frame->n == 0)
        return 0;
    fprintf(out, "host: %s\n", trial->host);
    for (size_t i = 0; i < facts->n; i++) {
        /* a key begins with a lower case letter and holds no upper case */
        if (islower((unsigned char)facts->v[i].name[0]))
            fprintf(out, "%s: %s\n", facts->v[i].name, facts->v[i].value);
    }
    for (size_t row = 0; row < frame->n; row++) {
        if (!export_judged(frame, row))
            continue;
        if (frame->variant[row] >= run->spec->n_variants)
            return err_set(err, ERR_STORE, "sample %zu of %s has a variant the run has not",
                           row + 1, trial->host);
        put_sample(out, run, frame, row);
    }
    /* keys stay in force until changed: those of this host must not reach the next */
    for (size_t i = 0; i < facts->n; i++) {
        if (islower((unsigned char)facts->v[i].name[0]))
            fprintf(out, "%s:\n", facts->v[i].name);
    }
    return 0;
}

static int write_gobench(struct store *store, const struct run *run, enum export_part part,
                         FILE *out, struct err *err)
{
    CLEAN_DONE(trial_list) struct trial_list trials = {0};

    (void)part;
    if (store_trials(store, run->id, &trials, err) < 0)
        return -1;
    for (size_t i = 0; i < trials.n; i++) {
        if (put_host(store, run, trials.v[i], out, err) < 0)
            return -1;
    }
    return 0;
}

const struct export_ops export_gobench = {
    .name = "gobench",
    .help = "Go benchmark text, a line a sample (benchstat -col /variant)",
    .write = write_gobench,
};
