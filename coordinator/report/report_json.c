/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `explain --json`, schema 1: the answer field for field as docs/explain.schema.json says. Nothing
 * is rounded, nothing is left out: what does not apply is null. The order of everything is the
 * answer's own.
 */
#include "coordinator/report/report.h"

#include "coordinator/report/jot.h"

#include <errno.h>
#include <math.h>

static void put_range(struct jot *jot, const char *key, struct range range)
{
    if (!isfinite(range.lo) && !isfinite(range.hi)) {
        jot_null(jot, key);
        return;
    }
    jot_open(jot, key, '[');
    jot_number(jot, NULL, range.lo);
    jot_number(jot, NULL, range.hi);
    jot_close(jot, '[');
}

static void put_two(struct jot *jot, const char *key, const double v[2])
{
    jot_open(jot, key, '[');
    jot_number(jot, NULL, v[0]);
    jot_number(jot, NULL, v[1]);
    jot_close(jot, '[');
}

static void put_part(struct jot *jot, const char *key, const struct where_part *part)
{
    jot_open(jot, key, '{');
    jot_number(jot, "delta_s", part->delta_s);
    put_range(jot, "ci", part->ci);
    jot_number(jot, "share", part->share);
    jot_close(jot, '{');
}

static void put_where(struct jot *jot, const struct where_time *where)
{
    if (!where->known) {
        jot_null(jot, "where");
        return;
    }
    jot_open(jot, "where", '{');
    put_part(jot, "user", &where->user);
    put_part(jot, "sys", &where->sys);
    put_part(jot, "wait", &where->wait);
    jot_text(jot, "class", time_class_name(where->class));
    jot_close(jot, '{');
}

static void put_modes(struct jot *jot, const struct modes_finding *modes)
{
    if (!modes->found) {
        jot_null(jot, "modes");
        return;
    }
    jot_open(jot, "modes", '{');
    jot_number(jot, "threshold", modes->threshold);
    put_two(jot, "share", modes->share);
    jot_open(jot, "streaks", '[');
    jot_count(jot, NULL, modes->streaks[0]);
    jot_count(jot, NULL, modes->streaks[1]);
    jot_close(jot, '[');
    jot_number(jot, "occupancy_p", modes->occupancy_p);
    jot_number(jot, "episodes_p", modes->episodes_p);
    jot_number(jot, "fast_effect", modes->fast_effect);
    put_range(jot, "fast_ci", modes->fast_ci);
    jot_close(jot, '{');
}

/* A host's load carries the loads it saw, the fleet's the p-value. */
static void put_load(struct jot *jot, const struct load_finding *load, bool of_host)
{
    if (!load->known) {
        jot_null(jot, "load");
        return;
    }
    jot_open(jot, "load", '{');
    jot_number(jot, "effect_at_zero", load->effect_at_zero);
    put_range(jot, "ci", load->ci);
    jot_number(jot, "per_cpu", load->per_cpu);
    put_range(jot, "per_cpu_ci", load->per_cpu_ci);
    if (of_host) {
        put_range(jot, "range", load->range);
    } else {
        jot_number(jot, "p", load->p);
    }
    jot_close(jot, '{');
}

static void put_control(struct jot *jot, const struct control_finding *control)
{
    if (!control->known) {
        jot_null(jot, "control");
        return;
    }
    jot_open(jot, "control", '{');
    jot_number(jot, "effect", control->effect);
    put_range(jot, "ci", control->ci);
    jot_text(jot, "verdict", verdict_name(control->verdict));
    jot_close(jot, '{');
}

static void put_host(struct jot *jot, const struct host_answer *host)
{
    jot_open(jot, NULL, '{');
    jot_text(jot, "host", host->host);
    jot_text(jot, "design", design_name(host->design));
    jot_text(jot, "verdict", verdict_name(host->verdict));
    jot_texts(jot, "reasons", &host->reasons);
    jot_number(jot, "effect", host->effect);
    jot_number(jot, "pct", host->pct);
    put_range(jot, "ci", host->ci);
    jot_number(jot, "ci_level", host->ci_level);
    jot_number(jot, "p", host->p);
    jot_number(jot, "q", host->q);
    jot_number(jot, "mean_effect", host->mean_effect);
    put_range(jot, "mean_ci", host->mean_ci);
    jot_number(jot, "trimmed_effect", host->trimmed_effect);
    jot_number(jot, "trimmed_se", host->trimmed_se);
    jot_number(jot, "df", host->df);
    jot_count(jot, "rounds_used", host->rounds_used);
    jot_count(jot, "rounds_dropped", host->rounds_dropped);
    jot_open(jot, "samples", '[');
    jot_count(jot, NULL, host->samples[0]);
    jot_count(jot, NULL, host->samples[1]);
    jot_close(jot, '[');
    put_two(jot, "n_effective", host->n_effective);
    put_two(jot, "streak_p", host->streak_p);
    jot_number(jot, "detectable", host->detectable);
    jot_number(jot, "rounds_needed", host->rounds_needed);
    put_where(jot, &host->where);
    put_modes(jot, &host->modes);
    put_load(jot, &host->load, true);
    put_control(jot, &host->control);
    jot_texts(jot, "notes", &host->notes);
    jot_close(jot, '{');
}

