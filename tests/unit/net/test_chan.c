/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who gets through a listening channel and who does not, over loopback. That something does not
 * arrive is shown by order: the intruder's handshake is seen to end (socket monitor, or the key
 * handler's count), then an enrolled client speaks and must be the first one heard.
 */
#include "net/auth.h"
#include "net/chan.h"

#include "base/clk.h"
#include "model/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DEADLINE_NS (20 * CLK_NS_PER_S)

struct house {
    struct auth *auth;
    struct keys server, agent, other;
    struct chan *door;
    void *monitor; /* PAIR: events of the door */
};

static int set_up(void **state)
{
    static int nth; /* a name of its own each time: an old one is given free by another thread */
    struct house *house = mem_new(struct house);
    struct err err = {0};
    char monitor[64];

    (void)snprintf(monitor, sizeof monitor, "inproc://test-chan-monitor-%d", nth++);
    zsys_handler_set(NULL);
    assert_int_equal(keys_new(&house->server, &err), 0);
    assert_int_equal(keys_new(&house->agent, &err), 0);
    assert_int_equal(keys_new(&house->other, &err), 0);
    assert_int_equal(auth_start(&house->auth, &err), 0);
    auth_allow(house->auth, house->agent.public_key);
    assert_int_equal(
        chan_listen("tcp://127.0.0.1:*", &house->server, house->auth, &house->door, &err), 0);
    assert_int_equal(zmq_socket_monitor(zsock_resolve(chan_socket(house->door)), monitor,
                                        ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                                            ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                            ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                                            ZMQ_EVENT_DISCONNECTED),
                     0);
    house->monitor = zmq_socket(zsys_init(), ZMQ_PAIR);
    assert_int_equal(zmq_connect(house->monitor, monitor), 0);
    *state = house;
    return 0;
}

static int tear_down(void **state)
{
    struct house *house = *state;

    zmq_socket_monitor(zsock_resolve(chan_socket(house->door)), NULL, 0);
    zmq_close(house->monitor);
    chan_free(house->door);
    auth_free(house->auth);
    mem_free(house);
    return 0;
}

static bool readable(void *socket)
{
    const int64_t until = clk_mono_ns() + DEADLINE_NS;

    while (clk_mono_ns() < until) {
        zmq_pollitem_t item = {socket, 0, ZMQ_POLLIN, 0};

        if (zmq_poll(&item, 1, 100) > 0)
            return true;
    }
    return false;
}

/* The door has seen one more handshake fail, or a connection end. */
static void wait_for_failure(struct house *house)
{
    zmq_msg_t part;
    int more = 1;

    assert_true(readable(house->monitor));
    for (zmq_msg_init(&part); more;
         zmq_getsockopt(house->monitor, ZMQ_RCVMORE, &more, &(size_t){sizeof more}))
        assert_true(zmq_msg_recv(&part, house->monitor, 0) >= 0);
    zmq_msg_close(&part);
}

static struct chan *connect_as(const struct house *house, const struct keys *keys)
{
    struct chan *chan = NULL;
    struct err err = {0};

    assert_int_equal(
        chan_connect(chan_endpoint(house->door), keys, house->server.public_key, &chan, &err), 0);
    return chan;
}

static void say(struct chan *chan, const struct chan_peer *peer, const char *text)
{
    struct err err = {0};

    assert_int_equal(chan_send(chan, peer, text, strlen(text), &err), 0);
}

/* The next message, which must be text; ret (may be NULL) keeps its sender. */
static void hear(struct chan *chan, const char *text, struct chan_message *ret)
{
    struct chan_message message = {0};
    struct err err = {0};

    for (int result = CHAN_NOTHING; result == CHAN_NOTHING;) {
        assert_true(readable(zsock_resolve(chan_socket(chan))));
        result = chan_recv(chan, &message, &err);
        assert_true(result >= 0);
    }
    assert_string_equal(str_get(&message.bytes), text);
    if (ret)
        *ret = message;
    str_done(&message.bytes);
    if (ret)
        ret->bytes = (struct str){0};
}

/* An enrolled client is heard, and nobody before it. */
static void only_the_enrolled_is_heard(struct house *house)
{
    CLEAN(chan) struct chan *good = connect_as(house, &house->agent);
    struct chan_message message = {0};

    say(good, NULL, "from the enrolled one");
    hear(house->door, "from the enrolled one", &message);
    assert_string_equal(message.key, house->agent.public_key);
}

