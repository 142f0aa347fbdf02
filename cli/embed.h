/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A coordinator and one agent of this machine as children, for `muster run` where no coordinator is
 * configured. They share the local data directory and talk over sockets in a private directory;
 * they end with us.
 */
#pragma once
#include "cli/cli.h"

struct embed;
/* Starts both and waits until the coordinator listens. *ret_target: how to reach it (freed by the
 * caller). */
MUST_CHECK int embed_start(const char *data_dir, struct cli_target *ret_target, struct embed **ret,
                           struct err *err);
/* Both children are alive. -1: one has ended; err has the last words of its log. */
MUST_CHECK int embed_check(struct embed *embed, struct err *err);
/* Ends both and removes the directory. */
void embed_free(struct embed *embed);
MEM_CLEANUP(embed)
