/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Telling the surviving facts apart. Every member of every surviving class says whether a host
 * would show the effect; a host on which they disagree is worth running on. Where the pool has
 * none, the kind of host is described: facts of one chain (vendor, family, model, …) move together,
 * so at most one of each chain is asked for and nothing that cannot exist.
 */
#include "analysis/separate_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_GAIN 0.02 /* bits */
#define MOST_HOSTS 3
#define MOST_SWITCHES 2

/* What can be set on a running host, by the last words of the fact's name. */
static const char *const switchable[] = {
    "thp",  "transparent_hugepage", "governor", "smt",        "aslr",   "boost",           "turbo",
    "sink", "numa_balancing",       "load",     "swappiness", "sysctl", "scaling_governor"};

struct voice { /* one member of a surviving class */
    const struct class_member *member;
    const struct class_answer *class;
    double weight; /* the class's over its number of members */
};
struct voices {
    struct voice *v;
    size_t n;
};

static bool is_switchable(const char *fact)
{
    size_t length = strlen(fact);

    for (size_t i = 0; i < sizeof switchable / sizeof *switchable; i++) {
        size_t tail = strlen(switchable[i]);

        if (length >= tail && strcmp(fact + length - tail, switchable[i]) == 0 &&
            (length == tail || fact[length - tail - 1] == '.' || fact[length - tail - 1] == '_'))
            return true;
    }
    return false;
}

static double number_of(const char *text)
{
    double value;

    return text && str_to_double(text, &value, NULL) == 0 ? value : NAN;
}

/* Where a value stands between the least and the largest that was measured. */
static double trend_of(const struct separate *separate, const char *fact, double value)
{
    double least = NAN, most = NAN;

    for (size_t h = 0; h < separate->in->n_hosts; h++)
        if (separate->host[h]->measured) {
            double seen = number_of(fact_set_get(separate->host[h]->facts, fact));

            least = fmin(least, seen);
            most = fmax(most, seen);
        }
    if (isnan(value) || !(most > least))
        return NAN;
    return fmin(1.0, fmax(0.0, (value - least) / (most - least)));
}

static double holds(const struct separate *separate, const struct fact_set *facts, const char *fact,
                    const char *level)
{
    CLEAN_MEM char *value = fact_table_value(&separate->reading, facts, fact);

    if (!value)
        return NAN;
    if (strcmp(level, "trend") == 0)
        return trend_of(separate, fact, number_of(value));
    if (str_starts(level, "<="))
        return number_of(value) <= number_of(level + 2) ? 1.0 : 0.0;
    if (level[0] == '>')
        return number_of(value) > number_of(level + 1) ? 1.0 : 0.0;
    if (str_starts(level, "not "))
        return strcmp(value, level + 4) != 0 ? 1.0 : 0.0;
    return strcmp(value, level) == 0 ? 1.0 : 0.0;
}

/* Would this host show the effect, if it goes with this member? NaN when its facts do not say. */
static double says(const struct separate *separate, const struct class_member *member,
                   const struct fact_set *facts)
{
    double first = holds(separate, facts, member->fact, member->level);

    if (!member->and_fact || first == 0.0)
        return first;
    return first * holds(separate, facts, member->and_fact, member->and_level);
}

static char *opposite(const char *level)
{
    if (str_starts(level, "not "))
        return mem_strdup(level + 4);
    if (str_starts(level, "<="))
        return mem_printf(">%s", level + 2);
    if (level[0] == '>')
        return mem_printf("<=%s", level + 1);
    return mem_printf("not %s", level);
}

static void want(struct next_step *step, const struct class_member *member, bool holding)
{
    CLEAN_MEM char *level = holding ? mem_strdup(member->level) : opposite(member->level);

    if (strcmp(member->level, "trend") == 0)
        strmap_set(&step->wanted, member->fact, holding ? "high" : "low");
    else
        strmap_set(&step->wanted, member->fact, level);
    if (member->and_fact && holding)
        strmap_set(&step->wanted, member->and_fact, member->and_level);
}

static void list_names(struct str *out, const struct strlist *names)
{
    for (size_t i = 0; i < names->n; i++)
        str_addf(out, "%s%s", i == 0 ? "" : i + 1 == names->n ? " from " : ", ", names->v[i]);
}

