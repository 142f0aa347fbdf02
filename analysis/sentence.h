/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer in a few plain words, built from the findings alone: "k of n hosts …", what goes with
 * it or cannot be told apart, where the time went, what would settle it. Never says that something
 * made it so; never names one of an inseparable class alone.
 */
#pragma once
#include "analysis/answer.h"

struct sentence_options {
    double alpha, theta;   /* theta: smallest effect that matters, log scale */
    bool higher_is_better; /* of the metric: the signs of percentages are the metric's own */
    bool by_difference;    /* effects are shares, not log ratios */
    bool aa;               /* the arms are declared to be the same */
};
/* Owned by the caller, never empty. */
char *sentence_build(const struct comparison_answer *comparison,
                     const struct sentence_options *options);
