/* SPDX-License-Identifier: GPL-3.0-or-later
 * The session table: roles, hellos, silence, sleep, reboots and copies. */
#include "coordinator/session/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BEAT INT64_C(5000000000)
#define KEY_A "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define KEY_B "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"

static const struct session_who host_a = {KEY_A, "a", SESSION_AGENT};
static const struct session_who host_b = {KEY_B, "b", SESSION_AGENT};
static const struct chan_peer p1 = {.id = "1", .length = 1};
static const struct chan_peer p2 = {.id = "2", .length = 1};

static const char s1[] = "11111111111111111111111111111111";
static const char s2[] = "22222222222222222222222222222222";
static const char s3[] = "33333333333333333333333333333333";

struct desk { /* a table and a clock */
    struct session_table *table;
    int64_t now;
};

static int set_up(void **state)
{
    struct desk *desk = mem_new(struct desk);

    desk->table = session_table_new(BEAT);
    desk->now = 1000 * BEAT;
    *state = desk;
    return 0;
}

static int tear_down(void **state)
{
    struct desk *desk = *state;

    session_table_free(desk->table);
    mem_free(desk);
    return 0;
}

static struct session_answer hello_as(struct desk *desk, const struct session_who *who,
                                      const struct chan_peer *peer, const char *session,
                                      const char *boot)
{
    struct wire_hello hello = {.version = WIRE_VERSION,
                               .agent_version = (char *)"0.1.0",
                               .host = (char *)who->name,
                               .boot_id = (char *)boot};
    struct session_answer answer = {0};
    struct err err = {0};

    (void)snprintf(hello.session, sizeof hello.session, "%s", session);
    assert_int_equal(session_judge(desk->table, who, peer, WIRE_HELLO, desk->now), SESSION_TAKE);
    assert_int_equal(session_hello(desk->table, who, peer, &hello, desk->now, &answer, &err), 0);
    return answer;
}

static struct session_answer hello(struct desk *desk, const struct chan_peer *peer,
                                   const char *session, const char *boot)
{
    return hello_as(desk, &host_a, peer, session, boot);
}

static enum session_verdict speak(struct desk *desk, const struct chan_peer *peer)
{
    return session_judge(desk->table, &host_a, peer, WIRE_BATCH, desk->now);
}

static enum session_verdict sleep_for(struct desk *desk, const char *session, int64_t ns)
{
    struct wire_heartbeat heartbeat = {.sleeping_ns = ns};

    (void)snprintf(heartbeat.session, sizeof heartbeat.session, "%s", session);
    return session_heartbeat(desk->table, &host_a, &heartbeat, desk->now);
}

static const char *state_of(const struct desk *desk)
{
    return session_state_name((enum session_state)session_find(desk->table, "a")->state);
}

static bool lost(struct desk *desk, struct session_loss *ret)
{
    return session_next_loss(desk->table, desk->now, ret);
}

static void nothing_counts_before_a_hello(void **state)
{
    struct desk *desk = *state;

    assert_int_equal(speak(desk, &p1), SESSION_ASK_HELLO);
    assert_null(session_find(desk->table, "a"));
    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    assert_int_equal(speak(desk, &p1), SESSION_TAKE);
}

static void kinds_and_roles_are_a_closed_table(void **state)
{
    static const enum wire_kind kinds[] = {WIRE_HELLO,
                                           WIRE_HEARTBEAT,
                                           WIRE_BATCH,
                                           WIRE_TRIAL_EVENT,
                                           WIRE_ARTEFACT_GET,
                                           WIRE_WELCOME,
                                           WIRE_REFUSED,
                                           WIRE_LEASE,
                                           WIRE_ACK,
                                           WIRE_EXTEND,
                                           WIRE_STOP,
                                           WIRE_CHUNK,
                                           WIRE_HEARTBEAT_ANSWER,
                                           WIRE_REQUEST,
                                           WIRE_PUT,
                                           WIRE_REPLY,
                                           (enum wire_kind)0,
                                           (enum wire_kind)99};
    /* per role: nobody, agent, viewer, operator; one letter a kind of the list above */
    static const char *const may[] = {"..................", "xxxxx.............",
                                      ".............x....", ".............xx..."};

    (void)state;
    for (size_t role = 0; role < 4; role++)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            if (session_may_send((enum session_role)role, kinds[k]) != (may[role][k] == 'x'))
                fail_msg("role %zu, kind %d: want %c", role, (int)kinds[k], may[role][k]);
}