/* A client socket of our own making, connected to the door. */
static zsock_t *stranger(const struct house *house, int type)
{
    zsock_t *socket = zsock_new(type);

    assert_non_null(socket);
    zsock_set_linger(socket, 0);
    zsock_set_reconnect_ivl(socket, -1);
    (void)house;
    return socket;
}

static void knock(const struct house *house, zsock_t *socket)
{
    assert_int_equal(zmq_connect(zsock_resolve(socket), chan_endpoint(house->door)), 0);
    assert_int_equal(zmq_send(zsock_resolve(socket), "intruder", 8, ZMQ_DONTWAIT), 8);
}

static void enrolled_key_is_heard_and_answered(void **state)
{
    struct house *house = *state;
    CLEAN(chan) struct chan *agent = connect_as(house, &house->agent);
    struct chan_message message = {0};

    say(agent, NULL, "hello");
    hear(house->door, "hello", &message);
    assert_string_equal(message.key, house->agent.public_key);
    assert_true(message.peer.length > 0);
    say(house->door, &message.peer, "welcome");
    hear(agent, "welcome", NULL);
    assert_int_equal(chan_dropped(house->door), 0);
}

static void null_mechanism_is_refused(void **state)
{
    struct house *house = *state;
    zsock_t *socket = stranger(house, ZMQ_DEALER);

    knock(house, socket);
    wait_for_failure(house);
    only_the_enrolled_is_heard(house);
    zsock_destroy(&socket);
}

static void plain_mechanism_is_refused(void **state)
{
    struct house *house = *state;
    zsock_t *socket = stranger(house, ZMQ_DEALER);

    zsock_set_plain_username(socket, "agent");
    zsock_set_plain_password(socket, "agent");
    knock(house, socket);
    wait_for_failure(house);
    only_the_enrolled_is_heard(house);
    zsock_destroy(&socket);
}

static void unknown_key_is_refused(void **state)
{
    struct house *house = *state;
    CLEAN(chan) struct chan *other = connect_as(house, &house->other);
    unsigned long allowed, refused;

    say(other, NULL, "let me in"); /* accepted by the socket: a sender learns nothing */
    wait_for_failure(house);
    auth_counts(house->auth, &allowed, &refused);
    assert_int_equal(allowed, 0);
    assert_true(refused >= 1);
    only_the_enrolled_is_heard(house);
}

static void wrong_server_key_is_refused(void **state)
{
    struct house *house = *state;
    struct chan *chan = NULL;
    struct err err = {0};

    assert_int_equal(chan_connect(chan_endpoint(house->door), &house->agent,
                                  house->other.public_key, &chan, &err),
                     0);
    say(chan, NULL, "who are you");
    wait_for_failure(house);
    chan_free(chan);
    only_the_enrolled_is_heard(house);
}

static void publisher_sockets_are_refused(void **state)
{
    struct house *house = *state;
    zsock_t *socket = stranger(house, ZMQ_SUB);

    zsock_set_curve_publickey(socket, house->agent.public_key);
    zsock_set_curve_secretkey(socket, house->agent.secret_key);
    zsock_set_curve_serverkey(socket, house->server.public_key);
    assert_int_equal(zmq_connect(zsock_resolve(socket), chan_endpoint(house->door)), 0);
    wait_for_failure(house);
    only_the_enrolled_is_heard(house);
    zsock_destroy(&socket);
}

/* Another enrolled key that takes the victim's address neither speaks under it nor hears what is
 * meant for the victim. */
