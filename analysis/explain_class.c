/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One class of explanations as users see it: every fact that splits the hosts the same way, the
 * effect on both sides, and a sentence. The side with the larger effect (either sign) comes first
 * and gives the members their levels.
 */
#include "analysis/explain_parts.h"
#include "analysis/pool.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct side_effect {
    struct pool_result pool;
    enum verdict verdict;
};

static double percent_of(const struct explain_pool *pool, double effect)
{
    double change = pool->options->higher_is_better ? -effect : effect;

    return 100.0 * (pool->options->by_difference ? change : expm1(change));
}

/* The effect over the hosts with (x >= .5) == high. A side of one host keeps that host's own
 * effect, with an interval from its moderated variance, and its verdict. */
static struct side_effect side_effect(const struct explain_pool *pool, const double *x, bool high)
{
    double *y = mem_array(double, pool->k), *v = mem_array(double, pool->k),
           *df = mem_array(double, pool->k);
    struct side_effect side;
    size_t n = 0, last = 0;

    for (size_t i = 0; i < pool->k; i++)
        if ((x[i] >= 0.5) == high) {
            y[n] = pool->y[i];
            v[n++] = pool->v[i];
            last = i;
        }
    pool_estimate(y, v, n, pool->options->alpha, &side.pool);
    side.verdict = pool_verdict(&side.pool, pool->options->alpha, pool->options->theta);
    if (n == 1) {
        double t = gsl_cdf_tdist_Qinv(pool->options->alpha / 2.0, pool->df[last]);

        side.pool.ci = (struct range){y[0] - t * sqrt(v[0]), y[0] + t * sqrt(v[0])};
        side.verdict = pool->host[last]->verdict;
    }
    mem_free(y);
    mem_free(v);
    mem_free(df);
    return side;
}

static int by_hierarchy(const void *a, const void *b)
{
    const struct class_member *x = a, *y = b;
    int names = fact_table_compare_names(x->fact, y->fact);

    if (names == 0 && x->and_fact && y->and_fact)
        names = fact_table_compare_names(x->and_fact, y->and_fact);
    if (names == 0)
        names = strcmp(x->level, y->level);
    return names || !x->and_level || !y->and_level ? names : strcmp(x->and_level, y->and_level);
}

static struct class_member *add_member(struct class_answer *ret, size_t *cap)
{
    ret->member = mem_grow(ret->member, cap, ret->n_members + 1, sizeof *ret->member);
    ret->member[ret->n_members] = (struct class_member){0};
    return &ret->member[ret->n_members++];
}

/* Every candidate that agrees with found, one a fact: its level, else its cut, else its trend (the
 * list's order). swapped: the first side is where x = 0. */
static void add_members(const struct candidate_list *list, const struct explain_found *found,
                        bool swapped, const bool *only, struct class_answer *ret)
{
    size_t cap = 0;

    for (size_t from = 0, upto; from < list->n; from = upto) {
        const struct candidate *chosen = NULL;
        int chosen_agrees = 0;

        for (upto = from; upto < list->n && list->v[upto].column == list->v[from].column; upto++) {
            int agrees = candidate_agree(list->table, found->candidate, &list->v[upto]);

            if (agrees != 0 && (!only || only[list->v[upto].class]) &&
                (!chosen || (list->v[upto].kind == chosen->kind && chosen_agrees < agrees))) {
                chosen = &list->v[upto];
                chosen_agrees = agrees;
            }
        }
        if (!chosen)
            continue;

        struct class_member *member = add_member(ret, &cap);

        member->fact = mem_strdup(list->table->column[chosen->column].name);
        member->level = candidate_level(list->table, chosen, (chosen_agrees < 0) != swapped);
    }
    qsort(ret->member, ret->n_members, sizeof *ret->member, by_hierarchy);
}

static void member_done(struct class_member *member)
{
    mem_free(member->fact);
    mem_free(member->level);
    mem_free(member->and_fact);
    mem_free(member->and_level);
}

