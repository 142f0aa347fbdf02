/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Corrections for many hosts and variants, and the verdicts that follow: Holm over the candidates
 * of a cell inside a host, then Benjamini-Hochberg over hosts; the control arm; what caps a
 * verdict.
 */
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/judge_state.h"
#include "analysis/rising.h"
#include "analysis/signed_rank.h"
#include "base/mem.h"

#define CHANGED 0.01 /* adjusted p at which an effect is said to come and go */

bool judge_decided(enum verdict verdict)
{
    return verdict != VERDICT_INCONCLUSIVE && verdict != VERDICT_UNCHANGED;
}

/* Known entries of p in ascending order; returns how many. */
static size_t ascending(const double *p, size_t n, size_t *order)
{
    double *key = mem_array(double, n + 1);
    size_t known = 0;

    for (size_t i = 0; i < n; i++)
        key[i] = isnan(p[i]) ? INFINITY : p[i];
    gsl_sort_index(order, key, 1, n);
    while (known < n && !isnan(p[order[known]]))
        known++;
    mem_free(key);
    return known;
}

void judge_bh(double *p, size_t n)
{
    size_t *order = mem_array(size_t, n + 1);
    const size_t known = ascending(p, n, order);
    double least = 1;

    for (size_t i = known; i-- > 0;) {
        least = fmin(least, p[order[i]] * (double)known / (double)(i + 1));
        p[order[i]] = least;
    }
    mem_free(order);
}

void judge_holm(double *p, size_t n)
{
    size_t *order = mem_array(size_t, n + 1);
    const size_t known = ascending(p, n, order);
    double most = 0;

    for (size_t i = 0; i < known; i++) {
        most = fmax(most, fmin(1, p[order[i]] * (double)(known - i)));
        p[order[i]] = most;
    }
    mem_free(order);
}

static struct judge_comparison *find(struct judge *judge, uint32_t cell, size_t candidate)
{
    for (size_t c = 0; c < judge->n_comparisons; c++)
        if (judge->comparison[c].cell == cell && judge->comparison[c].candidate == candidate)
            return &judge->comparison[c];
    return NULL;
}

/* The control's effect is judged as a candidate's would be; it becomes the noise floor of every
 * candidate. */
static void judge_control(struct judge *judge, uint32_t cell)
{
    const struct effect_options options = judge_effect_options(judge);
    struct judge_comparison *control =
        judge->options.control == SIZE_MAX ? NULL : find(judge, cell, judge->options.control);
    double *q;

    if (!control)
        return;
    q = mem_array(double, judge->n_hosts + 1);
    for (size_t h = 0; h < judge->n_hosts; h++)
        q[h] = control->part[h].eligible ? control->part[h].numbers.p : NAN;
    judge_bh(q, judge->n_hosts);
    for (size_t h = 0; h < judge->n_hosts; h++) {
        struct judge_part *part = &control->part[h];
        enum verdict verdict = VERDICT_INCONCLUSIVE;

        part->answer.q = q[h];
        if (part->eligible)
            verdict = effect_verdict(&options, &part->numbers, &part->answer);
        for (size_t c = 0; c < judge->n_comparisons; c++) {
            struct judge_part *beside = &judge->comparison[c].part[h];

            if (judge->comparison[c].cell != cell || &judge->comparison[c] == control ||
                !part->added)
                continue;
            beside->answer.control = (struct control_finding){.known = !isnan(part->answer.effect),
                                                              .effect = part->answer.effect,
                                                              .ci = part->answer.ci,
                                                              .verdict = verdict};
            beside->moved = verdict == VERDICT_REGRESSED || verdict == VERDICT_IMPROVED;
            beside->eligible = beside->eligible && !beside->moved;
        }
    }
    mem_free(q);
}

static void holm_inside_hosts(struct judge *judge, uint32_t cell)
{
    double *p = mem_array(double, judge->n_comparisons + 1);
    struct judge_part **part = mem_array(struct judge_part *, judge->n_comparisons + 1);

    for (size_t h = 0; h < judge->n_hosts; h++) {
        size_t n = 0;

        for (size_t c = 0; c < judge->n_comparisons; c++)
            if (judge->comparison[c].cell == cell &&
                judge->comparison[c].candidate != judge->options.control) {
                part[n] = &judge->comparison[c].part[h];
                p[n] = part[n]->eligible ? part[n]->numbers.p : NAN;
                n++;
            }
        judge_holm(p, n);
        for (size_t i = 0; i < n; i++)
            part[i]->holm_p = p[i];
    }
    mem_free(p);
    mem_free((void *)part);
}

