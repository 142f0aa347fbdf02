/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer in one or two sentences of plain words, built from the findings alone: "k of n hosts
 * …", what goes with it or cannot be told apart, where the time went, what would settle it. Never
 * says caused; never names one of an inseparable class alone.
 */
#pragma once
#include "analysis/answer.h"

/* theta: smallest effect that matters, log scale. Owned by the caller. */
char *sentence_build(const struct comparison_answer *comparison, double alpha, double theta,
                     bool higher_is_better, bool aa);
