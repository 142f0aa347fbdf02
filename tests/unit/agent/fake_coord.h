/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A coordinator played by the test: a listening channel, one agent process (this program again),
 * and steps that wait for a message of one kind while everything else is answered as it should be.
 */
#pragma once
#include "agent/agent.h"
#include "agent/pack.h"
#include "net/auth.h"
#include "net/chan.h"
#include "proto/wire.h"
#include "unit/agent/agent_fixture.h"

#include <signal.h>
#include <sys/wait.h>

#define FAKE_WAIT_NS (60 * CLK_NS_PER_S) /* a step that takes longer has failed */

struct fake {
    char directory[64];
    struct keys keys;
    struct auth *auth;
    struct chan *chan;
    struct chan_peer peer;
    pid_t agent;
    char *host_env;        /* "NAME=value" for the agent's workloads, or NULL */
    struct frame *samples; /* everything that came, once */
    uint64_t stored_seq;
    struct strlist outputs;
    uint32_t rounds_done;
    bool keeps_quiet; /* neither acknowledges nor answers heartbeats */
    char *artefact;   /* path of what ARTEFACT_GET is answered with */
    unsigned batches;
    size_t resent; /* samples that came twice */
};

/* This program as an agent: argv[1] is "agent". */
static inline int fake_be_agent(int argc, char **argv)
{
    struct err err = {0};
    CLEAN_DONE(strlist) struct strlist words = {0};
    struct agent_options options = {.host = "n1"};

    if (argc < 6)
        return 2;
    CLEAN_MEM char *key = mem_printf("%s/agent.key", argv[4]);
    CLEAN_MEM char *state = mem_printf("%s/state", argv[4]);
    CLEAN_MEM char *lock = mem_printf("%s/lock", argv[4]);
    options.endpoint = argv[2];
    options.server_key = argv[3];
    options.key_file = key;
    options.state_dir = state;
    options.lock_path = lock;
    CLEAN_MEM char *name = mem_strndup(argv[5], strcspn(argv[5], "="));
    if (strchr(argv[5], '='))
        strmap_set(&options.host_env, name, strchr(argv[5], '=') + 1);
    const int rc = agent_main(&options, &err);
    if (rc < 0)
        fprintf(stderr, "agent: %s\n", err.text);
    strmap_done(&options.host_env);
    return rc < 0;
}

static inline void fake_start_agent(struct fake *fake)
{
    const char *env = fake->host_env ? fake->host_env : "-";
    char self[512]; /* by its name: under valgrind /proc/self/exe is another program to execve */
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    assert_true(length > 0);
    self[length] = '\0';
    fake->agent = fork();
    if (fake->agent == 0) {
        if (!getenv("SHOW_AGENT"))
            (void)!freopen("/dev/null", "w", stderr);
        execl(self, "test", "agent", chan_endpoint(fake->chan), fake->keys.public_key,
              fake->directory, env, (char *)NULL);
        _exit(127);
    }
    assert_true(fake->agent > 0);
}

static inline int fake_end_agent(struct fake *fake, int signal)
{
    int status = 0;

    if (fake->agent <= 0)
        return 0;
    kill(fake->agent, signal);
    assert_int_equal(waitpid(fake->agent, &status, 0), fake->agent);
    fake->agent = 0;
    return status;
}

static inline int fake_make(void **state)
{
    struct fake *fake = mem_new(struct fake);
    struct keys agent;

    snprintf(fake->directory, sizeof fake->directory, "/tmp/muster-fake-XXXXXX");
    if (!mkdtemp(fake->directory))
        return -1;
    CLEAN_MEM char *key = mem_printf("%s/agent.key", fake->directory);
    must(keys_new(&fake->keys, err));
    must(keys_load_or_new(key, &agent, err));
    must(auth_start(&fake->auth, err));
    auth_allow(fake->auth, agent.public_key);
    must(chan_listen("tcp://127.0.0.1:*", &fake->keys, fake->auth, &fake->chan, err));
    fake->samples = frame_new();
    *state = fake;
    return 0;
}

static inline int fake_drop(void **state)
{
    struct fake *fake = *state;

    fake_end_agent(fake, SIGKILL);
    chan_free(fake->chan);
    auth_free(fake->auth);
    frame_free(fake->samples);
    strlist_done(&fake->outputs);
    mem_free(fake->host_env);
    mem_free(fake->artefact);
    const int rc = fdio_remove_tree(fake->directory, NULL);
    mem_free(fake);
    return rc;
}

static inline void fake_send(struct fake *fake, enum wire_kind kind, const void *body)
{
    CLEAN_DONE(str) struct str bytes = {0};

    must(wire_encode(kind, body, &bytes, err));
    must(chan_send(fake->chan, &fake->peer, bytes.text, bytes.length, err));
}

static inline void fake_take_batch(struct fake *fake, const struct wire_batch *batch)
{
    const uint64_t last = batch->frame->first_seq + batch->frame->n - 1;

    fake->batches++;
    if (last <= fake->stored_seq) {
        fake->resent += batch->frame->n;
    } else {
        if (batch->frame->first_seq != fake->stored_seq + 1)
            fail_msg("want sample %llu next, got %llu", (unsigned long long)fake->stored_seq + 1,
                     (unsigned long long)batch->frame->first_seq);
        frame_append(fake->samples, batch->frame);
        fake->stored_seq = last;
        fake->rounds_done = batch->rounds_done;
        for (size_t i = 0; i < batch->n_outputs; i++)
            strlist_add(&fake->outputs, batch->output[i].text);
    }
    if (fake->keeps_quiet)
        return;
    fake_send(fake, WIRE_ACK,
              &(struct wire_ack){
                  .run = batch->run, .epoch = batch->epoch, .stored_seq = fake->stored_seq});
}

