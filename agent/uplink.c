/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One DEALER socket, made anew for every hello, so that nothing queued for a coordinator that was
 * away reaches it later. The session is a table; timers are compared, not armed.
 */
#include "agent/uplink.h"

#include <signal.h>
#include <string.h>

#include "base/clk.h"
#include "base/fsm.h"
#include "base/log.h"
#include "net/sig.h"

#define HELLO_PAUSE_MIN_NS (CLK_NS_PER_S / 5)
#define HELLO_PAUSE_MAX_NS (10 * CLK_NS_PER_S)
#define HELLO_ANSWER_NS (5 * CLK_NS_PER_S)
#define HEARTBEAT_NS (5 * CLK_NS_PER_S) /* until a welcome says otherwise */
#define SLEEP_MARGIN_NS (5 * CLK_NS_PER_S)
enum { SILENT_AFTER = 3, MESSAGES_A_TURN = 64 };

enum uplink_state {
#define UPLINK_STATE(name, word) UPLINK_STATE_##name,
#include "agent/session_states.def"
#undef UPLINK_STATE
};
enum uplink_signal {
#define UPLINK_EVENT(name, words) UPLINK_EV_##name,
#include "agent/session_states.def"
#undef UPLINK_EVENT
};

struct uplink {
    struct uplink_options options;
    struct uplink_ops ops;
    struct chan *chan;
    int state;
    char session[ID_SIZE];
    int64_t heartbeat_ns;
    int64_t pause_ns, hello_due_ns; /* AWAY */
    int64_t hello_sent_ns;          /* ASKED */
    int64_t beat_due_ns, heard_ns;  /* HERE */
    int64_t quiet_until_ns;         /* the coordinator expects nothing of us before */
    bool unanswered;                /* an answer is owed to us since asked_ns */
    int64_t asked_ns;
    uint64_t counter;
    char refusal[512];
};

/* ---- the session ---- */

static int send_now(struct uplink *uplink, enum wire_kind kind, const void *body)
{
    CLEAN_DONE(str) struct str bytes = {0};
    struct err err;
    int rc;

    if (wire_encode(kind, body, &bytes, &err) < 0 ||
        (rc = chan_send(uplink->chan, NULL, bytes.text, bytes.length, &err)) < 0) {
        log_err(LOG_WARN, &err, "a message of kind %d was not sent", (int)kind);
        return 1;
    }
    return rc == 0 ? 0 : 1;
}

static int say_hello(void *object, int event, const void *data, struct err *err)
{
    struct uplink *uplink = object;
    CLEAN(wire_hello) struct wire_hello *hello = mem_new(struct wire_hello);

    (void)event;
    (void)data;
    chan_free(uplink->chan);
    uplink->chan = NULL;
    if (chan_connect(uplink->options.endpoint, &uplink->options.keys, uplink->options.server_key,
                     &uplink->chan, err) < 0)
        return -1;
    hello->version = WIRE_VERSION;
    hello->agent_version = mem_strdup(MUSTER_VERSION);
    memcpy(hello->session, uplink->session, sizeof hello->session);
    hello->host = mem_strdup(uplink->options.host);
    uplink->ops.hello(uplink->ops.arg, hello);
    send_now(uplink, WIRE_HELLO, hello);
    uplink->hello_sent_ns = clk_mono_ns();
    return 0;
}

static int settle_in(void *object, int event, const void *data, struct err *err)
{
    struct uplink *uplink = object;
    const struct wire_welcome *welcome = data;

    (void)event;
    (void)err;
    uplink->pause_ns = HELLO_PAUSE_MIN_NS;
    uplink->heartbeat_ns = uplink->options.heartbeat_ns ? uplink->options.heartbeat_ns
                           : welcome->heartbeat_ns > 0  ? welcome->heartbeat_ns
                                                        : HEARTBEAT_NS;
    uplink->heard_ns = clk_mono_ns();
    uplink->beat_due_ns = uplink->heard_ns + uplink->heartbeat_ns;
    uplink->quiet_until_ns = 0;
    uplink->unanswered = false;
    return 0;
}

static int go_away(void *object, int event, const void *data, struct err *err)
{
    struct uplink *uplink = object;

    (void)data;
    (void)err;
    if (uplink->state == UPLINK_STATE_HERE && event == UPLINK_EV_SILENT)
        log_warn("the coordinator is silent; what is measured is kept");
    uplink->hello_due_ns = clk_mono_ns() + uplink->pause_ns;
    uplink->pause_ns =
        2 * uplink->pause_ns < HELLO_PAUSE_MAX_NS ? 2 * uplink->pause_ns : HELLO_PAUSE_MAX_NS;
    return 0;
}

