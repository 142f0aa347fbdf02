/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fleet and facts: do hosts differ, and what does the difference go with. The words are "goes
 * with", never "caused by".
 */
#include "coordinator/report/section.h"

#include "coordinator/report/forest.h"
#include "coordinator/report/num.h"

#include <math.h>

enum { INDENT = 4, NAMES_MOST = 12, MEMBERS_MOST = 40, CLASSES_MOST = 8 };

void section_fleet(const struct section *section)
{
    const struct fleet_answer *fleet = &section->comparison->fleet;
    struct num_scale scale = num_scale_of(section->answer);
    if (fleet->hosts_used < 2) {
        return;
    }
    char tau[NUM_SIZE], most[NUM_SIZE], p[NUM_SIZE];
    num_percent(num_size_pct(fleet->tau, scale), tau);
    num_percent(num_size_pct(fleet->tau_ci.hi, scale), most);
    num_p(fleet->heterogeneity_p, p);
    const char *limit = most[0] == '+' ? most + 1 : most;
    page_heading(section->page, "Do hosts differ?");
    switch (fleet->heterogeneity) {
    case HETEROGENEITY_HETEROGENEOUS:
        page_line(section->page, "  ", 2,
                  "Yes (%s): effects scatter by about %s (at most %s) from host to host; %.0f %% "
                  "of the spread seen is between "
                  "hosts, the rest is noise.",
                  p, tau[0] == '+' ? tau + 1 : tau, limit,
                  isfinite(fleet->i2) ? 100.0 * fleet->i2 : 0.0);
        break;
    case HETEROGENEITY_NONE_SEEN:
        page_line(section->page, "  ", 2,
                  "No sign of it (%s): their effects scatter by at most %s, less than matters.", p,
                  limit);
        break;
    case HETEROGENEITY_CANNOT_TELL:
        page_line(section->page, "  ", 2,
                  "Cannot tell (%s): nothing shows it, but they may scatter by up to %s.", p,
                  limit);
        break;
    }
    if (isfinite(fleet->prediction.lo)) {
        char text[NUM_SIZE];
        num_effect(fleet->effect, fleet->prediction, scale, text);
        page_line(section->page, "  ", 2,
                  "One more host of this kind would show, 19 times in 20, a change within: %s.",
                  text);
    }
}

static char *members(const struct page *page, const struct class_answer *class)
{
    struct strlist names CLEAN_DONE(strlist) = {0};
    for (size_t i = 0; i < class->n_members; i++) {
        CLEAN_MEM char *member = forest_member(&class->member[i]);
        strlist_add(&names, member);
    }
    return page_names(page, &names, MEMBERS_MOST);
}

static void put_best(const struct section *section, const struct class_answer *class)
{
    const struct page *page = section->page;
    for (size_t i = 0; i < class->n_members && i < MEMBERS_MOST; i++) {
        CLEAN_MEM char *member = forest_member(&class->member[i]);
        page_para(page, "    ", INDENT + 2, PAGE_BOLD, member);
    }
    if (class->n_members > 1) {
        page_line(
            page, "  ", 2,
            "These %zu split the hosts in the same way: on this pool they cannot be separated.",
            class->n_members);
    }
    if (class->scored && class->statement != NULL && class->statement[0] != '\0') {
        page_line(page, "  ", 2, "In numbers: %s.", class->statement);
    }
    if (class->kind == CLASS_KIND_TREND && isfinite(class->slope)) {
        char slope[NUM_SIZE];
        num_percent(num_pct(class->slope, num_scale_of(section->answer)), slope);
        page_line(page, "  ", 2, "From the least to the greatest value the change grows by %s.",
                  slope);
    }
    if (isfinite(class->explained)) {
        page_line(page, "  ", 2, "It accounts for %.0f %% of the variance between hosts.",
                  100.0 * class->explained);
    }
    if (class->placed.n > 0) {
        CLEAN_MEM char *names = page_names(page, &class->placed, NAMES_MOST);
        page_line(page, "  ", 2, "Fact unknown on %s: put on the side they fit.", names);
    }
}

