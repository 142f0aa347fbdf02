/* SPDX-License-Identifier: GPL-3.0-or-later
 * Samples: packed frames by (run, host, first number). What is stored is always a prefix without
 * gaps; stored_seq and the batch that moves it are one transaction. */
#include "coordinator/store/backend/sqlite.h"

#include "base/clk.h"
#include "model/limits.h"
#include "proto/wire.h"

struct place { /* of a frame: the trial it belongs to */
    int64_t run, host_id;
    uint64_t epoch, stored_seq;
};

static int find_place(struct store *store, int64_t run, const char *host, struct place *ret,
                      struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    int rc = 0;

    if (sq_open(
            store,
            "SELECT t.host_id, t.epoch, t.stored_seq FROM trial t JOIN host h ON h.id = t.host_id"
            " WHERE t.run = ? AND h.name = ?",
            &q, err) < 0)
        return -1;
    sq_int(&q, run);
    sq_text(&q, host);
    rc = sq_step(&q, err);
    if (rc == 0)
        return err_set(err, ERR_NOT_FOUND, "no trial of host %s in run #%lld", host,
                       (long long)run);
    if (rc < 0)
        return -1;
    *ret = (struct place){.run = run,
                          .host_id = sq_get_int(&q, 0),
                          .epoch = sq_get_u64(&q, 1),
                          .stored_seq = sq_get_u64(&q, 2)};
    return 0;
}