static int keep_refusal(void *object, int event, const void *data, struct err *err)
{
    struct uplink *uplink = object;
    const struct wire_refused *refused = data;
    CLEAN_MEM char *shown = str_visible(refused->reason ? refused->reason : "no reason", 400);

    (void)event;
    (void)err;
    strncpy(uplink->refusal, shown, sizeof uplink->refusal - 1);
    return 0;
}

/* AWAY: no session, nothing is under way but what an earlier socket may still hold.
 * ASKED: one hello is under way on a fresh socket.
 * HERE: the coordinator knows us; answers to heartbeats and batches prove it.
 * REFUSED: the end. */
static const struct fsm_row uplink_rows[] = {
    {UPLINK_STATE_AWAY,    UPLINK_EV_DUE,     say_hello,    UPLINK_STATE_ASKED  },
    {UPLINK_STATE_AWAY,    FSM_ANY,           NULL,         UPLINK_STATE_AWAY   },
    {UPLINK_STATE_ASKED,   UPLINK_EV_WELCOME, settle_in,    UPLINK_STATE_HERE   },
    {UPLINK_STATE_ASKED,   UPLINK_EV_NOT_NOW, go_away,      UPLINK_STATE_AWAY   },
    {UPLINK_STATE_ASKED,   UPLINK_EV_NEVER,   keep_refusal, UPLINK_STATE_REFUSED},
    {UPLINK_STATE_ASKED,   UPLINK_EV_SILENT,  go_away,      UPLINK_STATE_AWAY   },
    {UPLINK_STATE_ASKED,   FSM_ANY,           NULL,         UPLINK_STATE_ASKED  },
    {UPLINK_STATE_HERE,    UPLINK_EV_NOT_NOW, go_away,      UPLINK_STATE_AWAY   },
    {UPLINK_STATE_HERE,    UPLINK_EV_NEVER,   keep_refusal, UPLINK_STATE_REFUSED},
    {UPLINK_STATE_HERE,    UPLINK_EV_SILENT,  go_away,      UPLINK_STATE_AWAY   },
    {UPLINK_STATE_HERE,    FSM_ANY,           NULL,         UPLINK_STATE_HERE   },
    {UPLINK_STATE_REFUSED, FSM_ANY,           NULL,         UPLINK_STATE_REFUSED},
};
static const char *const state_names[] = {
#define UPLINK_STATE(name, word) word,
#include "agent/session_states.def"
#undef UPLINK_STATE
};
static const char *const event_names[] = {
#define UPLINK_EVENT(name, words) words,
#include "agent/session_states.def"
#undef UPLINK_EVENT
};
static const struct fsm uplink_fsm = {
    .name = "uplink",
    .rows = uplink_rows,
    .n_rows = sizeof uplink_rows / sizeof *uplink_rows,
    .state_names = state_names,
    .n_states = sizeof state_names / sizeof *state_names,
    .event_names = event_names,
    .n_events = sizeof event_names / sizeof *event_names,
};

static int step(struct uplink *uplink, enum uplink_signal event, const void *data, struct err *err)
{
    return fsm_step(&uplink_fsm, &uplink->state, event, uplink, data, err);
}

/* ---- messages ---- */

static void heard(struct uplink *uplink)
{
    uplink->heard_ns = clk_mono_ns();
    uplink->unanswered = false;
}

static int on_welcome(struct uplink *uplink, const struct wire_welcome *welcome, struct err *err)
{
    if (uplink->state != UPLINK_STATE_ASKED || strcmp(welcome->session, uplink->session) != 0)
        return 0;
    if (step(uplink, UPLINK_EV_WELCOME, welcome, err) < 0)
        return -1;
    log_info("the coordinator welcomes us%s", welcome->resume ? ", the lease goes on" : "");
    uplink->ops.welcome(uplink->ops.arg, welcome);
    return 0;
}

static int on_refused(struct uplink *uplink, const struct wire_refused *refused, struct err *err)
{
    CLEAN_MEM char *reason = str_visible(refused->reason ? refused->reason : "no reason", 400);

    log_warn("the coordinator refuses us: %s", reason);
    return step(uplink, refused->final ? UPLINK_EV_NEVER : UPLINK_EV_NOT_NOW, refused, err);
}

