/* SPDX-License-Identifier: GPL-3.0-or-later
 * The way in and out of the analysis: takes hosts one at a time, then joins, corrects, pools and
 * explains. See judge.h. */
#include "analysis/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/judge_state.h"
#include "analysis/sentence.h"

#define PENDING_A_THREAD 2 /* hosts kept for each thread, so that all have work at once */

static const char *const *copy_texts(const char *const *from, size_t n)
{
    char **copy = mem_array(char *, n + 1);

    for (size_t i = 0; i < n; i++)
        copy[i] = mem_strdup(from[i]);
    return (const char *const *)copy;
}

static void free_texts(const char *const *texts, size_t n)
{
    for (size_t i = 0; texts && i < n; i++)
        mem_free((void *)(uintptr_t)texts[i]);
    mem_free((void *)(uintptr_t)texts);
}

static void copy_options(const struct judge_options *from, struct judge_options *to)
{
    *to = *from;
    to->experiment = mem_strdup(from->experiment ? from->experiment : "");
    to->metric = mem_strdup(from->metric);
    to->unit = mem_strdup(from->unit ? from->unit : "");
    to->variant = copy_texts(from->variant, from->n_variants);
    to->digest = from->digest ? copy_texts(from->digest, from->n_variants) : NULL;
    to->factor = copy_texts(from->factor, from->n_factors);
    to->part_of_variant = copy_texts(from->part_of_variant, from->n_part_of_variant);
    to->suspect = copy_texts(from->suspect, from->n_suspects);
}

static void free_options(struct judge_options *options)
{
    mem_free((void *)(uintptr_t)options->experiment);
    mem_free((void *)(uintptr_t)options->metric);
    mem_free((void *)(uintptr_t)options->unit);
    free_texts(options->variant, options->n_variants);
    free_texts(options->digest, options->n_variants);
    free_texts(options->factor, options->n_factors);
    free_texts(options->part_of_variant, options->n_part_of_variant);
    free_texts(options->suspect, options->n_suspects);
}

