/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is measured of a sample, one file a source in agent/metric/. begin runs right before the
 * sample, end right after it; nothing runs in between. A value that cannot be had is NaN, and
 * `missing` says why.
 */
#pragma once
#include "agent/child.h"
#include "agent/platform/platform.h"

#include <stdbool.h>
#include <stddef.h>

enum { METRIC_COLUMNS_MAX = 12, METRIC_STATE_MAX = 256 };
struct metric_column {
    const char *name; /* of the frame's column */
    const char *unit; /* "" none */
    const char *help;
};
/* Right before and right after the sample, by the agent's clock. */
struct metric_window {
    const struct platform *platform;
    const struct child_result *result;
    int64_t wall_ns; /* from begin to end: a little more than elapsed */
};
struct metric_ops {
    const char *name, *help;
    struct metric_column column[METRIC_COLUMNS_MAX]; /* up to the first without a name */
    /* state: METRIC_STATE_MAX zeroed bytes, kept from begin to end. May be NULL. */
    void (*begin)(void *state, const struct platform *platform);
    void (*end)(const void *state, const struct metric_window *window, double *value);
    /* Why the column is not there on this host; NULL when it is. May be NULL: always there. */
    const char *(*missing)(const struct platform *platform, size_t column);
};
extern const struct metric_ops *const metric_registry[];
extern const size_t metric_registry_n;
