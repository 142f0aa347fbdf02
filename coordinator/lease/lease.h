/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lease book: who may measure now. At most one holder a host; a lease ends by itself when it is
 * not renewed; its epoch is a fencing token, so that what an earlier holder still sends is told
 * apart. Pure: time comes in as a number of the coordinator's monotonic clock, nothing is sent or
 * stored here. Co-located hosts (one boot_id) may hold leases at the same time: every sample is
 * serialised by the lock of their machine, block by block, which interleaves them better than whole
 * trials in turn would.
 */
#pragma once
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lease_hold {
    char *host;
    int64_t run;
    uint64_t epoch;
    int64_t granted_ns, expires_ns; /* coordinator's monotonic clock */
};
struct lease_book;
/* ttl_ns: how long a lease lives without a renewal. */
struct lease_book *lease_book_new(int64_t ttl_ns);
void lease_book_free(struct lease_book *book);
MEM_CLEANUP(lease_book)
int64_t lease_ttl(const struct lease_book *book);

enum { LEASE_BUSY = 1, LEASE_STALE = 2 };
/* Gives the host to run under epoch until now + ttl. Outcomes: 0; LEASE_BUSY when another run holds
 * the host (or this one does, under an epoch that is not older). ERR_STATE when the epoch is not
 * above every epoch this run had on the host while it was in the book. */
MUST_CHECK int lease_grant(struct lease_book *book, const char *host, int64_t run, uint64_t epoch,
                           int64_t now_ns, struct err *err);
/* Takes over a lease that was granted before a restart of the coordinator: as grant, the epoch as
 * it was. */
MUST_CHECK int lease_resume(struct lease_book *book, const char *host, int64_t run, uint64_t epoch,
                            int64_t now_ns, struct err *err);
/* Lives until now + ttl + extra at least (extra: the agent sleeps through a sample so long). 0;
 * LEASE_STALE when this run and epoch do not hold the host. */
int lease_renew(struct lease_book *book, const char *host, int64_t run, uint64_t epoch,
                int64_t now_ns, int64_t extra_ns);
/* Ends the lease if this run holds the host; harmless otherwise. */
void lease_end(struct lease_book *book, const char *host, int64_t run);
/* The holder, NULL when the host is free. Borrowed until the next change. */
const struct lease_hold *lease_holder(const struct lease_book *book, const char *host);
/* One lease that has run out at now, NULL when there is none: end it, then ask again. */
const struct lease_hold *lease_expired(const struct lease_book *book, int64_t now_ns);
size_t lease_count(const struct lease_book *book);
