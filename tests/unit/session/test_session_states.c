/* SPDX-License-Identifier: GPL-3.0-or-later
 * Walks every (state, event) of the session table against a list of where each must lead. */
#include "coordinator/session/session_states.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define AWAY SESSION_AWAY
#define LIVE SESSION_LIVE
#define ASLEEP SESSION_ASLEEP
#define DOUBTED SESSION_DOUBTED
#define FENCED SESSION_FENCED

/* [state][event]: hello, restarted, rival, twin, alone, speaks, sleeps, stray, silent, ended */
static const int want_next[SESSION_STATE_COUNT][SESSION_EV_COUNT] = {
    {LIVE,   LIVE,   LIVE,    LIVE,   LIVE,   AWAY,   AWAY,   AWAY,    AWAY,   AWAY},
    {LIVE,   LIVE,   DOUBTED, FENCED, LIVE,   LIVE,   ASLEEP, LIVE,    AWAY,   AWAY},
    {LIVE,   LIVE,   DOUBTED, FENCED, ASLEEP, LIVE,   ASLEEP, ASLEEP,  AWAY,   AWAY},
    {FENCED, FENCED, DOUBTED, FENCED, FENCED, FENCED, FENCED, DOUBTED, AWAY,   AWAY},
    {FENCED, FENCED, FENCED,  FENCED, LIVE,   FENCED, FENCED, FENCED,  FENCED, AWAY},
};
/* t take, a ask for a hello, r refuse, - nothing (0 is TAKE as well, where nobody asks) */
static const char want_verdict[SESSION_STATE_COUNT][SESSION_EV_COUNT + 1] = {
    "tttttaaaat", "ttrrattatt", "ttrrattatt", "rrrrrrratt", "rrrrtrrrrt"};

static char letter(int verdict)
{
    return verdict == SESSION_TAKE        ? 't'
           : verdict == SESSION_ASK_HELLO ? 'a'
           : verdict == SESSION_REFUSE    ? 'r'
                                          : '?';
}

static void every_state_answers_every_event(void **state)
{
    (void)state;
    for (int s = 0; s < SESSION_STATE_COUNT; s++)
        for (int e = 0; e < SESSION_EV_COUNT; e++) {
            struct session session = {.name = (char *)"a",
                                      .key = (char *)"k",
                                      .state = s,
                                      .session = "11111111111111111111111111111111",
                                      .boot_id = "boot1",
                                      .heard_ns = 10,
                                      .deadline_ns = 20};
            const struct chan_peer peer = {.id = "p", .length = 1};
            struct wire_hello hello = {.session = "22222222222222222222222222222222",
                                       .boot_id = (char *)"boot2"};
            struct session_answer answer = {0};
            const struct session_step step = {.session = &session,
                                              .now_ns = 15,
                                              .heartbeat_ns = 5,
                                              .peer = &peer,
                                              .hello = &hello,
                                              .answer = &answer};
            struct err err = {0};
            const int verdict =
                fsm_step(&session_fsm, &session.state, e, (void *)&step, NULL, &err);

            if (verdict < 0)
                fail_msg("%s: %s", session_fsm.state_names[s], err.text);
            if (session.state != want_next[s][e] || letter(verdict) != want_verdict[s][e])
                fail_msg("%s, %s: want %s %c, got %s %c", session_fsm.state_names[s],
                         session_fsm.event_names[e], session_fsm.state_names[want_next[s][e]],
                         want_verdict[s][e], session_fsm.state_names[session.state],
                         letter(verdict));
            if (answer.welcome != (letter(verdict) == 't' && e <= SESSION_EV_HELLO_ALONE))
                fail_msg("%s, %s: welcome is %d", session_fsm.state_names[s],
                         session_fsm.event_names[e], answer.welcome);
        }
}

static void leaving_the_connected_states_is_always_told(void **state)
{
    (void)state;
    for (int s = 0; s < SESSION_STATE_COUNT; s++)
        for (int e = 0; e < SESSION_EV_ENDED; e++) {
            struct session session = {.name = (char *)"a", .state = s, .boot_id = "boot1"};
            const struct chan_peer peer = {.id = "p", .length = 1};
            struct wire_hello hello = {.session = "2", .boot_id = (char *)"boot2"};
            struct session_answer answer = {0};
            struct session_step step = {
                .session = &session, .peer = &peer, .hello = &hello, .answer = &answer};
            const bool was = session_is_connected(&session);
            struct err err = {0};

            assert_true(fsm_step(&session_fsm, &session.state, e, &step, NULL, &err) >= 0);
            if (session.fell != (was && !session_is_connected(&session)))
                fail_msg("%s, %s: fell is %d", session_fsm.state_names[s],
                         session_fsm.event_names[e], session.fell);
        }
}

static void table_can_be_drawn(void **state)
{
    struct str dot = {0};

    (void)state;
    fsm_dot(&session_fsm, &dot);
    assert_non_null(strstr(str_get(&dot), "\"doubted\" -> \"fenced\""));
    str_done(&dot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_answers_every_event),
        cmocka_unit_test(leaving_the_connected_states_is_always_told),
        cmocka_unit_test(table_can_be_drawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