/* Of a fact with two levels, "AMD" and "not Intel" read alike: such members stand once. */
static void add_pair_members(const struct candidate_list *list, const struct explain_found *found,
                             size_t n, struct class_answer *ret)
{
    size_t cap = 0, kept = 0;

    for (size_t i = 0; i < n; i++) {
        struct class_member *member = add_member(ret, &cap);

        member->fact = mem_strdup(list->table->column[found[i].candidate->column].name);
        member->level = candidate_level(list->table, found[i].candidate, found[i].flip_first);
        member->and_fact = mem_strdup(list->table->column[found[i].and->column].name);
        member->and_level = candidate_level(list->table, found[i].and, found[i].flip_second);
    }
    qsort(ret->member, ret->n_members, sizeof *ret->member, by_hierarchy);
    for (size_t i = 0; i < ret->n_members; i++) {
        if (kept > 0 && by_hierarchy(&ret->member[kept - 1], &ret->member[i]) == 0)
            member_done(&ret->member[i]);
        else
            ret->member[kept++] = ret->member[i];
    }
    ret->n_members = kept;
}

/* The member that names a side best: the first whose level is not "not X". */
static const struct class_member *speaker(const struct class_answer *class)
{
    for (size_t i = 0; i < class->n_members; i++)
        if (!str_starts(class->member[i].level, "not "))
            return &class->member[i];
    return &class->member[0];
}

/* A vendor's, model's or distribution's name speaks for itself; other levels ("yes", "4") need
 * their fact. */
static void say_level(struct str *out, const char *fact, const char *level)
{
    int depth;
    bool compares = level[0] == '>' || level[0] == '<';
    bool named = fact_table_chain(fact, &depth) != FACT_CHAIN_NONE && depth <= 2 && !compares &&
                 (level[0] < '0' || level[0] > '9');

    if (named)
        str_add(out, level);
    else if (str_starts(level, "not "))
        str_addf(out, "%s not %s", fact, level + 4);
    else
        str_addf(out, compares ? "%s %s" : "%s=%s", fact, level);
}

static void say_percent(struct str *out, double percent)
{
    str_addf(out, fabs(percent) < 9.95 ? "%+.2g" : "%+.3g", percent);
}

static void say_effect(struct str *out, const struct explain_pool *pool, double effect,
                       struct range ci)
{
    double a = percent_of(pool, ci.lo), b = percent_of(pool, ci.hi);

    say_percent(out, percent_of(pool, effect));
    str_add(out, " %");
    if (isnan(a) || isnan(b))
        return;
    str_add(out, " [");
    say_percent(out, fmin(a, b));
    str_add(out, ", ");
    say_percent(out, fmax(a, b));
    str_addc(out, ']');
}

/* "regressed on AMD (4 hosts, +4.9 % [4.1, 5.7]), unchanged on the other 5". */
static char *say_split(const struct explain_pool *pool, const struct class_answer *class,
                       const struct side_effect side[2])
{
    const struct class_member *member = speaker(class);
    struct str out = {0};
    size_t n = class->group[0].hosts.n, rest = class->group[1].hosts.n;

    str_addf(&out, "%s on ", verdict_name(side[0].verdict));
    say_level(&out, member->fact, member->level);
    if (member->and_fact) {
        str_add(&out, " with ");
        say_level(&out, member->and_fact, member->and_level);
    }
    str_addf(&out, " (%zu host%s, ", n, n == 1 ? "" : "s");
    say_effect(&out, pool, class->group[0].effect, class->group[0].ci);
    str_addf(&out, "), %s on the other %zu", verdict_name(side[1].verdict), rest);
    if (side[1].verdict != VERDICT_UNCHANGED) {
        str_add(&out, " (");
        say_effect(&out, pool, class->group[1].effect, class->group[1].ci);
        str_addc(&out, ')');
    }
    return str_take(&out);
}

