/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sockets with every option set before they bind or connect. Dead peers are noticed by the kernel
 * (TCP keepalive and user timeout), not by ZMTP pings: a ping would wake the agent's I/O thread in
 * the middle of a sample.
 */
#include "net/chan.h"

#include <errno.h>
#include <string.h>

#define FRAME_EXTRA 256 /* of CURVE and ZMTP around a message */
#define HANDSHAKE_MS 5000
#define LINGER_MS 1000
#define RECONNECT_MS 100
#define RECONNECT_MAX_MS 5000
#define KEEPALIVE_IDLE_S 15
#define KEEPALIVE_STEP_S 5
#define KEEPALIVE_TRIES 3
#define UNACKED_MS 30000
#define BACKLOG 1024
#define DROPS_A_CALL 64 /* so that a flood of junk cannot keep chan_recv busy */

struct chan {
    zsock_t *socket;
    bool is_router;
    char *endpoint;
    unsigned long dropped;
};

void chan_message_done(struct chan_message *message)
{
    str_done(&message->bytes);
}

static int check_library(struct err *err)
{
    int major, minor, patch;

    zmq_version(&major, &minor, &patch);
    if (major * 10000 + minor * 100 + patch < 40304)
        return err_set(err, ERR_UNSUPPORTED, "libzmq %d.%d.%d has known holes, 4.3.4 is needed",
                       major, minor, patch);
    if (!zmq_has("curve"))
        return err_set(err, ERR_UNSUPPORTED, "this libzmq was built without CURVE");
    return 0;
}

static int option(struct chan *chan, int name, const void *value, size_t length, struct err *err)
{
    if (zmq_setsockopt(zsock_resolve(chan->socket), name, value, length) < 0)
        return err_set(err, ERR_NET, "socket option %d: %s", name, zmq_strerror(errno));
    return 0;
}

static int set_numbers(struct chan *chan, struct err *err)
{
    static const struct {
        int name, value;
    } options[] = {
        {ZMQ_SNDHWM,              CHAN_PENDING_MAX},
        {ZMQ_RCVHWM,              CHAN_PENDING_MAX},
        {ZMQ_LINGER,              LINGER_MS       },
        {ZMQ_HANDSHAKE_IVL,       HANDSHAKE_MS    },
        {ZMQ_RECONNECT_IVL,       RECONNECT_MS    },
        {ZMQ_RECONNECT_IVL_MAX,   RECONNECT_MAX_MS},
        {ZMQ_TCP_KEEPALIVE,       1               },
        {ZMQ_TCP_KEEPALIVE_IDLE,  KEEPALIVE_IDLE_S},
        {ZMQ_TCP_KEEPALIVE_INTVL, KEEPALIVE_STEP_S},
        {ZMQ_TCP_KEEPALIVE_CNT,   KEEPALIVE_TRIES },
        {ZMQ_TCP_MAXRT,           UNACKED_MS      },
        {ZMQ_BACKLOG,             BACKLOG         },
        {ZMQ_IPV6,                0               },
    };
    const int64_t max = CHAN_MESSAGE_MAX + FRAME_EXTRA;

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (option(chan, options[i].name, &options[i].value, sizeof(int), err) < 0)
            return -1;
    return option(chan, ZMQ_MAXMSGSIZE, &max, sizeof max, err);
}

static int set_keys(struct chan *chan, const struct keys *own, const char *server_key,
                    struct err *err)
{
    const int one = 1;

    if (option(chan, ZMQ_CURVE_PUBLICKEY, own->public_key, KEY_SIZE, err) < 0 ||
        option(chan, ZMQ_CURVE_SECRETKEY, own->secret_key, KEY_SIZE, err) < 0)
        return -1;
    if (server_key)
        return option(chan, ZMQ_CURVE_SERVERKEY, server_key, KEY_SIZE, err);
    if (option(chan, ZMQ_CURVE_SERVER, &one, sizeof one, err) < 0 ||
        option(chan, ZMQ_ROUTER_MANDATORY, &one, sizeof one, err) < 0)
        return -1;
    return option(chan, ZMQ_ZAP_DOMAIN, AUTH_DOMAIN, strlen(AUTH_DOMAIN), err);
}

/* NULL with err filled when the socket cannot be had as it must be. */
static struct chan *open_socket(int type, const struct keys *own, const char *server_key,
                                struct err *err)
{
    CLEAN(chan) struct chan *chan = mem_new(struct chan);

    if (check_library(err) < 0)
        return NULL;
    chan->is_router = type == ZMQ_ROUTER;
    chan->socket = zsock_new(type);
    if (!chan->socket) {
        (void)err_set(err, ERR_NET, "socket: %s", zmq_strerror(errno));
        return NULL;
    }
    if (set_numbers(chan, err) < 0 || set_keys(chan, own, server_key, err) < 0)
        return NULL;
    return mem_steal(&chan);
}

int chan_listen(const char *endpoint, const struct keys *own, struct auth *auth, struct chan **ret,
                struct err *err)
{
    char bound[1024];
    size_t length = sizeof bound;

    if (!auth)
        return err_set(err, ERR_STATE, "%s: no handler checks keys", endpoint);
    CLEAN(chan) struct chan *chan = open_socket(ZMQ_ROUTER, own, NULL, err);
    if (!chan)
        return err_wrap(err, "%s", endpoint);
    void *socket = zsock_resolve(chan->socket);
    if (zmq_bind(socket, endpoint) < 0 ||
        zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, bound, &length) < 0)
        return err_set(err, ERR_NET, "cannot listen on %s: %s", endpoint, zmq_strerror(errno));
    chan->endpoint = mem_strdup(bound);
    *ret = mem_steal(&chan);
    return 0;
}

