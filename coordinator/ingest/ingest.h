/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Accounting of samples: every sample an agent took ends in exactly one of stored once, ignored as
 * a duplicate, or put aside with a reason. Pure: judges a batch by numbers (epoch, first number,
 * count) against what was stored and what is on its way to the store. The store checks the same
 * again inside its transaction; this is what the answer to the agent is made of.
 */
#pragma once
#include "base/err.h"
#include "model/experiment.h"
#include "model/sample.h"

#include <stdbool.h>
#include <stdint.h>

struct ingest_account {             /* of one (run, host); numbers start at 1, 0: none */
    uint64_t epoch;                 /* of the lease that is valid now */
    uint64_t stored_seq;            /* committed, contiguous from 1 */
    uint64_t posted_seq;            /* handed to the store's writer, contiguous; >= stored_seq */
    uint64_t duplicates, put_aside; /* samples, for the record */
};
enum ingest_verdict {
    INGEST_STORE,     /* all or the later part is new and follows without a gap */
    INGEST_DUPLICATE, /* nothing new: answer with what is stored */
    INGEST_GAP, /* earlier numbers are missing: answer with what is stored, the agent sends again
                   from there */
    INGEST_OLD_EPOCH /* from a holder that was fenced off: put aside, answered so that its spool is
                        trimmed */
};
enum ingest_verdict ingest_judge(const struct ingest_account *account, uint64_t epoch,
                                 uint64_t first_seq, size_t n);
/* Counts the batch as judged; a batch to store is on its way afterwards. */
void ingest_take(struct ingest_account *account, enum ingest_verdict verdict, uint64_t first_seq,
                 size_t n);
/* The store committed up to high. */
void ingest_commit(struct ingest_account *account, uint64_t high);
/* A write failed: what was on its way and not committed is not stored; the agent will send it
 * again. */
void ingest_abort(struct ingest_account *account);
/* Nothing is between here and the store. */
bool ingest_settled(const struct ingest_account *account);
/* Every row speaks of a variant, cell, session and ending the experiment has; counts within limits.
 * ERR_PROTO names the row. */
MUST_CHECK int ingest_check_frame(const struct frame *frame, const struct experiment *experiment,
                                  struct err *err);