static void list_wanted(struct str *out, const struct strmap *wanted)
{
    for (size_t i = 0; i < wanted->n; i++)
        str_addf(out, "%s%s %s", i == 0 ? "" : ", ", wanted->key[i], wanted->value[i]);
}

static void add_name(struct strlist *names, const char *name)
{
    if (!strlist_has(names, name))
        strlist_add(names, name);
}

/* What the host would tell: probability of the effect, and does any pair of members disagree on it?
 */
static double probability(const struct separate *separate, const struct voices *voices,
                          const struct fact_set *facts, bool *ret_split)
{
    double p = 0.0, known = 0.0;
    bool some_yes = false, some_no = false;

    for (size_t i = 0; i < voices->n; i++) {
        double x = says(separate, voices->v[i].member, facts);

        if (isnan(x))
            continue;
        p += voices->v[i].weight * x;
        known += voices->v[i].weight;
        some_yes = some_yes || x >= 0.5;
        some_no = some_no || x < 0.5;
    }
    *ret_split = some_yes && some_no;
    return known > 0.0 ? p / known : NAN;
}

static void add_run_on(struct separate *separate, const struct voices *voices,
                       const struct separate_host *host, double gain)
{
    struct next_step *step = separate_add(separate, NEXT_RUN_ON, gain);
    struct str why = {0};

    step->host = mem_strdup(host->name);
    step->blocks = (int64_t)separate->in->rounds;
    for (size_t i = 0; i < voices->n; i++) {
        double x = says(separate, voices->v[i].member, host->facts);

        if (isnan(x))
            continue;
        want(step, voices->v[i].member, x >= 0.5);
        add_name(&step->separates, voices->v[i].member->fact);
    }
    str_addf(&why, "%s (", host->name);
    list_wanted(&why, &step->wanted);
    str_add(&why, ") would separate ");
    list_names(&why, &step->separates);
    step->why = str_take(&why);
}

struct offer {
    const struct separate_host *host;
    double gain;
};

static int better(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;

    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return strcmp(x->host->name, y->host->name);
}

/* Hosts of the pool without samples; true when some host tells members apart. */
static bool offer_hosts(struct separate *separate, const struct voices *voices)
{
    struct offer *offer = mem_array(struct offer, separate->in->n_hosts);
    size_t n = 0;

    for (size_t h = 0; h < separate->in->n_hosts; h++) {
        bool split;
        double p;

        if (separate->host[h]->measured)
            continue;
        p = probability(separate, voices, separate->host[h]->facts, &split);
        if (split && separate_bits(p) * separate->power > LEAST_GAIN)
            offer[n++] = (struct offer){separate->host[h], separate_bits(p) * separate->power};
    }
    qsort(offer, n, sizeof *offer, better);
    for (size_t i = 0; i < n && i < MOST_HOSTS; i++)
        add_run_on(separate, voices, offer[i].host, offer[i].gain);
    mem_free(offer);
    return n > 0;
}

/* Two members are of one group when no host could have one changed alone without the other
 * following. */
static bool one_group(const struct class_member *a, const struct class_member *b)
{
    int depth;
    enum fact_chain chain = fact_table_chain(a->fact, &depth);

    return strcmp(a->fact, b->fact) == 0 ||
           (chain != FACT_CHAIN_NONE && chain == fact_table_chain(b->fact, &depth));
}

static bool group_has_spoken(const struct voices *voices, size_t upto)
{
    for (size_t i = 0; i < upto; i++)
        if (one_group(voices->v[i].member, voices->v[upto].member))
            return true;
    return false;
}

/* No known host will do: say what kind would. The first group keeps its level, every other group's
 * highest fact does not; within a single chain the highest keeps it and the next lower does not. */
