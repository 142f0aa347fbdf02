/* SPDX-License-Identifier: GPL-3.0-or-later
 * The life of a trial: every (state, event) leads somewhere sensible, and the usual stories end as
 * they should. */
#include "coordinator/trial/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct trial_life life_in(enum trial_state state)
{
    return (struct trial_life){.state = (int)state,
                               .epoch = 3,
                               .n_sessions = 2,
                               .rounds_done = 10,
                               .granted_upto = 10,
                               .stored_seq = 40,
                               .taken_seq = 40};
}

static const struct trial_news any_news = {
    .epoch = 4, .upto = 14, .session = 0, .rounds_done = 11, .seq = 44, .reason = "because"};

/* Out of an end leads only a rerun, the return of a lost agent, or samples that are missing after
 * all. */
static bool may_leave_end(enum trial_state from, enum trial_event event)
{
    if (event == TRIAL_EV_REOPEN)
        return from != TRIAL_DONE;
    if (from == TRIAL_LOST)
        return event == TRIAL_EV_BACK || event == TRIAL_EV_BACK_EMPTY || event == TRIAL_EV_FAILED;
    return from == TRIAL_DONE && event == TRIAL_EV_MISSING;
}

static void every_state_and_event_has_a_row(void **state)
{
    (void)state;
    for (int s = 0; s < (int)trial_fsm.n_states; s++) {
        for (int e = 0; e < TRIAL_EV_COUNT; e++) {
            struct trial_life life = life_in((enum trial_state)s);
            enum trial_order order = TRIAL_ORDER_NOTHING;
            struct err err = {0};
            int result = trial_step(&life, (enum trial_event)e, &any_news, &order, &err);
            bool was_end = trial_state_is_end((enum trial_state)s);

            if (result < 0)
                fail_msg("%s, %s: %s", trial_fsm.state_names[s], trial_fsm.event_names[e],
                         err.text);
            if (result == TRIAL_IGNORED && (life.state != s || order != TRIAL_ORDER_NOTHING))
                fail_msg("%s, %s: ignored, and yet something happened", trial_fsm.state_names[s],
                         trial_fsm.event_names[e]);
            if (was_end && life.state != s &&
                !may_leave_end((enum trial_state)s, (enum trial_event)e))
                fail_msg("%s leaves its end by %s", trial_fsm.state_names[s],
                         trial_fsm.event_names[e]);
            assert_true(life.epoch >= 3);
            assert_true(life.stored_seq >= 40);
        }
    }
}

static void every_state_ends_in_a_row_for_any_event(void **state)
{
    (void)state;
    for (int s = 0; s < (int)trial_fsm.n_states; s++) {
        const struct fsm_row *last = NULL;

        for (size_t i = 0; i < trial_fsm.n_rows; i++) {
            if (trial_fsm.rows[i].state == s)
                last = &trial_fsm.rows[i];
        }
        assert_non_null(last);
        assert_int_equal(last->event, FSM_ANY);
        assert_int_equal(last->next, s);
    }
}

static enum trial_order step(struct trial_life *life, enum trial_event event,
                             struct trial_news news)
{
    enum trial_order order = TRIAL_ORDER_NOTHING;
    struct err err = {0};

    if (trial_step(life, event, &news, &order, &err) < 0)
        fail_msg("%s", err.text);
    return order;
}

static void trial_runs_to_its_verdict(void **state)
{
    (void)state;
    struct trial_life life = {.state = TRIAL_WAITING, .n_sessions = 1};

    assert_int_equal(step(&life, TRIAL_EV_GRANT, (struct trial_news){.epoch = 1, .upto = 10}),
                     TRIAL_ORDER_LEASE);
    assert_int_equal(life.state, TRIAL_STAGING);
    (void)step(&life, TRIAL_EV_STAGED, (struct trial_news){.seq = 0});
    (void)step(&life, TRIAL_EV_STARTED, (struct trial_news){.seq = 0});
    assert_int_equal(life.state, TRIAL_RUNNING);
    (void)step(&life, TRIAL_EV_STORED, (struct trial_news){.seq = 10, .rounds_done = 5});
    assert_false(trial_wants_look(&life));
    (void)step(&life, TRIAL_EV_TAKEN,
               (struct trial_news){.seq = 20}); /* overtakes its last batch */
    assert_false(trial_wants_look(&life));
    (void)step(&life, TRIAL_EV_STORED, (struct trial_news){.seq = 20, .rounds_done = 10});
    assert_true(trial_wants_look(&life));
    assert_int_equal(step(&life, TRIAL_EV_LOOK, (struct trial_news){.seq = 0}), TRIAL_ORDER_LOOK);
    assert_int_equal(step(&life, TRIAL_EV_GO_ON, (struct trial_news){.upto = 14}),
                     TRIAL_ORDER_EXTEND);
    assert_false(trial_wants_look(&life));
    (void)step(&life, TRIAL_EV_STORED, (struct trial_news){.seq = 28, .rounds_done = 14});
    (void)step(&life, TRIAL_EV_TAKEN, (struct trial_news){.seq = 28});
    (void)step(&life, TRIAL_EV_LOOK, (struct trial_news){.seq = 0});
    assert_int_equal(step(&life, TRIAL_EV_ENOUGH, (struct trial_news){.reason = ""}),
                     TRIAL_ORDER_STOP);
    assert_int_equal(life.state, TRIAL_DONE);
    assert_false(life.draining);
}

