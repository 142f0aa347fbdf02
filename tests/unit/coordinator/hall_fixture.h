/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A real coordinator in a process of its own, and both kinds of peers towards it: an agent played
 * by the test, a user. Header only; one test program includes it.
 */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clk.h"
#include "base/fdio.h"
#include "base/log.h"
#include "coordinator/coord.h"
#include "coordinator/store/store.h"
#include "net/chan.h"
#include "proto/wire.h"

#define PATIENCE_NS (20 * CLK_NS_PER_S)
enum { HALL_BLOCKS = 10 };

struct hall {
    char folder[64];
    char *db, *endpoints;
    pid_t spawner; /* forked before any socket exists; forks coordinators on demand */
    int command[2], answer[2];
    pid_t coordinator;
    struct keys agent, other, user;
    struct chan *to_agents, *to_users;
    char session[ID_SIZE];
    uint64_t requests;
};

static void hall_serve(struct hall *hall)
{
    CLEAN_MEM char *agents = mem_printf("ipc://%s/agents", hall->folder);
    CLEAN_MEM char *users = mem_printf("ipc://%s/users", hall->folder);
    CLEAN_DONE(strlist) struct strlist enroll = {0};
    CLEAN_DONE(strlist) struct strlist allow = {0};
    CLEAN_MEM char *n1 = mem_printf("n1=%s", hall->agent.public_key);
    CLEAN_MEM char *n2 = mem_printf("n2=%s", hall->other.public_key);
    const struct coord_options options = {.data_dir = hall->folder,
                                          .agent_endpoint = agents,
                                          .user_endpoint = users,
                                          .enroll = &enroll,
                                          .allow_user = &allow,
                                          .heartbeat_ns = 200 * CLK_NS_PER_MS,
                                          .ttl_ns = 30 * CLK_NS_PER_S,
                                          .wait_hosts_ns = 2 * CLK_NS_PER_S,
                                          .lost_grace_ns = CLK_NS_PER_S};
    struct err err = {0};
    int result;

    log_set_level(LOG_ERROR);
    strlist_add(&enroll, n1);
    strlist_add(&enroll, n2);
    strlist_add(&allow, hall->user.public_key);
    result = coord_main(&options, &err);
    if (result < 0)
        (void)fprintf(stderr, "coordinator: %s\n", err.text);
    _exit(result < 0);
}

/* 's' starts one and answers its pid; 'k' kills it; 't' ends it; anything else ends the spawner. */
static void hall_spawn(struct hall *hall)
{
    pid_t child = 0;
    char command;

    (void)close(hall->command[1]); /* or the end of the test would never be seen */
    (void)close(hall->answer[0]);
    while (read(hall->command[0], &command, 1) == 1) {
        if (command == 's') {
            child = fork();
            if (child == 0)
                hall_serve(hall);
        } else if (command == 'k' || command == 't') {
            (void)kill(child, command == 'k' ? SIGKILL : SIGTERM);
            (void)waitpid(child, NULL, 0);
        } else {
            break;
        }
        (void)!write(hall->answer[1], &child, sizeof(child));
    }
    _exit(0);
}

static void hall_command(struct hall *hall, char command)
{
    assert_int_equal(write(hall->command[1], &command, 1), 1);
    assert_int_equal(read(hall->answer[0], &hall->coordinator, sizeof(hall->coordinator)),
                     sizeof(hall->coordinator));
}

static void hall_start(struct hall *hall)
{
    int64_t give_up_ns = clk_mono_ns() + PATIENCE_NS;

    (void)unlink(hall->endpoints);
    hall_command(hall, 's');
    while (access(hall->endpoints, F_OK) < 0) {
        assert_true(clk_mono_ns() < give_up_ns);
        (void)usleep(10000);
    }
}

static struct chan *hall_connect(struct hall *hall, const struct keys *keys, bool agents)
{
    struct coord_endpoints endpoints;
    struct chan *chan = NULL;
    struct err err = {0};

    assert_int_equal(coord_endpoints_load(hall->endpoints, &endpoints, &err), 0);
    if (chan_connect(agents ? endpoints.agents : endpoints.users, keys, endpoints.key, &chan,
                     &err) < 0)
        fail_msg("%s", err.text);
    coord_endpoints_done(&endpoints);
    return chan;
}

