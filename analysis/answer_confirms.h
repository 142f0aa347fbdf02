/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a confirming run adds to its answer: whether the effect differs between the levels of what
 * was switched within hosts, which randomisation within each host tests exactly.
 */
#pragma once
#include "analysis/answer.h"

/* Adds to the sentence of the first comparison of each candidate what its crossed factors say, and
 * which run ("NAME@N") this one is to settle. */
void answer_confirms(struct answer *answer, const char *confirms);
