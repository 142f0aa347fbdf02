/* SPDX-License-Identifier: GPL-3.0-or-later
 * The keeper's own process. */
#pragma once

/* Serves requests on fd until its other end is closed. Returns the exit code. */
int keeper_loop(int fd, const char *name, const char *lock_path);
