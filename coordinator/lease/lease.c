/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lease book as an array sorted by host name: a fleet's worth of leases is searched by halving,
 * expiry walks it once a tick.
 */
#include "coordinator/lease/lease.h"

#include <assert.h>
#include <string.h>

struct lease_book {
    int64_t ttl_ns;
    struct lease_hold *v;
    size_t n, cap;
};

/* Index of host, or of the place where it belongs. */
static size_t place_of(const struct lease_book *book, const char *host, bool *ret_found)
{
    size_t low = 0, high = book->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(book->v[middle].host, host);

        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_found = false;
    return low;
}

static void insert(struct lease_book *book, size_t at, const char *host, int64_t run,
                   uint64_t epoch, int64_t now_ns)
{
    book->v = mem_grow(book->v, &book->cap, book->n + 1, sizeof(*book->v));
    memmove(book->v + at + 1, book->v + at, (book->n - at) * sizeof(*book->v));
    book->n++;
    book->v[at] = (struct lease_hold){.host = mem_strdup(host),
                                      .run = run,
                                      .epoch = epoch,
                                      .granted_ns = now_ns,
                                      .expires_ns = now_ns + book->ttl_ns};
}

struct lease_book *lease_book_new(int64_t ttl_ns)
{
    struct lease_book *book = mem_new(struct lease_book);

    assert(ttl_ns > 0);
    book->ttl_ns = ttl_ns;
    return book;
}

void lease_book_free(struct lease_book *book)
{
    if (!book)
        return;
    for (size_t i = 0; i < book->n; i++)
        mem_free(book->v[i].host);
    mem_free(book->v);
    mem_free(book);
}

int64_t lease_ttl(const struct lease_book *book)
{
    return book->ttl_ns;
}

int lease_grant(struct lease_book *book, const char *host, int64_t run, uint64_t epoch,
                int64_t now_ns, struct err *err)
{
    bool found;
    size_t at = place_of(book, host, &found);

    if (!found) {
        insert(book, at, host, run, epoch, now_ns);
        return 0;
    }
    assert(book->v); /* found in it */
    if (book->v[at].run != run)
        return LEASE_BUSY;
    if (epoch <= book->v[at].epoch)
        return err_set(err, ERR_STATE, "lease of run %lld on %s: epoch %llu is not above %llu",
                       (long long)run, host, (unsigned long long)epoch,
                       (unsigned long long)book->v[at].epoch);
    /* the run's own earlier lease: its holder is fenced off by the higher epoch */
    book->v[at].epoch = epoch;
    book->v[at].granted_ns = now_ns;
    book->v[at].expires_ns = now_ns + book->ttl_ns;
    return 0;
}

int lease_resume(struct lease_book *book, const char *host, int64_t run, uint64_t epoch,
                 int64_t now_ns, struct err *err)
{
    const struct lease_hold *hold = lease_holder(book, host);

    if (hold && hold->run == run && hold->epoch == epoch)
        return lease_renew(book, host, run, epoch, now_ns, 0);
    return lease_grant(book, host, run, epoch, now_ns, err);
}

int lease_renew(struct lease_book *book, const char *host, int64_t run, uint64_t epoch,
                int64_t now_ns, int64_t extra_ns)
{
    bool found;
    size_t at = place_of(book, host, &found);
    int64_t until = now_ns + book->ttl_ns + extra_ns;

    if (!found || book->v[at].run != run || book->v[at].epoch != epoch)
        return LEASE_STALE;
    if (until > book->v[at].expires_ns)
        book->v[at].expires_ns = until;
    return 0;
}

void lease_end(struct lease_book *book, const char *host, int64_t run)
{
    bool found;
    size_t at = place_of(book, host, &found);

    if (!found || book->v[at].run != run)
        return;
    mem_free(book->v[at].host);
    memmove(book->v + at, book->v + at + 1, (book->n - at - 1) * sizeof(*book->v));
    book->n--;
}

const struct lease_hold *lease_holder(const struct lease_book *book, const char *host)
{
    bool found;
    size_t at = place_of(book, host, &found);

    return found ? &book->v[at] : NULL;
}

const struct lease_hold *lease_expired(const struct lease_book *book, int64_t now_ns)
{
    for (size_t i = 0; i < book->n; i++) {
        if (book->v[i].expires_ns <= now_ns)
            return &book->v[i];
    }
    return NULL;
}

size_t lease_count(const struct lease_book *book)
{
    return book->n;
}
