/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A thread of the keeper that reads what the workload writes and does nothing else. It keeps the
 * first and the last half of its room and counts the rest, so that a workload that writes a GiB
 * costs no memory and its result lines at the end are still there.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

enum { DRAIN_STREAMS = 2 }; /* stdout, stderr */
struct drain;
/* Reads fd[i] (non-blocking, -1 none, closed by the drain) until their end or drain_stop; keeps at
 * most room bytes of each. */
MUST_CHECK int drain_start(const int fd[DRAIN_STREAMS], size_t room, struct drain **ret,
                           struct err *err);
/* Takes what is readable now, ends the thread and gives what was kept (a gap is marked by a line)
 * and how many bytes there were in all. Frees drain. */
void drain_stop(struct drain *drain, struct str ret[DRAIN_STREAMS],
                uint64_t ret_bytes[DRAIN_STREAMS]);
