/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The keeper: a small process forked before the agent has threads or sockets. It runs one command
 * at a time, measures it (child.h) and holds the machine's lock on request. When the agent is gone
 * it kills what runs and ends; when the keeper is gone the kernel kills the workload.
 */
#pragma once
#include "agent/child.h"

struct keeper;
/* Forks it. name: of its control group; lock_path: NULL for the machine's own. The caller must
 * still be a single thread. */
MUST_CHECK int keeper_start(const char *name, const char *lock_path, struct keeper **ret,
                            struct err *err);
/* Ends it (and what it runs) and waits for it. */
void keeper_free(struct keeper *keeper);
MEM_CLEANUP(keeper)
pid_t keeper_pid(const struct keeper *keeper);
/* Readable when an answer is there. */
int keeper_fd(const struct keeper *keeper);

/* One request at a time: each is answered once. */
MUST_CHECK int keeper_run(struct keeper *keeper, const struct child_spec *spec, struct err *err);
/* Kills what runs now (its result is CHILD_STOPPED) or gives up waiting for the lock. Harmless when
 * nothing is under way. */
MUST_CHECK int keeper_stop(struct keeper *keeper, struct err *err);
/* Reads the answer to keeper_run (waits for it). ERR_STATE when the keeper is gone. */
MUST_CHECK int keeper_result(struct keeper *keeper, struct child_result *ret, struct err *err);
/* Asks for the machine's lock: the answer (keeper_locked) comes when it is held. */
MUST_CHECK int keeper_lock(struct keeper *keeper, struct err *err);
enum { KEEPER_NOT_LOCKED = 1 }; /* outcome: given up after keeper_stop */
MUST_CHECK int keeper_locked(struct keeper *keeper, struct err *err);
MUST_CHECK int keeper_unlock(struct keeper *keeper, struct err *err); /* no answer */
