/* SPDX-License-Identifier: GPL-3.0-or-later
 * Above the hosts: the pool, whether the effect differs between hosts, what goes with it, what to
 * run next, the outcome. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain.h"
#include "analysis/harness.h"
#include "analysis/heterogeneity.h"
#include "analysis/judge_state.h"
#include "analysis/pool.h"
#include "analysis/separate.h"
#include "base/mem.h"

struct pooled { /* the eligible hosts as columns */
    size_t k, *host;
    double *y, *v, *df;
    struct flip_host *flip;
};

static void take_pooled(const struct judge *judge, const struct judge_comparison *comparison,
                        struct pooled *ret)
{
    const size_t n = judge->n_hosts;

    *ret = (struct pooled){0,
                           mem_array(size_t, n + 1),
                           mem_array(double, n + 1),
                           mem_array(double, n + 1),
                           mem_array(double, n + 1),
                           mem_array(struct flip_host, n + 1)};
    for (size_t h = 0; h < n; h++) {
        const struct judge_part *part = &comparison->part[h];

        if (!part->eligible)
            continue;
        ret->host[ret->k] = h;
        ret->y[ret->k] = part->answer.trimmed_effect;
        ret->v[ret->k] = part->answer.trimmed_se * part->answer.trimmed_se;
        ret->df[ret->k] = part->answer.df;
        ret->flip[ret->k++] =
            (struct flip_host){judge->host[h].name, part->rounds.d, part->rounds.n};
    }
}

static void pooled_done(struct pooled *pooled)
{
    mem_free(pooled->host);
    mem_free(pooled->y);
    mem_free(pooled->v);
    mem_free(pooled->df);
    mem_free(pooled->flip);
}

static void where_lists(const struct judge *judge, const struct judge_comparison *comparison,
                        struct fleet_answer *fleet)
{
    for (size_t h = 0; h < judge->n_hosts; h++) {
        const enum verdict v = comparison->part[h].answer.verdict;

        if (!comparison->part[h].answer.host || !judge->host[h].measured ||
            judge->host[h].joined_into != h)
            continue;
        if (v == VERDICT_REGRESSED || v == VERDICT_REGRESSED_SMALL)
            strlist_add(&fleet->reproduces_on, judge->host[h].name);
        else if (v == VERDICT_INCONCLUSIVE)
            strlist_add(&fleet->unsure_on, judge->host[h].name);
        else
            strlist_add(&fleet->absent_on, judge->host[h].name);
    }
}

static void fleet_numbers(const struct judge *judge, const struct judge_comparison *comparison,
                          const struct pooled *pooled, struct fleet_answer *fleet)
{
    const struct judge_options *o = &judge->options;
    struct pool_result pool;

    pool_hosts(pooled->y, pooled->v, pooled->df, pooled->k, o->alpha, &pool);
    fleet->hosts_used = pooled->k;
    fleet->effect = pool.mu;
    fleet->pct = effect_pct(pool.mu, o->higher_is_better, rounds_metric_by_difference(o->metric));
    fleet->se = pool.se;
    fleet->ci = pool.ci;
    fleet->prediction = pool.prediction;
    fleet->tau2 = pool.tau2;
    fleet->tau = sqrt(pool.tau2);
    fleet->tau2_reml = pool.tau2_reml;
    fleet->tau_ci = pool.tau_ci;
    fleet->i2 = pool.i2;
    fleet->verdict = VERDICT_INCONCLUSIVE;
    if (pooled->k == 1)
        fleet->verdict = comparison->part[pooled->host[0]].answer.verdict;
    else if (pooled->k >= 2)
        fleet->verdict = pool_verdict(&pool, o->alpha, judge->theta);
    heterogeneity_test(pooled->flip, pooled->y, pooled->v, pooled->df, pooled->k, o->seed,
                       judge->draws, judge->threads, &fleet->welch_f, &fleet->heterogeneity_p);
    fleet->heterogeneity = pooled->k < 2 ? HETEROGENEITY_CANNOT_TELL
                                         : heterogeneity_word(fleet->heterogeneity_p, o->alpha,
                                                              pool.tau_ci.hi, judge->theta);
    where_lists(judge, comparison, fleet);
}

