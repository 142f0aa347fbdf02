/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reasons, notes and next steps: what keeps hosts from a verdict, what the data look like, what to
 * run.
 */
#include "coordinator/report/section.h"

#include "coordinator/report/num.h"

#include <inttypes.h>
#include <math.h>

enum { NAMES_MOST = 12, HOSTS_MOST = 20 };

static const struct {
    const char *note, *words;
} WORDS[] = {
    {"streaky",             "slow runs come in streaks: they are no independent samples"     },
    {"two-modes",           "runs fall into a fast and a slow kind"                          },
    {"drift",               "times drift over the run"                                       },
    {"coarse-clock",        "timings are equal to the clock's step; limits are widened by it"},
    {"one-session",         "all rounds are of one sitting"                                  },
    {"environment-changed", "the environment changed while it ran"                           },
    {"effect-changed",      "the effect itself changed on the way"                           },
    {"position",            "the place within a round matters"                               },
};

static const char *words_of(const char *note)
{
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (str_eq(WORDS[i].note, note)) {
            return WORDS[i].words;
        }
    }
    return NULL;
}

/* Distinct texts of all hosts, in order of appearance, each with its hosts. */
static void gather(const struct comparison_answer *c, bool notes, struct strlist *ret_texts,
                   struct strlist **ret_hosts)
{
    struct strlist *hosts = NULL;
    size_t cap = 0;
    for (size_t i = 0; i < c->n_hosts; i++) {
        const struct strlist *list = notes ? &c->host[i].notes : &c->host[i].reasons;
        for (size_t k = 0; k < list->n; k++) {
            size_t at = 0;
            while (at < ret_texts->n && !str_eq(ret_texts->v[at], list->v[k])) {
                at++;
            }
            if (at == ret_texts->n) {
                strlist_add(ret_texts, list->v[k]);
                hosts = mem_grow(hosts, &cap, at + 1, sizeof *hosts);
                hosts[at] = (struct strlist){0};
            }
            strlist_add(&hosts[at], c->host[i].host);
        }
    }
    *ret_hosts = hosts;
}

static void put_gathered(const struct section *section, bool notes, const char *heading)
{
    struct strlist texts CLEAN_DONE(strlist) = {0};
    struct strlist *hosts = NULL;
    gather(section->comparison, notes, &texts, &hosts);
    if (texts.n > 0) {
        page_heading(section->page, heading);
    }
    for (size_t i = 0; i < texts.n; i++) {
        CLEAN_MEM char *names = page_names(section->page, &hosts[i], NAMES_MOST);
        const char *words = notes ? words_of(texts.v[i]) : NULL;
        page_line(section->page, "  ", 4, "%s%s%s%s: %s", texts.v[i], words != NULL ? " (" : "",
                  words != NULL ? words : "", words != NULL ? ")" : "", names);
        strlist_done(&hosts[i]);
    }
    mem_free(hosts);
}

static double slow_p(const struct modes_finding *modes)
{
    return isnan(modes->occupancy_p) ? modes->episodes_p : modes->occupancy_p;
}

static void put_modes(const struct section *section, const struct host_answer *host)
{
    const struct modes_finding *modes = &host->modes;
    char p[NUM_SIZE], fast[NUM_SIZE];
    num_p(slow_p(modes), p);
    num_effect(modes->fast_effect, modes->fast_ci, num_scale_of(section->answer), fast);
    page_line(section->page, "  ", 4,
              "%s: slow runs %.0f %% of base and %.0f %% of candidate (%s); among fast runs %s",
              host->host, 100.0 * modes->share[0], 100.0 * modes->share[1], p, fast);
}

static void put_stretches(const struct section *section, const struct host_answer *host)
{
    const struct stretch_finding *stretch = &host->stretch;
    struct num_scale scale = num_scale_of(section->answer);
    char before[NUM_SIZE], after[NUM_SIZE];
    num_effect(stretch->effect[0], stretch->ci[0], scale, before);
    num_effect(stretch->effect[1], stretch->ci[1], scale, after);
    page_line(section->page, "  ", 4, "%s: %s before round %" PRIu32 ", %s from there on",
              host->host, before, stretch->from_round, after);
}