/* "goes with l3_kib: from +0.1 % at 0 to +9.2 % at 262144". */
static char *say_trend(const struct explain_pool *pool, const struct fact_column *column,
                       double low, double slope)
{
    struct str out = {0};

    str_addf(&out, "goes with %s: from ", column->name);
    say_percent(&out, percent_of(pool, low));
    str_addf(&out, " %% at %s to ", column->level[0]);
    say_percent(&out, percent_of(pool, low + slope));
    str_addf(&out, " %% at %s", column->level[column->n_levels - 1]);
    return str_take(&out);
}

static void fill_groups(const struct explain_pool *pool, const double *x, bool swapped,
                        const struct side_effect side[2], struct class_answer *ret)
{
    for (size_t i = 0; i < pool->k; i++)
        strlist_add(&ret->group[((x[i] >= 0.5) != swapped) ? 0 : 1].hosts, pool->name[i]);
    for (size_t g = 0; g < 2; g++) {
        ret->group[g].effect = side[g].pool.mu;
        ret->group[g].pct = percent_of(pool, side[g].pool.mu);
        ret->group[g].ci = side[g].pool.ci;
    }
}

static void name_sides(struct class_answer *ret)
{
    const struct class_member *member = speaker(ret);

    if (member->and_fact)
        ret->group[0].side = mem_printf("%s and %s", member->level, member->and_level);
    else
        ret->group[0].side = mem_strdup(member->level);
    if (!member->and_fact && str_starts(member->level, "not "))
        ret->group[1].side = mem_strdup(member->level + 4);
    else
        ret->group[1].side = mem_strdup("other");
}

static void fill_trend(const struct explain_pool *pool, const struct candidate_list *list,
                       const struct explain_found *found, const bool *only,
                       struct class_answer *ret)
{
    double *fitted = mem_array(double, pool->k), at_zero;

    score_fitted(pool->y, pool->v, found->x, pool->k, found->tau2, fitted, &ret->slope);
    at_zero = fitted[0] - ret->slope * found->x[0];
    add_members(list, found, false, only, ret);
    ret->statement =
        say_trend(pool, &list->table->column[found->candidate->column], at_zero, ret->slope);
    for (size_t g = 0; g < 2; g++) {
        ret->group[g].effect = ret->group[g].pct = NAN;
        ret->group[g].ci = (struct range){NAN, NAN};
    }
    mem_free(fitted);
}

void explain_class(const struct explain_pool *pool, const struct candidate_list *list,
                   const struct score_rows *rows, const struct explain_found *found, size_t n,
                   const bool *only, struct class_answer *ret)
{
    double tau2_none = rows->tau2[rows->null_at];

    ret->kind = found->kind;
    ret->score = found->score;
    ret->survives = found->survives;
    ret->explained = tau2_none > 0.0 ? fmax(0.0, 1.0 - found->tau2 / tau2_none) : NAN;
    ret->slope = NAN;
    strlist_copy(&ret->fragile, &found->fragile);
    for (size_t i = 0; i < pool->k && found->kind != CLASS_KIND_PAIR; i++)
        if (isnan(candidate_x(list->table, found->candidate, i)))
            strlist_add(&ret->placed, pool->name[i]);
    if (found->kind == CLASS_KIND_TREND) {
        fill_trend(pool, list, found, only, ret);
        return;
    }

    struct side_effect high = side_effect(pool, found->x, true),
                       low = side_effect(pool, found->x, false);
    bool swapped = found->kind != CLASS_KIND_PAIR && fabs(low.pool.mu) > fabs(high.pool.mu);
    struct side_effect side[2] = {swapped ? low : high, swapped ? high : low};

    if (found->kind == CLASS_KIND_PAIR)
        add_pair_members(list, found, n, ret);
    else
        add_members(list, found, swapped, only, ret);
    fill_groups(pool, found->x, swapped, side, ret);
    name_sides(ret);
    ret->statement = say_split(pool, ret, side);
}