static void request_roles_follow_their_table(void **state)
{
    static const char *const least[] = {
#define WIRE_REQUEST_KIND(name, role, words) role,
#include "model/tbl/requests.def"
#undef WIRE_REQUEST_KIND
    };

    (void)state;
    for (size_t k = 0; k < sizeof least / sizeof least[0]; k++) {
        const enum wire_request_kind kind = (enum wire_request_kind)k;
        const bool viewer = strcmp(least[k], "viewer") == 0;
        const bool is_operator = strcmp(least[k], "operator") == 0;

        assert_int_equal(session_may_ask(SESSION_VIEWER, kind), viewer);
        assert_int_equal(session_may_ask(SESSION_OPERATOR, kind), viewer || is_operator);
        assert_false(session_may_ask(SESSION_AGENT, kind));
        assert_false(session_may_ask(SESSION_NOBODY, kind));
    }
    assert_false(session_may_ask(SESSION_OPERATOR, (enum wire_request_kind)1000));
}

static void users_have_no_sessions(void **state)
{
    struct desk *desk = *state;
    const struct session_who viewer = {KEY_B, "eve", SESSION_VIEWER};

    assert_int_equal(session_judge(desk->table, &viewer, &p1, WIRE_REQUEST, desk->now),
                     SESSION_TAKE);
    assert_int_equal(session_judge(desk->table, &viewer, &p1, WIRE_PUT, desk->now), SESSION_DROP);
    assert_int_equal(session_judge(desk->table, &viewer, &p1, WIRE_HELLO, desk->now), SESSION_DROP);
    assert_null(session_find(desk->table, "eve"));
}

static void revoked_key_is_dropped_at_its_next_message(void **state)
{
    struct desk *desk = *state;
    const struct session_who revoked = {KEY_A, "a", SESSION_NOBODY};

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    assert_int_equal(session_judge(desk->table, &revoked, &p1, WIRE_BATCH, desk->now),
                     SESSION_DROP);
    assert_int_equal(session_judge(desk->table, &revoked, &p1, WIRE_HELLO, desk->now),
                     SESSION_DROP);
}

static void wrong_name_and_wrong_version_are_final(void **state)
{
    struct desk *desk = *state;
    struct wire_hello hello = {.version = WIRE_VERSION + 1,
                               .agent_version = (char *)"9",
                               .host = (char *)"a",
                               .boot_id = (char *)"boot1"};
    struct session_answer answer;
    struct err err = {0};

    assert_int_equal(session_hello(desk->table, &host_a, &p1, &hello, desk->now, &answer, &err), 0);
    assert_false(answer.welcome);
    assert_true(answer.final);
    assert_non_null(strstr(answer.reason, "protocol"));
    hello.version = 0;
    assert_int_equal(session_hello(desk->table, &host_a, &p1, &hello, desk->now, &answer, &err), 0);
    assert_true(answer.final);
    hello.version = WIRE_VERSION;
    hello.host = (char *)"b";
    assert_int_equal(session_hello(desk->table, &host_a, &p1, &hello, desk->now, &answer, &err), 0);
    assert_true(answer.final);
    assert_non_null(strstr(answer.reason, "\"a\""));
    assert_null(session_find(desk->table, "a"));
}

