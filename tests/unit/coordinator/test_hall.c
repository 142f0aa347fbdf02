/* SPDX-License-Identifier: GPL-3.0-or-later
 * The whole coordinator in a process of its own, towards an agent that the test plays: leases,
 * acknowledgements, repeated and missing batches, old epochs, kill -9 at the worst moments, roles.
 */
#define _DEFAULT_SOURCE /* mkdtemp, usleep */
#include "hall_fixture.h"

static const char token[ID_SIZE] = "0123456789abcdef0123456789abcdef";

static struct wire_message *lease_of(struct hall *hall)
{
    return hall_must_get(hall->to_agents, WIRE_LEASE);
}

static void run_goes_from_submit_to_its_end(void **state)
{
    struct hall *hall = *state;
    struct wire_message *message;
    const struct lease *lease;
    struct store_counts counts;

    hall_open(hall);
    assert_false(hall_hello(hall, 0, 0, 0).resume);
    hall_submit(hall, token);
    message = lease_of(hall);
    lease = message->as.lease;
    assert_int_equal(lease->epoch, 1);
    assert_int_equal(lease->next_seq, 1);
    assert_int_equal(lease->first_round, 0);
    assert_int_equal(lease->upto_round, HALL_BLOCKS);
    hall_event(hall, lease, WIRE_STAGED, 0);
    hall_event(hall, lease, WIRE_STARTED, 0);
    for (uint32_t round = 0; round < HALL_BLOCKS; round++) {
        hall_send_block(hall, lease, 1, 2 * round + 1, round);
        assert_int_equal(hall_ack(hall), 2 * round + 2);
    }
    hall_event(hall, lease, WIRE_BLOCKS_DONE, 2 * HALL_BLOCKS);
    wire_message_free(hall_must_get(hall->to_agents, WIRE_STOP));
    hall_wait_state(hall, lease->run, TRIAL_DONE);
    hall_counts(hall, lease->run, &counts);
    assert_int_equal(counts.stored, 2 * HALL_BLOCKS);
    assert_int_equal(counts.quarantined, 0);
    wire_message_free(message);
    hall_close(hall);
}

static void repeated_and_early_batches_are_answered_with_what_is_stored(void **state)
{
    struct hall *hall = *state;
    struct wire_message *message;
    const struct lease *lease;
    struct store_counts counts;

    hall_open(hall);
    (void)hall_hello(hall, 0, 0, 0);
    hall_submit(hall, token);
    hall_submit(hall, token); /* the same token: the same run */
    message = lease_of(hall);
    lease = message->as.lease;
    hall_send_block(hall, lease, 1, 1, 0);
    assert_int_equal(hall_ack(hall), 2);
    hall_send_block(hall, lease, 1, 1, 0);
    assert_int_equal(hall_ack(hall), 2);
    hall_send_block(hall, lease, 1, 5, 2); /* 3 and 4 are missing */
    assert_int_equal(hall_ack(hall), 2);
    hall_send_block(hall, lease, 1, 3, 1);
    assert_int_equal(hall_ack(hall), 4);
    hall_counts(hall, lease->run, &counts);
    assert_int_equal(counts.stored, 4);
    wire_message_free(message);
    hall_close(hall);
}

static void samples_of_an_old_epoch_are_put_aside_and_acknowledged(void **state)
{
    struct hall *hall = *state;
    struct wire_message *first, *second;
    struct store_counts counts;

    hall_open(hall);
    (void)hall_hello(hall, 0, 0, 0);
    hall_submit(hall, token);
    first = lease_of(hall);
    hall_send_block(hall, first->as.lease, 1, 1, 0);
    assert_int_equal(hall_ack(hall), 2);
    assert_false(hall_hello(hall, 0, 0, 0).resume); /* the agent lost its state directory */
    second = lease_of(hall);
    assert_int_equal(second->as.lease->epoch, 2);
    assert_int_equal(second->as.lease->next_seq, 3);
    assert_int_equal(second->as.lease->first_round, 1);
    hall_send_block(hall, second->as.lease, 1, 3, 1); /* the earlier process still sends */
    assert_int_equal(hall_ack(hall), 4);
    hall_send_block(hall, second->as.lease, 2, 3, 1);
    assert_int_equal(hall_ack(hall), 4);
    hall_counts(hall, second->as.lease->run, &counts);
    assert_int_equal(counts.stored, 4);
    assert_int_equal(counts.quarantined, 2);
    wire_message_free(first);
    wire_message_free(second);
    hall_close(hall);
}

