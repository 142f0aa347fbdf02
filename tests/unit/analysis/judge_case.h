/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A case of tests/cases/fleet through the whole of judge_*: its samples as frames, its hosts as
 * facts. Options and input order can be varied, for property tests.
 */
#pragma once
#include "analysis/judge.h"
#include "unit/analysis/case_data.h"

struct judge_case {
    struct case_data data;
    struct frame **frame; /* one a host, in order of data.host */
    bool higher_is_better;
    char metric[CASE_FIELD];
    struct strlist variant;
};

static inline bool judge_case_is_text(const char *value)
{
    char *end = NULL;

    if (!*value)
        return false;
    strtod(value, &end);
    return *end != '\0';
}

static inline void judge_case_row(struct judge_case *c, const struct case_table *table)
{
    struct case_host *host = case_find(&c->data, case_get(table, "host"));
    struct frame *frame = c->frame[host - c->data.host];
    const size_t row = frame_add_row(frame);
    const char *variant = case_get(table, "variant");

    for (frame->variant[row] = 0; frame->variant[row] < c->variant.n; frame->variant[row]++)
        if (strcmp(c->variant.v[frame->variant[row]], variant) == 0)
            break;
    if (frame->variant[row] == c->variant.n)
        strlist_add(&c->variant, variant);
    frame->round[row] = (uint32_t)case_number(table, "round");
    frame->position[row] = (uint32_t)case_number(table, "position");
    for (size_t i = 4; i < table->columns; i++)
        if (judge_case_is_text(table->field[i])) {
            const size_t column = frame_text_column(frame, table->name[i]);

            frame->text[column].v[row] = frame_level(frame, column, table->field[i]);
        } else {
            const size_t column = frame_number_column(frame, table->name[i]);

            frame->number[column].v[row] = case_number(table, table->name[i]);
        }
}

static inline void judge_case_load(struct judge_case *c, const char *name)
{
    char directory[256];
    struct case_table *table = mem_new(struct case_table);
    FILE *in;

    memset(c, 0, sizeof *c);
    snprintf(directory, sizeof directory, "fleet/%s", name);
    case_read_hosts(&c->data, directory);
    c->frame = mem_array(struct frame *, c->data.n);
    for (size_t h = 0; h < c->data.n; h++) {
        c->frame[h] = frame_new();
        c->frame[h]->first_seq = 1;
    }
    in = case_open(directory, "samples.csv");
    strlist_add(&c->variant, "A");
    assert_true(case_line(in, table->name, &table->columns));
    while (case_line(in, table->field, &table->columns))
        judge_case_row(c, table);
    fclose(in);
    mem_free(table);
    c->data.truth = case_json(directory, "truth.json");
    c->data.expected = case_json(directory, "expected.json");
    c->higher_is_better =
        strcmp(json_string_value(json_object_get(c->data.truth, "better")), "higher") == 0;
    snprintf(c->metric, sizeof c->metric, "%s",
             json_string_value(json_object_get(c->data.truth, "metric")));
}

static inline void judge_case_done(struct judge_case *c)
{
    for (size_t h = 0; h < c->data.n; h++) {
        frame_free(c->frame[h]);
        fact_set_free(c->data.host[h].facts);
    }
    mem_free((void *)c->frame);
    mem_free(c->data.host);
    json_decref(c->data.truth);
    json_decref(c->data.expected);
    strlist_done(&c->variant);
}

static inline struct judge_options judge_case_options(const struct judge_case *c)
{
    return (struct judge_options){.experiment = "case",
                                  .run = 1,
                                  .seed = 42,
                                  .alpha = 0.05,
                                  .min_effect = 0.01,
                                  .metric = c->metric,
                                  .unit = "",
                                  .higher_is_better = c->higher_is_better,
                                  .variant = (const char *const *)(void *)c->variant.v,
                                  .n_variants = c->variant.n,
                                  .control = SIZE_MAX,
                                  .threads = 2};
}

/* order: a permutation of the hosts, or NULL. */
static inline struct answer *judge_case_answer(const struct judge_case *c,
                                               const struct judge_options *options,
                                               const size_t *order)
{
    struct judge_host *hosts = mem_array(struct judge_host, c->data.n);
    struct judge *judge = NULL;
    struct answer *answer = NULL;
    struct err err = {0};
    int rc;

    for (size_t i = 0; i < c->data.n; i++) {
        const struct case_host *host = &c->data.host[order ? order[i] : i];

        hosts[i] = (struct judge_host){.name = host->name, .facts = host->facts, .measured = true};
    }
    rc = judge_new(options, hosts, c->data.n, &judge, &err);
    for (size_t i = 0; rc == 0 && i < c->data.n; i++)
        if (c->frame[order ? order[i] : i]->n > 0)
            rc = judge_add(judge, i, c->frame[order ? order[i] : i], &err);
    if (rc == 0)
        rc = judge_finish(judge, &answer, &err);
    if (rc < 0)
        fail_msg("%s", err.text);
    judge_free(judge);
    mem_free(hosts);
    return answer;
}
