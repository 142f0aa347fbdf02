/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All spools of this agent as one queue towards the coordinator: sends what was not sent since the
 * last welcome, sends again what was not acknowledged for long, trims what was.
 */
#pragma once
#include "agent/spool.h"

struct outbox;
/* Opens every spool in dir (made when absent). *ret_cut: bytes of torn records that were cut off.
 */
MUST_CHECK int outbox_open(const char *dir, struct outbox **ret, uint64_t *ret_cut,
                           struct err *err);
void outbox_free(struct outbox *outbox);
MEM_CLEANUP(outbox)
/* The spool of a run and epoch, made when absent. Borrowed: the outbox keeps it until it is empty
 * and outbox_leave was called. */
MUST_CHECK int outbox_spool(struct outbox *outbox, int64_t run, uint64_t epoch, struct spool **ret,
                            struct err *err);
/* No more is appended to any spool but this one (NULL: to none): empty ones are removed. */
void outbox_leave(struct outbox *outbox, const struct spool *current);

typedef int (*outbox_send)(void *arg, const struct wire_batch *batch); /* 0 sent; else later */
/* Sends what is due. */
void outbox_flush(struct outbox *outbox, outbox_send send, void *arg, int64_t now_ns);
/* Everything that is not acknowledged is due again: after a welcome. */
void outbox_rewind(struct outbox *outbox);
void outbox_ack(struct outbox *outbox, int64_t run, uint64_t epoch, uint64_t stored_seq,
                int64_t now_ns);
bool outbox_is_empty(const struct outbox *outbox);
/* Something was sent and is not acknowledged yet. */
bool outbox_is_waiting(const struct outbox *outbox);
/* When outbox_flush should be called next even if nothing happens; INT64_MAX: never. */
int64_t outbox_due_ns(const struct outbox *outbox);
