/* SPDX-License-Identifier: GPL-3.0-or-later
 * For verbs that need a coordinator: opens the configured one, asks it one thing. */
#pragma once
#include "cli/link.h"

/* ERR_USAGE when none is configured. */
MUST_CHECK int remote_open(struct link **ret, struct err *err);
/* One request with one argument `run`, its answer to stdout; errors printed. Returns the exit code.
 */
int remote_ask_run(enum wire_request_kind kind, const char *run);
