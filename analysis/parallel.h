/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same work on many items with several threads. Item i always does the same, whichever thread
 * takes it, so results do not depend on the number of threads. Items must write to places of their
 * own.
 */
#pragma once
#include <stddef.h>

/* Calls work(context, item) for item 0..n-1; thread t of T takes items t, t + T, …. threads 0: one.
 * Where a thread cannot be started its items are done by the caller's. Returns when all are done.
 */
void parallel_run(unsigned threads, size_t n, void (*work)(void *context, size_t item),
                  void *context);