static void another_keys_connection_is_not_ones_own(void **state)
{
    struct desk *desk = *state;
    struct wire_hello hello_b = {.version = WIRE_VERSION,
                                 .agent_version = (char *)"",
                                 .host = (char *)"b",
                                 .boot_id = (char *)"boot9"};
    struct session_answer answer;
    struct err err = {0};

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    assert_int_equal(session_judge(desk->table, &host_b, &p1, WIRE_HELLO, desk->now), SESSION_DROP);
    assert_int_equal(session_hello(desk->table, &host_b, &p1, &hello_b, desk->now, &answer, &err),
                     -1);
    assert_int_equal(err.code, ERR_AUTH);
    assert_int_equal(session_judge(desk->table, &host_b, &p1, WIRE_BATCH, desk->now),
                     SESSION_ASK_HELLO);
    assert_int_equal(speak(desk, &p1), SESSION_TAKE);
}

static void reconnect_moves_the_session(void **state)
{
    struct desk *desk = *state;

    assert_true(hello(desk, &p1, s1, "boot1").new_process);
    const struct session_answer again = hello(desk, &p2, s1, "boot1");
    assert_true(again.welcome);
    assert_false(again.new_process);
    assert_int_equal(speak(desk, &p1), SESSION_ASK_HELLO);
    assert_int_equal(speak(desk, &p2), SESSION_TAKE);
}

static void restart_replaces_the_process(void **state)
{
    struct desk *desk = *state;

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    const struct session_answer again = hello(desk, &p2, s2, "boot1");
    assert_true(again.welcome);
    assert_true(again.new_process);
    assert_string_equal(session_find(desk->table, "a")->session, s2);
}

static void two_processes_with_one_key_are_fenced(void **state)
{
    struct desk *desk = *state;
    struct session_loss loss;

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    assert_true(hello(desk, &p2, s2, "boot1").welcome);
    const struct session_answer twin = hello(desk, &p1, s1, "boot1");
    assert_false(twin.welcome);
    assert_false(twin.final);
    assert_string_equal(state_of(desk), "fenced");
    assert_true(lost(desk, &loss));
    assert_int_equal(loss.why, SESSION_WHY_FENCED);
    assert_string_equal(loss.name, "a");
    assert_memory_equal(loss.peer.id, p2.id, 1);
    assert_false(lost(desk, &loss));
}

static void silence_is_a_loss_after_three_heartbeats(void **state)
{
    struct desk *desk = *state;
    struct session_loss loss;

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    desk->now += 3 * BEAT;
    assert_false(lost(desk, &loss));
    desk->now += 1;
    assert_true(lost(desk, &loss));
    assert_string_equal(loss.name, "a");
    assert_int_equal(loss.why, SESSION_WHY_SILENT);
    assert_string_equal(loss.reason, "silent for 15 s");
    assert_string_equal(state_of(desk), "away");
    assert_false(lost(desk, &loss));
    assert_int_equal(speak(desk, &p1), SESSION_ASK_HELLO);
    assert_true(hello(desk, &p1, s1, "boot1").welcome);
}

static void every_message_is_a_sign_of_life(void **state)
{
    struct desk *desk = *state;
    struct session_loss loss;

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    for (int i = 0; i < 10; i++) {
        desk->now += 2 * BEAT;
        assert_int_equal(speak(desk, &p1), SESSION_TAKE);
        assert_false(lost(desk, &loss));
    }
}

static void announced_sleep_suspends_liveness(void **state)
{
    struct desk *desk = *state;
    struct session_loss loss;

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    assert_int_equal(sleep_for(desk, s1, 60 * BEAT), SESSION_TAKE);
    assert_string_equal(state_of(desk), "asleep");
    desk->now += 63 * BEAT;
    assert_false(lost(desk, &loss));
    assert_int_equal(speak(desk, &p1), SESSION_TAKE);
    assert_string_equal(state_of(desk), "live");
    desk->now += 3 * BEAT + 1;
    assert_true(lost(desk, &loss));
}

