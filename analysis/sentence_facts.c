/* SPDX-License-Identifier: GPL-3.0-or-later
 * See sentence_parts.h: what the effect goes with. A class is named whole, or with how many more
 * there are. */
#include <math.h>
#include <string.h>

#include "analysis/sentence_parts.h"

#define MOST_NAMED 6 /* members of a class named before "and n more" */

static void add_level(struct str *text, const char *level)
{
    if (strchr("<>", level[0]) || str_starts(level, "not "))
        str_addf(text, " %s", level);
    else
        str_addf(text, " = %s", level);
}

static void add_member(struct str *text, const struct class_member *m)
{
    str_add(text, m->fact);
    if (strcmp(m->level, "trend") != 0)
        add_level(text, m->level);
    if (m->and_fact) {
        str_addf(text, " together with %s", m->and_fact);
        add_level(text, m->and_level);
    }
}

/* "a = x, b = y and c = z", at most MOST_NAMED of them; *at counts those named over several calls
 * of `all` in total. */
static void add_members(struct str *text, const struct class_answer *class, size_t *at, size_t all)
{
    for (size_t m = 0; m < class->n_members; m++, ++*at) {
        if (*at >= MOST_NAMED)
            continue;
        str_add(text, *at == 0 ? "" : *at + 1 == all ? " and " : ", ");
        add_member(text, &class->member[m]);
    }
}

static void add_more(struct str *text, size_t all)
{
    if (all > MOST_NAMED)
        str_addf(text, " and %zu more", all - MOST_NAMED);
}

/* " (+6.1 % [+5.0, +7.2] on those 5 hosts, +0.1 % [-0.2, +0.4] on the other 11)" */
static void add_sides(struct sentence *s, const struct class_answer *class)
{
    const struct class_group *with = &class->group[0], *without = &class->group[1];

    if (isnan(with->effect) || isnan(without->effect) || class->kind == CLASS_KIND_TREND)
        return;
    str_add(&s->text, " (");
    sentence_effect(s, with->effect, with->ci);
    str_addf(&s->text, with->hosts.n == 1 ? " on that host, " : " on those %zu hosts, ",
             with->hosts.n);
    sentence_effect(s, without->effect, without->ci);
    str_addf(&s->text, " on the other %zu)", without->hosts.n);
}

static void add_claim(struct sentence *s)
{
    const struct facts_answer *f = &s->c->facts;
    const struct class_answer *best = &f->class[0];
    size_t named = 0, others = 0;

    for (size_t i = 1; i < f->n_classes; i++)
        others += f->class[i].survives;
    if (best->kind == CLASS_KIND_TREND)
        str_addf(&s->text, " The effect %s with ", best->slope < 0 ? "falls" : "rises");
    else
        str_add(&s->text, " The effect goes with ");
    add_members(&s->text, best, &named, best->n_members);
    add_more(&s->text, best->n_members);
    if (best->n_members > 1)
        str_add(&s->text, ", which cannot be told apart in this pool");
    if (f->suspects_only)
        str_add(&s->text, ", as suspected beforehand");
    add_sides(s, best);
    str_add(&s->text, ".");
    if (others)
        str_addf(&s->text, " %zu other explanation%s fit%s nearly as well.", others,
                 others == 1 ? "" : "s", others == 1 ? "s" : "");
}

/* Too few hosts to score anything: what splits them the way the verdicts do. */
static void add_unscored(struct sentence *s)
{
    const struct facts_answer *f = &s->c->facts;
    size_t all = 0, named = 0;

    for (size_t i = 0; i < f->n_classes; i++)
        all += f->class[i].n_members;
    str_add(&s->text, " The hosts differ in ");
    for (size_t i = 0; i < f->n_classes; i++)
        add_members(&s->text, &f->class[i], &named, all);
    add_more(&s->text, all);
    str_addf(&s->text, "; so few hosts cannot show %s.",
             all == 1 ? "whether it goes with that" : "which of these it goes with");
}

static bool load_explains(const struct sentence *s)
{
    return s->c->load.known && s->c->load.p <= s->options->alpha;
}

void sentence_facts(struct sentence *s)
{
    const struct facts_answer *f = &s->c->facts;

    if (f->claim && f->n_classes) {
        add_claim(s);
        return;
    }
    if (f->n_classes && !f->class[0].scored) {
        add_unscored(s);
        return;
    }
    if (s->c->fleet.heterogeneity != HETEROGENEITY_HETEROGENEOUS || load_explains(s))
        return;
    str_add(&s->text, " The hosts differ, but no fact is shown to go with it");
    if (f->p_least > s->options->alpha)
        str_add(&s->text, " (so few hosts could not show a split like the best one)");
    str_add(&s->text, ".");
}

void sentence_load(struct sentence *s)
{
    const struct load_finding *load = &s->c->load;

    if (!load_explains(s))
        return;
    str_add(&s->text, " The effect goes with what other programs do: ");
    sentence_effect(s, load->effect_at_zero, load->ci);
    str_add(&s->text, " without their load, ");
    sentence_effect(s, load->per_cpu, load->per_cpu_ci);
    str_add(&s->text, " more for each CPU they keep busy.");
}

void sentence_harness(struct sentence *s)
{
    for (size_t i = 0; i < s->c->n_harness; i++)
        if (s->c->harness[i].p_adjusted <= s->options->alpha)
            str_addf(&s->text, " It depends on how it was measured (%s).", s->c->harness[i].factor);
    for (size_t i = 0; i < s->c->n_factors; i++)
        if (s->c->factor[i].p_adjusted <= s->options->alpha)
            str_addf(&s->text, " The effect differs between the levels of %s.",
                     s->c->factor[i].factor);
}
