/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Switch within hosts where that can be done, else run again where the answer asks for it, else say
 * why there is nothing to run.
 */
#include "coordinator/confirm/confirm.h"

#include "coordinator/confirm/parts.h"
#include "model/limits.h"

#include <string.h>

#define HOSTS_A_SIDE 2
#define LEAST_BLOCKS 10

static bool can_run(const struct confirm *confirm, const char *name)
{
    const struct confirm_host *host = confirm_host_find(confirm, name);

    return host && host->can_run;
}

/* Adds hosts that can run, up to `most` in all. */
static void add_hosts(const struct confirm *confirm, const struct strlist *from, size_t most,
                      struct strlist *into)
{
    for (size_t i = 0; i < from->n && into->n < most; i++)
        if (can_run(confirm, from->v[i]) && !strlist_has(into, from->v[i]))
            strlist_add(into, from->v[i]);
}

/* The comparison that has two sides, by its verdicts or by its best explanation. */
static void find_sides(struct confirm *confirm)
{
    const struct answer *answer = confirm->request->answer;

    for (size_t c = 0; c < answer->n_comparisons; c++) {
        const struct comparison_answer *at = &answer->comparison[c];
        const struct class_answer *best = at->facts.n_classes > 0 ? &at->facts.class[0] : NULL;

        if (confirm->side[SIDE_WITH].n > 0 && confirm->side[SIDE_WITHOUT].n > 0)
            return;
        add_hosts(confirm, &at->fleet.reproduces_on, HOSTS_A_SIDE, &confirm->side[SIDE_WITH]);
        add_hosts(confirm, &at->fleet.absent_on, HOSTS_A_SIDE, &confirm->side[SIDE_WITHOUT]);
        if (best && (confirm->side[SIDE_WITH].n == 0 || confirm->side[SIDE_WITHOUT].n == 0)) {
            strlist_done(&confirm->side[SIDE_WITH]);
            strlist_done(&confirm->side[SIDE_WITHOUT]);
            add_hosts(confirm, &best->group[0].hosts, HOSTS_A_SIDE, &confirm->side[SIDE_WITH]);
            add_hosts(confirm, &best->group[1].hosts, HOSTS_A_SIDE, &confirm->side[SIDE_WITHOUT]);
        }
    }
}

/* Hosts of the run without sides: any of them. */
static void any_hosts(struct confirm *confirm, struct strlist *into)
{
    for (size_t h = 0; h < confirm->request->n_hosts && into->n < SIDES * HOSTS_A_SIDE; h++)
        if (confirm->request->host[h].can_run)
            strlist_add(into, confirm->request->host[h].name);
}

static void set_hosts(struct experiment *experiment, const struct strlist *hosts)
{
    CLEAN_DONE(str) struct str text = {0};

    for (size_t i = 0; i < hosts->n; i++)
        str_addf(&text, "%shost == \"%s\"", i > 0 ? " or " : "", hosts->v[i]);
    mem_free(experiment->hosts);
    experiment->hosts = str_take(&text);
}

static void add_names(struct str *words, const struct strlist *hosts)
{
    for (size_t i = 0; i < hosts->n; i++)
        str_addf(words, "%s%s", i == 0 ? "" : i + 1 == hosts->n ? " and " : ", ", hosts->v[i]);
}

static void add_hosts_words(struct confirm *confirm, const struct strlist *hosts)
{
    str_add(&confirm->words, " It runs on ");
    add_names(&confirm->words, hosts);
    str_addc(&confirm->words, '.');
}

static int switch_within(struct confirm *confirm, struct err *err)
{
    CLEAN_DONE(strlist) struct strlist hosts = {0};

    add_hosts(confirm, &confirm->side[SIDE_WITH], HOSTS_A_SIDE, &hosts);
    add_hosts(confirm, &confirm->side[SIDE_WITHOUT], SIDES * HOSTS_A_SIDE, &hosts);
    if (hosts.n == 0)
        any_hosts(confirm, &hosts);
    if (hosts.n == 0) {
        str_clear(&confirm->words);
        str_add(&confirm->words, "No host of the run can run anything now.");
        return CONFIRM_NOTHING;
    }
    confirm->experiment->not_interleaved = false;
    if (confirm->experiment->min_blocks < LEAST_BLOCKS)
        confirm->experiment->min_blocks = LEAST_BLOCKS;
    set_hosts(confirm->experiment, &hosts);
    add_hosts_words(confirm, &hosts);
    return experiment_check(confirm->experiment, err);
}

/* ---- running again ---- */

static uint64_t rounds_on(const struct comparison_answer *c, const char *host)
{
    for (size_t h = 0; h < c->n_hosts; h++)
        if (strcmp(c->host[h].host, host) == 0)
            return c->host[h].rounds_used;
    return 0;
}

