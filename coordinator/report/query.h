/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every read-only question of the command line, answered from a read connection of the store:
 * served by the coordinator in an actor for remote users, called by the cli directly when the store
 * is local. The same bytes either way.
 */
#pragma once
#include "coordinator/store/store.h"
#include "proto/wire.h"

#include <stdio.h>

/* Arguments by name, flags as "1", lists as lines: run, as, by, metric, host, a, b, hosts, gate,
 * alpha, min_effect, suspect, seed, format, switch, factor, and for every kind json, quiet, width,
 * colour, ascii. *ret_exit: what the command line exits with. ERR_USAGE for a wrong argument or
 * kind, ERR_NOT_FOUND for an unknown run or host. */
MUST_CHECK int query_serve(struct store *store, enum wire_request_kind kind,
                           const struct strmap *arg, FILE *out, int *ret_exit, struct err *err);
