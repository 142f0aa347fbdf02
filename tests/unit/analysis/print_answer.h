/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every field of an answer as text, numbers with 17 digits, so that two answers can be compared
 * byte for byte; and a walk over every number that must not be infinite.
 */
#pragma once
#include "analysis/answer.h"
#include "base/str.h"

static inline void print_number(struct str *out, const char *name, double value)
{
    str_addf(out, " %s=%.17g", name, value + 0.0); /* -0 prints as 0 */
}

static inline void print_range(struct str *out, const char *name, struct range r)
{
    str_addf(out, " %s=[%.17g,%.17g]", name, r.lo + 0.0, r.hi + 0.0);
}

static inline void print_list(struct str *out, const char *name, const struct strlist *list)
{
    str_addf(out, " %s={", name);
    for (size_t i = 0; i < list->n; i++)
        str_addf(out, "%s\"%s\"", i ? "," : "", list->v[i]);
    str_add(out, "}");
}

static inline void print_map(struct str *out, const char *name, const struct strmap *map)
{
    str_addf(out, " %s={", name);
    for (size_t i = 0; i < map->n; i++)
        str_addf(out, "%s\"%s\":\"%s\"", i ? "," : "", map->key[i], map->value[i]);
    str_add(out, "}");
}

static inline void print_text(struct str *out, const char *name, const char *text)
{
    str_addf(out, " %s=%s%s%s", name, text ? "\"" : "", text ? text : "null", text ? "\"" : "");
}

static inline void print_part(struct str *out, const char *name, const struct where_part *part)
{
    str_addf(out, "\n    %s", name);
    print_number(out, "delta", part->delta_s);
    print_range(out, "ci", part->ci);
    print_number(out, "share", part->share);
}

static inline void print_load(struct str *out, const struct load_finding *load)
{
    str_addf(out, "\n    load %d", load->known);
    print_number(out, "zero", load->effect_at_zero);
    print_range(out, "ci", load->ci);
    print_number(out, "per_cpu", load->per_cpu);
    print_range(out, "per_cpu_ci", load->per_cpu_ci);
    print_range(out, "range", load->range);
    print_number(out, "p", load->p);
}

static inline void print_findings(struct str *out, const struct host_answer *h)
{
    str_addf(out, "\n    where %d %s shared=%d", h->where.known, time_class_name(h->where.class),
             h->where.shared_cpu_like);
    print_part(out, "elapsed", &h->where.elapsed);
    print_part(out, "user", &h->where.user);
    print_part(out, "sys", &h->where.sys);
    print_part(out, "wait", &h->where.wait);
    str_addf(out, "\n    modes %d streaks=%zu,%zu", h->modes.found, h->modes.streaks[0],
             h->modes.streaks[1]);
    print_number(out, "threshold", h->modes.threshold);
    print_number(out, "share0", h->modes.share[0]);
    print_number(out, "share1", h->modes.share[1]);
    print_number(out, "occupancy_p", h->modes.occupancy_p);
    print_number(out, "episodes_p", h->modes.episodes_p);
    print_number(out, "fast", h->modes.fast_effect);
    print_range(out, "fast_ci", h->modes.fast_ci);
    print_number(out, "dip", h->modes.dip);
    print_number(out, "dip_p", h->modes.dip_p);
    print_load(out, &h->load);
    str_addf(out, "\n    control %d %s", h->control.known, verdict_name(h->control.verdict));
    print_number(out, "effect", h->control.effect);
    print_range(out, "ci", h->control.ci);
    str_addf(out, "\n    stretch %d from=%u", h->stretch.found, h->stretch.from_round);
    print_number(out, "effect0", h->stretch.effect[0]);
    print_number(out, "effect1", h->stretch.effect[1]);
    print_range(out, "ci0", h->stretch.ci[0]);
    print_range(out, "ci1", h->stretch.ci[1]);
    print_number(out, "p", h->stretch.p);
}

static inline void print_host(struct str *out, const struct host_answer *h)
{
    const char *design = design_name(h->design);

    str_addf(out, "\n  host %s design=%s verdict=%s", h->host, design ? design : "null",
             verdict_name(h->verdict));
    print_list(out, "reasons", &h->reasons);
    print_list(out, "notes", &h->notes);
    print_list(out, "top", &h->top_programs);
    print_number(out, "effect", h->effect);
    print_number(out, "pct", h->pct);
    print_range(out, "ci", h->ci);
    print_number(out, "level", h->ci_level);
    print_number(out, "p", h->p);
    print_number(out, "q", h->q);
    print_number(out, "mean", h->mean_effect);
    print_range(out, "mean_ci", h->mean_ci);
    print_number(out, "trimmed", h->trimmed_effect);
    print_number(out, "se", h->trimmed_se);
    print_number(out, "df", h->df);
    str_addf(out, " rounds=%llu,%llu samples=%llu,%llu", (unsigned long long)h->rounds_used,
             (unsigned long long)h->rounds_dropped, (unsigned long long)h->samples[0],
             (unsigned long long)h->samples[1]);
    print_number(out, "ess0", h->n_effective[0]);
    print_number(out, "ess1", h->n_effective[1]);
    print_number(out, "streak0", h->streak_p[0]);
    print_number(out, "streak1", h->streak_p[1]);
    print_number(out, "detectable", h->detectable);
    print_number(out, "needed", h->rounds_needed);
    print_number(out, "base", h->base_centre);
    print_number(out, "candidate", h->candidate_centre);
    print_number(out, "base_spread", h->base_spread);
    print_number(out, "candidate_spread", h->candidate_spread);
    print_findings(out, h);
}