static void put_fleet(struct jot *jot, const struct fleet_answer *fleet)
{
    jot_open(jot, "fleet", '{');
    jot_text(jot, "verdict", verdict_name(fleet->verdict));
    jot_number(jot, "effect", fleet->effect);
    jot_number(jot, "pct", fleet->pct);
    put_range(jot, "ci", fleet->ci);
    put_range(jot, "prediction", fleet->prediction);
    jot_number(jot, "tau", fleet->tau);
    put_range(jot, "tau_ci", fleet->tau_ci);
    jot_number(jot, "i2", fleet->i2);
    jot_text(jot, "heterogeneity", heterogeneity_name(fleet->heterogeneity));
    jot_number(jot, "heterogeneity_p", fleet->heterogeneity_p);
    jot_count(jot, "hosts_used", fleet->hosts_used);
    jot_texts(jot, "reproduces_on", &fleet->reproduces_on);
    jot_texts(jot, "absent_on", &fleet->absent_on);
    jot_texts(jot, "unsure_on", &fleet->unsure_on);
    jot_close(jot, '{');
}

static void put_class(struct jot *jot, const struct class_answer *class)
{
    jot_open(jot, NULL, '{');
    jot_int(jot, "rank", class->rank);
    jot_text(jot, "kind", class_kind_name(class->kind));
    jot_open(jot, "members", '[');
    for (size_t i = 0; i < class->n_members; i++) {
        const struct class_member *member = &class->member[i];
        jot_open(jot, NULL, '{');
        jot_text(jot, "fact", member->fact);
        jot_text(jot, "level", member->level);
        if (member->and_fact != NULL) {
            jot_open(jot, "and", '{');
            jot_text(jot, "fact", member->and_fact);
            jot_text(jot, "level", member->and_level);
            jot_close(jot, '{');
        }
        jot_close(jot, '{');
    }
    jot_close(jot, '[');
    jot_open(jot, "groups", '[');
    for (size_t i = 0; i < 2 && class->group[0].side != NULL; i++) { /* a trend has no sides */
        const struct class_group *group = &class->group[i];
        jot_open(jot, NULL, '{');
        jot_text(jot, "side", group->side);
        jot_texts(jot, "hosts", &group->hosts);
        jot_number(jot, "effect", group->effect);
        jot_number(jot, "pct", group->pct);
        put_range(jot, "ci", group->ci);
        jot_close(jot, '{');
    }
    jot_close(jot, '[');
    jot_text(jot, "statement", class->statement);
    jot_number(jot, "score", class->score);
    jot_number(jot, "weight", class->weight);
    jot_number(jot, "explained", class->explained);
    jot_bool(jot, "survives", class->survives);
    jot_texts(jot, "placed", &class->placed);
    jot_texts(jot, "fragile", &class->fragile);
    jot_close(jot, '{');
}

static void put_facts(struct jot *jot, const struct facts_answer *facts)
{
    jot_open(jot, "facts", '{');
    jot_bool(jot, "claim", facts->claim);
    jot_number(jot, "p", facts->p);
    jot_number(jot, "p_permutation", facts->p_permutation);
    jot_number(jot, "p_flip", facts->p_flip);
    jot_number(jot, "p_least", facts->p_least);
    jot_count(jot, "candidates", facts->candidates);
    jot_open(jot, "classes", '[');
    for (size_t i = 0; i < facts->n_classes; i++) {
        put_class(jot, &facts->class[i]);
    }
    jot_close(jot, '[');
    jot_texts(jot, "not_judged", &facts->not_judged);
    jot_open(jot, "filled", '[');
    for (size_t i = 0; i < facts->n_filled; i++) {
        jot_open(jot, NULL, '{');
        jot_text(jot, "host", facts->filled[i].host);
        jot_text(jot, "fact", facts->filled[i].fact);
        jot_text(jot, "from", facts->filled[i].from);
        jot_close(jot, '{');
    }
    jot_close(jot, '[');
    jot_close(jot, '{');
}

/* p is the one that decides: Holm-adjusted over the factors tested, when that was done. */
static void put_factors(struct jot *jot, const char *key, const struct factor_answer *factor,
                        size_t n)
{
    jot_open(jot, key, '[');
    for (size_t i = 0; i < n; i++) {
        jot_open(jot, NULL, '{');
        jot_text(jot, "factor", factor[i].factor);
        jot_number(jot, "p", isfinite(factor[i].p_adjusted) ? factor[i].p_adjusted : factor[i].p);
        jot_open(jot, "levels", '[');
        for (size_t k = 0; k < factor[i].n_levels; k++) {
            const struct level_answer *level = &factor[i].level[k];
            jot_open(jot, NULL, '{');
            jot_text(jot, "level", level->level);
            jot_number(jot, "effect", level->effect);
            jot_number(jot, "pct", level->pct);
            put_range(jot, "ci", level->ci);
            jot_close(jot, '{');
        }
        jot_close(jot, '[');
        jot_close(jot, '{');
    }
    jot_close(jot, '[');
}

