/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From an experiment to what the keeper runs: words, environment, limits. The environment is
 * cleared and built here: a small base, the host's additions, the variant's, and padding of an
 * exact size.
 */
#pragma once
#include "agent/child.h"
#include "model/plan.h"

enum command_kind { COMMAND_RUN, COMMAND_SETUP, COMMAND_PREPARE };
struct command_place {
    const struct experiment *experiment;
    const struct strmap *host_env;
    uint32_t variant, cell;
    const struct plan_block *block; /* NULL: nothing is padded or drawn (setup) */
    const char *cwd;
};
/* Outcome COMMAND_NONE: the variant has no such command. */
enum { COMMAND_NONE = 1 };
MUST_CHECK int command_build(const struct command_place *place, enum command_kind kind,
                             struct child_spec *ret, struct err *err);
/* Level of the factor `sink` in a cell, or the default. */
const char *command_sink(const struct experiment *experiment, size_t cell);