/* Only what needs no socket: the spawner is forked here. */
static void hall_init(struct hall *hall)
{
    struct err err = {0};

    memset(hall, 0, sizeof(*hall));
    (void)snprintf(hall->folder, sizeof(hall->folder), "/tmp/muster-hall-XXXXXX");
    assert_non_null(mkdtemp(hall->folder));
    hall->db = coord_db_path(hall->folder);
    hall->endpoints = coord_endpoints_path(hall->folder);
    assert_int_equal(keys_new(&hall->agent, &err), 0);
    assert_int_equal(keys_new(&hall->other, &err), 0);
    assert_int_equal(keys_new(&hall->user, &err), 0);
    assert_int_equal(pipe(hall->command), 0);
    assert_int_equal(pipe(hall->answer), 0);
    hall->spawner = fork();
    if (hall->spawner == 0)
        hall_spawn(hall);
    id_new(hall->session);
}

static void hall_open(struct hall *hall)
{
    hall_start(hall);
    hall->to_agents = hall_connect(hall, &hall->agent, true);
    hall->to_users = hall_connect(hall, &hall->user, false);
}

static void hall_close(struct hall *hall)
{
    chan_free(hall->to_agents);
    chan_free(hall->to_users);
    hall->to_agents = hall->to_users = NULL;
    hall_command(hall, 't');
}

static void hall_done(struct hall *hall)
{
    struct err err = {0};

    (void)close(hall->command[1]);
    (void)kill(hall->spawner, SIGKILL); /* later halls hold its pipe open too */
    (void)waitpid(hall->spawner, NULL, 0);
    (void)close(hall->command[0]);
    (void)close(hall->answer[0]);
    (void)close(hall->answer[1]);
    assert_int_equal(fdio_remove_tree(hall->folder, &err), 0);
    mem_free(hall->db);
    mem_free(hall->endpoints);
}

/* ---- messages ---- */

static void hall_send(struct chan *chan, enum wire_kind kind, const void *body)
{
    static const struct chan_peer nobody;
    CLEAN_DONE(str) struct str bytes = {0};
    struct err err = {0};

    if (wire_encode(kind, body, &bytes, &err) < 0 ||
        chan_send(chan, &nobody, bytes.text, bytes.length, &err) != 0)
        fail_msg("message of kind %d not sent: %s", (int)kind, err.text);
}

/* The next message of this kind (heartbeat answers and others are passed over). NULL after wait_ns.
 */
static struct wire_message *hall_await(struct chan *chan, enum wire_kind kind, int64_t wait_ns)
{
    int64_t give_up_ns = clk_mono_ns() + wait_ns;

    while (clk_mono_ns() < give_up_ns) {
        zmq_pollitem_t item = {.socket = zsock_resolve(chan_socket(chan)), .events = ZMQ_POLLIN};
        struct chan_message bytes = {0};
        struct wire_message *message = NULL;
        struct err err = {0};

        (void)zmq_poll(&item, 1, 20);
        if (chan_recv(chan, &bytes, &err) == 0 &&
            wire_decode(bytes.bytes.text, bytes.bytes.length, &message, &err) == 0 &&
            message->kind == kind) {
            chan_message_done(&bytes);
            return message;
        }
        chan_message_done(&bytes);
        wire_message_free(message);
    }
    return NULL;
}

static struct wire_message *hall_must_get(struct chan *chan, enum wire_kind kind)
{
    struct wire_message *message = hall_await(chan, kind, PATIENCE_NS);

    if (!message)
        fail_msg("no message of kind %d came", (int)kind);
    return message;
}

/* Says hello as the agent and returns the welcome. */
static struct wire_welcome hall_hello(struct hall *hall, int64_t run, uint64_t epoch,
                                      uint64_t spooled)
{
    struct wire_hello hello = {.version = WIRE_VERSION,
                               .agent_version = "test",
                               .host = "n1",
                               .boot_id = "boot-1",
                               .machine_id_hash = "m",
                               .run = run,
                               .epoch = epoch,
                               .spooled_seq = spooled};
    struct wire_message *message;
    struct wire_welcome welcome;

    memcpy(hello.session, hall->session, sizeof(hello.session));
    hello.facts = fact_set_new();
    hall_send(hall->to_agents, WIRE_HELLO, &hello);
    fact_set_free(hello.facts);
    message = hall_must_get(hall->to_agents, WIRE_WELCOME);
    welcome = *message->as.welcome;
    wire_message_free(message);
    return welcome;
}

