/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One JSON object: the experiment, and each host with its facts and samples, an object a sample.
 * Missing values are null.
 */
#include "coordinator/report/export.h"

#include "coordinator/report/jot.h"

extern const struct export_ops export_json;

/* Writes what was gathered: at most one host is in memory. */
static void drain(struct jot *jot, FILE *out)
{
    if (jot->text.length)
        fwrite(jot->text.text, 1, jot->text.length, out);
    str_clear(&jot->text);
}

static void put_experiment(struct jot *jot, const struct run *run)
{
    const struct experiment *spec = run->spec;

    jot_count(jot, "schema", 1);
    jot_text(jot, "experiment", run->experiment);
    jot_int(jot, "run", run->number);
    jot_text(jot, "state", run_state_name(run->state));
    jot_text(jot, "metric", spec->metric);
    jot_number(jot, "min_effect", spec->min_effect);
    jot_bool(jot, "design_unknown", run->design_unknown);
    jot_open(jot, "metrics", '[');
    for (size_t i = 0; i < spec->n_metric_defs; i++) {
        jot_open(jot, NULL, '{');
        jot_text(jot, "name", spec->metric_def[i].name);
        jot_text(jot, "unit", spec->metric_def[i].unit);
        jot_text(jot, "better", spec->metric_def[i].higher_is_better ? "higher" : "lower");
        jot_close(jot, '{');
    }
    jot_close(jot, '[');
    jot_open(jot, "variants", '[');
    for (size_t i = 0; i < spec->n_variants; i++) {
        jot_open(jot, NULL, '{');
        jot_text(jot, "name", spec->variant[i].name);
        jot_bool(jot, "control", spec->variant[i].is_control);
        jot_text(jot, "artefact", spec->variant[i].artefact[0] ? spec->variant[i].artefact : NULL);
        jot_close(jot, '{');
    }
    jot_close(jot, '[');
}

static void put_facts(struct jot *jot, const struct fact_set *facts)
{
    jot_open(jot, "facts", '{');
    for (size_t i = 0; i < facts->n; i++)
        jot_text(jot, facts->v[i].name, facts->v[i].value);
    jot_close(jot, '{');
}

static void put_sample(struct jot *jot, const struct run *run, const struct frame *frame,
                       size_t row)
{
    const struct experiment *spec = run->spec;

    jot_open(jot, NULL, '{');
    jot_text(jot, "variant", spec->variant[frame->variant[row]].name);
    jot_count(jot, "round", frame->round[row]);
    jot_count(jot, "position", frame->position[row]);
    jot_count(jot, "session", frame->session[row]);
    for (size_t i = 0; i < spec->n_factors; i++)
        jot_text(jot, spec->factor[i].name, experiment_level(spec, frame->cell[row], i));
    for (size_t i = 0; i < frame->n_numbers; i++)
        jot_number(jot, frame->number[i].name, frame->number[i].v[row]);
    for (size_t i = 0; i < frame->n_texts; i++) {
        const struct frame_text *text = &frame->text[i];
        bool crossed = false;

        for (size_t k = 0; k < spec->n_factors; k++)
            crossed = crossed || str_eq(spec->factor[k].name, text->name);
        if (!crossed)
            jot_text(jot, text->name,
                     text->v[row] == FRAME_UNKNOWN ? NULL : text->level[text->v[row]]);
    }
    jot_close(jot, '{');
}

static int put_host(struct store *store, const struct run *run, const struct trial *trial,
                    struct jot *jot, FILE *out, struct err *err)
{
    CLEAN(fact_set) struct fact_set *facts = NULL;
    CLEAN(frame) struct frame *frame = NULL;
    CLEAN_MEM char *plain = export_plain_host(trial);

    if (export_facts(store, trial, &facts, err) < 0 ||
        store_frame_get(store, run->id, trial->host, &frame, err) < 0)
        return -1;
    jot_open(jot, NULL, '{');
    jot_text(jot, "host", plain);
    jot_text(jot, "epoch", trial->epoch_name);
    jot_text(jot, "state", trial_state_name(trial->state));
    jot_text(jot, "reason", trial->reason && trial->reason[0] ? trial->reason : NULL);
    put_facts(jot, facts);
    jot_open(jot, "samples", '[');
    for (size_t row = 0; row < frame->n; row++) {
        if (!export_judged(frame, row))
            continue;
        if (frame->variant[row] >= run->spec->n_variants)
            return err_set(err, ERR_STORE, "sample %zu of %s has a variant the run has not",
                           row + 1, trial->host);
        put_sample(jot, run, frame, row);
        drain(jot, out);
    }
    jot_close(jot, '[');
    jot_close(jot, '{');
    return 0;
}

static int write_json(struct store *store, const struct run *run, enum export_part part, FILE *out,
                      struct err *err)
{
    CLEAN_DONE(trial_list) struct trial_list trials = {0};
    CLEAN_DONE(jot) struct jot jot = {0};

    (void)part;
    if (store_trials(store, run->id, &trials, err) < 0)
        return -1;
    jot_open(&jot, NULL, '{');
    put_experiment(&jot, run);
    jot_open(&jot, "hosts", '[');
    for (size_t i = 0; i < trials.n; i++) {
        if (put_host(store, run, trials.v[i], &jot, out, err) < 0)
            return -1;
    }
    jot_close(&jot, '[');
    jot_close(&jot, '{');
    drain(&jot, out);
    fputc('\n', out);
    return 0;
}

const struct export_ops export_json = {
    .name = "json",
    .help = "one object: experiment, hosts with facts, an object a sample",
    .write = write_json,
};