struct named {
    const char *name;
    size_t at;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static int check(const struct judge_options *o, const struct judge_host *hosts, size_t n_hosts,
                 struct err *err)
{
    if (!o->metric || o->n_variants < 2 || o->base >= o->n_variants)
        return err_set(err, ERR_INPUT,
                       "a metric, a base and at least one other variant are needed");
    if (!(o->alpha > 0 && o->alpha < 1))
        return err_set(err, ERR_INPUT, "alpha: found %g; allowed: between 0 and 1", o->alpha);
    if (!(o->min_effect > 0 && o->min_effect < 10))
        return err_set(err, ERR_INPUT, "min_effect: found %g; allowed: above 0", o->min_effect);
    for (size_t h = 0; h < n_hosts; h++)
        if (!hosts[h].name || !hosts[h].facts)
            return err_set(err, ERR_INTERNAL, "host %zu has no name or no facts", h);
    return 0;
}

/* Hosts of one machine are joined into the first of them by name. */
static void find_machines(struct judge *judge)
{
    for (size_t h = 0; h < judge->n_hosts; h++) {
        struct judge_host_state *host = &judge->host[h];

        host->joined_into = h;
        for (size_t k = 0; k < h && host->machine && host->measured; k++)
            if (judge->host[k].measured && str_eq(judge->host[k].machine, host->machine)) {
                host->joined_into = k;
                host->shares_machine = judge->host[k].shares_machine = true;
                break;
            }
    }
}

int judge_new(const struct judge_options *options, const struct judge_host *hosts, size_t n_hosts,
              struct judge **ret, struct err *err)
{
    struct judge *judge;
    struct named *order;
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    if (check(options, hosts, n_hosts, err) < 0)
        return -1;
    judge = mem_new(struct judge);
    copy_options(options, &judge->options);
    judge->theta = log1p(options->min_effect);
    judge->draws = options->draws ? options->draws : 999;
    judge->threads = options->threads ? options->threads : cpus > 0 ? (unsigned)cpus : 1;
    judge->n_hosts = n_hosts;
    judge->host = mem_array(struct judge_host_state, n_hosts + 1);
    judge->by_input = mem_array(size_t, n_hosts + 1);
    judge->pending = mem_array(size_t, n_hosts + 1);
    order = mem_array(struct named, n_hosts + 1);
    for (size_t h = 0; h < n_hosts; h++)
        order[h] = (struct named){hosts[h].name, h};
    qsort(order, n_hosts, sizeof *order, by_name);
    for (size_t h = 0; h < n_hosts; h++) {
        const struct judge_host *host = &hosts[order[h].at];

        judge->by_input[order[h].at] = h;
        judge->host[h] = (struct judge_host_state){.name = mem_strdup(host->name),
                                                   .machine = mem_strdup(host->machine),
                                                   .facts = host->facts,
                                                   .measured = host->measured};
    }
    mem_free(order);
    find_machines(judge);
    if (options->look_max > 0) {
        const struct sequential_plan *looks = &judge->looks;

        sequential_plan_build(options->look_min ? options->look_min : 1, options->look_max,
                              options->alpha, &judge->looks);
        sequential_table_build(looks->look, looks->n, looks->look[looks->n - 1], &judge->table);
    }
    *ret = judge;
    return 0;
}

static void free_part(struct judge_part *part)
{
    host_rounds_done(&part->rounds);
    mem_free(part->answer.host);
    strlist_done(&part->answer.reasons);
    strlist_done(&part->answer.notes);
    strlist_done(&part->answer.top_programs);
}

void judge_free(struct judge *judge)
{
    if (!judge)
        return;
    for (size_t c = 0; c < judge->n_comparisons; c++) {
        for (size_t h = 0; h < judge->n_hosts; h++)
            free_part(&judge->comparison[c].part[h]);
        mem_free(judge->comparison[c].part);
    }
    mem_free(judge->comparison);
    for (size_t c = 0; c < judge->n_cells; c++)
        strmap_done(&judge->cell[c].level);
    mem_free(judge->cell);
    for (size_t h = 0; h < judge->n_hosts; h++) {
        mem_free(judge->host[h].name);
        mem_free(judge->host[h].machine);
    }
    mem_free(judge->host);
    mem_free(judge->by_input);
    mem_free(judge->pending);
    strlist_done(&judge->warnings);
    sequential_table_done(&judge->table);
    free_options(&judge->options);
    mem_free(judge);
}

/* The level of a factor in a row, as text. The factor `sink` is recorded as stdout_kind. */
static void row_level(const struct frame *frame, const char *factor, size_t row, struct strmap *ret)
{
    const struct frame_text *text = frame_find_text(frame, factor);
    const double *number = frame_find_number(frame, factor);
    char printed[32];

    if (!text && strcmp(factor, "sink") == 0)
        text = frame_find_text(frame, "stdout_kind");
    if (text && text->v[row] != FRAME_UNKNOWN)
        strmap_set(ret, factor, text->level[text->v[row]]);
    else if (number && isfinite(number[row])) {
        str_from_double(number[row], printed);
        strmap_set(ret, factor, printed);
    }
}

static void new_cell(struct judge *judge, const struct frame *frame, uint32_t cell, size_t row)
{
    const struct judge_options *o = &judge->options;
    struct judge_cell *new_one;

    judge->cell = mem_grow(judge->cell, &judge->cells_cap, judge->n_cells + 1, sizeof *judge->cell);
    new_one = &judge->cell[judge->n_cells++];
    *new_one = (struct judge_cell){.cell = cell, .factor = o->factor, .n_factors = o->n_factors};
    for (size_t f = 0; frame && f < o->n_factors; f++)
        row_level(frame, o->factor[f], row, &new_one->level);
    for (size_t v = 0; v < o->n_variants; v++) {
        struct judge_comparison *comparison;

        if (v == o->base)
            continue;
        judge->comparison = mem_grow(judge->comparison, &judge->comparisons_cap,
                                     judge->n_comparisons + 1, sizeof *judge->comparison);
        comparison = &judge->comparison[judge->n_comparisons++];
        *comparison = (struct judge_comparison){.candidate = (uint32_t)v, .cell = cell};
        comparison->part = mem_array(struct judge_part, judge->n_hosts + 1);
        for (size_t h = 0; h < judge->n_hosts; h++)
            comparison->part[h].change_p = NAN;
    }
}

static void find_cells(struct judge *judge, const struct frame *frame)
{
    uint32_t last = UINT32_MAX;

    for (size_t i = 0; i < frame->n; i++) {
        size_t c = 0;

        if (frame->cell[i] == last)
            continue;
        last = frame->cell[i];
        while (c < judge->n_cells && judge->cell[c].cell != last)
            c++;
        if (c == judge->n_cells)
            new_cell(judge, frame, last, i);
    }
}

int judge_add(struct judge *judge, size_t host, const struct frame *frame, struct err *err)
{
    const struct judge_options *o = &judge->options;
    const size_t h = host < judge->n_hosts ? judge->by_input[host] : 0;

    if (host >= judge->n_hosts || judge->host[h].added)
        return err_set(err, ERR_INTERNAL, "host %zu is unknown or was added before", host);
    judge->host[h].added = true;
    find_cells(judge, frame);
    for (size_t c = 0; c < judge->n_comparisons; c++) {
        struct judge_comparison *comparison = &judge->comparison[c];
        struct judge_part *part = &comparison->part[h];
        const struct rounds_options wanted = {
            .metric = {o->metric, o->higher_is_better, rounds_metric_by_difference(o->metric)},
            .base = (uint32_t)o->base,
            .candidate = comparison->candidate,
            .cell = comparison->cell,
            .factor = o->factor,
            .n_factors = o->n_factors,
            .part_of_variant = o->part_of_variant,
            .n_part_of_variant = o->n_part_of_variant,
            .design_unknown = o->design_unknown
        };

        host_rounds_build(frame, &wanted, &part->rounds);
        part->added = true;
    }
    if (!judge->host[h].shares_machine)
        judge->pending[judge->n_pending++] = h;
    if (judge->n_pending >= PENDING_A_THREAD * judge->threads) {
        judge_hosts_compute(judge, judge->pending, judge->n_pending);
        judge->n_pending = 0;
    }
    return 0;
}

/* One machine measured under several names counts once, under the first of them. */
static void join_machines(struct judge *judge)
{
    for (size_t c = 0; c < judge->n_comparisons; c++)
        for (size_t h = 0; h < judge->n_hosts; h++) {
            const size_t into = judge->host[h].joined_into;
            struct judge_part *part = judge->comparison[c].part;

            if (into == h || !part[h].added)
                continue;
            if (part[into].added)
                host_rounds_join(&part[into].rounds, &part[h].rounds);
            else {
                part[into].rounds = part[h].rounds;
                part[h].rounds = (struct host_rounds){0};
                part[into].added = true;
            }
            part[h].added = false;
            CLEAN_MEM char *note = mem_printf("joined: %s", judge->host[h].name);

            strlist_add(&part[into].answer.notes, note);
        }
}

static int by_cell(const void *a, const void *b)
{
    const struct judge_comparison *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

/* Unknown, then numbers by size, then words by bytes. */
static int compare_levels(const char *a, const char *b)
{
    double x = 0, y = 0;
    const int kind_a = !a                                ? 0
                       : str_to_double(a, &x, NULL) == 0 ? 1
                                                         : 2,
              kind_b = !b                                ? 0
                       : str_to_double(b, &y, NULL) == 0 ? 1
                                                         : 2;

    if (kind_a != kind_b)
        return kind_a - kind_b;
    if (kind_a == 1 && x != y)
        return x < y ? -1 : 1;
    return a && b ? strcmp(a, b) : 0;
}

/* By their levels, so that the order of input does not show; cells' numbers come from it. */
static int by_levels(const void *a, const void *b)
{
    const struct judge_cell *x = a, *y = b;

    for (size_t f = 0; f < x->n_factors; f++) {
        const char *factor = x->factor[f];
        const int order =
            compare_levels(strmap_get(&x->level, factor), strmap_get(&y->level, factor));

        if (order != 0)
            return order;
    }
    return (x->cell > y->cell) - (x->cell < y->cell);
}

static void order_cells(struct judge *judge)
{
    qsort(judge->cell, judge->n_cells, sizeof *judge->cell, by_levels);
    for (size_t c = 0; c < judge->n_comparisons; c++)
        while (judge->cell[judge->comparison[c].place].cell != judge->comparison[c].cell)
            judge->comparison[c].place++;
    qsort(judge->comparison, judge->n_comparisons, sizeof *judge->comparison, by_cell);
}

static void name_comparison(const struct judge *judge, const struct judge_comparison *comparison,
                            struct comparison_answer *ret)
{
    const struct judge_options *o = &judge->options;

    ret->base = mem_strdup(o->variant[o->base]);
    ret->candidate = mem_strdup(o->variant[comparison->candidate]);
    strmap_copy(&ret->cell, &judge->cell[comparison->place].level);
    if (o->digest && o->digest[o->base] && *o->digest[o->base])
        ret->base_digest = mem_strdup(o->digest[o->base]);
    if (o->digest && o->digest[comparison->candidate] && *o->digest[comparison->candidate])
        ret->candidate_digest = mem_strdup(o->digest[comparison->candidate]);
}

static bool ran_both(const struct judge *judge, const struct judge_comparison *comparison)
{
    for (size_t h = 0; h < judge->n_hosts; h++)
        if (comparison->part[h].answer.samples[0] && comparison->part[h].answer.samples[1])
            return true;
    return false;
}

/* The comparisons to show, by index: cells in which no host ran both arms are left out, unless the
 * candidate has no other. Returns how many. */
static size_t choose_comparisons(const struct judge *judge, size_t *ret)
{
    bool *somewhere = mem_array(bool, judge->options.n_variants);
    size_t n = 0;

    for (size_t c = 0; c < judge->n_comparisons; c++)
        if (ran_both(judge, &judge->comparison[c]))
            somewhere[judge->comparison[c].candidate] = true;
    for (size_t c = 0; c < judge->n_comparisons; c++) {
        const struct judge_comparison *comparison = &judge->comparison[c];

        if (comparison->candidate != judge->options.control &&
            (ran_both(judge, comparison) || !somewhere[comparison->candidate]))
            ret[n++] = c;
    }
    mem_free(somewhere);
    return n;
}

static void build_comparisons(struct judge *judge, struct answer *answer)
{
    const struct sentence_options words = {.alpha = judge->options.alpha,
                                           .theta = judge->theta,
                                           .higher_is_better = judge->options.higher_is_better,
                                           .by_difference =
                                               rounds_metric_by_difference(judge->options.metric),
                                           .aa = judge->options.aa};

    size_t *chosen = mem_array(size_t, judge->n_comparisons + 1);

    answer->n_comparisons = choose_comparisons(judge, chosen);
    answer->comparison = mem_array(struct comparison_answer, answer->n_comparisons + 1);
    for (size_t i = 0; i < answer->n_comparisons; i++) {
        struct judge_comparison *comparison = &judge->comparison[chosen[i]];
        struct comparison_answer *ret = &answer->comparison[i];

        name_comparison(judge, comparison, ret);
        judge_factors(judge, comparison->candidate, &ret->factor, &ret->n_factors);
    }
    for (size_t i = 0; i < answer->n_comparisons; i++) {
        judge_fleet(judge, &judge->comparison[chosen[i]], &answer->comparison[i]);
        answer->comparison[i].sentence = sentence_build(&answer->comparison[i], &words);
    }
    mem_free(chosen);
}

int judge_finish(struct judge *judge, struct answer **ret, struct err *err)
{
    const struct judge_options *o = &judge->options;
    struct answer *answer;

    (void)err;
    if (judge->n_cells == 0)
        new_cell(judge, NULL, 0, 0);
    order_cells(judge);
    join_machines(judge);
    for (size_t h = 0; h < judge->n_hosts; h++)
        judge->pending[h] = h;
    judge_hosts_compute(judge, judge->pending, judge->n_hosts);
    for (size_t c = 0; c < judge->n_cells; c++)
        judge_correct_cell(judge, c);
    answer = mem_new(struct answer);
    answer->experiment = mem_strdup(o->experiment);
    answer->run = o->run;
    answer->seed = o->seed;
    answer->alpha = o->alpha;
    answer->min_effect = judge->theta;
    answer->metric = mem_strdup(o->metric);
    answer->unit = mem_strdup(o->unit);
    answer->higher_is_better = o->higher_is_better;
    build_comparisons(judge, answer);
    strlist_copy(&answer->warnings, &judge->warnings);
    *ret = answer;
    return 0;
}
