/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The writer thread: closures run one after another on its own STORE_WRITE connection, many to a
 * transaction (group commit: whatever waits when the last commit ended, at most LIMIT_GROUP). A
 * closure that fails is rolled back alone (savepoint). `done` runs in the owner's thread, from
 * writer_dispatch, after the commit that made the closure durable (or its failure).
 */
#pragma once
#include "coordinator/store/store.h"

struct writer;
typedef int (*writer_work)(struct store *store, void *arg, struct err *err);
typedef void (*writer_done)(void *arg, int result, const struct err *err); /* frees arg */
MUST_CHECK int writer_start(const char *path, struct writer **ret, struct err *err);
/* Finishes what is queued, dispatches the rest, ends the thread. */
void writer_free(struct writer *writer);
MEM_CLEANUP(writer)
void writer_post(struct writer *writer, writer_work work, void *arg, writer_done done);
int writer_fd(
    const struct writer *writer); /* readable (eventfd) when writer_dispatch has something to do */
void writer_dispatch(struct writer *writer);
size_t writer_backlog(const struct writer *writer);
