/* SPDX-License-Identifier: GPL-3.0-or-later
 * Frames in and out: repeats, overlaps, gaps, old epochs; what is stored is a prefix, each sample
 * once. */
#include "store_fixture.h"

#include "base/rng.h"
#include "model/limits.h"

struct world {
    struct store *store;
    int64_t run;
};

static struct world open_world(void **state)
{
    struct place_of_test *place = *state;
    struct world w = {0};
    static const char *const hosts[] = {"h1", "h2"};

    must(store_open(place->path, STORE_CREATE, &w.store, err));
    w.run = add_run(w.store, "x", hosts, 2);
    return w;
}

static uint64_t put(struct world *w, const char *host, uint64_t first, size_t n)
{
    CLEAN(frame) struct frame *frame = numbered_frame(first, n);
    uint64_t high = 0;

    must(store_frame_put(w->store, w->run, host, 0, frame, &high, err));
    return high;
}

static void expect_prefix(struct world *w, const char *host, size_t n)
{
    CLEAN(frame) struct frame *got = NULL;
    CLEAN(frame) struct frame *want = numbered_frame(1, n);
    struct store_counts counts = {0};

    must(store_frame_get(w->store, w->run, host, &got, err));
    if (got->n != n)
        fail_msg("want %zu samples, got %zu", n, got->n);
    if (n > 0)
        assert_true(frame_equal(got, want));
    must(store_counts(w->store, w->run, host, &counts, err));
    assert_int_equal(counts.stored, n);
    assert_int_equal(counts.ok, n - n / 10);
}

static void batches_come_back_as_one_frame(void **state)
{
    struct world w = open_world(state);

    expect_prefix(&w, "h1", 0);
    assert_int_equal(put(&w, "h1", 1, 10), 10);
    assert_int_equal(put(&w, "h1", 11, 25), 35);
    assert_int_equal(put(&w, "h2", 1, 3), 3);
    expect_prefix(&w, "h1", 35);
    expect_prefix(&w, "h2", 3);
    store_free(w.store);
}

static void repeated_and_overlapping_batches_are_harmless(void **state)
{
    struct world w = open_world(state);

    put(&w, "h1", 1, 10);
    assert_int_equal(put(&w, "h1", 1, 10), 10);
    assert_int_equal(put(&w, "h1", 3, 4), 10);
    assert_int_equal(put(&w, "h1", 5, 12), 16);
    assert_int_equal(put(&w, "h1", 16, 1), 16);
    assert_int_equal(put(&w, "h1", 1, 40), 40);
    expect_prefix(&w, "h1", 40);
    store_free(w.store);
}

static void any_order_of_resends_ends_in_each_sample_once(void **state)
{
    struct world w = open_world(state);
    struct rng rng;
    uint64_t high = 0;

    rng_seed(&rng, 20261201);
    while (high < 500) {
        uint64_t first = 1 + rng_below(&rng, high + 1); /* never past the next one: the ack told */
        size_t n = (size_t)rng_below(&rng, 40);

        if (n > 0)
            high = put(&w, "h1", first, n);
    }
    expect_prefix(&w, "h1", (size_t)high);
    store_free(w.store);
}

static void gap_is_refused_and_nothing_is_stored(void **state)
{
    struct world w = open_world(state);
    CLEAN(frame) struct frame *late = numbered_frame(12, 5);
    uint64_t high = 77;

    put(&w, "h1", 1, 10);
    must_fail(store_frame_put(w.store, w.run, "h1", 0, late, &high, err), ERR_STATE, "from 12 on");
    assert_int_equal(high, 77);
    expect_prefix(&w, "h1", 10);
    store_free(w.store);
}

static void older_epoch_goes_to_quarantine(void **state)
{
    struct world w = open_world(state);
    CLEAN_DONE(trial_list) struct trial_list trials = {0};
    CLEAN(frame) struct frame *frame = numbered_frame(11, 5);
    struct store_counts counts = {0};
    uint64_t high = 0;

    put(&w, "h1", 1, 10);
    must(store_trials(w.store, w.run, &trials, err));
    find_trial(&trials, "h1")->epoch = 2;
    must(store_trial_put(w.store, find_trial(&trials, "h1"), err));
    for (int i = 0; i < 2; i++) /* a repeat counts once */
        must_fail(store_frame_put(w.store, w.run, "h1", 1, frame, &high, err), ERR_AUTH,
                  "quarantine");
    must_fail(store_frame_put(w.store, w.run, "h1", 3, frame, &high, err), ERR_STATE,
              "never granted");
    must(store_counts(w.store, w.run, "h1", &counts, err));
    assert_int_equal(counts.quarantined, 5);
    expect_prefix(&w, "h1", 10);
    must(store_frame_put(w.store, w.run, "h1", 2, frame, &high, err));
    assert_int_equal(high, 15);
    expect_prefix(&w, "h1", 15);
    store_free(w.store);
}