static int dispatch(struct uplink *uplink, struct wire_message *message, struct err *err)
{
    const struct uplink_ops *ops = &uplink->ops;

    if (message->kind == WIRE_WELCOME)
        return on_welcome(uplink, message->as.welcome, err);
    if (message->kind == WIRE_REFUSED)
        return on_refused(uplink, message->as.refused, err);
    if (uplink->state != UPLINK_STATE_HERE)
        return 0;
    heard(uplink);
    switch ((int)message->kind) {
    case WIRE_LEASE:
        ops->lease(ops->arg, &message->as.lease);
        break;
    case WIRE_EXTEND:
        ops->extend(ops->arg, message->as.extend);
        break;
    case WIRE_STOP:
        ops->stop(ops->arg, message->as.stop);
        break;
    case WIRE_ACK:
        ops->ack(ops->arg, message->as.ack);
        break;
    case WIRE_CHUNK:
        ops->chunk(ops->arg, message->as.chunk);
        break;
    default: /* a heartbeat's answer has done its work; the rest is not for agents */
        break;
    }
    return 0;
}

/* Outcome 1: something was read. */
static int read_messages(struct uplink *uplink, struct err *err)
{
    bool any = false;

    for (int i = 0; i < MESSAGES_A_TURN && uplink->chan; i++) {
        CLEAN_DONE(chan_message) struct chan_message bytes = {0};
        CLEAN(wire_message) struct wire_message *message = NULL;
        struct err why;
        const int rc = chan_recv(uplink->chan, &bytes, err);

        if (rc < 0)
            return -1;
        if (rc == CHAN_NOTHING)
            break;
        const int decoded = wire_decode(bytes.bytes.text, bytes.bytes.length, &message, &why);
        if (decoded < 0)
            log_err(LOG_WARN, &why, "a message of the coordinator cannot be read");
        if (decoded != 0)
            continue;
        if (dispatch(uplink, message, err) < 0)
            return -1;
        any = true;
    }
    return any;
}

/* ---- timers ---- */

static void beat(struct uplink *uplink, int64_t sleeping_ns)
{
    struct wire_heartbeat heartbeat = {
        .counter = ++uplink->counter, .wall_us = clk_wall_us(), .sleeping_ns = sleeping_ns};
    const int64_t now_ns = clk_mono_ns();

    memcpy(heartbeat.session, uplink->session, sizeof heartbeat.session);
    uplink->ops.heartbeat(uplink->ops.arg, &heartbeat);
    send_now(uplink, WIRE_HEARTBEAT, &heartbeat);
    uplink->beat_due_ns = now_ns + uplink->heartbeat_ns;
    uplink->quiet_until_ns = sleeping_ns > 0 ? now_ns + sleeping_ns : 0;
    if (sleeping_ns == 0 && !uplink->unanswered) { /* a sleeper is not answered */
        uplink->unanswered = true;
        uplink->asked_ns = now_ns;
    }
}

static int64_t next_timer_ns(const struct uplink *uplink)
{
    switch ((enum uplink_state)uplink->state) {
    case UPLINK_STATE_AWAY:
        return uplink->hello_due_ns;
    case UPLINK_STATE_ASKED:
        return uplink->hello_sent_ns + HELLO_ANSWER_NS;
    case UPLINK_STATE_HERE: {
        const int64_t silent_ns = uplink->asked_ns + SILENT_AFTER * uplink->heartbeat_ns;

        return uplink->unanswered && silent_ns < uplink->beat_due_ns ? silent_ns
                                                                     : uplink->beat_due_ns;
    }
    case UPLINK_STATE_REFUSED:
        break;
    }
    return 0;
}

static int run_timers(struct uplink *uplink, struct err *err)
{
    const int64_t now_ns = clk_mono_ns();

    if (uplink->state == UPLINK_STATE_REFUSED)
        return err_set(err, ERR_AUTH, "the coordinator refuses this agent: %s", uplink->refusal);
    if (now_ns < next_timer_ns(uplink))
        return 0;
    if (uplink->state == UPLINK_STATE_AWAY)
        return step(uplink, UPLINK_EV_DUE, NULL, err);
    if (uplink->state == UPLINK_STATE_ASKED)
        return step(uplink, UPLINK_EV_SILENT, NULL, err);
    if (uplink->unanswered && now_ns - uplink->asked_ns >= SILENT_AFTER * uplink->heartbeat_ns)
        return step(uplink, UPLINK_EV_SILENT, NULL, err);
    beat(uplink, 0);
    return 0;
}

