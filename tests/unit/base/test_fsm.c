/* SPDX-License-Identifier: GPL-3.0-or-later
 * Transition tables: rows in order, any rows, actions that fail or name an outcome, the drawing. */
#include "base/fsm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

enum { IDLE, BUSY, ENDED };
enum { EV_START, EV_STOP, EV_NOISE };
static const char *const state_names[] = {"idle", "busy", "ended"};
static const char *const event_names[] = {"start", "stop", "noise"};

struct machine {
    int calls, last_event;
    const void *last_data;
    int answer;
};

static int note(void *object, int event, const void *data, struct err *err)
{
    struct machine *machine = object;

    machine->calls++;
    machine->last_event = event;
    machine->last_data = data;
    if (machine->answer < 0)
        return err_set(err, ERR_STATE, "refused");
    return machine->answer;
}

static const struct fsm_row rows[] = {
    {IDLE, EV_START, note, BUSY },
    {IDLE, FSM_ANY,  NULL, IDLE },
    {BUSY, EV_STOP,  NULL, ENDED},
    {BUSY, FSM_ANY,  note, BUSY },
};
static const struct fsm fsm = {
    .name = "machine",
    .rows = rows,
    .n_rows = 4,
    .state_names = state_names,
    .n_states = 3,
    .event_names = event_names,
    .n_events = 3,
};

static void event_runs_its_action_and_moves(void **state)
{
    (void)state;
    struct machine machine = {0};
    int at = IDLE, data = 5;

    assert_int_equal(fsm_step(&fsm, &at, EV_START, &machine, &data, NULL), 0);
    assert_int_equal(at, BUSY);
    assert_int_equal(machine.calls, 1);
    assert_ptr_equal(machine.last_data, &data);
    assert_int_equal(fsm_step(&fsm, &at, EV_STOP, &machine, NULL, NULL), 0);
    assert_int_equal(at, ENDED);
    assert_int_equal(machine.calls, 1);
}

static void any_row_takes_what_no_row_before_it_took(void **state)
{
    (void)state;
    struct machine machine = {0};
    int at = IDLE;

    assert_int_equal(fsm_step(&fsm, &at, EV_NOISE, &machine, NULL, NULL), 0);
    assert_int_equal(at, IDLE);
    assert_int_equal(machine.calls, 0);
    at = BUSY;
    assert_int_equal(fsm_step(&fsm, &at, EV_START, &machine, NULL, NULL), 0);
    assert_int_equal(at, BUSY);
    assert_int_equal(machine.last_event, EV_START);
}

static void failed_action_leaves_the_state(void **state)
{
    (void)state;
    struct machine machine = {.answer = -1};
    struct err err = {0};
    int at = IDLE;

    assert_int_equal(fsm_step(&fsm, &at, EV_START, &machine, NULL, &err), -1);
    assert_int_equal(at, IDLE);
    assert_string_equal(err.text, "refused");
}

static void positive_outcome_is_passed_on_after_the_move(void **state)
{
    (void)state;
    struct machine machine = {.answer = 7};
    int at = IDLE;

    assert_int_equal(fsm_step(&fsm, &at, EV_START, &machine, NULL, NULL), 7);
    assert_int_equal(at, BUSY);
}

static void missing_row_is_a_bug_with_names(void **state)
{
    (void)state;
    struct err err = {0};
    int at = ENDED;

    assert_int_equal(fsm_step(&fsm, &at, EV_STOP, NULL, NULL, &err), -1);
    assert_int_equal(err.code, ERR_INTERNAL);
    assert_string_equal(err.text, "machine: no row for event \"stop\" in state \"ended\"");
    assert_int_equal(at, ENDED);
    at = 99;
    assert_int_equal(fsm_step(&fsm, &at, 99, NULL, NULL, &err), -1);
    assert_string_equal(err.text, "machine: no row for event \"?\" in state \"?\"");
}

static void drawing_lists_every_state_and_row(void **state)
{
    (void)state;
    CLEAN_DONE(str) struct str dot = {0};

    fsm_dot(&fsm, &dot);
    assert_string_equal(dot.text, "digraph \"machine\" {\n"
                                  "    \"idle\";\n"
                                  "    \"busy\";\n"
                                  "    \"ended\";\n"
                                  "    \"idle\" -> \"busy\" [label=\"start\"];\n"
                                  "    \"idle\" -> \"idle\" [label=\"any\"];\n"
                                  "    \"busy\" -> \"ended\" [label=\"stop\"];\n"
                                  "    \"busy\" -> \"busy\" [label=\"any\"];\n"
                                  "}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(event_runs_its_action_and_moves),
        cmocka_unit_test(any_row_takes_what_no_row_before_it_took),
        cmocka_unit_test(failed_action_leaves_the_state),
        cmocka_unit_test(positive_outcome_is_passed_on_after_the_move),
        cmocka_unit_test(missing_row_is_a_bug_with_names),
        cmocka_unit_test(drawing_lists_every_state_and_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