static void trial_put_never_moves_what_is_stored(void **state)
{
    struct world w = open_world(state);
    CLEAN_DONE(trial_list) struct trial_list trials = {0};
    CLEAN_DONE(trial_list) struct trial_list later = {0};

    must(store_trials(w.store, w.run, &trials, err));
    put(&w, "h1", 1, 10);
    must(store_trial_put(w.store, find_trial(&trials, "h1"), err)); /* still says 0 */
    must(store_trials(w.store, w.run, &later, err));
    assert_int_equal(find_trial(&later, "h1")->stored_seq, 10);
    store_free(w.store);
}

static void wrong_frames_are_refused(void **state)
{
    struct world w = open_world(state);
    CLEAN(frame) struct frame *zero = numbered_frame(0, 3);
    CLEAN(frame) struct frame *big = numbered_frame(1, LIMIT_BATCH_SAMPLES + 1);
    uint64_t high = 0;

    must_fail(store_frame_put(w.store, w.run, "h1", 0, zero, &high, err), ERR_INPUT, "begin at 0");
    must_fail(store_frame_put(w.store, w.run, "h1", 0, big, &high, err), ERR_LIMIT, "4096");
    must_fail(store_frame_put(w.store, w.run, "nobody", 0, zero, &high, err), ERR_NOT_FOUND,
              "nobody");
    must_fail(store_frame_put(w.store, 99, "h1", 0, zero, &high, err), ERR_NOT_FOUND, "#99");
    store_free(w.store);
}

static void outputs_are_capped_and_kept_once(void **state)
{
    struct world w = open_world(state);
    CLEAN_DONE(str) struct str back = {0};
    CLEAN_MEM char *big = mem_alloc(1, LIMIT_OUTPUT_ON_FAILURE + 100);

    memset(big, 'x', LIMIT_OUTPUT_ON_FAILURE + 100);
    must(store_output_put(w.store, w.run, "h1", 4, big, LIMIT_OUTPUT_ON_FAILURE + 100, err));
    must(store_output_put(w.store, w.run, "h1", 4, "second", 6, err));
    must(store_output_get(w.store, w.run, "h1", 4, &back, err));
    assert_int_equal(back.length, LIMIT_OUTPUT_ON_FAILURE);
    must_fail(store_output_get(w.store, w.run, "h1", 5, &back, err), ERR_NOT_FOUND, "sample 5");
    store_free(w.store);
}

static void columns_of_all_hosts_are_listed_sorted(void **state)
{
    struct world w = open_world(state);
    CLEAN_DONE(strlist) struct strlist numbers = {0};
    CLEAN_DONE(strlist) struct strlist texts = {0};
    CLEAN(frame) struct frame *more = numbered_frame(1, 1);
    uint64_t high = 0;

    put(&w, "h1", 1, 4);
    frame_number_column(more, "a_metric");
    must(store_frame_put(w.store, w.run, "h2", 0, more, &high, err));
    must(store_columns(w.store, w.run, &numbers, &texts, err));
    assert_int_equal(numbers.n, 2);
    assert_string_equal(numbers.v[0], "a_metric");
    assert_string_equal(numbers.v[1], "elapsed_s");
    assert_int_equal(texts.n, 1);
    assert_string_equal(texts.v[0], "stdout_kind");
    store_free(w.store);
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_place, drop_place)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(batches_come_back_as_one_frame),
        T(repeated_and_overlapping_batches_are_harmless),
        T(any_order_of_resends_ends_in_each_sample_once),
        T(gap_is_refused_and_nothing_is_stored),
        T(older_epoch_goes_to_quarantine),
        T(trial_put_never_moves_what_is_stored),
        T(wrong_frames_are_refused),
        T(outputs_are_capped_and_kept_once),
        T(columns_of_all_hosts_are_listed_sorted),
    };

    return cmocka_run_group_tests_name("store_sample", tests, NULL, NULL);
}