static void stolen_routing_id_gets_nowhere(void **state)
{
    struct house *house = *state;
    CLEAN(chan) struct chan *victim = connect_as(house, &house->agent);
    struct chan_message message = {0};
    char byte;

    auth_allow(house->auth, house->other.public_key);
    say(victim, NULL, "hello");
    hear(house->door, "hello", &message);

    zsock_t *thief = stranger(house, ZMQ_DEALER);
    zsock_set_curve_publickey(thief, house->other.public_key);
    zsock_set_curve_secretkey(thief, house->other.secret_key);
    zsock_set_curve_serverkey(thief, house->server.public_key);
    assert_int_equal(
        zmq_setsockopt(zsock_resolve(thief), ZMQ_ROUTING_ID, message.peer.id, message.peer.length),
        0);
    knock(house, thief);
    unsigned long allowed = 0, refused = 0;
    for (const int64_t until = clk_mono_ns() + DEADLINE_NS; allowed < 2 && clk_mono_ns() < until;) {
        zclock_sleep(1); /* only until the handshake is done, whose end is what counts */
        auth_counts(house->auth, &allowed, &refused);
    }
    assert_int_equal(allowed, 2);

    for (int i = 0; i < 100; i++)
        say(house->door, &message.peer, "work");
    for (int i = 0; i < 100; i++)
        hear(victim, "work", NULL);
    say(victim, NULL, "done");
    hear(house->door, "done", &message);
    assert_string_equal(message.key, house->agent.public_key);
    assert_int_equal(zmq_recv(zsock_resolve(thief), &byte, 1, ZMQ_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    zsock_destroy(&thief);
}

/* One key on two connections: two addresses, one identity. */
static void identity_is_the_key_whatever_the_address(void **state)
{
    struct house *house = *state;
    CLEAN(chan) struct chan *first = connect_as(house, &house->agent);
    CLEAN(chan) struct chan *second = connect_as(house, &house->agent);
    struct chan_message one = {0}, two = {0};

    say(first, NULL, "first");
    hear(house->door, "first", &one);
    say(second, NULL, "second");
    hear(house->door, "second", &two);
    assert_string_equal(one.key, two.key);
    assert_true(one.peer.length != two.peer.length ||
                memcmp(one.peer.id, two.peer.id, one.peer.length) != 0);
}

/* A denied key keeps the connection it has, still under its name, for the session table to refuse;
 * it gets no new one. */
static void denied_key_gets_no_new_connection(void **state)
{
    struct house *house = *state;
    CLEAN(chan) struct chan *old = connect_as(house, &house->agent);
    struct chan_message message = {0};

    say(old, NULL, "before");
    hear(house->door, "before", NULL);
    auth_deny(house->auth, house->agent.public_key);
    say(old, NULL, "after");
    hear(house->door, "after", &message);
    assert_string_equal(message.key, house->agent.public_key);

    CLEAN(chan) struct chan *again = connect_as(house, &house->agent);
    say(again, NULL, "again");
    wait_for_failure(house);
    auth_allow(house->auth, house->agent.public_key);
    only_the_enrolled_is_heard(house);
}

static zsock_t *enrolled_raw(const struct house *house)
{
    zsock_t *socket = stranger(house, ZMQ_DEALER);

    zsock_set_curve_publickey(socket, house->agent.public_key);
    zsock_set_curve_secretkey(socket, house->agent.secret_key);
    zsock_set_curve_serverkey(socket, house->server.public_key);
    assert_int_equal(zmq_connect(zsock_resolve(socket), chan_endpoint(house->door)), 0);
    return socket;
}

static void oversize_frames_end_the_connection(void **state)
{
    struct house *house = *state;
    const size_t length = CHAN_MESSAGE_MAX + 4096;
    CLEAN_MEM char *big = mem_alloc(length, 1);
    zsock_t *socket = enrolled_raw(house);

    assert_int_equal(zmq_send(zsock_resolve(socket), big, length, 0), (int)length);
    wait_for_failure(house);
    only_the_enrolled_is_heard(house);
    zsock_destroy(&socket);
}

static void oversize_messages_are_not_sent(void **state)
{
    struct house *house = *state;
    CLEAN(chan) struct chan *agent = connect_as(house, &house->agent);
    CLEAN_MEM char *big = mem_alloc(CHAN_MESSAGE_MAX + 1, 1);
    struct err err = {0};

    assert_int_equal(chan_send(agent, NULL, big, CHAN_MESSAGE_MAX + 1, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    say(agent, NULL, "still here");
    hear(house->door, "still here", NULL);
}

static void largest_message_gets_through(void **state)
{
    struct house *house = *state;
    CLEAN(chan) struct chan *agent = connect_as(house, &house->agent);
    CLEAN_MEM char *big = mem_alloc(CHAN_MESSAGE_MAX + 1, 1);

    memset(big, 'x', CHAN_MESSAGE_MAX);
    say(agent, NULL, big);
    hear(house->door, big, NULL);
}

static void messages_of_several_frames_are_dropped(void **state)
{
    struct house *house = *state;
    zsock_t *socket = enrolled_raw(house);

    assert_int_equal(zmq_send(zsock_resolve(socket), "one", 3, ZMQ_SNDMORE), 3);
    assert_int_equal(zmq_send(zsock_resolve(socket), "two", 3, ZMQ_SNDMORE), 3);
    assert_int_equal(zmq_send(zsock_resolve(socket), "three", 5, 0), 5);
    assert_int_equal(zmq_send(zsock_resolve(socket), "single", 6, 0), 6);
    hear(house->door, "single", NULL);
    assert_int_equal(chan_dropped(house->door), 1);
    zsock_destroy(&socket);
}

static void unknown_address_is_gone(void **state)
{
    struct house *house = *state;
    const struct chan_peer nobody = {.id = "nobody", .length = 6};
    struct err err = {0};

    assert_int_equal(chan_send(house->door, &nobody, "x", 1, &err), CHAN_GONE);
    only_the_enrolled_is_heard(house);
}

static void slow_peer_is_full_not_lost(void **state)
{
    struct house *house = *state;
    CLEAN(chan) struct chan *agent = connect_as(house, &house->agent);
    CLEAN_MEM char *bytes = mem_alloc(64 * 1024, 1);
    struct chan_message message = {0};
    struct err err = {0};
    size_t sent = 0, got = 0;
    int result = 0;

    say(agent, NULL, "hello");
    hear(house->door, "hello", &message);
    /* The agent does not read: both queues and the kernel's buffers fill up. */
    while (result == 0 && sent < 100000) {
        result = chan_send(house->door, &message.peer, bytes, 64 * 1024, &err);
        sent += result == 0;
    }
    assert_int_equal(result, CHAN_FULL);
    for (; got < sent && readable(zsock_resolve(chan_socket(agent)));) {
        struct chan_message one = {0};

        got += chan_recv(agent, &one, &err) == 0;
        chan_message_done(&one);
    }
    assert_int_equal(got, sent);
}

static void nothing_to_read_is_said_at_once(void **state)
{
    struct house *house = *state;
    struct chan_message message = {0};
    struct err err = {0};

    assert_int_equal(chan_recv(house->door, &message, &err), CHAN_NOTHING);
    assert_null(message.bytes.text);
}

static void only_one_handler_a_process(void **state)
{
    struct auth *second = NULL;
    struct err err = {0};

    (void)state;
    assert_int_equal(auth_start(&second, &err), -1);
    assert_int_equal(err.code, ERR_STATE);
    assert_null(second);
}

static void nothing_listens_without_a_handler(void **state)
{
    struct house *house = *state;
    struct chan *chan = NULL;
    struct err err = {0};

    assert_int_equal(chan_listen("tcp://127.0.0.1:*", &house->server, NULL, &chan, &err), -1);
    assert_int_equal(err.code, ERR_STATE);
    assert_null(chan);
}

static void bad_endpoints_are_named(void **state)
{
    struct house *house = *state;
    struct chan *chan = NULL;
    struct err err = {0};

    assert_int_equal(chan_listen("tcp://256.0.0.1:1", &house->server, house->auth, &chan, &err),
                     -1);
    assert_int_equal(err.code, ERR_NET);
    assert_non_null(strstr(err.text, "256.0.0.1"));
    assert_int_equal(chan_connect(chan_endpoint(house->door), &house->agent, "no key", &chan, &err),
                     -1);
    assert_int_equal(err.code, ERR_INPUT);
}

static void bounds_are_those_of_the_model(void **state)
{
    (void)state;
    assert_int_equal(CHAN_MESSAGE_MAX, LIMIT_SAMPLE_FRAME);
    assert_int_equal(CHAN_PENDING_MAX, LIMIT_PENDING_FRAMES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(enrolled_key_is_heard_and_answered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(null_mechanism_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plain_mechanism_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_key_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_server_key_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(publisher_sockets_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stolen_routing_id_gets_nowhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(identity_is_the_key_whatever_the_address, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(denied_key_gets_no_new_connection, set_up, tear_down),
        cmocka_unit_test_setup_teardown(oversize_frames_end_the_connection, set_up, tear_down),
        cmocka_unit_test_setup_teardown(oversize_messages_are_not_sent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(largest_message_gets_through, set_up, tear_down),
        cmocka_unit_test_setup_teardown(messages_of_several_frames_are_dropped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_address_is_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(slow_peer_is_full_not_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_to_read_is_said_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_one_handler_a_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_listens_without_a_handler, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_endpoints_are_named, set_up, tear_down),
        cmocka_unit_test(bounds_are_those_of_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
