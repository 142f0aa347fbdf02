/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the spool promises: whole blocks or none, damage seen, trimmed only when told. */
#include "agent/held.h"
#include "agent/outbox.h"
#include "base/rng.h"
#include "unit/agent/agent_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

static struct wire_batch *make_batch(uint64_t first_seq, size_t rows, uint32_t rounds_done)
{
    struct wire_batch *batch = mem_new(struct wire_batch);

    batch->run = 3;
    batch->epoch = 2;
    batch->rounds_done = rounds_done;
    batch->frame = frame_new();
    batch->frame->first_seq = first_seq;
    for (size_t i = 0; i < rows; i++) {
        const size_t row = frame_add_row(batch->frame);
        const size_t at = frame_number_column(batch->frame, "elapsed_s");

        batch->frame->number[at].v[row] = (double)(first_seq + i) / 8;
        batch->frame->variant[row] = (uint32_t)i;
    }
    return batch;
}

static void append(struct spool *spool, uint64_t first_seq, size_t rows, uint32_t rounds_done)
{
    CLEAN(wire_batch) struct wire_batch *batch = make_batch(first_seq, rows, rounds_done);

    must(spool_append(spool, batch, err));
}

static void check_batch(const struct spool *spool, size_t i, uint64_t first_seq, size_t rows,
                        uint32_t rounds_done)
{
    CLEAN(wire_batch) struct wire_batch *got = NULL;
    CLEAN(wire_batch) struct wire_batch *want = make_batch(first_seq, rows, rounds_done);

    must(spool_read(spool, i, &got, err));
    assert_true(frame_equal(want->frame, got->frame));
    assert_int_equal(got->rounds_done, rounds_done);
    assert_int_equal(got->epoch, 2);
}

static char *make_dir(void)
{
    char *dir = mem_strdup("/tmp/muster-spool-XXXXXX");

    assert_non_null(mkdtemp(dir));
    return dir;
}

static void drop_dir(char *dir)
{
    must(fdio_remove_tree(dir, err));
    mem_free(dir);
}

static char *spool_file(const char *dir)
{
    return mem_printf("%s/3-2.spool", dir);
}

static void spool_gives_back_what_was_appended(void **state)
{
    char *dir = make_dir();
    CLEAN(spool) struct spool *spool = NULL;
    uint64_t cut = 99;

    (void)state;
    must(spool_open(dir, 3, 2, &spool, &cut, err));
    append(spool, 1, 4, 1);
    append(spool, 5, 4, 2);
    check_batch(spool, 1, 5, 4, 2);
    spool_free(mem_steal(&spool));
    must(spool_open(dir, 3, 2, &spool, &cut, err)); /* as after a kill */
    assert_int_equal(cut, 0);
    assert_int_equal(spool_count(spool), 2);
    assert_int_equal(spool_last_seq(spool), 8);
    check_batch(spool, 0, 1, 4, 1);
    check_batch(spool, 1, 5, 4, 2);
    append(spool, 9, 2, 3);
    assert_int_equal(spool_last_seq(spool), 10);
    drop_dir(dir);
}

static void spool_trims_only_what_is_stored_whole(void **state)
{
    char *dir = make_dir();
    CLEAN(spool) struct spool *spool = NULL;
    struct stat st;

    (void)state;
    must(spool_open(dir, 3, 2, &spool, NULL, err));
    append(spool, 1, 4, 1);
    append(spool, 5, 4, 2);
    must(spool_trim(spool, 3, err));
    assert_int_equal(spool_count(spool), 2);
    must(spool_trim(spool, 4, err));
    assert_int_equal(spool_count(spool), 1);
    check_batch(spool, 0, 5, 4, 2);
    must(spool_trim(spool, 8, err));
    assert_int_equal(spool_count(spool), 0);
    CLEAN_MEM char *file = spool_file(dir);
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_size, 0);
    append(spool, 9, 1, 3);
    check_batch(spool, 0, 9, 1, 3);
    drop_dir(dir);
}

static void spool_with_a_torn_tail_keeps_the_whole_blocks(void **state)
{
    char *dir = make_dir();
    CLEAN(spool) struct spool *spool = NULL;
    CLEAN_MEM char *file = spool_file(dir);
    struct stat st;
    uint64_t cut = 0;

    (void)state;
    must(spool_open(dir, 3, 2, &spool, NULL, err));
    append(spool, 1, 4, 1);
    assert_int_equal(stat(file, &st), 0);
    const off_t one = st.st_size;
    append(spool, 5, 4, 2);
    assert_int_equal(stat(file, &st), 0);
    const off_t two = st.st_size;
    for (off_t size = one + 1; size < two; size++) {
        spool_free(mem_steal(&spool));
        CLEAN_DONE(str) struct str bytes = {0};
        must(fdio_read_file(file, 1 << 20, &bytes, err));
        assert_int_equal(truncate(file, size), 0);
        must(spool_open(dir, 3, 2, &spool, &cut, err));
        assert_int_equal(cut, size - one);
        assert_int_equal(spool_count(spool), 1);
        append(spool, 5, 4, 2); /* the block is measured again */
        check_batch(spool, 1, 5, 4, 2);
    }
    drop_dir(dir);
}