static void lost_agent_that_comes_back_goes_on_where_it_was(void **state)
{
    (void)state;
    struct trial_life life = life_in(TRIAL_RUNNING);

    life.granted_upto = 14;
    (void)step(&life, TRIAL_EV_SILENT, (struct trial_news){.reason = "silent"});
    assert_int_equal(life.state, TRIAL_LOST);
    assert_string_equal(life.reason, "silent");
    assert_int_equal(step(&life, TRIAL_EV_BACK, (struct trial_news){.seq = 43}),
                     TRIAL_ORDER_EXTEND);
    assert_int_equal(life.state, TRIAL_RUNNING);
    assert_int_equal(life.granted_upto, 14);
    assert_int_equal(life.epoch, 3);
    assert_string_equal(life.reason, "");
}

static void agent_without_its_lease_gets_a_higher_epoch(void **state)
{
    (void)state;
    struct trial_life life = life_in(TRIAL_RUNNING);
    enum trial_order order;
    struct err err = {0};

    life.granted_upto = 14;
    (void)step(&life, TRIAL_EV_BACK_EMPTY, (struct trial_news){.seq = 0});
    assert_int_equal(life.state, TRIAL_WAITING);
    assert_int_equal(trial_step(&life, TRIAL_EV_GRANT, &(struct trial_news){.epoch = 3, .upto = 14},
                                &order, &err),
                     -1);
    assert_int_equal(life.state, TRIAL_WAITING);
    assert_int_equal(step(&life, TRIAL_EV_GRANT, (struct trial_news){.epoch = 4, .upto = 14}),
                     TRIAL_ORDER_LEASE);
    assert_int_equal(life.rounds_done, 10);
}

static void word_of_the_last_block_that_was_lost_is_made_up_for_at_hello(void **state)
{
    (void)state;
    struct trial_life life = life_in(TRIAL_RUNNING);

    assert_false(trial_wants_look(&life));
    (void)step(&life, TRIAL_EV_BACK, (struct trial_news){.seq = 40});
    assert_true(trial_wants_look(&life));
}

static void cancelled_trial_waits_for_what_the_agent_still_has(void **state)
{
    (void)state;
    struct trial_life life = life_in(TRIAL_RUNNING);

    assert_int_equal(step(&life, TRIAL_EV_CANCEL, (struct trial_news){.reason = "by anna"}),
                     TRIAL_ORDER_KILL);
    assert_int_equal(life.state, TRIAL_CANCELLED);
    assert_true(life.draining);
    (void)step(&life, TRIAL_EV_STOPPED, (struct trial_news){.seq = 43});
    assert_true(life.draining);
    (void)step(&life, TRIAL_EV_STORED, (struct trial_news){.seq = 43, .rounds_done = 10});
    assert_false(life.draining);
}

static void samples_that_never_arrive_fail_the_trial(void **state)
{
    (void)state;
    struct trial_life life = life_in(TRIAL_RUNNING);
    uint64_t from = 0, to = 0;

    assert_false(trial_missing(&life, &from, &to));
    (void)step(&life, TRIAL_EV_TAKEN, (struct trial_news){.seq = 44});
    assert_true(trial_missing(&life, &from, &to));
    assert_int_equal(from, 41);
    assert_int_equal(to, 44);
    (void)step(&life, TRIAL_EV_MISSING, (struct trial_news){.reason = "samples 41 to 44"});
    assert_int_equal(life.state, TRIAL_FAILED);
}

static void second_sitting_follows_the_first(void **state)
{
    (void)state;
    struct trial_life life = life_in(TRIAL_LOOKING);

    assert_int_equal(step(&life, TRIAL_EV_NEXT_SITTING, (struct trial_news){.seq = 0}),
                     TRIAL_ORDER_STOP);
    assert_int_equal(life.state, TRIAL_WAITING);
    assert_int_equal(life.session, 1);
    assert_int_equal(life.rounds_done, 0);
    (void)step(&life, TRIAL_EV_STORED,
               (struct trial_news){.session = 0, .rounds_done = 10, .seq = 40});
    assert_int_equal(life.rounds_done, 0); /* a late word of the first sitting */
    assert_int_equal(step(&life, TRIAL_EV_GRANT, (struct trial_news){.epoch = 4, .upto = 10}),
                     TRIAL_ORDER_LEASE);
}

static void table_draws_itself(void **state)
{
    (void)state;
    CLEAN_DONE(str) struct str dot = {0};

    fsm_dot(&trial_fsm, &dot);
    assert_non_null(dot.text);
    assert_non_null(strstr(dot.text, "\"RUNNING\" -> \"LOOKING\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_and_event_has_a_row),
        cmocka_unit_test(every_state_ends_in_a_row_for_any_event),
        cmocka_unit_test(trial_runs_to_its_verdict),
        cmocka_unit_test(lost_agent_that_comes_back_goes_on_where_it_was),
        cmocka_unit_test(agent_without_its_lease_gets_a_higher_epoch),
        cmocka_unit_test(word_of_the_last_block_that_was_lost_is_made_up_for_at_hello),
        cmocka_unit_test(cancelled_trial_waits_for_what_the_agent_still_has),
        cmocka_unit_test(samples_that_never_arrive_fail_the_trial),
        cmocka_unit_test(second_sitting_follows_the_first),
        cmocka_unit_test(table_draws_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
