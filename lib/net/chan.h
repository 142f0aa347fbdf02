/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A socket that carries one-frame messages between enrolled keys: ROUTER at the coordinator, DEALER
 * everywhere else, always CURVE, with high-water marks, MAXMSGSIZE, handshake timeout and
 * TCP keepalive set before connect. Routing ids are assigned by ROUTER and are an address for
 * replies, never an identity: who spoke is `key`, as the ZAP handler proved it.
 */
#pragma once
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "net/auth.h"
#include "net/keys.h"

#include <czmq.h>

/* LIMIT_SAMPLE_FRAME and LIMIT_PENDING_FRAMES of model/limits.h, which lies above this layer. */
#define CHAN_MESSAGE_MAX (4 * 1024 * 1024)
#define CHAN_PENDING_MAX 1000
#define CHAN_PEER_MAX 255 /* bytes of a routing id: ZMTP's own bound */
struct chan_peer {        /* a reply address */
    unsigned char id[CHAN_PEER_MAX];
    size_t length;
};
struct chan_message {
    struct chan_peer peer; /* empty on a DEALER */
    char key[KEY_SIZE];    /* the sender's proven public key; "" on a DEALER (the server's key was
                              pinned) */
    struct str bytes;
};
void chan_message_done(struct chan_message *message);

struct chan;
/* Binds. Endpoint "tcp://127.0.0.1:*" or "ipc://…"; chan_endpoint tells what it became. ERR_STATE
 * when no auth runs. */
MUST_CHECK int chan_listen(const char *endpoint, const struct keys *own, struct auth *auth,
                           struct chan **ret, struct err *err);
MUST_CHECK int chan_connect(const char *endpoint, const struct keys *own, const char *server_key,
                            struct chan **ret, struct err *err);
void chan_free(struct chan *chan); /* linger: at most 1 s for what was sent */
MEM_CLEANUP(chan)
const char *chan_endpoint(const struct chan *chan);
zsock_t *chan_socket(struct chan *chan); /* for a zloop reader */
/* Never blocks. Outcomes: 0; CHAN_FULL (peer too slow, nothing sent); CHAN_GONE (no such peer); -1
 * ERR_LIMIT over the cap. */
enum { CHAN_FULL = 1, CHAN_GONE = 2, CHAN_NOTHING = 3 };
MUST_CHECK int chan_send(struct chan *chan, const struct chan_peer *peer, const void *bytes,
                         size_t length, struct err *err);
/* Never blocks. 0; CHAN_NOTHING. Messages with more than one body frame, without a proven key on a
 * ROUTER or over the cap are dropped and counted. */
MUST_CHECK int chan_recv(struct chan *chan, struct chan_message *ret, struct err *err);
unsigned long chan_dropped(const struct chan *chan);