int chan_connect(const char *endpoint, const struct keys *own, const char *server_key,
                 struct chan **ret, struct err *err)
{
    if (!keys_is_public(server_key))
        return err_set(err, ERR_INPUT, "%s: the server's key is no public key", endpoint);
    CLEAN(chan) struct chan *chan = open_socket(ZMQ_DEALER, own, server_key, err);
    if (!chan)
        return err_wrap(err, "%s", endpoint);
    if (zmq_connect(zsock_resolve(chan->socket), endpoint) < 0)
        return err_set(err, ERR_NET, "cannot connect to %s: %s", endpoint, zmq_strerror(errno));
    chan->endpoint = mem_strdup(endpoint);
    *ret = mem_steal(&chan);
    return 0;
}

void chan_free(struct chan *chan)
{
    if (!chan)
        return;
    zsock_destroy(&chan->socket);
    mem_free(chan->endpoint);
    mem_free(chan);
}

const char *chan_endpoint(const struct chan *chan)
{
    return chan->endpoint;
}

zsock_t *chan_socket(struct chan *chan)
{
    return chan->socket;
}

unsigned long chan_dropped(const struct chan *chan)
{
    return chan->dropped;
}

static int send_frame(struct chan *chan, const void *bytes, size_t length, int flags)
{
    int sent;

    do
        sent = zmq_send(zsock_resolve(chan->socket), bytes, length, ZMQ_DONTWAIT | flags);
    while (sent < 0 && errno == EINTR);
    return sent;
}

int chan_send(struct chan *chan, const struct chan_peer *peer, const void *bytes, size_t length,
              struct err *err)
{
    if (length > CHAN_MESSAGE_MAX)
        return err_set(err, ERR_LIMIT, "a message of %zu bytes, at most %d are allowed", length,
                       CHAN_MESSAGE_MAX);
    if (chan->is_router && send_frame(chan, peer->id, peer->length, ZMQ_SNDMORE) < 0) {
        if (errno == EHOSTUNREACH)
            return CHAN_GONE;
    } else if (send_frame(chan, bytes, length, 0) >= 0) {
        return 0;
    }
    if (errno == EAGAIN)
        return CHAN_FULL;
    return err_set(err, ERR_NET, "send: %s", zmq_strerror(errno));
}

/* One frame into frame (initialised). 0; CHAN_NOTHING; -1. */
static int receive_frame(struct chan *chan, zmq_msg_t *frame, struct err *err)
{
    int got;

    do
        got = zmq_msg_recv(frame, zsock_resolve(chan->socket), ZMQ_DONTWAIT);
    while (got < 0 && errno == EINTR);
    if (got >= 0)
        return 0;
    if (errno == EAGAIN)
        return CHAN_NOTHING;
    return err_set(err, ERR_NET, "receive: %s", zmq_strerror(errno));
}

/* Takes the sender's address and proven key from the frames. False when one of them is not as it
 * must be. */
static bool read_sender(zmq_msg_t *id, zmq_msg_t *body, struct chan_message *ret)
{
    const char *key = zmq_msg_gets(body, "User-Id");
    const size_t length = zmq_msg_size(id);

    if (!key || !keys_is_public(key) || length == 0 || length > CHAN_PEER_MAX)
        return false;
    memcpy(ret->peer.id, zmq_msg_data(id), length);
    ret->peer.length = length;
    memcpy(ret->key, key, KEY_SIZE);
    return true;
}

/* One whole message, all its frames. 0 with *ret_good; CHAN_NOTHING; -1. */
static int receive(struct chan *chan, zmq_msg_t *id, zmq_msg_t *body, struct chan_message *ret,
                   bool *ret_good, struct err *err)
{
    bool whole = true;
    int result = 0;

    if (chan->is_router) {
        result = receive_frame(chan, id, err);
        whole = result == 0 && zmq_msg_more(id);
    }
    if (whole)
        result = receive_frame(chan, body, err);
    if (result != 0)
        return result;
    bool good = whole && !zmq_msg_more(body);
    for (bool more = whole && zmq_msg_more(body); more && result == 0; more = zmq_msg_more(body))
        result = receive_frame(chan, body, err);
    if (result != 0)
        return result;
    good = good && zmq_msg_size(body) <= CHAN_MESSAGE_MAX;
    if (good && chan->is_router)
        good = read_sender(id, body, ret);
    if (good)
        str_add_bytes(&ret->bytes, zmq_msg_data(body), zmq_msg_size(body));
    *ret_good = good;
    return 0;
}

int chan_recv(struct chan *chan, struct chan_message *ret, struct err *err)
{
    struct chan_message message = {0};
    bool good = false;
    int result = CHAN_NOTHING;

    for (int i = 0; i < DROPS_A_CALL && !good; i++) {
        zmq_msg_t id, body;

        zmq_msg_init(&id);
        zmq_msg_init(&body);
        result = receive(chan, &id, &body, &message, &good, err);
        zmq_msg_close(&id);
        zmq_msg_close(&body);
        if (result != 0)
            return result;
        chan->dropped += !good;
    }
    if (!good)
        return CHAN_NOTHING;
    *ret = message;
    return 0;
}
