/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A desk: one thread with its own read connection of the store, for work that burns or blocks
 * (answers for users, looks of the stop rule). Jobs go in and come back in order; a job is owned by
 * whoever holds it: the desk between post and done.
 */
#pragma once
#include "base/err.h"
#include "base/mem.h"
#include "coordinator/store/store.h"

struct desk_job { /* first member of a job's own struct */
    void (*work)(struct desk_job *job, struct store *store); /* in the desk's thread */
    void (*done)(
        struct desk_job *job); /* in the owner's thread, from desk_dispatch; frees the job */
    void (*drop)(
        struct desk_job *job); /* instead of done, when the desk ends first; frees the job */
    struct desk_job *next;     /* the desk's own */
};
struct desk;
/* path: of the database; opened here for reading, used by the thread alone. */
MUST_CHECK int desk_start(const char *path, struct desk **ret, struct err *err);
/* Waits for the job under way; all that were not dispatched are dropped. */
void desk_free(struct desk *desk);
MEM_CLEANUP(desk)
void desk_post(struct desk *desk, struct desk_job *job);
int desk_fd(
    const struct desk *desk); /* readable (eventfd) when desk_dispatch has something to do */
void desk_dispatch(struct desk *desk);
size_t desk_backlog(struct desk *desk); /* posted and not dispatched */