static void sleep_that_never_ends_is_a_loss(void **state)
{
    struct desk *desk = *state;
    struct session_loss loss;

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    assert_int_equal(sleep_for(desk, s1, INT64_MAX), SESSION_TAKE);
    desk->now += SESSION_SLEEP_MAX_NS + 3 * BEAT;
    assert_false(lost(desk, &loss));
    desk->now += 1;
    assert_true(lost(desk, &loss));
}

static void heartbeat_of_another_process_is_not_taken(void **state)
{
    struct desk *desk = *state;

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    assert_int_equal(sleep_for(desk, s2, BEAT), SESSION_ASK_HELLO);
    assert_string_equal(state_of(desk), "live");
}

static void rebooted_host_is_welcome_once_its_old_boot_is_silent(void **state)
{
    struct desk *desk = *state;
    struct session_loss loss;

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    desk->now += BEAT;
    const struct session_answer early = hello(desk, &p2, s2, "boot2");
    assert_false(early.welcome);
    assert_false(early.final);
    assert_string_equal(state_of(desk), "doubted");
    desk->now += 2 * BEAT + 1;
    assert_true(lost(desk, &loss));
    assert_int_equal(loss.why, SESSION_WHY_SILENT);
    assert_true(hello(desk, &p2, s2, "boot2").welcome);
    assert_string_equal(session_find(desk->table, "a")->boot_id, "boot2");
}

static void copied_image_fences_both(void **state)
{
    struct desk *desk = *state;
    struct session_loss loss;
    char reason[LIMIT_REASON];

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    assert_false(hello(desk, &p2, s2, "boot2").welcome);
    assert_int_equal(speak(desk, &p1), SESSION_REFUSE);
    assert_string_equal(state_of(desk), "fenced");
    assert_true(lost(desk, &loss));
    assert_int_equal(loss.why, SESSION_WHY_FENCED);
    session_reason(session_find(desk->table, "a"), reason);
    assert_non_null(strstr(reason, "boot1"));
    assert_non_null(strstr(reason, "boot2"));
    assert_int_equal(speak(desk, &p1), SESSION_REFUSE);
    assert_false(hello(desk, &p1, s1, "boot1").welcome);
    const struct session_answer other = hello(desk, &p2, s2, "boot2");
    assert_false(other.welcome);
    assert_string_equal(other.reason, reason);
    assert_int_equal(session_count_connected(desk->table), 0);
}

static void fence_falls_when_one_of_two_has_gone(void **state)
{
    struct desk *desk = *state;

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    assert_false(hello(desk, &p2, s2, "boot2").welcome);
    assert_int_equal(speak(desk, &p1), SESSION_REFUSE);
    for (int i = 0; i < 20; i++) { /* both are there: no way in, however long it takes */
        desk->now += 2 * BEAT;
        assert_false(hello(desk, &p1, s1, "boot1").welcome);
        assert_false(hello(desk, &p2, s2, "boot2").welcome);
    }
    for (int i = 0; i < 20; i++) {
        desk->now += BEAT;
        assert_false(hello(desk, &p2, s2, "boot2").welcome);
    }
    desk->now += 1;
    assert_true(hello(desk, &p2, s2, "boot2").welcome);
    assert_string_equal(state_of(desk), "live");
}

static void third_process_does_not_lift_a_fence(void **state)
{
    struct desk *desk = *state;

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    assert_false(hello(desk, &p2, s2, "boot2").welcome);
    assert_int_equal(speak(desk, &p1), SESSION_REFUSE);
    desk->now += 10 * BEAT;
    assert_false(hello(desk, &p1, s1, "boot1").welcome);
    desk->now += 15 * BEAT;
    assert_false(hello(desk, &p2, s3, "boot2").welcome);
    assert_string_equal(state_of(desk), "fenced");
}