/* Asks as the user; the text of the answer goes to ret. Returns the exit code. */
static int hall_ask(struct hall *hall, struct wire_request *request, struct str *ret)
{
    bool last = false;
    int code = -1;

    request->id = ++hall->requests;
    hall_send(hall->to_users, WIRE_REQUEST, request);
    while (!last) {
        struct wire_message *message = hall_must_get(hall->to_users, WIRE_REPLY);

        if (message->as.reply->text_length > 0)
            str_add_bytes(ret, message->as.reply->text, message->as.reply->text_length);
        if (message->as.reply->error)
            str_add(ret, message->as.reply->error);
        last = message->as.reply->last;
        code = message->as.reply->exit_code;
        wire_message_free(message);
    }
    return code;
}

static struct experiment *hall_experiment(void)
{
    struct experiment *e = experiment_new();

    e->name = mem_strdup("e");
    e->variant = mem_array(struct variant, 2);
    e->n_variants = 2;
    e->variant[0].name = mem_strdup("a");
    e->variant[0].run = mem_strdup("old");
    e->variant[1].name = mem_strdup("b");
    e->variant[1].run = mem_strdup("new");
    e->min_blocks = e->max_blocks = HALL_BLOCKS;
    e->hosts = mem_strdup("host == \"n1\"");
    return e;
}

static void hall_submit(struct hall *hall, const char *token)
{
    CLEAN(experiment) struct experiment *e = hall_experiment();
    CLEAN_DONE(str) struct str text = {0};
    struct wire_request request = {.kind = WIRE_REQUEST_SUBMIT, .experiment = e};

    memcpy(request.token, token, ID_SIZE);
    if (hall_ask(hall, &request, &text) != 0)
        fail_msg("submit: %s", str_get(&text));
    assert_string_equal(text.text, "e@1\n");
}

/* One block: samples first and first + 1 of round `round`. */
static void hall_send_block(struct hall *hall, const struct lease *lease, uint64_t epoch,
                            uint64_t first, uint32_t round)
{
    struct wire_batch batch = {.run = lease->run, .epoch = epoch, .rounds_done = round + 1};
    CLEAN(frame) struct frame *frame = frame_new();
    size_t elapsed;

    frame->first_seq = first;
    for (uint32_t i = 0; i < 2; i++) {
        size_t row = frame_add_row(frame);

        frame->variant[row] = i;
        frame->round[row] = round;
        frame->position[row] = i;
    }
    elapsed = frame_number_column(frame, "elapsed_s");
    for (size_t i = 0; i < 2; i++)
        frame->number[elapsed].v[i] = 1.0 + 0.5 * (double)i + 0.001 * (double)round;
    batch.frame = frame;
    hall_send(hall->to_agents, WIRE_BATCH, &batch);
}

static uint64_t hall_ack(struct hall *hall)
{
    struct wire_message *message = hall_must_get(hall->to_agents, WIRE_ACK);
    uint64_t seq = message->as.ack->stored_seq;

    wire_message_free(message);
    return seq;
}

static void hall_event(struct hall *hall, const struct lease *lease, enum wire_event event,
                       uint64_t seq)
{
    struct wire_trial_event body = {
        .run = lease->run, .epoch = lease->epoch, .event = event, .seq = seq, .reason = "test"};

    hall_send(hall->to_agents, WIRE_TRIAL_EVENT, &body);
}

/* The state of n1's trial in the store, waited for. */
static void hall_wait_state(struct hall *hall, int64_t run, enum trial_state want)
{
    int64_t give_up_ns = clk_mono_ns() + PATIENCE_NS;
    enum trial_state got = TRIAL_WAITING;

    while (clk_mono_ns() < give_up_ns) {
        CLEAN(store) struct store *store = NULL;
        CLEAN_DONE(trial_list) struct trial_list trials = {0};
        struct err err = {0};

        if (store_open(hall->db, STORE_READ, &store, &err) == 0 &&
            store_trials(store, run, &trials, &err) == 0 && trials.n == 1) {
            got = trials.v[0]->state;
            if (got == want)
                return;
        }
        (void)usleep(20000);
    }
    fail_msg("trial: want %s, got %s", trial_state_name(want), trial_state_name(got));
}

static void hall_counts(struct hall *hall, int64_t run, struct store_counts *ret)
{
    CLEAN(store) struct store *store = NULL;
    struct err err = {0};

    if (store_open(hall->db, STORE_READ, &store, &err) < 0 ||
        store_counts(store, run, "n1", ret, &err) < 0)
        fail_msg("%s", err.text);
}
