/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signals as readable descriptors, for a loop. Call before any thread exists (before the first
 * socket, actor or auth), so that every thread inherits the mask and no call is interrupted. A
 * child must unblock what it needs: masks and ignored signals are inherited through exec.
 */
#pragma once
#include "base/err.h"

/* Blocks SIGINT, SIGTERM and SIGHUP, ignores SIGPIPE, keeps czmq from handling signals. *ret_fd is
 * readable when one came (CLOEXEC, nonblocking); the caller closes it. */
MUST_CHECK int sig_open(int *ret_fd, struct err *err);
/* The next signal's number, 0 when there is none. */
int sig_read(int fd);
