/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lease an agent holds, on disk, with how far it has come: first_round and next_seq of the
 * stored lease move on after every spooled block. An agent that is killed resumes from here.
 */
#pragma once
#include "agent/spool.h"
#include "model/trial.h"

/* Writes DIR/lease atomically. */
MUST_CHECK int held_save(const char *dir, const struct lease *lease, struct err *err);
/* Outcome HELD_NONE: no lease, or a file that is none (removed then). */
enum { HELD_NONE = 1 };
MUST_CHECK int held_load(const char *dir, struct lease **ret, struct err *err);
void held_drop(const char *dir);
/* A crash between spooling a block and saving the lease leaves the spool ahead: catches up. */
void held_catch_up(struct lease *lease, const struct spool *spool);