static void put_evidence(const struct section *section)
{
    const struct facts_answer *facts = &section->comparison->facts;
    char p[NUM_SIZE], permuted[NUM_SIZE], flipped[NUM_SIZE], least[NUM_SIZE];
    num_p(facts->p, p);
    num_p(facts->p_permutation, permuted);
    num_p(facts->p_flip, flipped);
    num_p(facts->p_least, least);
    if (!isfinite(facts->p)) {
        return;
    }
    page_line(section->page, "  ", 2,
              "Chance of so good a fit when no fact matters: %s (hosts permuted: %s; signs "
              "flipped: %s), out of %zu "
              "candidates%s. The least this pool can reach with such a split is %s.",
              p, permuted, flipped, facts->candidates,
              facts->suspects_only ? ", your suspects alone" : "", least);
}

/* Surviving classes after the best: within a likelihood ratio of e^2 of it. */
static void put_survivors(const struct section *section)
{
    const struct facts_answer *facts = &section->comparison->facts;
    size_t n = 0;
    for (size_t i = 1; i < facts->n_classes; i++) {
        const struct class_answer *class = &facts->class[i];
        if (!class->survives && class->scored) {
            continue;
        }
        if (n == 0) {
            page_line(section->page, "  ", 2, "Not ruled out either:");
        }
        if (n++ >= CLASSES_MOST) {
            continue;
        }
        CLEAN_MEM char *names = members(section->page, class);
        if (class->statement != NULL && class->statement[0] != '\0') {
            page_line(section->page, "    ", INDENT + 2, "%s: %s", names, class->statement);
        } else {
            page_line(section->page, "    ", INDENT + 2, "%s", names);
        }
    }
    if (n > CLASSES_MOST) {
        page_line(section->page, "    ", INDENT, "and %zu more: all of them are in --json",
                  n - CLASSES_MOST);
    }
}

static void put_fragile(const struct section *section)
{
    const struct facts_answer *facts = &section->comparison->facts;
    for (size_t i = 0; i < facts->n_classes; i++) {
        const struct class_answer *class = &facts->class[i];
        if (class->fragile.n == 0) {
            continue;
        }
        CLEAN_MEM char *hosts = page_names(section->page, &class->fragile, NAMES_MOST);
        CLEAN_MEM char *names = members(section->page, class);
        page_line(section->page, "  ", 2, "Told apart by %s %s alone: %s.",
                  class->fragile.n == 1 ? "host" : "any one of the hosts", hosts, names);
    }
}

static void put_gaps(const struct section *section)
{
    const struct facts_answer *facts = &section->comparison->facts;
    if (facts->not_judged.n > 0) {
        CLEAN_MEM char *names = page_names(section->page, &facts->not_judged, NAMES_MOST);
        page_line(section->page, "  ", 2, "Known on too few hosts to be judged: %s.", names);
    }
    struct strlist filled CLEAN_DONE(strlist) = {0};
    for (size_t i = 0; i < facts->n_filled; i++) {
        const struct filled_fact *fact = &facts->filled[i];
        CLEAN_MEM char *text = mem_printf("%s of %s (from %s)", fact->fact, fact->host, fact->from);
        strlist_add(&filled, text);
    }
    if (filled.n > 0) {
        CLEAN_MEM char *names = page_names(section->page, &filled, NAMES_MOST);
        page_line(section->page, "  ", 2,
                  "Filled in, as another fact determines it on the other hosts: %s.", names);
    }
}

void section_facts(const struct section *section)
{
    const struct facts_answer *facts = &section->comparison->facts;
    bool any = facts->n_classes > 0 && facts->class != NULL;
    const struct class_answer *best = facts->class;
    if (!any && !isfinite(facts->p)) {
        return;
    }
    page_heading(section->page, "What it goes with");
    if (any && facts->claim) {
        page_line(section->page, "  ", 2, "The effect goes with:");
        put_best(section, best);
    } else if (any && !best->scored) {
        page_line(section->page, "  ", 2,
                  "Too few hosts to judge facts. These split the hosts that show it from those "
                  "that do not:");
        put_best(section, best);
    } else {
        page_line(section->page, "  ", 2, "No fact is shown to go with it.%s",
                  any ? " The best suggestion:" : "");
        if (any) {
            put_best(section, best);
        }
    }
    put_evidence(section);
    if (any) {
        put_survivors(section);
        put_fragile(section);
    }
    put_gaps(section);
}