static void spool_sees_every_flipped_bit(void **state)
{
    enum { FLIPS = 1000 };
    char *dir = make_dir();
    CLEAN(spool) struct spool *spool = NULL;
    CLEAN_MEM char *file = spool_file(dir);
    CLEAN_DONE(str) struct str good = {0};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 20260131);
    must(spool_open(dir, 3, 2, &spool, NULL, err));
    append(spool, 1, 8, 1);
    append(spool, 9, 8, 2);
    spool_free(mem_steal(&spool));
    must(fdio_read_file(file, 1 << 20, &good, err));
    for (int i = 0; i < FLIPS; i++) {
        const size_t at = rng_below(&rng, good.length);
        const unsigned char bit = (unsigned char)(1u << rng_below(&rng, 8));
        CLEAN_MEM char *bad = mem_dup(good.text, good.length);
        uint64_t cut = 0;

        bad[at] = (char)((unsigned char)bad[at] ^ bit);
        must(fdio_write_atomic(file, bad, good.length, 0600, err));
        must(spool_open(dir, 3, 2, &spool, &cut, err));
        const size_t n = spool_count(spool);
        if (n != (at < good.length / 2 ? 0u : 1u) || cut == 0)
            fail_msg("byte %zu bit %u: want the damaged block gone, got %zu blocks, %llu bytes cut",
                     at, bit, n, (unsigned long long)cut);
        if (n == 1)
            check_batch(spool, 0, 1, 8, 1);
        spool_free(mem_steal(&spool));
    }
    drop_dir(dir);
}

/* ---- the held lease ---- */

static struct lease *make_lease(void)
{
    struct lease *lease = mem_new(struct lease);

    *lease = (struct lease){.run = 3,
                            .epoch = 2,
                            .seed = 77,
                            .next_seq = 1,
                            .upto_round = 10,
                            .ttl_ns = 1000,
                            .host = mem_strdup("n1"),
                            .experiment = experiment_new()};
    lease->experiment->name = mem_strdup("held");
    lease->experiment->variant = mem_array(struct variant, 2);
    lease->experiment->n_variants = 2;
    lease->experiment->variant[0] =
        (struct variant){.name = mem_strdup("A"), .run = mem_strdup("true")};
    lease->experiment->variant[1] =
        (struct variant){.name = mem_strdup("B"), .run = mem_strdup("false")};
    return lease;
}

static void held_lease_comes_back_and_catches_up_with_the_spool(void **state)
{
    char *dir = make_dir();
    CLEAN(lease) struct lease *lease = make_lease();
    CLEAN(lease) struct lease *got = NULL;
    CLEAN(spool) struct spool *spool = NULL;

    (void)state;
    assert_int_equal(held_load(dir, &got, NULL), HELD_NONE);
    must(held_save(dir, lease, err));
    assert_int_equal(held_load(dir, &got, NULL), 0);
    assert_int_equal(got->epoch, 2);
    assert_string_equal(got->experiment->variant[1].run, "false");
    must(spool_open(dir, 3, 2, &spool, NULL, err));
    append(spool, 1, 4, 1); /* spooled, then killed before the lease was saved */
    held_catch_up(got, spool);
    assert_int_equal(got->next_seq, 5);
    assert_int_equal(got->first_round, 1);
    held_drop(dir);
    lease_free(mem_steal(&got));
    assert_int_equal(held_load(dir, &got, NULL), HELD_NONE);
    drop_dir(dir);
}

static void held_lease_that_is_damaged_is_none(void **state)
{
    char *dir = make_dir();
    CLEAN(lease) struct lease *lease = make_lease();
    CLEAN_DONE(str) struct str bytes = {0};
    CLEAN_MEM char *file = mem_printf("%s/lease", dir);

    (void)state;
    must(held_save(dir, lease, err));
    must(fdio_read_file(file, 1 << 20, &bytes, err));
    for (size_t i = 0; i < bytes.length; i++) {
        CLEAN(lease) struct lease *got = NULL;

        bytes.text[i] = (char)(bytes.text[i] ^ 4);
        must(fdio_write_atomic(file, bytes.text, bytes.length, 0600, err));
        assert_int_equal(held_load(dir, &got, NULL), HELD_NONE);
        bytes.text[i] = (char)(bytes.text[i] ^ 4);
    }
    drop_dir(dir);
}

