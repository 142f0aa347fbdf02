/* SPDX-License-Identifier: GPL-3.0-or-later
 * See sentence.h. Each part adds its words, or nothing. */
#include "analysis/sentence.h"

#include <math.h>
#include <string.h>

#include "analysis/effect_host.h"
#include "analysis/judge_state.h"

#define MOST_NAMED 6 /* members of a class named in a sentence before "and n more" */

struct tally {
    size_t n, regressed, improved, unchanged, inconclusive, small,
        silent; /* silent: without samples */
};

static struct tally count(const struct comparison_answer *c)
{
    struct tally t = {.n = c->n_hosts};

    for (size_t h = 0; h < c->n_hosts; h++)
        switch (c->host[h].verdict) {
        case VERDICT_REGRESSED_SMALL:
            t.small++;
            t.regressed++;
            break;
        case VERDICT_REGRESSED:
            t.regressed++;
            break;
        case VERDICT_IMPROVED_SMALL:
            t.small++;
            t.improved++;
            break;
        case VERDICT_IMPROVED:
            t.improved++;
            break;
        case VERDICT_UNCHANGED:
            t.unchanged++;
            break;
        case VERDICT_INCONCLUSIVE:
            t.inconclusive++;
            t.silent += c->host[h].design == DESIGN_NONE;
            break;
        }
    return t;
}

static void add_number(struct str *s, double pct, bool sign)
{
    const double size = fabs(pct);
    const int digits = size >= 9.95 ? 0 : size >= 0.995 ? 1 : 2;

    str_addf(s, sign ? "%+.*f" : "%.*f", digits, pct == 0 ? 0.0 : pct);
}

/* "+4.9 % [4.1, 5.7]" */
static void add_effect(struct str *s, double effect, struct range ci, bool higher)
{
    double lo = effect_pct(ci.lo, higher), hi = effect_pct(ci.hi, higher);

    add_number(s, effect_pct(effect, higher), true);
    str_add(s, " %");
    if (isnan(ci.lo))
        return;
    if (lo > hi) {
        const double swap = lo;

        lo = hi;
        hi = swap;
    }
    str_add(s, " [");
    add_number(s, lo, true);
    str_add(s, ", ");
    add_number(s, hi, true);
    str_add(s, "]");
}

static const char *hosts_word(size_t n)
{
    return n == 1 ? "host" : "hosts";
}

/* "7 of 16 hosts regressed, 6 are unchanged, 3 inconclusive" */
static void add_lead(const struct tally *t, double theta, struct str *s)
{
    const size_t rest = t->inconclusive;

    if (t->n == 0) {
        str_add(s, "0 of 0 hosts were measured");
        return;
    }
    if (t->regressed || t->improved) {
        const size_t first = t->regressed ? t->regressed : t->improved;

        str_addf(s, "%zu of %zu %s %s", first, t->n, hosts_word(t->n),
                 t->regressed ? "regressed" : "improved");
        if (t->regressed && t->improved)
            str_addf(s, " and %zu improved", t->improved);
        if (t->small && t->small == t->regressed + t->improved)
            str_add(s, ", each by less than what matters");
    } else if (t->unchanged) {
        str_addf(s, "%zu of %zu %s %s unchanged within ", t->unchanged, t->n, hosts_word(t->n),
                 t->unchanged == 1 ? "is" : "are");
        add_number(s, 100 * expm1(theta), false);
        str_add(s, " %");
    } else {
        str_addf(s, "0 of %zu %s %s a verdict", t->n, hosts_word(t->n), t->n == 1 ? "has" : "have");
        return;
    }
    if ((t->regressed || t->improved) && t->unchanged) {
        str_addf(s, ", %zu %s unchanged within ", t->unchanged, t->unchanged == 1 ? "is" : "are");
        add_number(s, 100 * expm1(theta), false);
        str_add(s, " %");
    }
    if (rest)
        str_addf(s, ", %zu %s inconclusive", rest, rest == 1 ? "is" : "are");
}

/* The reason that most of the inconclusive hosts give, when no host has a verdict. */
static void add_main_reason(const struct comparison_answer *c, struct str *s)
{
    const char *best = NULL;
    size_t most = 0;

    for (size_t h = 0; h < c->n_hosts; h++) {
        const char *reason = c->host[h].reasons.n ? c->host[h].reasons.v[0] : NULL;
        size_t same = 0;

        for (size_t k = 0; reason && k < c->n_hosts; k++)
            same += c->host[k].reasons.n &&
                    strcspn(c->host[k].reasons.v[0], ":") == strcspn(reason, ":") &&
                    strncmp(c->host[k].reasons.v[0], reason, strcspn(reason, ":")) == 0;
        if (same > most) {
            most = same;
            best = reason;
        }
    }
    if (best)
        str_addf(s, ": %s", best);
}

static void add_fleet(const struct comparison_answer *c, bool higher, struct str *s)
{
    if (c->fleet.hosts_used >= 2 && !isnan(c->fleet.effect)) {
        str_add(s, "; over the fleet ");
        add_effect(s, c->fleet.effect, c->fleet.ci, higher);
    } else if (c->n_hosts == 1 && !isnan(c->host[0].effect)) {
        str_add(s, ": ");
        add_effect(s, c->host[0].effect, c->host[0].ci, higher);
    }
    str_add(s, ".");
}

/* "does not reproduce here, and 1.1 % would have been seen": the least a host that did not show it
 * could have shown. */
