/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a workload's stdout is taken, one file a kind in agent/sink/. The kind is part of the
 * experiment: it can cost more than what is compared.
 */
#pragma once
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct sink_ops {
    const char *name, *help;
    bool is_drained;  /* ours is read while the workload runs; else after it ended, if >= 0 */
    bool is_terminal; /* theirs becomes the workload's controlling terminal */
    /* Both descriptors are CLOEXEC; *ret_ours is -1 when there is nothing to read. A drained one
     * does not block. */
    int (*open)(int *ret_ours, int *ret_theirs, struct err *err);
};
extern const struct sink_ops *const sink_registry[];
extern const size_t sink_registry_n;
/* NULL when there is no such kind. */
const struct sink_ops *sink_find(const char *name);
#define SINK_DEFAULT "pipe"
