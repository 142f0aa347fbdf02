/* SPDX-License-Identifier: GPL-3.0-or-later
 * Waiting for the machine's lock without polling, and still able to hear a stop. Private to the
 * keeper. */
#pragma once
#include "base/err.h"

/* Waits for the flock on lock_fd. 0 held; LOCK_BUSY when stop_fd became readable or hung up first.
 */
MUST_CHECK int keeper_wait_lock(int lock_fd, int stop_fd, struct err *err);