static int put_quarantine(struct store *store, const struct place *place, uint64_t epoch,
                          const struct frame *frame, struct err *err)
{
    CLEAN_DONE(str) struct str blob = {0};
    CLEAN_DONE(sq) struct sq q = {0};

    wire_frame_pack(frame, &blob);
    if (sq_open(
            store,
            "INSERT OR IGNORE INTO quarantine (run, host_id, epoch, first_seq, n, arrived_us, blob)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            &q, err) < 0)
        return -1;
    sq_int(&q, place->run);
    sq_int(&q, place->host_id);
    sq_u64(&q, epoch);
    sq_u64(&q, frame->first_seq);
    sq_int(&q, (int64_t)frame->n);
    sq_int(&q, clk_wall_us());
    sq_blob(&q, blob.text, blob.length);
    return sq_run(&q, err);
}

static int put_batch(struct store *store, const struct place *place, uint64_t epoch,
                     const struct frame *frame, struct err *err)
{
    CLEAN_DONE(str) struct str blob = {0};
    CLEAN_DONE(sq) struct sq q = {0};
    int64_t ok = 0;

    for (size_t i = 0; i < frame->n; i++)
        ok += frame->outcome[i] == OUTCOME_OK;
    wire_frame_pack(frame, &blob);
    if (sq_open(store,
                "INSERT INTO batch (run, host_id, first_seq, n, ok, epoch, blob) VALUES (?, ?, ?, "
                "?, ?, ?, ?)",
                &q, err) < 0)
        return -1;
    sq_int(&q, place->run);
    sq_int(&q, place->host_id);
    sq_u64(&q, frame->first_seq);
    sq_int(&q, (int64_t)frame->n);
    sq_int(&q, ok);
    sq_u64(&q, epoch);
    sq_blob(&q, blob.text, blob.length);
    return sq_run(&q, err);
}

static int put_column(struct store *store, int64_t run, int kind, const char *name, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};

    if (sq_open(store, "INSERT OR IGNORE INTO run_column (run, kind, name) VALUES (?, ?, ?)", &q,
                err) < 0)
        return -1;
    sq_int(&q, run);
    sq_int(&q, kind);
    sq_text(&q, name);
    return sq_run(&q, err);
}

static int put_columns(struct store *store, int64_t run, const struct frame *frame, struct err *err)
{
    for (size_t i = 0; i < frame->n_numbers; i++) {
        if (put_column(store, run, 0, frame->number[i].name, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < frame->n_texts; i++) {
        if (put_column(store, run, 1, frame->text[i].name, err) < 0)
            return -1;
    }
    return 0;
}

static int set_stored(struct store *store, const struct place *place, uint64_t high,
                      struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};

    if (sq_open(store, "UPDATE trial SET stored_seq = ? WHERE run = ? AND host_id = ?", &q, err) <
        0)
        return -1;
    sq_u64(&q, high);
    sq_int(&q, place->run);
    sq_int(&q, place->host_id);
    return sq_run(&q, err);
}

/* All or nothing of a frame that begins at the next number or before it. */
static int put_new(struct store *store, const struct place *place, uint64_t epoch,
                   const struct frame *frame, uint64_t *ret_high, struct err *err)
{
    size_t skip = (size_t)(place->stored_seq + 1 - frame->first_seq);
    uint64_t high = frame->first_seq + frame->n - 1;
    CLEAN(frame) struct frame *tail = skip ? frame_slice(frame, skip, frame->n - skip) : NULL;
    const struct frame *fresh = tail ? tail : frame;

    if (store_mark(store, err) < 0)
        return -1;
    if (put_batch(store, place, epoch, fresh, err) < 0 ||
        put_columns(store, place->run, fresh, err) < 0 || set_stored(store, place, high, err) < 0) {
        store_undo(store);
        return -1;
    }
    if (store_keep(store, err) < 0)
        return -1;
    *ret_high = high;
    return 0;
}

int store_frame_put(struct store *store, int64_t run, const char *host, uint64_t epoch,
                    const struct frame *frame, uint64_t *ret_high, struct err *err)
{
    struct place place = {0};

    if (find_place(store, run, host, &place, err) < 0)
        return -1;
    if (frame->n > LIMIT_BATCH_SAMPLES)
        return err_set(err, ERR_LIMIT, "a batch of %zu samples: at most %d", frame->n,
                       LIMIT_BATCH_SAMPLES);
    if (frame->n > 0 && frame->first_seq == 0)
        return err_set(err, ERR_INPUT, "sample numbers of host %s begin at 0, not 1", host);
    if (epoch > place.epoch)
        return err_set(err, ERR_STATE, "host %s: epoch %llu was never granted (the last is %llu)",
                       host, (unsigned long long)epoch, (unsigned long long)place.epoch);
    if (epoch < place.epoch) {
        if (frame->n > 0 && put_quarantine(store, &place, epoch, frame, err) < 0)
            return -1;
        return err_set(err, ERR_AUTH,
                       "host %s: %zu samples of epoch %llu, now %llu: put in quarantine", host,
                       frame->n, (unsigned long long)epoch, (unsigned long long)place.epoch);
    }
    if (frame->n == 0 || frame->first_seq + frame->n - 1 <= place.stored_seq) {
        *ret_high = place.stored_seq;
        return 0;
    }
    if (frame->first_seq > place.stored_seq + 1)
        return err_set(err, ERR_STATE,
                       "host %s: samples from %llu on, but only those up to %llu are stored", host,
                       (unsigned long long)frame->first_seq, (unsigned long long)place.stored_seq);
    if (put_new(store, &place, epoch, frame, ret_high, err) < 0)
        return err_wrap(err, "samples of host %s in run #%lld", host, (long long)run);
    return 0;
}

int store_frame_get(struct store *store, int64_t run, const char *host, struct frame **ret,
                    struct err *err)
{
    CLEAN(frame) struct frame *all = frame_new();
    CLEAN_DONE(sq) struct sq q = {0};
    struct place place = {0};
    int rc = 0;

    if (find_place(store, run, host, &place, err) < 0 ||
        sq_open(store, "SELECT blob FROM batch WHERE run = ? AND host_id = ? ORDER BY first_seq",
                &q, err) < 0)
        return -1;
    sq_int(&q, place.run);
    sq_int(&q, place.host_id);
    while ((rc = sq_step(&q, err)) > 0) {
        size_t length = 0;
        const void *blob = sq_get_blob(&q, 0, &length);
        CLEAN(frame) struct frame *frame = NULL;

        if (wire_frame_unpack(blob, length, &frame, err) < 0)
            return err_wrap(err, "samples of host %s in %s", host, store->path);
        frame_append(all, frame);
    }
    if (rc < 0)
        return -1;
    *ret = mem_steal(&all);
    return 0;
}

int store_counts(struct store *store, int64_t run, const char *host, struct store_counts *ret,
                 struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    struct place place = {0};

    if (find_place(store, run, host, &place, err) < 0 ||
        sq_open(store,
                "SELECT (SELECT coalesce(sum(n), 0) FROM batch WHERE run = ?1 AND host_id = ?2),"
                " (SELECT coalesce(sum(ok), 0) FROM batch WHERE run = ?1 AND host_id = ?2),"
                " (SELECT coalesce(sum(n), 0) FROM quarantine WHERE run = ?1 AND host_id = ?2)",
                &q, err) < 0)
        return -1;
    sq_int(&q, place.run);
    sq_int(&q, place.host_id);
    if (sq_step(&q, err) < 0)
        return -1;
    *ret = (struct store_counts){
        .stored = sq_get_u64(&q, 0), .ok = sq_get_u64(&q, 1), .quarantined = sq_get_u64(&q, 2)};
    return 0;
}

int store_output_put(struct store *store, int64_t run, const char *host, uint64_t seq,
                     const char *text, size_t length, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    struct place place = {0};

    if (find_place(store, run, host, &place, err) < 0 ||
        sq_open(store, "INSERT OR IGNORE INTO output (run, host_id, seq, text) VALUES (?, ?, ?, ?)",
                &q, err) < 0)
        return -1;
    sq_int(&q, place.run);
    sq_int(&q, place.host_id);
    sq_u64(&q, seq);
    sq_blob(&q, text, length < LIMIT_OUTPUT_ON_FAILURE ? length : LIMIT_OUTPUT_ON_FAILURE);
    return sq_run(&q, err);
}

int store_output_get(struct store *store, int64_t run, const char *host, uint64_t seq,
                     struct str *ret, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    struct place place = {0};
    size_t length = 0;
    const void *text = NULL;
    int rc = 0;

    if (find_place(store, run, host, &place, err) < 0 ||
        sq_open(store, "SELECT text FROM output WHERE run = ? AND host_id = ? AND seq = ?", &q,
                err) < 0)
        return -1;
    sq_int(&q, place.run);
    sq_int(&q, place.host_id);
    sq_u64(&q, seq);
    rc = sq_step(&q, err);
    if (rc == 0)
        return err_set(err, ERR_NOT_FOUND, "no output of sample %llu of host %s",
                       (unsigned long long)seq, host);
    if (rc < 0)
        return -1;
    text = sq_get_blob(&q, 0, &length);
    str_add_bytes(ret, text ? text : "", length);
    return 0;
}

int store_columns(struct store *store, int64_t run, struct strlist *ret_numbers,
                  struct strlist *ret_texts, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};
    int rc = 0;

    if (sq_open(store, "SELECT kind, name FROM run_column WHERE run = ? ORDER BY kind, name", &q,
                err) < 0)
        return -1;
    sq_int(&q, run);
    while ((rc = sq_step(&q, err)) > 0)
        strlist_add(sq_get_int(&q, 0) == 0 ? ret_numbers : ret_texts, sq_get_text(&q, 1));
    return rc;
}
