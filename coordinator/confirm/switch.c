/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Switches: facts that every sample can set for itself. A variable of the environment becomes a
 * factor whose levels are the values seen on both sides, given to every variant; how output is
 * taken is the built-in factor `sink`.
 */
#include "coordinator/confirm/parts.h"
#include "model/limits.h"

#include <string.h>

#define MOST_SWITCHES 2

/* The variable that a fact is, or NULL. */
static const char *variable_of(const char *fact)
{
    if (strcmp(fact, "libc.tunables") == 0)
        return "GLIBC_TUNABLES";
    return str_starts(fact, "env.") && fact[4] ? fact + 4 : NULL;
}

static bool is_sink(const char *fact)
{
    return strcmp(fact, "sink") == 0 || strcmp(fact, "stdout_kind") == 0;
}

static struct factor *factor_find(struct experiment *experiment, const char *name)
{
    for (size_t f = 0; f < experiment->n_factors; f++)
        if (strcmp(experiment->factor[f].name, name) == 0)
            return &experiment->factor[f];
    return NULL;
}

/* The factor of that name with these levels; an existing one gets them. Levels that stand twice
 * stand once. */
static void factor_put(struct experiment *experiment, const char *name,
                       const struct strlist *levels)
{
    struct factor *factor = factor_find(experiment, name);

    if (!factor) {
        experiment->factor =
            mem_resize(experiment->factor, experiment->n_factors + 1, sizeof *experiment->factor);
        factor = &experiment->factor[experiment->n_factors++];
        *factor = (struct factor){.name = mem_strdup(name)};
    }
    strlist_done(&factor->level);
    for (size_t i = 0; i < levels->n; i++)
        if (!strlist_has(&factor->level, levels->v[i]))
            strlist_add(&factor->level, levels->v[i]);
}

static bool variants_set(const struct experiment *experiment, const char *variable)
{
    for (size_t i = 0; i < experiment->n_variants; i++)
        if (strmap_get(&experiment->variant[i].env, variable))
            return true;
    return false;
}

/* Crosses a variable of the environment: every variant takes its value from the factor. */
static void cross_variable(struct confirm *confirm, const char *variable,
                           const struct strlist *levels)
{
    CLEAN_MEM char *factor = mem_printf("env.%s", variable);
    CLEAN_MEM char *value = mem_printf("${%s}", factor);
    struct experiment *experiment = confirm->experiment;

    factor_put(experiment, factor, levels);
    for (size_t i = 0; i < experiment->n_variants; i++)
        strmap_set(&experiment->variant[i].env, variable, value);
    confirm->switched++;
}

/* "env.X is switched between a and b within the blocks of each host." */
static void add_words(struct confirm *confirm, const char *factor, const struct strlist *levels)
{
    str_addf(&confirm->words, "%s%s is switched between ", confirm->words.length ? " " : "",
             factor);
    for (size_t i = 0; i < levels->n; i++)
        str_addf(&confirm->words, "%s%s",
                 i == 0               ? ""
                 : i + 1 == levels->n ? " and "
                                      : ", ",
                 levels->v[i]);
    str_add(&confirm->words, " inside the blocks of each host.");
}

const struct confirm_host *confirm_host_find(const struct confirm *confirm, const char *name)
{
    for (size_t h = 0; h < confirm->request->n_hosts; h++)
        if (strcmp(confirm->request->host[h].name, name) == 0)
            return &confirm->request->host[h];
    return NULL;
}

static const char *value_on(const struct confirm_host *host, const char *variable)
{
    CLEAN_MEM char *fact = mem_printf("env.%s", variable);
    const char *value = host && host->facts ? fact_set_get(host->facts, fact) : NULL;

    return value ? value : EXPERIMENT_UNSET;
}

static void values_of(const struct confirm *confirm, const struct strlist *hosts,
                      const char *variable, struct strlist *ret)
{
    for (size_t i = 0; i < hosts->n; i++) {
        const char *value = value_on(confirm_host_find(confirm, hosts->v[i]), variable);

        if (!strlist_has(ret, value))
            strlist_add(ret, value);
    }
}

/* ---- what the user asks for ---- */

static int asked_switch(struct confirm *confirm, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');
    CLEAN_MEM char *fact = equals ? mem_strndup(text, (size_t)(equals - text)) : NULL;
    CLEAN_DONE(strlist) struct strlist levels = {0};
    const char *variable = fact ? variable_of(fact) : NULL;

    if (!fact)
        return err_set(err, ERR_USAGE, "--switch %s: FACT=VALUE expected", text);
    if (!variable && !is_sink(fact))
        return err_set(err, ERR_USAGE,
                       "--switch %s: cannot be switched within a host; allowed: env.NAME, "
                       "libc.tunables, sink (others with --factor)",
                       fact);
    if (!variable) {
        strlist_add(&levels, "pipe"); /* as samples are taken where nothing is said */
    } else {
        if (variants_set(confirm->experiment, variable))
            return err_set(err, ERR_USAGE, "--switch %s: the variants set %s themselves", fact,
                           variable);
        for (int side = 0; side < SIDES; side++)
            values_of(confirm, &confirm->side[side], variable, &levels);
    }
    if (!strlist_has(&levels, equals[1] ? equals + 1 : EXPERIMENT_UNSET))
        strlist_add(&levels, equals[1] ? equals + 1 : EXPERIMENT_UNSET);
    if (levels.n < 2)
        return err_set(err, ERR_USAGE, "--switch %s: is so on every host already", text);
    if (variable) {
        cross_variable(confirm, variable, &levels);
    } else {
        factor_put(confirm->experiment, "sink", &levels);
        confirm->switched++;
    }
    add_words(confirm, fact, &levels);
    return 0;
}

