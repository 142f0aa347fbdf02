/* SPDX-License-Identifier: GPL-3.0-or-later
 * Frees an answer, and the words of its enums. */
#include "analysis/answer.h"

#include "base/mem.h"

static void host_done(struct host_answer *host)
{
    mem_free(host->host);
    strlist_done(&host->reasons);
    strlist_done(&host->notes);
    strlist_done(&host->top_programs);
}

static void class_done(struct class_answer *class)
{
    for (size_t m = 0; m < class->n_members; m++) {
        mem_free(class->member[m].fact);
        mem_free(class->member[m].level);
        mem_free(class->member[m].and_fact);
        mem_free(class->member[m].and_level);
    }
    mem_free(class->member);
    for (int g = 0; g < 2; g++) {
        mem_free(class->group[g].side);
        strlist_done(&class->group[g].hosts);
    }
    mem_free(class->statement);
    strlist_done(&class->placed);
    strlist_done(&class->fragile);
}

static void facts_done(struct facts_answer *facts)
{
    for (size_t c = 0; c < facts->n_classes; c++)
        class_done(&facts->class[c]);
    mem_free(facts->class);
    strlist_done(&facts->not_judged);
    for (size_t f = 0; f < facts->n_filled; f++) {
        mem_free(facts->filled[f].host);
        mem_free(facts->filled[f].fact);
        mem_free(facts->filled[f].from);
    }
    mem_free(facts->filled);
}

static void factors_done(struct factor_answer *factor, size_t n)
{
    for (size_t f = 0; f < n; f++) {
        for (size_t l = 0; l < factor[f].n_levels; l++)
            mem_free(factor[f].level[l].level);
        mem_free(factor[f].level);
        mem_free(factor[f].factor);
    }
    mem_free(factor);
}

static void next_done(struct next_step *step)
{
    mem_free(step->host);
    mem_free(step->switch_fact);
    mem_free(step->switch_to);
    strmap_done(&step->wanted);
    strlist_done(&step->separates);
    mem_free(step->why);
}

static void comparison_done(struct comparison_answer *c)
{
    mem_free(c->base);
    mem_free(c->candidate);
    strmap_done(&c->cell);
    mem_free(c->base_digest);
    mem_free(c->candidate_digest);
    mem_free(c->sentence);
    for (size_t h = 0; h < c->n_hosts; h++)
        host_done(&c->host[h]);
    mem_free(c->host);
    strlist_done(&c->fleet.reproduces_on);
    strlist_done(&c->fleet.absent_on);
    strlist_done(&c->fleet.unsure_on);
    facts_done(&c->facts);
    factors_done(c->harness, c->n_harness);
    factors_done(c->factor, c->n_factors);
    for (size_t i = 0; i < c->n_next; i++)
        next_done(&c->next[i]);
    mem_free(c->next);
}

void answer_free(struct answer *answer)
{
    if (!answer)
        return;
    mem_free(answer->experiment);
    mem_free(answer->metric);
    mem_free(answer->unit);
    for (size_t c = 0; c < answer->n_comparisons; c++)
        comparison_done(&answer->comparison[c]);
    mem_free(answer->comparison);
    strlist_done(&answer->warnings);
    mem_free(answer);
}

const char *next_do_name(enum next_do what)
{
    switch (what) {
    case NEXT_RUN_ON:
        return "run-on";
    case NEXT_ADD_HOST:
        return "add-host";
    case NEXT_SWITCH:
        return "switch";
    case NEXT_MORE_BLOCKS:
        return "more-blocks";
    case NEXT_INTERLEAVE:
        return "interleave";
    case NEXT_MORE_BUILDS:
        return "more-builds";
    case NEXT_VARY_LOAD:
        return "vary-load";
    }
    return "run-on";
}
