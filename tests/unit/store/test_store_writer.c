/* SPDX-License-Identifier: GPL-3.0-or-later
 * The writer thread: order, failures that stay alone, and what a killed process leaves: every
 * acknowledged sample is there, and what is there is a prefix. */
#include "store_fixture.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"
#include "coordinator/store/backend/sqlite.h"
#include "coordinator/store/writer.h"

#define KILLS 200
#define BATCH 7

struct note { /* what a closure did and heard */
    uint64_t first;
    int64_t run;
    bool fail;
    int result;
    uint64_t high;
    int *order, my_order;
    char text[128];
};

static int put_batch(struct store *store, void *arg, struct err *err)
{
    struct note *note = arg;
    CLEAN(frame) struct frame *frame = numbered_frame(note->first, BATCH);

    if (store_frame_put(store, note->run, "h1", 0, frame, &note->high, err) < 0)
        return -1;
    return note->fail ? err_set(err, ERR_INPUT, "asked to fail") : 0;
}

static void heard(void *arg, int result, const struct err *err)
{
    struct note *note = arg;

    note->result = result;
    note->my_order = ++*note->order;
    if (result < 0)
        snprintf(note->text, sizeof note->text, "%.100s", err->text);
}

/* Dispatches until nothing is waiting; fails the test when the thread stays silent for a minute. */
static void drain(struct writer *writer)
{
    while (writer_backlog(writer) > 0) {
        struct pollfd fd = {.fd = writer_fd(writer), .events = POLLIN};

        if (poll(&fd, 1, 60000) != 1)
            fail_msg("the writer said nothing for a minute, backlog %zu", writer_backlog(writer));
        writer_dispatch(writer);
    }
}

static int64_t prepare(const char *path)
{
    CLEAN(store) struct store *store = NULL;
    const char *host = "h1";

    must(store_open(path, STORE_CREATE, &store, err));
    return add_run(store, "x", &host, 1);
}

static void closures_run_in_order_and_a_failure_stays_alone(void **state)
{
    struct place_of_test *place = *state;
    int64_t run = prepare(place->path);
    struct writer *writer = NULL;
    struct note note[600];
    int order = 0;
    uint64_t next = 1;
    CLEAN(store) struct store *store = NULL;
    struct store_counts counts = {0};

    must(writer_start(place->path, &writer, err));
    for (size_t i = 0; i < 600; i++) {
        note[i] = (struct note){
            .first = next, .run = run, .fail = i % 3 == 1, .result = 99, .order = &order};
        next += note[i].fail
                    ? 0
                    : BATCH; /* what failed was undone, so the next one takes its numbers */
        writer_post(writer, put_batch, &note[i], heard);
    }
    drain(writer);
    for (size_t i = 0; i < 600; i++) {
        assert_int_equal(note[i].my_order, (int)i + 1);
        if (note[i].result != (note[i].fail ? -1 : 0))
            fail_msg("closure %zu: want %d, got %d %s", i, note[i].fail ? -1 : 0, note[i].result,
                     note[i].text);
        if (note[i].fail)
            assert_string_equal(note[i].text, "asked to fail");
    }
    must(store_open(place->path, STORE_READ, &store, err));
    must(store_counts(store, run, "h1", &counts, err));
    assert_int_equal(counts.stored, 400 * BATCH);
    writer_free(writer);
}

static void free_finishes_what_is_queued(void **state)
{
    struct place_of_test *place = *state;
    int64_t run = prepare(place->path);
    struct writer *writer = NULL;
    struct note note[50];
    int order = 0;

    must(writer_start(place->path, &writer, err));
    for (size_t i = 0; i < 50; i++) {
        note[i] = (struct note){.first = 1 + i * BATCH, .run = run, .result = 99, .order = &order};
        writer_post(writer, put_batch, &note[i], heard);
    }
    writer_free(writer);
    assert_int_equal(order, 50);
    for (size_t i = 0; i < 50; i++)
        assert_int_equal(note[i].result, 0);
}

/* The file may grow by some pages only: SQLite then says that the disk is full. */
static int limit_pages(struct store *store, void *arg, struct err *err)
{
    const char *const *pragma = arg;

    return sq_exec(store, *pragma, err);
}

static void ignore(void *arg, int result, const struct err *err)
{
    (void)arg;
    if (result < 0)
        fail_msg("%s", err->text);
}

static void full_disk_fails_what_was_not_kept_and_only_that(void **state)
{
    struct place_of_test *place = *state;
    int64_t run = prepare(place->path);
    struct writer *writer = NULL;
    const char *small = "PRAGMA max_page_count = 24", *large = "PRAGMA max_page_count = 100000";
    struct note note[400];
    int order = 0, failed = 0;
    uint64_t next = 1;
    CLEAN(store) struct store *store = NULL;
    struct store_counts counts = {0};

    must(writer_start(place->path, &writer, err));
    writer_post(writer, limit_pages, &small, ignore);
    for (size_t i = 0; i < 400; i++) {
        note[i] = (struct note){.first = next, .run = run, .result = 99, .order = &order};
        writer_post(writer, put_batch, &note[i], heard);
        drain(writer);
        if (note[i].result == 0)
            next = note[i].high + 1;
        else if (failed++ == 0 && !strstr(note[i].text, "no space left"))
            fail_msg("want words on space, got %s", note[i].text);
    }
    assert_true(failed > 0);
    assert_true(next > 1);
    writer_post(writer, limit_pages, &large, ignore);
    drain(writer);
    note[0] = (struct note){.first = next, .run = run, .result = 99, .order = &order};
    writer_post(writer, put_batch, &note[0], heard);
    drain(writer);
    assert_int_equal(note[0].result, 0); /* room again: it goes on where it stopped */
    writer_free(writer);
    must(store_open(place->path, STORE_WRITE, &store, err));
    must(store_counts(store, run, "h1", &counts, err));
    assert_int_equal(counts.stored, next - 1 + BATCH);
}

