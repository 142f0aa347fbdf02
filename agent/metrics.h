/* SPDX-License-Identifier: GPL-3.0-or-later
 * Runs the registry of metrics around one sample and writes the values into a frame's row. */
#pragma once
#include "agent/metric.h"
#include "model/sample.h"

struct metrics; /* states of one sample */
struct metrics *metrics_new(void);
void metrics_free(struct metrics *metrics);
MEM_CLEANUP(metrics)
/* Right before the sample is asked for. */
void metrics_begin(struct metrics *metrics, const struct platform *platform);
/* Right after its result is there; makes the columns in the frame, NaN for what is missing. */
void metrics_end(struct metrics *metrics, const struct platform *platform,
                 const struct child_result *result, struct frame *frame, size_t row);
