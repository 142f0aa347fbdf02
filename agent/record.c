/* SPDX-License-Identifier: GPL-3.0-or-later
 * Judging one execution: did it end well, and is the primary metric a number. */
#include "agent/record.h"

#include <math.h>
#include <string.h>

#include "agent/command.h"
#include "agent/output.h"
#include "model/limits.h"

static void put_number(struct frame *frame, size_t row, const char *name, double value)
{
    const size_t at = frame_number_column(frame, name);

    frame->number[at].v[row] = value;
}

static void put_text(struct frame *frame, size_t row, const char *name, const char *word)
{
    const size_t at = frame_text_column(frame, name);
    const uint32_t level = frame_level(frame, at, word);

    frame->text[at].v[row] = level;
}

static void put_place(const struct record_place *place, struct frame *frame)
{
    const struct experiment *experiment = place->experiment;
    const size_t row = place->row;

    frame->variant[row] = place->step->variant;
    frame->cell[row] = place->step->cell;
    frame->round[row] = place->block->round;
    frame->position[row] = place->step->position;
    frame->session[row] = place->block->session;
    if (place->is_warmup)
        frame->flags[row] |= FRAME_WARMUP;
    put_number(frame, row, "env_bytes", place->block->env_bytes);
    put_number(frame, row, "cwd_bytes", (double)place->cwd_bytes);
    put_text(frame, row, "stdout_kind", command_sink(experiment, place->step->cell));
    if (experiment->randomize_aslr)
        put_text(frame, row, "aslr", place->block->aslr_off ? "off" : "on");
    for (size_t f = 0; f < experiment->n_factors; f++)
        if (strcmp(experiment->factor[f].name, "sink") != 0)
            put_text(frame, row, experiment->factor[f].name,
                     experiment_level(experiment, place->step->cell, f));
}

static void keep_output(struct wire_batch *batch, uint64_t seq, char *text)
{
    batch->output = mem_resize(batch->output, batch->n_outputs + 1, sizeof *batch->output);
    batch->output[batch->n_outputs].seq = seq;
    batch->output[batch->n_outputs++].text = text;
}

static const struct metric_def *primary_metric(const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->n_metric_defs; i++)
        if (str_eq(experiment->metric_def[i].name, experiment->metric))
            return &experiment->metric_def[i];
    return NULL;
}

/* cpu_s and wait_s are made of these by whoever judges. */
static bool is_derived(const char *name)
{
    return strcmp(name, "cpu_s") == 0 || strcmp(name, "wait_s") == 0;
}

static enum outcome take_metrics(const struct record_place *place,
                                 const struct child_result *result, struct frame *frame,
                                 struct str *why)
{
    CLEAN_DONE(output_metrics) struct output_metrics metrics = {0};
    const struct metric_def *primary = primary_metric(place->experiment);

    output_read(place->experiment, &result->output, &result->error, &metrics);
    for (size_t i = 0; i < metrics.n; i++)
        if (!frame_find_number(frame, metrics.v[i].name) ||
            isnan(frame_find_number(frame, metrics.v[i].name)[place->row]))
            put_number(frame, place->row, metrics.v[i].name, metrics.v[i].value);
    if (!primary || is_derived(primary->name))
        return OUTCOME_OK;
    const double *column = frame_find_number(frame, primary->name);
    if (column && isfinite(column[place->row]))
        return OUTCOME_OK;
    str_addf(why, "no number for the primary metric %s", primary->name);
    if (metrics.trouble.length > 0)
        str_addf(why, " (%s)", str_get(&metrics.trouble));
    return OUTCOME_NO_METRIC;
}

static enum outcome judge(const struct record_place *place, const struct child_result *result,
                          struct frame *frame, struct str *why)
{
    switch (result->end) {
    case CHILD_EXITED:
        if (result->status == 0)
            return take_metrics(place, result, frame, why);
        str_addf(why, "exit status %d", result->status);
        return OUTCOME_FAILED;
    case CHILD_SIGNALLED:
        str_addf(why, "killed by signal %d (%s)", result->status, strsignal(result->status));
        return OUTCOME_FAILED;
    case CHILD_TIMEOUT:
        str_addf(why, "not ended after %.3g s", (double)place->experiment->timeout_ns / 1e9);
        return OUTCOME_TIMEOUT;
    case CHILD_STOPPED:
        str_add(why, "stopped");
        return OUTCOME_CANCELLED;
    case CHILD_NOT_STARTED:
        str_addf(why, "not started: %s", result->why);
        return OUTCOME_NOT_STARTED;
    }
    return OUTCOME_FAILED;
}

enum outcome record_sample(const struct record_place *place, const struct child_result *result,
                           struct wire_batch *batch, struct str *ret_why)
{
    CLEAN_DONE(str) struct str why = {0};

    put_place(place, batch->frame);
    const enum outcome outcome = judge(place, result, batch->frame, &why);
    batch->frame->outcome[place->row] = (uint8_t)outcome;
    if (outcome == OUTCOME_OK)
        return outcome;
    CLEAN_MEM char *said =
        output_excerpt(&result->output, &result->error, LIMIT_OUTPUT_ON_FAILURE - LIMIT_REASON);
    keep_output(batch, place->seq, mem_printf("%.400s\n%s", str_get(&why), said));
    if (ret_why) {
        CLEAN_MEM char *line = str_visible(said, 160);
        str_clear(ret_why);
        str_addf(ret_why, "%s%s%s", str_get(&why), said[0] ? ": " : "", said[0] ? line : "");
    }
    return outcome;
}

void record_refused(const struct record_place *place, const char *why, struct wire_batch *batch)
{
    put_place(place, batch->frame);
    batch->frame->outcome[place->row] = OUTCOME_REFUSED;
    keep_output(batch, place->seq, mem_strdup(why));
}