static inline void print_fleet(struct str *out, const struct fleet_answer *f)
{
    str_addf(out, "\n  fleet verdict=%s heterogeneity=%s hosts=%zu", verdict_name(f->verdict),
             heterogeneity_name(f->heterogeneity), f->hosts_used);
    print_number(out, "effect", f->effect);
    print_number(out, "pct", f->pct);
    print_number(out, "se", f->se);
    print_range(out, "ci", f->ci);
    print_range(out, "prediction", f->prediction);
    print_number(out, "tau", f->tau);
    print_number(out, "tau2", f->tau2);
    print_number(out, "reml", f->tau2_reml);
    print_range(out, "tau_ci", f->tau_ci);
    print_number(out, "i2", f->i2);
    print_number(out, "F", f->welch_f);
    print_number(out, "p", f->heterogeneity_p);
    print_list(out, "reproduces", &f->reproduces_on);
    print_list(out, "absent", &f->absent_on);
    print_list(out, "unsure", &f->unsure_on);
}

static inline void print_class(struct str *out, const struct class_answer *c)
{
    str_addf(out, "\n    class %d %s survives=%d scored=%d", c->rank, class_kind_name(c->kind),
             c->survives, c->scored);
    for (size_t m = 0; m < c->n_members; m++) {
        print_text(out, "fact", c->member[m].fact);
        print_text(out, "level", c->member[m].level);
        print_text(out, "and", c->member[m].and_fact);
        print_text(out, "and_level", c->member[m].and_level);
    }
    for (int g = 0; g < 2; g++) {
        print_text(out, "side", c->group[g].side);
        print_list(out, "hosts", &c->group[g].hosts);
        print_number(out, "effect", c->group[g].effect);
        print_number(out, "pct", c->group[g].pct);
        print_range(out, "ci", c->group[g].ci);
    }
    print_text(out, "statement", c->statement);
    print_number(out, "score", c->score);
    print_number(out, "weight", c->weight);
    print_number(out, "explained", c->explained);
    print_number(out, "slope", c->slope);
    print_list(out, "placed", &c->placed);
    print_list(out, "fragile", &c->fragile);
}

static inline void print_facts(struct str *out, const struct facts_answer *f)
{
    str_addf(out, "\n  facts claim=%d suspects=%d candidates=%zu", f->claim, f->suspects_only,
             f->candidates);
    print_number(out, "p", f->p);
    print_number(out, "permutation", f->p_permutation);
    print_number(out, "flip", f->p_flip);
    print_number(out, "least", f->p_least);
    print_list(out, "not_judged", &f->not_judged);
    for (size_t i = 0; i < f->n_filled; i++) {
        print_text(out, "filled", f->filled[i].host);
        print_text(out, "fact", f->filled[i].fact);
        print_text(out, "from", f->filled[i].from);
    }
    for (size_t i = 0; i < f->n_classes; i++)
        print_class(out, &f->class[i]);
}

static inline void print_factors(struct str *out, const char *what, const struct factor_answer *f,
                                 size_t n)
{
    for (size_t i = 0; i < n; i++) {
        str_addf(out, "\n  %s %s", what, f[i].factor);
        print_number(out, "p", f[i].p);
        print_number(out, "adjusted", f[i].p_adjusted);
        print_number(out, "share", f[i].share);
        for (size_t l = 0; l < f[i].n_levels; l++) {
            str_addf(out, "\n    level %s rounds=%zu", f[i].level[l].level, f[i].level[l].rounds);
            print_number(out, "effect", f[i].level[l].effect);
            print_number(out, "pct", f[i].level[l].pct);
            print_range(out, "ci", f[i].level[l].ci);
        }
    }
}

static inline void print_next(struct str *out, const struct next_step *n)
{
    str_addf(out, "\n  next %s blocks=%lld", next_do_name(n->what), (long long)n->blocks);
    print_text(out, "host", n->host);
    print_text(out, "switch", n->switch_fact);
    print_text(out, "to", n->switch_to);
    print_map(out, "wanted", &n->wanted);
    print_list(out, "separates", &n->separates);
    print_number(out, "gain", n->gain);
    print_text(out, "why", n->why);
}

/* Owned by the caller. */
static inline char *print_answer(const struct answer *a)
{
    struct str out = {0};

    str_addf(&out, "answer %s run=%lld seed=%llu metric=%s unit=%s higher=%d", a->experiment,
             (long long)a->run, (unsigned long long)a->seed, a->metric, a->unit,
             a->higher_is_better);
    print_number(&out, "alpha", a->alpha);
    print_number(&out, "min_effect", a->min_effect);
    print_list(&out, "warnings", &a->warnings);
    for (size_t i = 0; i < a->n_comparisons; i++) {
        const struct comparison_answer *c = &a->comparison[i];

        str_addf(&out, "\n comparison %s %s outcome=%s", c->base, c->candidate,
                 answer_outcome_name(c->outcome));
        print_text(&out, "base_digest", c->base_digest);
        print_text(&out, "candidate_digest", c->candidate_digest);
        print_map(&out, "cell", &c->cell);
        print_text(&out, "sentence", c->sentence);
        for (size_t h = 0; h < c->n_hosts; h++)
            print_host(&out, &c->host[h]);
        print_fleet(&out, &c->fleet);
        print_facts(&out, &c->facts);
        print_load(&out, &c->load);
        print_factors(&out, "harness", c->harness, c->n_harness);
        print_factors(&out, "factor", c->factor, c->n_factors);
        for (size_t n = 0; n < c->n_next; n++)
            print_next(&out, &c->next[n]);
    }
    str_add(&out, "\n");
    return str_take(&out);
}