static void same_boot_with_other_keys_is_colocated(void **state)
{
    struct desk *desk = *state;
    struct strlist names = {0};

    assert_true(hello_as(desk, &host_a, &p1, s1, "boot1").welcome);
    assert_true(hello_as(desk, &host_b, &p2, s2, "boot1").welcome);
    session_colocated(desk->table, "a", &names);
    assert_int_equal(names.n, 1);
    assert_string_equal(names.v[0], "b");
    strlist_done(&names);
    session_end(desk->table, "b");
    session_colocated(desk->table, "a", &names);
    assert_int_equal(names.n, 0);
    assert_int_equal(session_count_connected(desk->table), 1);
}

static void new_key_for_a_name_begins_anew(void **state)
{
    struct desk *desk = *state;
    const struct session_who renewed = {KEY_B, "a", SESSION_AGENT};
    struct session_loss loss;

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    assert_int_equal(session_judge(desk->table, &renewed, &p1, WIRE_BATCH, desk->now),
                     SESSION_ASK_HELLO);
    assert_true(hello_as(desk, &renewed, &p2, s2, "boot2").welcome);
    assert_int_equal(speak(desk, &p1), SESSION_ASK_HELLO);
    assert_false(lost(desk, &loss));
}

static void ended_session_is_away_without_a_loss(void **state)
{
    struct desk *desk = *state;
    struct session_loss loss;

    assert_true(hello(desk, &p1, s1, "boot1").welcome);
    session_end(desk->table, "a");
    session_end(desk->table, "nobody");
    assert_string_equal(state_of(desk), "away");
    assert_false(lost(desk, &loss));
    assert_int_equal(speak(desk, &p1), SESSION_ASK_HELLO);
}

/* Many hosts, found again by name whatever the order of arrival. */
static void names_are_found_among_many(void **state)
{
    struct desk *desk = *state;
    char name[16], key[48];

    for (int i = 0; i < 500; i++) {
        const int n = i * 263 % 500;
        struct chan_peer peer = {.length = sizeof n};
        const struct session_who who = {key, name, SESSION_AGENT};

        memcpy(peer.id, &n, sizeof n);
        (void)snprintf(name, sizeof name, "h%d", n);
        (void)snprintf(key, sizeof key, "%040d", n);
        assert_true(hello_as(desk, &who, &peer, s1, "boot1").welcome);
    }
    assert_int_equal(session_count_connected(desk->table), 500);
    for (int n = 0; n < 500; n++) {
        (void)snprintf(name, sizeof name, "h%d", n);
        assert_non_null(session_find(desk->table, name));
        assert_memory_equal(session_find(desk->table, name)->peer.id, &n, sizeof n);
    }
    assert_null(session_find(desk->table, "h500"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(nothing_counts_before_a_hello),
        TEST(kinds_and_roles_are_a_closed_table),
        TEST(request_roles_follow_their_table),
        TEST(users_have_no_sessions),
        TEST(revoked_key_is_dropped_at_its_next_message),
        TEST(wrong_name_and_wrong_version_are_final),
        TEST(another_keys_connection_is_not_ones_own),
        TEST(reconnect_moves_the_session),
        TEST(restart_replaces_the_process),
        TEST(two_processes_with_one_key_are_fenced),
        TEST(silence_is_a_loss_after_three_heartbeats),
        TEST(every_message_is_a_sign_of_life),
        TEST(announced_sleep_suspends_liveness),
        TEST(sleep_that_never_ends_is_a_loss),
        TEST(heartbeat_of_another_process_is_not_taken),
        TEST(rebooted_host_is_welcome_once_its_old_boot_is_silent),
        TEST(copied_image_fences_both),
        TEST(fence_falls_when_one_of_two_has_gone),
        TEST(third_process_does_not_lift_a_fence),
        TEST(same_boot_with_other_keys_is_colocated),
        TEST(new_key_for_a_name_begins_anew),
        TEST(ended_session_is_away_without_a_loss),
        TEST(names_are_found_among_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