static void put_next(struct jot *jot, const struct next_step *step)
{
    jot_open(jot, NULL, '{');
    jot_text(jot, "do", next_do_name(step->what));
    jot_text(jot, "host", step->host);
    if (step->switch_fact == NULL) {
        jot_null(jot, "switch");
    } else {
        jot_open(jot, "switch", '{');
        jot_text(jot, "fact", step->switch_fact);
        jot_text(jot, "to", step->switch_to);
        jot_close(jot, '{');
    }
    if (step->blocks < 0) {
        jot_null(jot, "blocks");
    } else {
        jot_int(jot, "blocks", step->blocks);
    }
    jot_map(jot, "wanted", &step->wanted);
    jot_texts(jot, "separates", &step->separates);
    jot_number(jot, "gain", step->gain);
    jot_text(jot, "why", step->why);
    jot_close(jot, '{');
}

static void put_artefacts(struct jot *jot, const struct comparison_answer *comparison)
{
    const char *names[2] = {comparison->base, comparison->candidate};
    const char *digests[2] = {comparison->base_digest, comparison->candidate_digest};
    if (digests[0] == NULL && digests[1] == NULL) {
        jot_null(jot, "artefacts");
        return;
    }
    jot_open(jot, "artefacts", '[');
    for (size_t i = 0; i < 2; i++) {
        jot_open(jot, NULL, '{');
        jot_text(jot, "variant", names[i]);
        jot_text(jot, "digest", digests[i]);
        jot_close(jot, '{');
    }
    jot_close(jot, '[');
}

static void put_comparison(struct jot *jot, const struct comparison_answer *comparison)
{
    jot_open(jot, NULL, '{');
    jot_text(jot, "base", comparison->base);
    jot_text(jot, "candidate", comparison->candidate);
    jot_map(jot, "cell", &comparison->cell);
    put_artefacts(jot, comparison);
    jot_text(jot, "outcome", answer_outcome_name(comparison->outcome));
    jot_text(jot, "sentence", comparison->sentence);
    jot_open(jot, "hosts", '[');
    for (size_t i = 0; i < comparison->n_hosts; i++) {
        put_host(jot, &comparison->host[i]);
    }
    jot_close(jot, '[');
    put_fleet(jot, &comparison->fleet);
    put_facts(jot, &comparison->facts);
    put_load(jot, &comparison->load, false);
    put_factors(jot, "harness", comparison->harness, comparison->n_harness);
    put_factors(jot, "factors", comparison->factor, comparison->n_factors);
    jot_open(jot, "next", '[');
    for (size_t i = 0; i < comparison->n_next; i++) {
        put_next(jot, &comparison->next[i]);
    }
    jot_close(jot, '[');
    jot_close(jot, '{');
}

int report_json(const struct answer *answer, FILE *out, struct err *err)
{
    struct jot jot CLEAN_DONE(jot) = {0};
    jot_open(&jot, NULL, '{');
    jot_int(&jot, "schema", 1);
    jot_text(&jot, "experiment", answer->experiment);
    jot_int(&jot, "run", answer->run);
    jot_count(&jot, "seed", answer->seed);
    jot_number(&jot, "alpha", answer->alpha);
    jot_number(&jot, "min_effect", answer->min_effect);
    jot_open(&jot, "metric", '{');
    jot_text(&jot, "name", answer->metric);
    jot_text(&jot, "unit", answer->unit);
    jot_text(&jot, "better", answer->higher_is_better ? "higher" : "lower");
    jot_close(&jot, '{');
    jot_open(&jot, "comparisons", '[');
    for (size_t i = 0; i < answer->n_comparisons; i++) {
        put_comparison(&jot, &answer->comparison[i]);
    }
    jot_close(&jot, '[');
    jot_texts(&jot, "warnings", &answer->warnings);
    jot_close(&jot, '{');
    if (fwrite(jot.text.text, 1, jot.text.length, out) != jot.text.length) {
        return err_sys(err, "cannot write the answer");
    }
    return 0;
}

int report_gate(const struct answer *answer, bool partial)
{
    bool regressed = false;
    bool inconclusive = answer->n_comparisons == 0;
    for (size_t i = 0; i < answer->n_comparisons; i++) {
        switch (answer->comparison[i].outcome) {
        case ANSWER_REGRESSED:
        case ANSWER_REGRESSED_ON_SOME:
        case ANSWER_MIXED:
            regressed = true;
            break;
        case ANSWER_INCONCLUSIVE:
            inconclusive = true;
            break;
        case ANSWER_REGRESSED_SMALL:
        case ANSWER_IMPROVED:
        case ANSWER_IMPROVED_SMALL:
        case ANSWER_IMPROVED_ON_SOME:
        case ANSWER_UNCHANGED:
            break;
        }
    }
    return regressed ? 3 : partial ? 5 : inconclusive ? 4 : 0;
}