static void killed_coordinator_goes_on_where_the_store_is(void **state)
{
    struct hall *hall = *state;
    struct wire_message *message, *extend;
    const struct lease *lease;
    struct wire_welcome welcome;
    struct store_counts counts;
    uint64_t seq = 0;

    hall_open(hall);
    (void)hall_hello(hall, 0, 0, 0);
    hall_submit(hall, token);
    message = lease_of(hall);
    lease = message->as.lease;
    for (uint32_t round = 0; round < HALL_BLOCKS; round++) {
        /* a batch is on its way when the coordinator dies: whether it was stored, only the store
         * knows */
        hall_send_block(hall, lease, 1, seq + 1, round);
        if (round % 2)
            (void)usleep(3000 * round);
        hall_command(hall, 'k');
        chan_free(hall->to_agents);
        hall_start(hall);
        hall->to_agents = hall_connect(hall, &hall->agent, true);
        welcome = hall_hello(hall, lease->run, 1, seq + 2);
        assert_true(welcome.resume);
        assert_true(welcome.stored_seq == seq || welcome.stored_seq == seq + 2);
        extend = hall_must_get(hall->to_agents, WIRE_EXTEND);
        assert_int_equal(extend->as.extend->upto_round, HALL_BLOCKS);
        wire_message_free(extend);
        if (welcome.stored_seq == seq) {
            hall_send_block(hall, lease, 1, seq + 1, round);
            assert_int_equal(hall_ack(hall), seq + 2);
        }
        seq += 2;
    }
    hall_event(hall, lease, WIRE_BLOCKS_DONE, seq);
    hall_wait_state(hall, lease->run, TRIAL_DONE);
    hall_counts(hall, lease->run, &counts);
    assert_int_equal(counts.stored, 2 * HALL_BLOCKS);
    wire_message_free(message);
    hall_close(hall);
}

static void word_that_was_lost_with_the_coordinator_is_not_needed(void **state)
{
    struct hall *hall = *state;
    struct wire_message *message;
    const struct lease *lease;

    hall_open(hall);
    (void)hall_hello(hall, 0, 0, 0);
    hall_submit(hall, token);
    message = lease_of(hall);
    lease = message->as.lease;
    for (uint32_t round = 0; round < HALL_BLOCKS; round++) {
        hall_send_block(hall, lease, 1, 2 * round + 1, round);
        assert_int_equal(hall_ack(hall), 2 * round + 2);
    }
    hall_command(hall, 'k'); /* before BLOCKS_DONE could be said */
    chan_free(hall->to_agents);
    hall_start(hall);
    hall->to_agents = hall_connect(hall, &hall->agent, true);
    assert_true(hall_hello(hall, lease->run, 1, 2 * HALL_BLOCKS).resume);
    hall_wait_state(hall, lease->run, TRIAL_DONE);
    wire_message_free(message);
    hall_close(hall);
}