static long milliseconds_until(int64_t until_ns)
{
    const int64_t left = until_ns - clk_mono_ns();

    if (left <= 0)
        return 0;
    return left / CLK_NS_PER_MS < 3600 * 1000 ? (long)(left / CLK_NS_PER_MS) + 1 : 3600 * 1000;
}

/* Takes the signals; a hangup of a terminal is none that concerns a daemon. */
static bool asked_to_end(int signal_fd)
{
    bool end = false;

    for (int signal; (signal = sig_read(signal_fd)) != 0;)
        end = end || signal != SIGHUP;
    return end;
}

int uplink_wait(struct uplink *uplink, int fd, int64_t until_ns, struct err *err)
{
    for (;;) {
        zmq_pollitem_t item[3] = {
            {.fd = uplink->options.signal_fd, .events = ZMQ_POLLIN}
        };
        int n = 1, at_fd = -1;
        /* First what came while nobody looked: an answer may have waited all through a sample. */
        int rc = read_messages(uplink, err);

        if (rc != 0)
            return rc < 0 ? -1 : UPLINK_NEWS;
        if (run_timers(uplink, err) < 0)
            return -1;
        if (fd >= 0) {
            at_fd = n;
            item[n++] = (zmq_pollitem_t){.fd = fd, .events = ZMQ_POLLIN};
        }
        if (uplink->chan)
            item[n++] = (zmq_pollitem_t){.socket = zsock_resolve(chan_socket(uplink->chan)),
                                         .events = ZMQ_POLLIN};
        const int64_t timer_ns = next_timer_ns(uplink);
        if (zmq_poll(item, n, milliseconds_until(timer_ns < until_ns ? timer_ns : until_ns)) < 0 &&
            zmq_errno() != EINTR)
            return err_set(err, ERR_NET, "poll: %s", zmq_strerror(zmq_errno()));
        rc = read_messages(uplink, err);
        if (rc < 0)
            return -1;
        if (item[0].revents && asked_to_end(uplink->options.signal_fd))
            return UPLINK_END;
        if (rc > 0)
            return UPLINK_NEWS;
        if (at_fd >= 0 && item[at_fd].revents)
            return UPLINK_FD;
        if (clk_mono_ns() >= until_ns)
            return UPLINK_TIME;
    }
}

/* ---- the rest ---- */

int uplink_new(const struct uplink_options *options, const struct uplink_ops *ops,
               struct uplink **ret, struct err *err)
{
    if (!keys_is_public(options->server_key))
        return err_set(err, ERR_USAGE, "the coordinator's key is no public key (40 characters)");
    *ret = mem_new(struct uplink);
    **ret = (struct uplink){.options = *options,
                            .ops = *ops,
                            .state = UPLINK_STATE_AWAY,
                            .heartbeat_ns = HEARTBEAT_NS,
                            .pause_ns = HELLO_PAUSE_MIN_NS};
    id_new((*ret)->session);
    return 0;
}

void uplink_free(struct uplink *uplink)
{
    if (!uplink)
        return;
    chan_free(uplink->chan);
    mem_free(uplink);
}

bool uplink_is_here(const struct uplink *uplink)
{
    return uplink->state == UPLINK_STATE_HERE;
}

int uplink_send(struct uplink *uplink, enum wire_kind kind, const void *body)
{
    if (uplink->state != UPLINK_STATE_HERE)
        return 1;
    uplink->quiet_until_ns = 0; /* any message ends the announced silence */
    return send_now(uplink, kind, body);
}

int64_t uplink_heard_ns(const struct uplink *uplink)
{
    return uplink->heard_ns;
}

void uplink_beat(struct uplink *uplink)
{
    if (uplink->state == UPLINK_STATE_HERE)
        beat(uplink, 0);
}

bool uplink_sleep(struct uplink *uplink, int64_t limit_ns)
{
    const int64_t need_ns = clk_mono_ns() + limit_ns;

    if (uplink->state != UPLINK_STATE_HERE || uplink->quiet_until_ns >= need_ns)
        return false;
    beat(uplink, limit_ns + SLEEP_MARGIN_NS);
    return true;
}
