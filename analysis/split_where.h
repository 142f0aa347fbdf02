/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the time went: the delta of mean elapsed time as the sum of user, sys and wait, each with
 * its interval; which part carries it.
 */
#pragma once
#include "analysis/answer.h"
#include "analysis/rounds.h"

/* Deltas of means so that elapsed = user + sys + wait holds exactly; jackknife over rounds when
 * interleaved, serial-dependence interval when blocked. known = false when no round (no run of
 * both arms) has elapsed, user and system time. */
void split_where(const struct host_rounds *rounds, double alpha, struct where_time *ret);
/* Waiting rose, CPU time did not, and slow runs take near twice (three times, …) as long as fast
 * ones: as when the CPU is shared with other programs. where is known. */
bool split_where_shared(const struct host_rounds *rounds, const struct modes_finding *modes,
                        const struct where_time *where);
