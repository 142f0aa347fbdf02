/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * hosts.csv and samples.csv, as import reads them. Names are kept as they are; text that a
 * spreadsheet would take for a formula stands in quotes.
 */
#include "coordinator/report/export.h"

#include <math.h>
#include <string.h>

extern const struct export_ops export_csv;

struct layout { /* columns of samples.csv */
    bool epoch, session, places;
    struct strlist number, text;
    size_t *factor; /* those of the run's factors that are no text column: written from the cell */
    size_t n_factors;
};

static void layout_done(struct layout *layout)
{
    strlist_done(&layout->number);
    strlist_done(&layout->text);
    mem_free(layout->factor);
}

static void put_text(FILE *out, const char *text)
{
    bool quote = !text[0] || strpbrk(text, ",\"\r\n") || strchr("=+-@#\t ", text[0]);

    if (!quote) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            fputc('"', out);
        fputc(*p, out);
    }
    fputc('"', out);
}

static void put_number(FILE *out, double value)
{
    char text[32];

    if (!isfinite(value))
        return;
    str_from_double(value, text);
    fputs(text, out);
}

static bool has_epochs(const struct trial_list *trials)
{
    for (size_t i = 0; i < trials->n; i++) {
        if (trials->v[i]->epoch_name)
            return true;
    }
    return false;
}

static void put_host(FILE *out, const struct trial *trial, bool epoch)
{
    CLEAN_MEM char *plain = export_plain_host(trial);

    put_text(out, plain);
    if (!epoch)
        return;
    fputc(',', out);
    if (trial->epoch_name)
        put_text(out, trial->epoch_name);
}

/* ---- hosts ---- */
static int all_facts(struct store *store, const struct trial_list *trials, struct strlist *ret,
                     struct err *err)
{
    for (size_t i = 0; i < trials->n; i++) {
        CLEAN(fact_set) struct fact_set *facts = NULL;

        if (export_facts(store, trials->v[i], &facts, err) < 0)
            return -1;
        for (size_t k = 0; k < facts->n; k++) {
            const char *name = facts->v[k].name;

            if (!strlist_has(ret, name) && !str_eq(name, "host") && !str_eq(name, "epoch"))
                strlist_add(ret, name);
        }
    }
    strlist_sort(ret);
    return 0;
}

static int write_hosts(struct store *store, const struct trial_list *trials, FILE *out,
                       struct err *err)
{
    CLEAN_DONE(strlist) struct strlist names = {0};
    bool epoch = has_epochs(trials);

    if (all_facts(store, trials, &names, err) < 0)
        return -1;
    fputs(epoch ? "host,epoch" : "host", out);
    for (size_t k = 0; k < names.n; k++) {
        fputc(',', out);
        put_text(out, names.v[k]);
    }
    fputc('\n', out);
    for (size_t i = 0; i < trials->n; i++) {
        CLEAN(fact_set) struct fact_set *facts = NULL;

        if (export_facts(store, trials->v[i], &facts, err) < 0)
            return -1;
        put_host(out, trials->v[i], epoch);
        for (size_t k = 0; k < names.n; k++) {
            const char *value = fact_set_get(facts, names.v[k]);

            fputc(',', out);
            if (value)
                put_text(out, value);
        }
        fputc('\n', out);
    }
    return 0;
}

/* ---- samples ---- */
static int plan_layout(struct store *store, const struct run *run, const struct trial_list *trials,
                       struct layout *ret, struct err *err)
{
    const struct experiment *spec = run->spec;

    if (store_columns(store, run->id, &ret->number, &ret->text, err) < 0)
        return -1;
    ret->epoch = has_epochs(trials);
    ret->session = spec->sessions > 1;
    ret->places = !run->design_unknown;
    ret->factor = mem_array(size_t, spec->n_factors);
    for (size_t i = 0; i < spec->n_factors; i++) {
        if (!strlist_has(&ret->text, spec->factor[i].name))
            ret->factor[ret->n_factors++] = i;
    }
    return 0;
}