static void fleet_facts(const struct judge *judge, const struct judge_comparison *comparison,
                        const struct fleet_answer *fleet, struct facts_answer *ret)
{
    const struct judge_options *o = &judge->options;
    struct explain_host *host = mem_array(struct explain_host, judge->n_hosts + 1);
    const struct explain_options options = {.alpha = o->alpha,
                                            .theta = judge->theta,
                                            .higher_is_better = o->higher_is_better,
                                            .by_difference = rounds_metric_by_difference(o->metric),
                                            .seed = o->seed,
                                            .draws = judge->draws,
                                            .threads = judge->threads,
                                            .suspect = o->suspect,
                                            .n_suspects = o->n_suspects,
                                            .heterogeneous = fleet->heterogeneity ==
                                                             HETEROGENEITY_HETEROGENEOUS};
    size_t n = 0;

    for (size_t h = 0; h < judge->n_hosts; h++) {
        const struct judge_part *part = &comparison->part[h];

        if (!part->added || part->rounds.design == DESIGN_NONE)
            continue;
        host[n] = (struct explain_host){.name = judge->host[h].name,
                                        .facts = judge->host[h].facts,
                                        .d = part->rounds.d,
                                        .n = part->rounds.n,
                                        .pooled = part->eligible,
                                        .y = part->answer.trimmed_effect,
                                        .v = part->answer.trimmed_se * part->answer.trimmed_se,
                                        .df = part->answer.df,
                                        .verdict = part->answer.verdict};
        n++;
    }
    explain_facts(host, n, &options, ret);
    mem_free(host);
}

static void fleet_load(const struct judge *judge, const struct judge_comparison *comparison,
                       struct load_finding *ret)
{
    struct load_fit *fit = mem_array(struct load_fit, judge->n_hosts + 1);
    size_t n = 0;

    for (size_t h = 0; h < judge->n_hosts; h++)
        if (comparison->part[h].eligible)
            fit[n++] = comparison->part[h].load;
    load_pool(fit, n, judge->options.alpha, ret);
    mem_free(fit);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of the nuisance factors any eligible host has a label for. */
static size_t factor_names(const struct judge *judge, const struct judge_comparison *comparison,
                           const char ***ret)
{
    const char **name = NULL;
    size_t n = 0, cap = 0, unique = 0;

    for (size_t h = 0; h < judge->n_hosts; h++)
        for (size_t l = 0; l < comparison->part[h].rounds.n_labels && comparison->part[h].eligible;
             l++) {
            name = mem_grow((void *)name, &cap, n + 1, sizeof *name);
            name[n++] = comparison->part[h].rounds.label[l].name;
        }
    if (n > 0)
        qsort((void *)name, n, sizeof *name, by_text);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(name[i], name[i - 1]) != 0)
            name[unique++] = name[i];
    *ret = name;
    return unique;
}

static void fleet_harness(const struct judge *judge, const struct judge_comparison *comparison,
                          const struct pooled *pooled, struct comparison_answer *ret)
{
    const struct harness_options options = judge_harness_options(judge);
    const char **name = NULL;
    const size_t n_names = factor_names(judge, comparison, &name);
    struct harness_host *host = mem_array(struct harness_host, pooled->k + 1);
    struct harness_factor *factor = mem_array(struct harness_factor, n_names + 1);
    struct harness_labels *labels = mem_array(struct harness_labels, n_names * pooled->k + 1);

    for (size_t i = 0; i < pooled->k; i++)
        host[i] = (struct harness_host){pooled->flip[i].name, pooled->flip[i].d, pooled->flip[i].n};
    for (size_t f = 0; f < n_names; f++) {
        factor[f] = (struct harness_factor){name[f], labels + f * pooled->k};
        for (size_t i = 0; i < pooled->k; i++) {
            const struct host_rounds *rounds = &comparison->part[pooled->host[i]].rounds;

            for (size_t l = 0; l < rounds->n_labels; l++)
                if (strcmp(rounds->label[l].name, name[f]) == 0)
                    labels[f * pooled->k + i] =
                        (struct harness_labels){rounds->label[l].text, rounds->label[l].number};
        }
    }
    harness_test(host, pooled->k, factor, n_names, &options, &ret->harness, &ret->n_harness);
    mem_free((void *)name);
    mem_free(host);
    mem_free(factor);
    mem_free(labels);
}

