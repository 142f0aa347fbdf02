/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An answer as people and programs read it. stdout carries the payload alone; NaN and Inf are never
 * printed.
 */
#pragma once
#include "analysis/answer.h"
#include "coordinator/store/store.h"

#include <stdio.h>

struct report_style {
    unsigned width;            /* columns, 0: 80 */
    bool colour, ascii, quiet; /* quiet: the verdict lines alone */
};
/* explain --json, schema 1 (docs/explain.schema.json). */
MUST_CHECK int report_json(const struct answer *answer, FILE *out, struct err *err);
/* Verdict first, then the forest plot of hosts grouped by the best class, facts, load, where the
 * time went, next steps. */
void report_text(const struct answer *answer, const struct report_style *style, FILE *out);
/* Exit code of --gate: 0, 3, 4, 5 (partial is told by the caller): 3 before 5 before 4. */
int report_gate(const struct answer *answer, bool partial);