/* Some runs differ, not all: the cost of all runs is not the typical shift. */
static bool cost_differs(const struct host_answer *host)
{
    double half =
        fmax((host->ci.hi - host->ci.lo) / 2.0, (host->mean_ci.hi - host->mean_ci.lo) / 2.0);
    return isfinite(half) && fabs(host->mean_effect - host->effect) > half;
}

void section_notes(const struct section *section)
{
    const struct comparison_answer *c = section->comparison;
    put_gathered(section, false, "Why there is no verdict on some hosts");
    put_gathered(section, true, "Notes");
    size_t shown = 0;
    for (size_t i = 0; i < c->n_hosts && shown < HOSTS_MOST; i++) {
        const struct host_answer *host = &c->host[i];
        if (host->modes.found && !(slow_p(&host->modes) > section->answer->alpha)) {
            put_modes(section, host);
            shown++;
        }
        if (host->stretch.found) {
            put_stretches(section, host);
            shown++;
        }
        if (cost_differs(host)) {
            char typical[NUM_SIZE], cost[NUM_SIZE];
            num_effect(host->effect, host->ci, num_scale_of(section->answer), typical);
            num_effect(host->mean_effect, host->mean_ci, num_scale_of(section->answer), cost);
            page_line(section->page, "  ", 4,
                      "%s: some runs differ, not all: typical change %s, total cost %s", host->host,
                      typical, cost);
            shown++;
        }
        if (host->top_programs.n > 0) {
            CLEAN_MEM char *names = page_names(section->page, &host->top_programs, 5);
            page_line(section->page, "  ", 4, "%s: busiest other programs in slow runs: %s",
                      host->host, names);
            shown++;
        }
    }
}

/* ---- next ---- */

static void put_wanted(struct str *out, const struct strmap *wanted)
{
    for (size_t i = 0; i < wanted->n; i++) {
        const char *value = wanted->value[i];
        bool not = str_starts(value, "not ");
        str_addf(out, "%s%s %s %s", i == 0 ? "" : ", ", wanted->key[i], not ? "!=" : "=",
                 not ? value + 4 : value);
    }
}

static void put_action(struct str *out, const struct next_step *step)
{
    const char *host = step->host != NULL ? step->host : "a host";
    switch (step->what) {
    case NEXT_RUN_ON:
        str_addf(out, "run it on %s", host);
        break;
    case NEXT_ADD_HOST:
        str_add(out, "add a host");
        if (step->why == NULL ||
            !str_starts(step->why, "a host with ")) { /* else the reason says which */
            str_add(out, " with ");
            put_wanted(out, &step->wanted);
        }
        break;
    case NEXT_SWITCH:
        str_addf(out, "on %s set %s to %s and run again", host,
                 step->switch_fact != NULL ? step->switch_fact : "it",
                 step->switch_to != NULL ? step->switch_to : "the other level");
        break;
    case NEXT_MORE_BLOCKS:
        if (step->blocks >= 0) {
            str_addf(out, "%" PRId64 " more blocks on %s", step->blocks, host);
            return;
        }
        str_addf(out, "more blocks on %s", host);
        break;
    case NEXT_INTERLEAVE:
        str_add(out, "run the variants interleaved");
        break;
    case NEXT_MORE_BUILDS:
        str_add(out, "build each variant more than once");
        break;
    case NEXT_VARY_LOAD:
        str_addf(out, "run at other loads%s%s", step->host != NULL ? " on " : "",
                 step->host != NULL ? step->host : "");
        break;
    }
    if (step->blocks >= 0) {
        str_addf(out, " (%" PRId64 " blocks)", step->blocks);
    }
}

void section_next(const struct section *section)
{
    const struct comparison_answer *c = section->comparison;
    if (c->n_next == 0) {
        return;
    }
    page_heading(section->page, "What to run next");
    for (size_t i = 0; i < c->n_next; i++) {
        struct str text CLEAN_DONE(str) = {0};
        put_action(&text, &c->next[i]);
        if (c->next[i].why != NULL && c->next[i].why[0] != '\0') {
            str_addf(&text, ": %s", c->next[i].why);
        }
        CLEAN_MEM char *head = mem_printf("  %zu. ", i + 1);
        page_para(section->page, head, 5, PAGE_PLAIN, str_get(&text));
    }
}
