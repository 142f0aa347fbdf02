/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The terminal report: the answer in plain words first, then the plot, then the sections. This file
 * says what comes in which order; forest.c and section_*.c say how each looks.
 */
#include "coordinator/report/forest.h"
#include "coordinator/report/section.h"

#include <inttypes.h>

static enum page_paint outcome_paint(enum answer_outcome outcome)
{
    switch (outcome) {
    case ANSWER_REGRESSED:
    case ANSWER_REGRESSED_SMALL:
    case ANSWER_REGRESSED_ON_SOME:
    case ANSWER_MIXED:
        return PAGE_RED;
    case ANSWER_IMPROVED:
    case ANSWER_IMPROVED_SMALL:
    case ANSWER_IMPROVED_ON_SOME:
        return PAGE_GREEN;
    case ANSWER_INCONCLUSIVE:
        return PAGE_YELLOW;
    case ANSWER_UNCHANGED:
        break;
    }
    return PAGE_BOLD;
}

static char *cell_words(const struct strmap *cell)
{
    struct str out = {0};
    for (size_t i = 0; i < cell->n; i++) {
        str_addf(&out, ", %s = %s", cell->key[i], cell->value[i]);
    }
    return str_take(&out);
}

/* Which comparison this is, in one line: needed once there are several, harmless before. */
static void put_subject(const struct page *page, const struct answer *answer,
                        const struct comparison_answer *c)
{
    CLEAN_MEM char *cell = cell_words(&c->cell);
    CLEAN_MEM char *hosts = page_count(c->n_hosts, "host");
    page_line(
        page, "", 0, "%s@%" PRId64 ": %s against %s%s; %s%s%s%s, %s is better; %s; outcome: %s",
        answer->experiment, answer->run, c->candidate, c->base, cell, answer->metric,
        answer->unit[0] != '\0' ? " (" : "", answer->unit, answer->unit[0] != '\0' ? ")" : "",
        answer->higher_is_better ? "higher" : "lower", hosts, answer_outcome_name(c->outcome));
}

static void put_comparison(const struct page *page, const struct answer *answer,
                           const struct comparison_answer *c, bool quiet)
{
    page_para(page, "", 0, outcome_paint(c->outcome),
              c->sentence != NULL ? c->sentence : answer_outcome_name(c->outcome));
    if (quiet) {
        return;
    }
    put_subject(page, answer, c);
    fputc('\n', page->out);
    forest_print(page, c, answer->min_effect, num_scale_of(answer));
    struct section section = {.page = page, .answer = answer, .comparison = c};
    section_fleet(&section);
    section_facts(&section);
    section_load(&section);
    section_where(&section);
    section_factors(&section);
    section_control(&section);
    section_notes(&section);
    section_next(&section);
}

/* A name as a shell word. */
static char *shell_word(const char *name)
{
    if (str_is_name(name)) {
        return mem_strdup(name);
    }
    struct str out = {0};
    str_addc(&out, '\'');
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '\'') {
            str_add(&out, "'\\''");
        } else {
            str_addc(&out, *c);
        }
    }
    str_addc(&out, '\'');
    return str_take(&out);
}

static void put_again(const struct page *page, const struct answer *answer)
{
    CLEAN_MEM char *name = shell_word(answer->experiment);
    page_heading(page, "The same numbers again");
    page_line(page, "  ", 4, "muster explain %s@%" PRId64 " --json --seed %" PRIu64, name,
              answer->run, answer->seed);
    page_line(page, "  ", 4, "muster export %s@%" PRId64, name, answer->run);
}

void report_text(const struct answer *answer, const struct report_style *style, FILE *out)
{
    struct page page;
    page_init(&page, style, out);
    for (size_t i = 0; i < answer->n_comparisons; i++) {
        if (i > 0 && !style->quiet) {
            fputc('\n', out);
            for (unsigned k = 0; k < page.width; k++) {
                fputs(page_sign(&page, SIGN_DASH), out);
            }
            fputs("\n\n", out);
        }
        put_comparison(&page, answer, &answer->comparison[i], style->quiet);
    }
    if (answer->n_comparisons == 0) {
        page_line(&page, "", 0, "0 hosts: nothing to compare in %s@%" PRId64 ".",
                  answer->experiment, answer->run);
    }
    if (style->quiet) {
        return;
    }
    if (answer->warnings.n > 0) {
        page_heading(&page, "Warnings");
        for (size_t i = 0; i < answer->warnings.n; i++) {
            page_para(&page, "  ", 4, PAGE_PLAIN, answer->warnings.v[i]);
        }
    }
    put_again(&page, answer);
}