static int asked_factor(struct confirm *confirm, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');
    CLEAN_MEM char *name = equals ? mem_strndup(text, (size_t)(equals - text)) : NULL;
    CLEAN_DONE(strlist) struct strlist levels = {0};

    if (!name)
        return err_set(err, ERR_USAGE, "--factor %s: NAME=LEVEL,LEVEL expected", text);
    for (const char *level = equals + 1; *level;) {
        size_t length = strcspn(level, ",");
        CLEAN_MEM char *one = mem_strndup(level, length);

        if (length > 0)
            strlist_add(&levels, one);
        level += length + (level[length] == ',');
    }
    if (levels.n < 2)
        return err_set(err, ERR_USAGE, "--factor %s: at least two levels expected", text);
    factor_put(confirm->experiment, name, &levels);
    confirm->switched++;
    add_words(confirm, name, &levels);
    return 0;
}

int confirm_asked(struct confirm *confirm, struct err *err)
{
    const struct confirm_request *request = confirm->request;

    for (size_t i = 0; i < request->switches.n; i++)
        if (asked_switch(confirm, request->switches.v[i], err) < 0)
            return -1;
    for (size_t i = 0; i < request->factors.n; i++)
        if (asked_factor(confirm, request->factors.v[i], err) < 0)
            return -1;
    return 0;
}

/* ---- what the answer offers ---- */

/* A variable by which the two sides differ, one value a side being enough. */
static void offer_variable(struct confirm *confirm, const char *variable)
{
    CLEAN_DONE(strlist) struct strlist levels = {0};
    CLEAN_MEM char *name = mem_printf("env.%s", variable);
    size_t with;

    if (confirm->switched >= MOST_SWITCHES || factor_find(confirm->experiment, name) ||
        variants_set(confirm->experiment, variable))
        return;
    values_of(confirm, &confirm->side[SIDE_WITH], variable, &levels);
    with = levels.n;
    values_of(confirm, &confirm->side[SIDE_WITHOUT], variable, &levels);
    if (with == 0 || levels.n == with || levels.n > LIMIT_LEVELS)
        return; /* the side without the effect has no value of its own */
    for (size_t i = 0; i < levels.n; i++)
        if (strlen(levels.v[i]) > LIMIT_NAME)
            return; /* too long for a level */
    cross_variable(confirm, variable, &levels);
    add_words(confirm, name, &levels);
}

static void offer_sink(struct confirm *confirm, const struct factor_answer *harness)
{
    static const char *const sinks[] = {"null", "file", "pipe", "socketpair", "pty"};
    CLEAN_DONE(strlist) struct strlist levels = {0};

    if (!is_sink(harness->factor) || !(harness->p_adjusted <= confirm->request->answer->alpha) ||
        factor_find(confirm->experiment, "sink"))
        return;
    for (size_t i = 0; i < harness->n_levels; i++)
        for (size_t k = 0; k < sizeof sinks / sizeof *sinks; k++)
            if (strcmp(harness->level[i].level, sinks[k]) == 0)
                strlist_add(&levels, sinks[k]);
    if (levels.n < 2)
        return;
    factor_put(confirm->experiment, "sink", &levels);
    confirm->switched++;
    add_words(confirm, "sink", &levels);
}

static void offer_classes(struct confirm *confirm, const struct facts_answer *facts)
{
    for (size_t i = 0; i < facts->n_classes; i++) {
        const struct class_answer *class = &facts->class[i];

        for (size_t m = 0; m < class->n_members && (class->survives || !class->scored); m++) {
            const char *variable = variable_of(class->member[m].fact);

            if (variable)
                offer_variable(confirm, variable);
        }
    }
}

/* A variable that only one side has is not among the classes: hosts without it say nothing of it.
 */
static void offer_environment(struct confirm *confirm)
{
    for (int side = 0; side < SIDES; side++)
        for (size_t i = 0; i < confirm->side[side].n; i++) {
            const struct confirm_host *host = confirm_host_find(confirm, confirm->side[side].v[i]);

            for (size_t f = 0; host && host->facts && f < host->facts->n; f++)
                if (str_starts(host->facts->v[f].name, "env."))
                    offer_variable(confirm, host->facts->v[f].name + 4);
        }
}

void confirm_found(struct confirm *confirm)
{
    const struct answer *answer = confirm->request->answer;

    for (size_t c = 0; c < answer->n_comparisons; c++)
        for (size_t i = 0; i < answer->comparison[c].n_harness; i++)
            offer_sink(confirm, &answer->comparison[c].harness[i]);
    if (confirm->side[SIDE_WITH].n == 0 || confirm->side[SIDE_WITHOUT].n == 0)
        return;
    for (size_t c = 0; c < answer->n_comparisons; c++)
        offer_classes(confirm, &answer->comparison[c].facts);
    offer_environment(confirm);
}