/* The two stretches of an effect that changed, each with its own estimate. */
static void stretches(struct judge_part *part, double alpha)
{
    const struct host_rounds *rounds = &part->rounds;
    struct stretch_finding *stretch = &part->answer.stretch;

    stretch->found = true;
    stretch->from_round = rounds->round[part->change_split];
    for (int s = 0; s < 2; s++) {
        const size_t from = s ? part->change_split : 0,
                     n = s ? rounds->n - part->change_split : part->change_split;
        double *sorted = mem_dup(rounds->d + from, n * sizeof *sorted), level;

        rising_sort(sorted, n);
        stretch->effect[s] = signed_rank_estimate(sorted, n);
        signed_rank_interval(sorted, n, 1 - alpha, &stretch->ci[s], &level);
        mem_free(sorted);
    }
}

static void cap_changed(const struct judge *judge, struct judge_part *part, double adjusted_p)
{
    struct host_answer *answer = &part->answer;
    const struct stretch_finding *stretch = &answer->stretch;
    const bool higher = judge->options.higher_is_better,
               differs = rounds_metric_by_difference(judge->options.metric);

    if (!(adjusted_p <= CHANGED))
        return;
    stretches(part, judge->options.alpha);
    strlist_add(&answer->notes, "effect-changed");
    if (stretch->effect[0] * stretch->effect[1] > 0 && fabs(stretch->effect[0]) > judge->theta &&
        fabs(stretch->effect[1]) > judge->theta)
        return;
    CLEAN_MEM char *reason =
        mem_printf("the effect itself changed (%+.2f %% before round %u, %+.2f %% from then on)",
                   effect_pct(stretch->effect[0], higher, differs), stretch->from_round,
                   effect_pct(stretch->effect[1], higher, differs));

    answer->verdict = VERDICT_INCONCLUSIVE;
    strlist_add(&answer->reasons, reason);
}

/* Why a host may not have a verdict whatever its numbers say. */
static void refuse(const struct judge_part *part, struct host_answer *answer)
{
    CLEAN_DONE(str) struct str text = {0};

    answer->verdict = VERDICT_INCONCLUSIVE;
    if (!part->added || part->rounds.design == DESIGN_NONE)
        str_add(&text, "no samples");
    else if (part->rounds.arms_differ)
        str_addf(&text, "arms differ in %s", part->rounds.arms_differ);
    else if (part->rounds.design == DESIGN_BLOCKED)
        str_add(&text, "not interleaved, so variant and time cannot be told apart");
    else if (part->rounds.design == DESIGN_UNPAIRED)
        str_add(&text, answer->samples[0] && answer->samples[1]
                           ? "no round in which both variants ran"
                           : "only one of the two variants ran");
    else if (part->moved)
        str_add(&text, "the control moved, so the environment changed");
    if (text.length)
        strlist_add(&answer->reasons, str_get(&text));
    if (part->moved)
        strlist_add(&answer->notes, "environment-changed");
}

static void judge_verdicts(struct judge *judge, struct judge_comparison *comparison)
{
    const struct effect_options options = judge_effect_options(judge);
    double *q = mem_array(double, judge->n_hosts + 1),
           *changed = mem_array(double, judge->n_hosts + 1);

    for (size_t h = 0; h < judge->n_hosts; h++) {
        const struct judge_part *part = &comparison->part[h];

        q[h] = part->eligible ? part->holm_p : NAN;
        changed[h] = part->eligible ? part->change_p : NAN;
    }
    judge_bh(q, judge->n_hosts);
    judge_bh(changed, judge->n_hosts);
    for (size_t h = 0; h < judge->n_hosts; h++) {
        struct judge_part *part = &comparison->part[h];
        struct host_answer *answer = &part->answer;

        answer->q = q[h];
        if (part->eligible || ((part->rounds.design == DESIGN_RANDOMISED ||
                                part->rounds.design == DESIGN_ALTERNATING) &&
                               !part->moved && !part->rounds.arms_differ)) {
            answer->verdict = effect_verdict(&options, &part->numbers, answer);
            judge_sessions_check(judge, part);
            cap_changed(judge, part, changed[h]);
        } else {
            refuse(part, answer);
        }
    }
    mem_free(q);
    mem_free(changed);
}

void judge_correct_cell(struct judge *judge, size_t cell)
{
    const uint32_t number = judge->cell[cell].cell;

    judge_control(judge, number);
    holm_inside_hosts(judge, number);
    for (size_t c = 0; c < judge->n_comparisons; c++)
        if (judge->comparison[c].cell == number &&
            judge->comparison[c].candidate != judge->options.control)
            judge_verdicts(judge, &judge->comparison[c]);
}
