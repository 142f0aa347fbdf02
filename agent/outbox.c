/* SPDX-License-Identifier: GPL-3.0-or-later
 * A window of records under way per spool, and a pause that doubles while nothing is acknowledged.
 */
#include "agent/outbox.h"

#include <string.h>

#include "base/clk.h"
#include "base/fdio.h"
#include "base/log.h"

#define AGAIN_MIN_NS (5 * CLK_NS_PER_S)
#define AGAIN_MAX_NS (300 * CLK_NS_PER_S)
enum { WINDOW = 32 };

struct slot {
    struct spool *spool;
    size_t sent;      /* records under way, from the oldest on */
    int64_t sent_ns;  /* of the last one, or of the last acknowledgement */
    int64_t again_ns; /* pause before sending again */
};
struct outbox {
    char *dir;
    struct slot *v;
    size_t n, cap;
};

static int add(struct outbox *outbox, int64_t run, uint64_t epoch, uint64_t *ret_cut,
               struct err *err)
{
    struct spool *spool = NULL;

    if (spool_open(outbox->dir, run, epoch, &spool, ret_cut, err) < 0)
        return -1;
    outbox->v = mem_grow(outbox->v, &outbox->cap, outbox->n + 1, sizeof *outbox->v);
    outbox->v[outbox->n++] = (struct slot){.spool = spool, .again_ns = AGAIN_MIN_NS};
    return 0;
}

int outbox_open(const char *dir, struct outbox **ret, uint64_t *ret_cut, struct err *err)
{
    CLEAN(outbox) struct outbox *outbox = mem_new(struct outbox);
    CLEAN_DONE(strlist) struct strlist names = {0};

    outbox->dir = mem_strdup(dir);
    *ret_cut = 0;
    if (fdio_make_dirs(dir, 0700, err) < 0)
        return -1;
    spool_list(dir, &names);
    for (size_t i = 0; i < names.n; i++) {
        int64_t run;
        uint64_t epoch, cut = 0;

        if (spool_parse_name(names.v[i], &run, &epoch) && add(outbox, run, epoch, &cut, err) < 0)
            return -1;
        *ret_cut += cut;
    }
    outbox_leave(outbox, NULL);
    *ret = mem_steal(&outbox);
    return 0;
}

void outbox_free(struct outbox *outbox)
{
    if (!outbox)
        return;
    for (size_t i = 0; i < outbox->n; i++)
        spool_free(outbox->v[i].spool);
    mem_free(outbox->v);
    mem_free(outbox->dir);
    mem_free(outbox);
}

static struct slot *find(struct outbox *outbox, int64_t run, uint64_t epoch)
{
    for (size_t i = 0; i < outbox->n; i++)
        if (spool_run(outbox->v[i].spool) == run && spool_epoch(outbox->v[i].spool) == epoch)
            return &outbox->v[i];
    return NULL;
}

int outbox_spool(struct outbox *outbox, int64_t run, uint64_t epoch, struct spool **ret,
                 struct err *err)
{
    struct slot *slot = find(outbox, run, epoch);

    if (!slot) {
        if (add(outbox, run, epoch, NULL, err) < 0)
            return -1;
        slot = &outbox->v[outbox->n - 1];
    }
    *ret = slot->spool;
    return 0;
}

void outbox_leave(struct outbox *outbox, const struct spool *current)
{
    size_t kept = 0;

    for (size_t i = 0; i < outbox->n; i++) {
        if (outbox->v[i].spool != current && spool_count(outbox->v[i].spool) == 0)
            spool_remove(outbox->v[i].spool);
        else
            outbox->v[kept++] = outbox->v[i];
    }
    outbox->n = kept;
}

static void flush_slot(struct slot *slot, outbox_send send, void *arg, int64_t now_ns)
{
    if (slot->sent > 0 && now_ns - slot->sent_ns >= slot->again_ns) {
        slot->sent = 0;
        slot->again_ns = 2 * slot->again_ns < AGAIN_MAX_NS ? 2 * slot->again_ns : AGAIN_MAX_NS;
    }
    while (slot->sent < spool_count(slot->spool) && slot->sent < WINDOW) {
        CLEAN(wire_batch) struct wire_batch *batch = NULL;
        struct err err;

        if (spool_read(slot->spool, slot->sent, &batch, &err) < 0) {
            log_err(LOG_ERROR, &err, "a spooled block cannot be read");
            return;
        }
        if (send(arg, batch) != 0)
            return;
        slot->sent++;
        slot->sent_ns = now_ns;
    }
}

void outbox_flush(struct outbox *outbox, outbox_send send, void *arg, int64_t now_ns)
{
    for (size_t i = 0; i < outbox->n; i++)
        flush_slot(&outbox->v[i], send, arg, now_ns);
}

void outbox_rewind(struct outbox *outbox)
{
    for (size_t i = 0; i < outbox->n; i++) {
        outbox->v[i].sent = 0;
        outbox->v[i].again_ns = AGAIN_MIN_NS;
    }
}

void outbox_ack(struct outbox *outbox, int64_t run, uint64_t epoch, uint64_t stored_seq,
                int64_t now_ns)
{
    struct slot *slot = find(outbox, run, epoch);
    struct err err;

    if (!slot)
        return;
    const size_t before = spool_count(slot->spool);
    if (spool_trim(slot->spool, stored_seq, &err) < 0)
        log_err(LOG_WARN, &err, "acknowledged samples stay in the spool");
    const size_t trimmed = before - spool_count(slot->spool);
    slot->sent = slot->sent > trimmed ? slot->sent - trimmed : 0;
    if (trimmed > 0) {
        slot->sent_ns = now_ns;
        slot->again_ns = AGAIN_MIN_NS;
    }
}

bool outbox_is_empty(const struct outbox *outbox)
{
    for (size_t i = 0; i < outbox->n; i++)
        if (spool_count(outbox->v[i].spool) > 0)
            return false;
    return true;
}

bool outbox_is_waiting(const struct outbox *outbox)
{
    for (size_t i = 0; i < outbox->n; i++)
        if (outbox->v[i].sent > 0)
            return true;
    return false;
}

int64_t outbox_due_ns(const struct outbox *outbox)
{
    int64_t due = INT64_MAX;

    for (size_t i = 0; i < outbox->n; i++) {
        const struct slot *slot = &outbox->v[i];

        if (slot->sent > 0 && slot->sent_ns + slot->again_ns < due)
            due = slot->sent_ns + slot->again_ns;
    }
    return due;
}