static enum answer_outcome decide(const struct comparison_answer *c)
{
    size_t regressed = 0, improved = 0;
    const bool differs = c->fleet.heterogeneity == HETEROGENEITY_HETEROGENEOUS;

    for (size_t h = 0; h < c->n_hosts; h++) {
        regressed += c->host[h].verdict == VERDICT_REGRESSED;
        improved += c->host[h].verdict == VERDICT_IMPROVED;
    }
    if (regressed && improved)
        return ANSWER_MIXED;
    if (regressed)
        return c->fleet.verdict == VERDICT_REGRESSED && !differs ? ANSWER_REGRESSED
                                                                 : ANSWER_REGRESSED_ON_SOME;
    if (improved)
        return c->fleet.verdict == VERDICT_IMPROVED && !differs ? ANSWER_IMPROVED
                                                                : ANSWER_IMPROVED_ON_SOME;
    switch (c->fleet.verdict) {
    case VERDICT_REGRESSED:
        return ANSWER_REGRESSED;
    case VERDICT_REGRESSED_SMALL:
        return ANSWER_REGRESSED_SMALL;
    case VERDICT_IMPROVED:
        return ANSWER_IMPROVED;
    case VERDICT_IMPROVED_SMALL:
        return ANSWER_IMPROVED_SMALL;
    case VERDICT_UNCHANGED:
        return ANSWER_UNCHANGED;
    case VERDICT_INCONCLUSIVE:
        break;
    }
    return ANSWER_INCONCLUSIVE;
}

static uint64_t typical_rounds(const struct pooled *pooled)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < pooled->k; i++)
        sum += pooled->flip[i].n;
    return pooled->k ? sum / pooled->k : 10;
}

static void fleet_next(const struct judge *judge, const struct judge_comparison *comparison,
                       const struct pooled *pooled, struct comparison_answer *ret)
{
    struct separate_host *host = mem_array(struct separate_host, judge->n_hosts + 1);
    double spread = NAN;
    size_t n = 0, at = 0;

    for (size_t h = 0; h < judge->n_hosts; h++) {
        const struct judge_part *part = &comparison->part[h];
        const bool measured = part->added && part->rounds.design != DESIGN_NONE;

        if (judge->host[h].joined_into != h)
            continue;
        host[n++] = (struct separate_host){
            .name = judge->host[h].name,
            .facts = judge->host[h].facts,
            .measured = measured,
            .answer = judge->host[h].measured ? &ret->host[at] : NULL,
            .trimmed_variance = measured ? part->answer.trimmed_se * part->answer.trimmed_se : NAN};
        at += judge->host[h].measured;
        if (measured)
            spread = fmax(spread, part->load.sd); /* the one that is no NaN */
    }
    const struct separate_input in = {.host = host,
                                      .n_hosts = n,
                                      .facts = &ret->facts,
                                      .fleet = &ret->fleet,
                                      .load = &ret->load,
                                      .load_known = !isnan(spread),
                                      .load_spread = spread,
                                      .alpha = judge->options.alpha,
                                      .theta = judge->theta,
                                      .rounds = typical_rounds(pooled)};

    separate_next(&in, &ret->next, &ret->n_next);
    mem_free(host);
}

void judge_fleet(struct judge *judge, struct judge_comparison *comparison,
                 struct comparison_answer *ret)
{
    struct pooled pooled;

    take_pooled(judge, comparison, &pooled);
    fleet_numbers(judge, comparison, &pooled, &ret->fleet);
    fleet_facts(judge, comparison, &ret->fleet, &ret->facts);
    fleet_load(judge, comparison, &ret->load);
    fleet_harness(judge, comparison, &pooled, ret);
    judge_warn(judge, comparison);
    ret->host = mem_array(struct host_answer, judge->n_hosts + 1);
    for (size_t h = 0; h < judge->n_hosts; h++)
        if (judge->host[h].measured && judge->host[h].joined_into == h)
            ret->host[ret->n_hosts++] = comparison->part[h].answer; /* moves, see below */
    ret->outcome = decide(ret);
    fleet_next(judge, comparison, &pooled, ret);
    for (size_t h = 0; h < judge->n_hosts; h++)
        if (judge->host[h].measured && judge->host[h].joined_into == h)
            comparison->part[h].answer = (struct host_answer){0};
    pooled_done(&pooled);
}
