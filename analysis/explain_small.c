/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pools too small to score: which facts split the hosts where the change reproduces from those
 * where it is absent. Nothing is claimed; the list is what the next step is chosen from.
 */
#include "analysis/explain_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum side { SIDE_NONE, SIDE_CHANGED, SIDE_SAME };

/* Improved hosts count as changed only where none regressed, so that the two kinds are never thrown
 * together. */
static enum side side_of(enum verdict verdict, bool some_regressed)
{
    switch (verdict) {
    case VERDICT_REGRESSED:
        return SIDE_CHANGED;
    case VERDICT_IMPROVED:
        return some_regressed ? SIDE_SAME : SIDE_CHANGED;
    case VERDICT_UNCHANGED:
        return SIDE_SAME;
    case VERDICT_INCONCLUSIVE:
    case VERDICT_REGRESSED_SMALL:
    case VERDICT_IMPROVED_SMALL:
        break;
    }
    return SIDE_NONE;
}

/* The level all changed hosts share and no host of the other side has; NULL when there is none, or
 * an unknown. */
static const char *splits(const struct explain_host *const *hosts, const enum side *side, size_t n,
                          const char *fact)
{
    const char *level = NULL;

    for (size_t i = 0; i < n; i++) {
        const char *value = fact_set_get(hosts[i]->facts, fact);

        if (side[i] != SIDE_CHANGED)
            continue;
        if (!value || (level && strcmp(level, value) != 0))
            return NULL;
        level = value;
    }
    for (size_t i = 0; i < n; i++) {
        const char *value = fact_set_get(hosts[i]->facts, fact);

        if (side[i] == SIDE_SAME && (!value || !level || strcmp(level, value) == 0))
            return NULL;
    }
    return level;
}

static int by_hierarchy(const void *a, const void *b)
{
    return fact_table_compare_names(((const struct class_member *)a)->fact,
                                    ((const struct class_member *)b)->fact);
}

void explain_small(const struct explain_host *const *hosts, size_t n, struct facts_answer *ret)
{
    enum side *side = mem_array(enum side, n);
    size_t changed = 0, same = 0, cap = 0, regressed = 0,
           shown = 0; /* shown: a host where it changed */
    struct class_answer class = {.rank = 1, .kind = CLASS_KIND_LEVEL};

    for (size_t i = 0; i < n; i++)
        regressed += hosts[i]->verdict == VERDICT_REGRESSED;
    for (size_t i = 0; i < n; i++) {
        side[i] = side_of(hosts[i]->verdict, regressed > 0);
        shown = side[i] == SIDE_CHANGED && changed == 0 ? i : shown;
        changed += side[i] == SIDE_CHANGED;
        same += side[i] == SIDE_SAME;
    }
    for (size_t f = 0; changed > 0 && same > 0 && f < hosts[shown]->facts->n; f++) {
        const char *fact = hosts[shown]->facts->v[f].name;
        const char *level = fact_table_is_name(fact) ? NULL : splits(hosts, side, n, fact);

        if (!level)
            continue;
        class.member = mem_grow(class.member, &cap, class.n_members + 1, sizeof *class.member);
        class.member[class.n_members++] =
            (struct class_member){.fact = mem_strdup(fact), .level = mem_strdup(level)};
    }
    if (class.n_members > 0) {
        qsort(class.member, class.n_members, sizeof *class.member, by_hierarchy);
        for (size_t i = 0; i < n; i++)
            if (side[i] != SIDE_NONE)
                strlist_add(&class.group[side[i] == SIDE_CHANGED ? 0 : 1].hosts, hosts[i]->name);
        class.group[0].side = mem_strdup(class.member[0].level);
        class.group[1].side = mem_strdup("other");
        for (size_t g = 0; g < 2; g++) {
            class.group[g].effect = class.group[g].pct = NAN;
            class.group[g].ci = (struct range){NAN, NAN};
        }
        class.score = class.weight = class.explained = class.slope = NAN;
        class.statement = mem_printf(
            "splits the hosts where it changed (%zu) from those where it did not (%zu); too "
            "few hosts to score",
            changed, same);
        ret->class = mem_new(struct class_answer);
        ret->class[0] = class;
        ret->n_classes = 1;
    }
    mem_free(side);
}
