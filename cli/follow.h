/* SPDX-License-Identifier: GPL-3.0-or-later
 * Following a run to its end, for `run`, `watch` and `rerun`. */
#pragma once
#include "cli/link.h"

struct follow_end {
    bool interrupted;        /* ^C: the run was cancelled (or only left, see cancels) */
    bool cancelled, partial; /* how the run ended */
    int exit_code;
};
/* Shows progress on stderr until the run ends. SIGINT or SIGTERM: with `cancels` the run is
 * cancelled and its end awaited, else following ends. ERR_UNREACHABLE when the coordinator is gone
 * for long (the run itself goes on). */
MUST_CHECK int follow_run(struct link *link, const char *reference, bool quiet, bool cancels,
                          struct follow_end *ret, struct err *err);
