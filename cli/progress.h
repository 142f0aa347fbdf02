/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Progress of a run on stderr: one line that is redrawn on a terminal, a plain line now and then
 * elsewhere.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool quiet, redraws;
    unsigned width;
    bool drawn;                     /* a line stands that must be ended before other text */
    int64_t told_ns;                /* of the last plain line */
    bool ended, cancelled, partial; /* what the last report said */
};
void progress_init(struct progress *progress, bool quiet);
/* json: one report of the coordinator. */
void progress_show(struct progress *progress, const char *json);
/* Ends the line under way. */
void progress_end(struct progress *progress);