static void second_writer_is_refused(void **state)
{
    struct place_of_test *place = *state;
    struct writer *writer = NULL, *second = NULL;

    must(writer_start(place->path, &writer, err));
    must_fail(writer_start(place->path, &second, err), ERR_STATE, "another process writes");
    writer_free(writer);
}

/* ---- the killed child ---- */
struct ack_note {
    int pipe_fd;
    uint64_t high;
    int64_t run;
    uint64_t first;
};

static int put_ack(struct store *store, void *arg, struct err *err)
{
    struct ack_note *note = arg;
    CLEAN(frame) struct frame *frame = numbered_frame(note->first, BATCH);

    return store_frame_put(store, note->run, "h1", 0, frame, &note->high, err);
}

static void tell_ack(void *arg, int result, const struct err *err)
{
    struct ack_note *note = arg;

    (void)err;
    if (result < 0 || write(note->pipe_fd, &note->high, sizeof note->high) != sizeof note->high)
        _exit(1);
    mem_free(note);
}

/* Writes batches without end, some in flight, and reports each acknowledged number. Never returns.
 */
static void write_until_killed(const char *path, int64_t run, uint64_t next, int pipe_fd)
{
    struct writer *writer = NULL;

    if (writer_start(path, &writer, NULL) < 0)
        _exit(1);
    for (;;) {
        struct pollfd fd = {.fd = writer_fd(writer), .events = POLLIN};

        while (writer_backlog(writer) < 5) {
            struct ack_note *note = mem_new(struct ack_note);

            *note = (struct ack_note){.pipe_fd = pipe_fd, .run = run, .first = next};
            next += BATCH;
            writer_post(writer, put_ack, note, tell_ack);
        }
        poll(&fd, 1, -1);
        writer_dispatch(writer);
    }
}

static uint64_t stored_now(const char *path, int64_t run)
{
    CLEAN(store) struct store *store = NULL;
    CLEAN_DONE(trial_list) struct trial_list trials = {0};

    must(store_open(path, STORE_WRITE, &store, err)); /* quick_check, and the lock is free again */
    must(store_trials(store, run, &trials, err));
    return trials.v[0]->stored_seq;
}

static void sleep_us(uint64_t us)
{
    nanosleep(&(struct timespec){.tv_sec = 0, .tv_nsec = (long)us * 1000}, NULL);
}

/* Kills one child after `acks` acknowledgements and some microseconds; returns the highest number
 * acknowledged. */
static uint64_t kill_once(const char *path, int64_t run, uint64_t next, uint64_t acks, uint64_t us)
{
    int ack[2];
    uint64_t high = next - 1, heard_high = 0;
    pid_t child = 0;

    assert_int_equal(pipe(ack), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ack[0]);
        write_until_killed(path, run, next, ack[1]);
    }
    close(ack[1]);
    for (uint64_t i = 0;
         i < acks && read(ack[0], &heard_high, sizeof heard_high) == sizeof heard_high; i++)
        high = heard_high;
    sleep_us(us);
    kill(child, SIGKILL);
    while (read(ack[0], &heard_high, sizeof heard_high) == sizeof heard_high)
        high = heard_high; /* acknowledged before the kill, read after it */
    close(ack[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return high;
}

static void killed_writer_leaves_all_that_was_acknowledged(void **state)
{
    struct place_of_test *place = *state;
    int64_t run = prepare(place->path);
    CLEAN(store) struct store *store = NULL;
    CLEAN(frame) struct frame *all = NULL;
    CLEAN(frame) struct frame *want = NULL;
    struct rng rng;
    uint64_t stored = 0;

    rng_seed(&rng, 9);
    for (int i = 0; i < KILLS; i++) {
        uint64_t acked =
            kill_once(place->path, run, stored + 1, rng_below(&rng, 4), rng_below(&rng, 3000));
        uint64_t now = stored_now(place->path, run);

        if (now < acked || now < stored)
            fail_msg("kill %d: %llu acknowledged, %llu stored", i, (unsigned long long)acked,
                     (unsigned long long)now);
        stored = now;
    }
    must(store_open(place->path, STORE_READ, &store, err));
    must(store_frame_get(store, run, "h1", &all, err));
    want = numbered_frame(1, (size_t)stored);
    assert_int_equal(all->n, want->n);
    assert_true(frame_equal(all, want));
    assert_true(stored > KILLS); /* the children did get to write */
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_place, drop_place)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(closures_run_in_order_and_a_failure_stays_alone), T(free_finishes_what_is_queued),
        T(full_disk_fails_what_was_not_kept_and_only_that), T(second_writer_is_refused),
        T(killed_writer_leaves_all_that_was_acknowledged),
    };

    return cmocka_run_group_tests_name("store_writer", tests, NULL, NULL);
}
