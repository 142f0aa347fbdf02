/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where requests go: flags (main puts them into the environment), then MUSTER_COORDINATOR,
 * MUSTER_SERVER_KEY, MUSTER_KEY, MUSTER_DATA, then $XDG_CONFIG_HOME/muster/config (`coordinator`,
 * `server_key`, `key`, `data` as `name = value` lines).
 */
#pragma once
#include "cli/cli.h"

/* MUSTER_COORDINATOR may name an endpoint (with MUSTER_SERVER_KEY) or an endpoints file that a
 * coordinator wrote. */
MUST_CHECK int cli_target_load(struct cli_target *ret, struct err *err);
void cli_target_done(struct cli_target *target);
struct keys;
/* Own key pair; made, with its directory, when there is none. */
MUST_CHECK int cli_keys(const char *path, struct keys *ret, struct err *err);
