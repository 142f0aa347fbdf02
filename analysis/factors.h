/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Does the effect differ between the levels of a crossed factor (threads 1 against threads 4)?
 * Compares the round effects of the same host at each level; hosts that have a single level say
 * nothing.
 */
#pragma once
#include "analysis/harness.h"

struct factors_piece { /* the round effects of one host in one cell */
    const char *host, *level;
    const uint32_t
        *round; /* rounds that several cells of the host share are compared within the round */
    const double *d;
    size_t n;
};
/* Fills one answer for the factor: p by permuting the levels within each round of a host (within
 * the host where rounds hold a single level), the pooled effect at each level. false when fewer
 * than two levels can be compared. */
bool factors_test(const char *factor, const struct factors_piece *pieces, size_t n_pieces,
                  const struct harness_options *options, struct factor_answer *ret);
/* Holm over the factors' p into p_adjusted (also used for harness factors). */
void factors_holm(struct factor_answer *answers, size_t n);