static inline void fake_send_chunk(struct fake *fake, const struct wire_chunk *ask)
{
    CLEAN_DONE(str) struct str bytes = {0};
    struct wire_chunk chunk = {.offset = ask->offset};

    must(fdio_read_file(fake->artefact, 1 << 24, &bytes, err));
    memcpy(chunk.digest, ask->digest, sizeof chunk.digest);
    chunk.total = bytes.length;
    chunk.bytes = bytes.text + ask->offset;
    chunk.length = bytes.length - (size_t)ask->offset;
    if (chunk.length > 4096)
        chunk.length = 4096;
    fake_send(fake, WIRE_CHUNK, &chunk);
}

/* Waits for one message of any kind and answers what is routine. NULL after until_ns. */
static inline struct wire_message *fake_next(struct fake *fake, int64_t until_ns)
{
    while (clk_mono_ns() < until_ns) {
        CLEAN_DONE(chan_message) struct chan_message bytes = {0};
        struct wire_message *message = NULL;
        zmq_pollitem_t item = {.socket = zsock_resolve(chan_socket(fake->chan)),
                               .events = ZMQ_POLLIN};
        int rc;

        zmq_poll(&item, 1, 50);
        must(rc = chan_recv(fake->chan, &bytes, err));
        if (rc == CHAN_NOTHING)
            continue;
        must(wire_decode(bytes.bytes.text, bytes.bytes.length, &message, err));
        fake->peer = bytes.peer;
        if (message->kind == WIRE_BATCH)
            fake_take_batch(fake, message->as.batch);
        if (message->kind == WIRE_HEARTBEAT && message->as.heartbeat->sleeping_ns == 0 &&
            !fake->keeps_quiet)
            fake_send(fake, WIRE_HEARTBEAT_ANSWER, message->as.heartbeat);
        if (message->kind == WIRE_ARTEFACT_GET && fake->artefact)
            fake_send_chunk(fake, message->as.chunk);
        return message;
    }
    return NULL;
}

static inline struct wire_message *fake_expect(struct fake *fake, enum wire_kind kind)
{
    const int64_t until_ns = clk_mono_ns() + FAKE_WAIT_NS;

    for (struct wire_message *message; (message = fake_next(fake, until_ns));) {
        if (message->kind == kind)
            return message;
        wire_message_free(message);
    }
    fail_msg("no message of kind %d", (int)kind);
    return NULL;
}

/* Waits for an event; what came of the reason is copied (may be NULL). Returns its seq. */
static inline uint64_t fake_expect_event(struct fake *fake, enum wire_event want,
                                         struct str *reason)
{
    for (;;) {
        CLEAN(wire_message) struct wire_message *message = fake_expect(fake, WIRE_TRIAL_EVENT);
        const struct wire_trial_event *event = message->as.trial_event;

        if (event->event == WIRE_TRIAL_FAILED && want != WIRE_TRIAL_FAILED)
            fail_msg("want event %d, got a failed trial: %s", (int)want, event->reason);
        if (event->event != want)
            continue;
        if (reason)
            str_add(reason, event->reason ? event->reason : "");
        return event->seq;
    }
}

static inline void fake_welcome(struct fake *fake, bool resume)
{
    CLEAN(wire_message) struct wire_message *message = fake_expect(fake, WIRE_HELLO);
    struct wire_welcome welcome = {.version = WIRE_VERSION,
                                   .heartbeat_ns = CLK_NS_PER_S,
                                   .resume = resume,
                                   .stored_seq = fake->stored_seq};

    assert_string_equal(message->as.hello->host, "n1");
    assert_int_equal(message->as.hello->run != 0, resume);
    memcpy(welcome.session, message->as.hello->session, sizeof welcome.session);
    fake_send(fake, WIRE_WELCOME, &welcome);
}

static inline struct lease *fake_lease(const char *run_a, const char *run_b, uint32_t rounds)
{
    struct lease *lease = mem_new(struct lease);
    struct experiment *experiment = experiment_new();

    *lease = (struct lease){.run = 5,
                            .epoch = 1,
                            .seed = 4711,
                            .next_seq = 1,
                            .upto_round = rounds,
                            .ttl_ns = 60 * CLK_NS_PER_S,
                            .host = mem_strdup("n1"),
                            .experiment = experiment};
    experiment->name = mem_strdup("fake");
    experiment->variant = mem_array(struct variant, 2);
    experiment->n_variants = 2;
    experiment->variant[0] = (struct variant){.name = mem_strdup("A"), .run = mem_strdup(run_a)};
    experiment->variant[1] = (struct variant){.name = mem_strdup("B"), .run = mem_strdup(run_b)};
    experiment->timeout_ns = 10 * CLK_NS_PER_S;
    experiment->warmup = 0;
    return lease;
}

static inline void fake_stop(struct fake *fake, const struct lease *lease, bool kill_now)
{
    fake_send(fake, WIRE_STOP,
              &(struct wire_stop){.run = lease->run,
                                  .epoch = lease->epoch,
                                  .kill_now = kill_now,
                                  .reason = (char *)"enough"});
}