static void add_seen(const struct comparison_answer *c, const struct tally *t, struct str *s)
{
    double worst = 0;

    if (!(t->regressed || t->improved) || !t->unchanged)
        return;
    for (size_t h = 0; h < c->n_hosts; h++)
        if (c->host[h].verdict == VERDICT_UNCHANGED && c->host[h].detectable > worst)
            worst = c->host[h].detectable;
    if (worst > 0) {
        str_addf(s, " On the %zu unchanged %s ", t->unchanged, hosts_word(t->unchanged));
        add_number(s, 100 * expm1(worst), false);
        str_add(s, " % would have been seen.");
    }
}

static void add_member(const struct class_member *m, struct str *s)
{
    str_addf(s, "%s %s%s", m->fact,
             strcmp(m->level, "trend") == 0 || strchr("<>", m->level[0]) ||
                     str_starts(m->level, "not ")
                 ? ""
                 : "= ",
             strcmp(m->level, "trend") == 0 ? "(as a trend)" : m->level);
    if (m->and_fact)
        str_addf(s, " together with %s %s%s", m->and_fact,
                 str_starts(m->and_level, "not ") ? "" : "= ", m->and_level);
}

static void add_facts(const struct comparison_answer *c, double alpha, struct str *s)
{
    const struct facts_answer *f = &c->facts;
    const struct class_answer *best = f->n_classes ? &f->class[0] : NULL;
    const bool differs = c->fleet.heterogeneity == HETEROGENEITY_HETEROGENEOUS;
    size_t survivors = 0;

    for (size_t i = 0; i < f->n_classes; i++)
        survivors += f->class[i].survives;
    if (f->claim && best) {
        str_add(s, " It goes with ");
        for (size_t m = 0; m < best->n_members && m < MOST_NAMED; m++) {
            str_add(s, m ? ", " : "");
            add_member(&best->member[m], s);
        }
        if (best->n_members > MOST_NAMED)
            str_addf(s, " and %zu more", best->n_members - MOST_NAMED);
        if (best->n_members > 1)
            str_add(s, ", which cannot be told apart in this pool");
        str_add(s, ".");
        if (survivors > 1)
            str_addf(s, " %zu other explanation%s fit%s nearly as well.", survivors - 1,
                     survivors == 2 ? "" : "s", survivors == 2 ? "s" : "");
        return;
    }
    if (differs) {
        str_add(s, " The hosts differ, but no fact is shown to go with it");
        if (f->p_least > alpha)
            str_add(s, " (a split like the best one could not be shown with so few hosts)");
        str_add(s, ".");
    } else if (c->fleet.hosts_used >= 2 && c->fleet.heterogeneity == HETEROGENEITY_NONE_SEEN) {
        str_add(s, " There is no sign that hosts differ.");
    }
}

static void add_where(const struct comparison_answer *c, struct str *s)
{
    size_t by[TIME_CLASS_MIXED + 1] = {0}, decided = 0;
    static const char *const words[] = {[TIME_CLASS_CPU_USER] = "user time",
                                        [TIME_CLASS_CPU_SYS] = "system time",
                                        [TIME_CLASS_WAIT] = "waiting, not CPU time"};

    for (size_t h = 0; h < c->n_hosts; h++)
        if (judge_decided(c->host[h].verdict) && c->host[h].where.known) {
            by[c->host[h].where.class]++;
            decided++;
        }
    for (int k = TIME_CLASS_CPU_USER; k <= TIME_CLASS_WAIT; k++)
        if (by[k] * 2 > decided)
            str_addf(s, " Where it shows, it is %s.", words[k]);
}

static void add_harness(const struct comparison_answer *c, double alpha, struct str *s)
{
    for (size_t i = 0; i < c->n_harness; i++)
        if (c->harness[i].p_adjusted <= alpha)
            str_addf(s, " It depends on how it was measured: %s.", c->harness[i].factor);
    for (size_t i = 0; i < c->n_factors; i++)
        if (c->factor[i].p_adjusted <= alpha)
            str_addf(s, " The effect differs between levels of %s.", c->factor[i].factor);
}

static void add_environment(const struct comparison_answer *c, struct str *s)
{
    size_t moved = 0;

    for (size_t h = 0; h < c->n_hosts; h++)
        moved += strlist_has(&c->host[h].notes, "environment-changed");
    if (moved)
        str_addf(s, " On %zu %s the control moved too: that is a change of the environment.", moved,
                 hosts_word(moved));
}

static void add_next(const struct comparison_answer *c, struct str *s)
{
    if (c->n_next && c->next[0].why) {
        const size_t length = strlen(c->next[0].why);

        str_addf(s, " Next: %s%s", c->next[0].why,
                 length && c->next[0].why[length - 1] == '.' ? "" : ".");
    }
}

char *sentence_build(const struct comparison_answer *comparison, double alpha, double theta,
                     bool higher_is_better, bool aa)
{
    const struct tally t = count(comparison);
    CLEAN_DONE(str) struct str s = {0};

    add_lead(&t, theta, &s);
    if (t.n > 0 && t.inconclusive == t.n)
        add_main_reason(comparison, &s);
    add_fleet(comparison, higher_is_better, &s);
    if (aa)
        str_add(&s, t.regressed + t.improved ? " The two arms are the same: this is the harness or "
                                               "the environment, not the code."
                                             : " The two arms are the same, as they should look.");
    add_seen(comparison, &t, &s);
    add_environment(comparison, &s);
    add_facts(comparison, alpha, &s);
    add_where(comparison, &s);
    add_harness(comparison, alpha, &s);
    add_next(comparison, &s);
    return str_take(&s);
}