static void missing_samples_are_named(void **state)
{
    struct hall *hall = *state;
    struct wire_message *message;
    CLEAN(store) struct store *store = NULL;
    CLEAN_DONE(trial_list) struct trial_list trials = {0};
    struct err err = {0};

    hall_open(hall);
    (void)hall_hello(hall, 0, 0, 0);
    hall_submit(hall, token);
    message = lease_of(hall);
    hall_send_block(hall, message->as.lease, 1, 1, 0);
    assert_int_equal(hall_ack(hall), 2);
    hall_event(hall, message->as.lease, WIRE_BLOCKS_DONE, 2 * HALL_BLOCKS);
    /* heartbeats go on: it is not lost, its samples are */
    for (int i = 0; i < 20; i++) {
        struct wire_heartbeat beat = {.run = message->as.lease->run, .epoch = 1};

        memcpy(beat.session, hall->session, sizeof(beat.session));
        hall_send(hall->to_agents, WIRE_HEARTBEAT, &beat);
        wire_message_free(hall_await(hall->to_agents, WIRE_STOP, 100 * CLK_NS_PER_MS));
    }
    hall_wait_state(hall, message->as.lease->run, TRIAL_FAILED);
    assert_int_equal(store_open(hall->db, STORE_READ, &store, &err), 0);
    assert_int_equal(store_trials(store, message->as.lease->run, &trials, &err), 0);
    assert_string_equal(trials.v[0]->reason, "samples 3 to 20 were taken and never arrived");
    wire_message_free(message);
    hall_close(hall);
}

static void silent_agent_is_lost_and_goes_on_when_it_returns(void **state)
{
    struct hall *hall = *state;
    struct wire_message *message, *extend;

    hall_open(hall);
    (void)hall_hello(hall, 0, 0, 0);
    hall_submit(hall, token);
    message = lease_of(hall);
    hall_send_block(hall, message->as.lease, 1, 1, 0);
    assert_int_equal(hall_ack(hall), 2);
    hall_wait_state(hall, message->as.lease->run, TRIAL_LOST);
    assert_true(hall_hello(hall, message->as.lease->run, 1, 2).resume);
    extend = hall_must_get(hall->to_agents, WIRE_EXTEND);
    wire_message_free(extend);
    hall_wait_state(hall, message->as.lease->run, TRIAL_RUNNING);
    wire_message_free(message);
    hall_close(hall);
}

static void message_of_another_key_is_dropped_unread(void **state)
{
    struct hall *hall = *state;
    struct wire_message *message;
    CLEAN(chan) struct chan *thief = NULL;
    struct store_counts counts;
    struct chan *own;

    hall_open(hall);
    (void)hall_hello(hall, 0, 0, 0);
    hall_submit(hall, token);
    message = lease_of(hall);
    own = hall->to_agents;
    thief = hall_connect(hall, &hall->other, true);
    hall->to_agents = thief; /* n2 replays n1's batch */
    hall_send_block(hall, message->as.lease, 1, 1, 0);
    wire_message_free(hall_must_get(thief, WIRE_REFUSED));
    hall->to_agents = own;
    hall_counts(hall, message->as.lease->run, &counts);
    assert_int_equal(counts.stored, 0);
    wire_message_free(message);
    hall_close(hall);
}

static int tear_down(void **state)
{
    struct hall *hall = *state;

    if (hall->to_agents) /* the test failed midway */
        hall_close(hall);
    hall_done(hall);
    return 0;
}

#define HALL_TEST(name, n)                                                                         \
    cmocka_unit_test_prestate_setup_teardown(name, NULL, tear_down, &halls[n])

int main(void)
{
    static struct hall halls[8];
    const struct CMUnitTest tests[] = {
        HALL_TEST(run_goes_from_submit_to_its_end, 0),
        HALL_TEST(repeated_and_early_batches_are_answered_with_what_is_stored, 1),
        HALL_TEST(samples_of_an_old_epoch_are_put_aside_and_acknowledged, 2),
        HALL_TEST(killed_coordinator_goes_on_where_the_store_is, 3),
        HALL_TEST(word_that_was_lost_with_the_coordinator_is_not_needed, 4),
        HALL_TEST(missing_samples_are_named, 5),
        HALL_TEST(silent_agent_is_lost_and_goes_on_when_it_returns, 6),
        HALL_TEST(message_of_another_key_is_dropped_unread, 7),
    };

    /* all before the first socket: a process with threads is not to be forked */
    for (size_t i = 0; i < sizeof(halls) / sizeof(halls[0]); i++)
        hall_init(&halls[i]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