/* ---- the outbox ---- */

struct sent {
    uint64_t first_seq[64];
    size_t n, take; /* take: how many are accepted */
};

static int record_send(void *arg, const struct wire_batch *batch)
{
    struct sent *sent = arg;

    if (sent->n == sent->take)
        return 1;
    sent->first_seq[sent->n++] = batch->frame->first_seq;
    return 0;
}

static void outbox_sends_in_order_and_again_after_a_welcome(void **state)
{
    char *dir = make_dir();
    CLEAN(outbox) struct outbox *outbox = NULL;
    struct spool *spool = NULL;
    struct sent sent = {.take = 2};
    uint64_t cut;

    (void)state;
    must(outbox_open(dir, &outbox, &cut, err));
    must(outbox_spool(outbox, 3, 2, &spool, err));
    for (uint32_t i = 0; i < 3; i++)
        append(spool, 1 + 4 * i, 4, i + 1);
    outbox_flush(outbox, record_send, &sent, 0); /* the third is not taken */
    assert_int_equal(sent.n, 2);
    sent.take = 64;
    outbox_flush(outbox, record_send, &sent, 1);
    assert_int_equal(sent.n, 3);
    assert_int_equal(sent.first_seq[2], 9);
    outbox_flush(outbox, record_send, &sent, 2); /* nothing is due */
    assert_int_equal(sent.n, 3);
    outbox_ack(outbox, 3, 2, 4, 3);
    outbox_ack(outbox, 3, 1, 99, 3); /* of an epoch there is no spool of */
    outbox_rewind(outbox);
    outbox_flush(outbox, record_send, &sent, 4);
    assert_int_equal(sent.n, 5);
    assert_int_equal(sent.first_seq[3], 5);
    assert_false(outbox_is_empty(outbox));
    outbox_ack(outbox, 3, 2, 12, 5);
    assert_true(outbox_is_empty(outbox));
    drop_dir(dir);
}

static void outbox_repeats_what_nobody_acknowledged(void **state)
{
    char *dir = make_dir();
    CLEAN(outbox) struct outbox *outbox = NULL;
    struct spool *spool = NULL;
    struct sent sent = {.take = 64};
    uint64_t cut;

    (void)state;
    must(outbox_open(dir, &outbox, &cut, err));
    must(outbox_spool(outbox, 3, 2, &spool, err));
    append(spool, 1, 4, 1);
    outbox_flush(outbox, record_send, &sent, 0);
    const int64_t due = outbox_due_ns(outbox);
    outbox_flush(outbox, record_send, &sent, due - 1);
    assert_int_equal(sent.n, 1);
    outbox_flush(outbox, record_send, &sent, due);
    assert_int_equal(sent.n, 2);
    assert_true(outbox_due_ns(outbox) > 2 * due); /* and waits longer each time */
    drop_dir(dir);
}

static void outbox_finds_spools_of_earlier_lives(void **state)
{
    char *dir = make_dir();
    CLEAN(outbox) struct outbox *outbox = NULL;
    CLEAN_MEM char *file = spool_file(dir);
    struct spool *spool = NULL;
    struct sent sent = {.take = 64};
    uint64_t cut;

    (void)state;
    must(outbox_open(dir, &outbox, &cut, err));
    must(outbox_spool(outbox, 3, 2, &spool, err));
    append(spool, 1, 4, 1);
    outbox_free(mem_steal(&outbox));
    must(outbox_open(dir, &outbox, &cut, err));
    outbox_flush(outbox, record_send, &sent, 0);
    assert_int_equal(sent.n, 1);
    outbox_ack(outbox, 3, 2, 4, 0);
    outbox_leave(outbox, NULL);
    assert_int_equal(access(file, F_OK), -1);
    drop_dir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spool_gives_back_what_was_appended),
        cmocka_unit_test(spool_trims_only_what_is_stored_whole),
        cmocka_unit_test(spool_with_a_torn_tail_keeps_the_whole_blocks),
        cmocka_unit_test(spool_sees_every_flipped_bit),
        cmocka_unit_test(held_lease_comes_back_and_catches_up_with_the_spool),
        cmocka_unit_test(held_lease_that_is_damaged_is_none),
        cmocka_unit_test(outbox_sends_in_order_and_again_after_a_welcome),
        cmocka_unit_test(outbox_repeats_what_nobody_acknowledged),
        cmocka_unit_test(outbox_finds_spools_of_earlier_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