static void add_why(struct str *words, const char *why)
{
    if (why && why[0] && !strstr(str_get(words), why))
        str_addf(words, "%s%s.", words->length ? " " : "", why);
}

/* Hosts to run (again) and how many blocks the slowest to decide needs. */
static void again_on(struct confirm *confirm, struct strlist *hosts, uint64_t *ret_blocks)
{
    const struct answer *answer = confirm->request->answer;

    for (size_t c = 0; c < answer->n_comparisons; c++) {
        const struct comparison_answer *at = &answer->comparison[c];

        for (size_t i = 0; i < at->n_next; i++) {
            const struct next_step *step = &at->next[i];
            uint64_t blocks = step->blocks > 0 ? (uint64_t)step->blocks : 0;

            if (step->what == NEXT_INTERLEAVE && !step->host) {
                any_hosts(confirm, hosts);
            } else if (step->host && can_run(confirm, step->host) &&
                       (step->what == NEXT_RUN_ON || step->what == NEXT_MORE_BLOCKS ||
                        step->what == NEXT_INTERLEAVE)) {
                if (!strlist_has(hosts, step->host))
                    strlist_add(hosts, step->host);
                blocks += step->what == NEXT_MORE_BLOCKS ? rounds_on(at, step->host) : 0;
            } else {
                continue;
            }
            add_why(&confirm->words, step->why);
            *ret_blocks = blocks > *ret_blocks ? blocks : *ret_blocks;
        }
    }
}

static void say_why_not(struct confirm *confirm)
{
    const struct answer *answer = confirm->request->answer;
    CLEAN_DONE(str) struct str whys = {0};

    str_clear(&confirm->words);
    for (size_t c = 0; c < answer->n_comparisons; c++)
        for (size_t i = 0; i < answer->comparison[c].n_next; i++)
            add_why(&whys, answer->comparison[c].next[i].why);
    if (whys.length > 0)
        str_addf(&confirm->words, "What would settle %s cannot be run on its hosts by itself: %s",
                 confirm->request->run, str_get(&whys));
    else
        str_addf(&confirm->words, "%s leaves no explanations to separate and no host undecided.",
                 confirm->request->run);
}

static int run_again(struct confirm *confirm, struct err *err)
{
    CLEAN_DONE(strlist) struct strlist hosts = {0};
    struct experiment *experiment = confirm->experiment;
    uint64_t blocks = 0;

    again_on(confirm, &hosts, &blocks);
    if (hosts.n == 0) {
        say_why_not(confirm);
        return CONFIRM_NOTHING;
    }
    blocks = blocks < LIMIT_BLOCKS ? blocks : LIMIT_BLOCKS;
    if (experiment->max_blocks < blocks)
        experiment->max_blocks = (uint32_t)blocks;
    experiment->not_interleaved = false;
    set_hosts(experiment, &hosts);
    add_hosts_words(confirm, &hosts);
    return experiment_check(experiment, err);
}

/* ---- */

static void replace(char **slot, char *text)
{
    mem_free(*slot);
    *slot = text;
}

static void name_it(const struct confirm_request *request, struct experiment *experiment)
{
    if (!str_ends(experiment->name, "-confirm"))
        replace(&experiment->name, mem_printf("%s-confirm", experiment->name));
    replace(&experiment->description, mem_printf("made to settle %s", request->run));
    replace(&experiment->confirms, mem_strdup(request->run));
    replace(&experiment->source, NULL);
    replace(&experiment->schedule_at, NULL);
    replace(&experiment->schedule_missed, NULL);
    experiment->profile_blocks = 0;
}

static bool has_commands(const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->n_variants; i++)
        if (!experiment->variant[i].run)
            return false;
    return experiment->n_variants > 0;
}

static int build(struct confirm *confirm, struct err *err)
{
    const struct confirm_request *request = confirm->request;

    if (!has_commands(confirm->experiment)) {
        str_addf(&confirm->words, "%s was imported: its commands are not known here.",
                 request->run);
        return CONFIRM_NOTHING;
    }
    find_sides(confirm);
    name_it(request, confirm->experiment);
    if (confirm_asked(confirm, err) < 0)
        return -1;
    if (confirm->switched == 0)
        confirm_found(confirm);
    return confirm->switched > 0 ? switch_within(confirm, err) : run_again(confirm, err);
}

int confirm_build(const struct confirm_request *request, struct experiment *experiment,
                  char **ret_words, struct err *err)
{
    struct confirm confirm = {.request = request, .experiment = experiment};
    int result = build(&confirm, err);

    if (result >= 0)
        *ret_words = str_take(&confirm.words);
    for (int side = 0; side < SIDES; side++)
        strlist_done(&confirm.side[side]);
    str_done(&confirm.words);
    return result;
}