static void describe_host(struct separate *separate, const struct voices *voices)
{
    double holding = 0.0, all = 0.0, gain;
    struct next_step *step;
    struct str why = {0};
    size_t groups = 0, lower = 0;

    for (size_t i = 0; i < voices->n; i++) {
        groups += !group_has_spoken(voices, i);
        all += voices->v[i].weight;
        if (one_group(voices->v[0].member, voices->v[i].member))
            holding += voices->v[i].weight;
        if (lower == 0 && strcmp(voices->v[i].member->fact, voices->v[0].member->fact) != 0)
            lower = i;
    }
    if (groups < 2 && lower == 0)
        return;
    gain = separate_bits(groups > 1 ? holding / all : voices->v[0].weight / all) * separate->power;
    if (gain <= LEAST_GAIN)
        return;
    step = separate_add(separate, NEXT_ADD_HOST, gain);
    step->blocks = (int64_t)separate->in->rounds;
    for (size_t i = 0; i < voices->n; i++) {
        if (groups > 1 ? group_has_spoken(voices, i) : i != 0 && i != lower)
            continue;
        want(step, voices->v[i].member, i == 0);
        add_name(&step->separates, voices->v[i].member->fact);
    }
    str_add(&why, "a host with ");
    list_wanted(&why, &step->wanted);
    str_add(&why, " would separate ");
    list_names(&why, &step->separates);
    step->why = str_take(&why);
}

/* The commonest level of the fact among measured hosts for which the member does not hold; NULL
 * when there is none. */
static const char *other_level(const struct separate *separate, const struct class_member *member)
{
    const char *best = NULL;
    size_t best_count = 0;

    for (size_t h = 0; h < separate->in->n_hosts; h++) {
        const char *level = fact_set_get(separate->host[h]->facts, member->fact);
        size_t count = 0;

        if (!level || says(separate, member, separate->host[h]->facts) != 0.0)
            continue;
        for (size_t i = 0; i < separate->in->n_hosts; i++)
            count += str_eq(level, fact_set_get(separate->host[i]->facts, member->fact));
        if (!best || count > best_count || (count == best_count && strcmp(level, best) < 0)) {
            best = level;
            best_count = count;
        }
    }
    return best;
}

/* A suspect that can be switched where it holds: no new host is needed. Besides the members there
 * may always be something unlisted that goes with the fact, which counts as one more member. */
static void offer_switches(struct separate *separate, const struct voices *voices)
{
    size_t offered = 0;

    for (size_t i = 0; i < voices->n && offered < MOST_SWITCHES; i++) {
        const struct class_member *member = voices->v[i].member;
        const struct separate_host *host = NULL;
        const char *to;
        double gain;
        struct next_step *step;

        if (member->and_fact || strcmp(member->level, "trend") == 0 || !is_switchable(member->fact))
            continue;
        to = other_level(separate, member);
        for (size_t h = 0; h < separate->in->n_hosts; h++) {
            const struct separate_host *at = separate->host[h];

            if (!at->measured || says(separate, member, at->facts) != 1.0)
                continue;
            if (!host || (isfinite(at->trimmed_variance) &&
                          !(host->trimmed_variance <= at->trimmed_variance)))
                host = at; /* the quietest: its answer comes soonest */
        }
        if (!to || !host)
            continue;
        gain = separate_bits(1.0 / (double)(voices->v[i].class->n_members + 1)) * separate->power;
        step = separate_add(separate, NEXT_SWITCH, gain);
        step->host = mem_strdup(host->name);
        step->switch_fact = mem_strdup(member->fact);
        step->switch_to = mem_strdup(to);
        step->blocks = (int64_t)separate->in->rounds;
        add_name(&step->separates, member->fact);
        step->why = mem_printf(
            "with %s set to %s on %s the effect goes if it is %s that matters, and stays if it is "
            "something that goes with it",
            member->fact, to, host->name, member->fact);
        offered++;
    }
}

void separate_facts(struct separate *separate)
{
    const struct facts_answer *facts = separate->in->facts;
    struct voices voices = {0};
    size_t cap = 0;

    for (size_t c = 0; c < facts->n_classes; c++) {
        const struct class_answer *class = &facts->class[c];

        if (!class->survives && class->scored)
            continue;
        for (size_t m = 0; m < class->n_members; m++) {
            voices.v = mem_grow(voices.v, &cap, voices.n + 1, sizeof *voices.v);
            voices.v[voices.n++] =
                (struct voice){&class->member[m], class,
                               (class->scored ? class->weight : 1.0) / (double)class->n_members};
        }
    }
    if (voices.n > 0) {
        offer_switches(separate, &voices);
        if (!offer_hosts(separate, &voices))
            describe_host(separate, &voices);
    }
    mem_free(voices.v);
}
