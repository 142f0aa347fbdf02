/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Candidate explanations: every level, cut and trend of the facts of a pool, the classes among them
 * that no data of this pool can tell apart, and how each is put into words.
 */
#pragma once
#include "analysis/fact_table.h"

struct candidate {
    size_t column;        /* of the fact table */
    enum class_kind kind; /* level, cut or trend; pairs are not candidates of their own */
    uint32_t at;          /* the level, or the last level on the low side of the cut */
    uint64_t known_key,
        side_key; /* equal for the same column up to its complement, with the same gaps */
    bool counted; /* the first of its class: K counts these */
    size_t class; /* number of its class, 0 … n_classes - 1 */
};
struct candidate_list {
    const struct fact_table *table;
    struct candidate *v; /* by fact (column), levels, then cuts, then trend */
    size_t n, n_classes; /* n_classes: K */
};
/* suspect: only facts of these names (n_suspects > 0). Both sides of a split hold at least
 * least_side known hosts. */
void candidate_list_build(const struct fact_table *table, size_t least_side,
                          const char *const *suspect, size_t n_suspects,
                          struct candidate_list *ret);
void candidate_list_done(struct candidate_list *list);
/* 1 on the candidate's side, 0 on the other, within [0, 1] for a trend, NaN where the fact is
 * unknown. */
double candidate_x(const struct fact_table *table, const struct candidate *candidate, size_t host);
/* +1: a and b agree wherever both are known, -1: b is a's mirror image, 0: neither, or both known
 * on too few hosts. */
int candidate_agree(const struct fact_table *table, const struct candidate *a,
                    const struct candidate *b);
/* The member's level in words: "AMD", "not AMD" (mirrored; the other level where a fact has two),
 * ">12", "<=12", "trend"; mem_free. */
char *candidate_level(const struct fact_table *table, const struct candidate *candidate,
                      bool mirrored);