static void put_header(FILE *out, const struct run *run, const struct layout *layout)
{
    fprintf(out, "host%s,variant%s%s", layout->epoch ? ",epoch" : "",
            layout->places ? ",round,position" : "", layout->session ? ",session" : "");
    for (size_t i = 0; i < layout->number.n; i++) {
        fputc(',', out);
        put_text(out, layout->number.v[i]);
    }
    for (size_t i = 0; i < layout->text.n; i++) {
        fputc(',', out);
        put_text(out, layout->text.v[i]);
    }
    for (size_t i = 0; i < layout->n_factors; i++) {
        fputc(',', out);
        put_text(out, run->spec->factor[layout->factor[i]].name);
    }
    fputc('\n', out);
}

struct columns { /* of one host's frame, in the order of the layout; NULL: it has none of that name
                  */
    const double **number;
    const struct frame_text **text;
};

static void put_sample(FILE *out, const struct run *run, const struct layout *layout,
                       const struct columns *columns, const struct frame *frame, size_t row)
{
    fputc(',', out);
    put_text(out, run->spec->variant[frame->variant[row]].name);
    if (layout->places)
        fprintf(out, ",%u,%u", frame->round[row], frame->position[row]);
    if (layout->session)
        fprintf(out, ",%u", frame->session[row]);
    for (size_t i = 0; i < layout->number.n; i++) {
        fputc(',', out);
        if (columns->number[i])
            put_number(out, columns->number[i][row]);
    }
    for (size_t i = 0; i < layout->text.n; i++) {
        fputc(',', out);
        if (columns->text[i] && columns->text[i]->v[row] != FRAME_UNKNOWN)
            put_text(out, columns->text[i]->level[columns->text[i]->v[row]]);
    }
    for (size_t i = 0; i < layout->n_factors; i++) {
        fputc(',', out);
        put_text(out, experiment_level(run->spec, frame->cell[row], layout->factor[i]));
    }
    fputc('\n', out);
}

static int write_host_samples(struct store *store, const struct run *run, const struct trial *trial,
                              const struct layout *layout, FILE *out, struct err *err)
{
    CLEAN(frame) struct frame *frame = NULL;
    CLEAN_MEM const double **number = mem_array(const double *, layout->number.n);
    CLEAN_MEM const struct frame_text **text = mem_array(const struct frame_text *, layout->text.n);
    struct columns columns = {.number = number, .text = text};

    if (store_frame_get(store, run->id, trial->host, &frame, err) < 0)
        return -1;
    for (size_t i = 0; i < layout->number.n; i++)
        number[i] = frame_find_number(frame, layout->number.v[i]);
    for (size_t i = 0; i < layout->text.n; i++)
        text[i] = frame_find_text(frame, layout->text.v[i]);
    for (size_t row = 0; row < frame->n; row++) {
        if (!export_judged(frame, row))
            continue;
        if (frame->variant[row] >= run->spec->n_variants)
            return err_set(err, ERR_STORE, "sample %zu of %s has a variant the run has not",
                           row + 1, trial->host);
        put_host(out, trial, layout->epoch);
        put_sample(out, run, layout, &columns, frame, row);
    }
    return 0;
}

static int write_samples(struct store *store, const struct run *run,
                         const struct trial_list *trials, FILE *out, struct err *err)
{
    CLEAN_DONE(layout) struct layout layout = {0};

    if (plan_layout(store, run, trials, &layout, err) < 0)
        return -1;
    put_header(out, run, &layout);
    for (size_t i = 0; i < trials->n; i++) {
        if (write_host_samples(store, run, trials->v[i], &layout, out, err) < 0)
            return -1;
    }
    return 0;
}

static int write_csv(struct store *store, const struct run *run, enum export_part part, FILE *out,
                     struct err *err)
{
    CLEAN_DONE(trial_list) struct trial_list trials = {0};

    if (store_trials(store, run->id, &trials, err) < 0)
        return -1;
    return part == EXPORT_HOSTS ? write_hosts(store, &trials, out, err)
                                : write_samples(store, run, &trials, out, err);
}

const struct export_ops export_csv = {
    .name = "csv",
    .help = "samples.csv, or hosts.csv with --what hosts: import reads them",
    .has_hosts = true,
    .write = write_csv,
};
