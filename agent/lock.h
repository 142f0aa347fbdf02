/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The machine's lock: one flock that every agent of the machine holds while it measures a block,
 * and `muster lock -- CMD` while the command runs. The kernel drops it when its holder dies.
 */
#pragma once
#include "base/err.h"

#include <stdbool.h>

/* Where it is: /run/lock/muster.lock where that can be used, else $XDG_RUNTIME_DIR/muster.lock,
 * else /tmp/muster.lock. Owned by the caller. */
char *lock_path(void);
/* Opens (and makes) the file; path NULL: lock_path(). *ret_fd is CLOEXEC. Holding begins with
 * lock_take and ends when the descriptor is closed. */
MUST_CHECK int lock_open(const char *path, int *ret_fd, struct err *err);
/* 0 held; LOCK_BUSY when another holds it and wait is false. */
enum { LOCK_BUSY = 1 };
MUST_CHECK int lock_take(int fd, bool wait, struct err *err);
MUST_CHECK int lock_drop(int fd, struct err *err);
