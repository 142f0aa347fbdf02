/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sections of the terminal report below the forest plot, in the order they are printed. Each
 * prints nothing when it has nothing to say.
 */
#pragma once
#include "coordinator/report/page.h"

struct section {
    const struct page *page;
    const struct answer *answer;
    const struct comparison_answer *comparison;
};
/* Do hosts differ, and by how much; the range a further host may show. */
void section_fleet(const struct section *section);
/* What the effect goes with: the best class whole, p both ways, survivors, what one host alone
 * tells apart. */
void section_facts(const struct section *section);
/* The load of other programs. */
void section_load(const struct section *section);
/* User, system and waiting time by group of hosts. */
void section_where(const struct section *section);
/* Harness factors and crossed factors, with what does not matter in one line. */
void section_factors(const struct section *section);
/* The second copy of the base. */
void section_control(const struct section *section);
/* Why hosts are inconclusive, and what their data look like (streaks, modes, drift), by note. */
void section_notes(const struct section *section);
void section_next(const struct section *section);
