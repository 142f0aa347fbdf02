/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ZAP handler's actor. It alone holds the list; changes arrive through its pipe and are
 * answered when they hold. A request it cannot read is refused, so that nothing but a listed key in
 * a CURVE handshake of our domain gets in.
 */
#include "net/auth.h"

#include <czmq.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "net/keys.h"

#define ZAP_ENDPOINT "inproc://zeromq.zap.01"
#define REQUEST_FRAMES 7 /* version, id, domain, address, routing id, mechanism, key */

struct auth {
    zactor_t *actor;
    int bind_errno; /* written by the actor before it signals */
    atomic_ulong allowed, refused;
};

struct handler { /* lives in the actor */
    struct auth *auth;
    zsock_t *zap;
    zhashx_t *keys;
};

/* The key of a request as Z85, or false when the request is not one to let in. */
static bool request_key(zmsg_t *request, char ret[KEY_SIZE])
{
    zframe_t *frame[REQUEST_FRAMES];

    if (zmsg_size(request) != REQUEST_FRAMES)
        return false;
    frame[0] = zmsg_first(request);
    for (size_t i = 1; i < REQUEST_FRAMES; i++)
        frame[i] = zmsg_next(request);
    return zframe_streq(frame[0], "1.0") && zframe_streq(frame[2], AUTH_DOMAIN) &&
           zframe_streq(frame[5], "CURVE") && zframe_size(frame[6]) == 32 &&
           zmq_z85_encode(ret, zframe_data(frame[6]), 32) != NULL;
}

static void answer(struct handler *handler, zmsg_t *request)
{
    char key[KEY_SIZE] = "";
    const bool let_in = request_key(request, key) && zhashx_lookup(handler->keys, key) != NULL;
    zmsg_t *reply = zmsg_new();
    zframe_t *id = NULL;

    zmsg_first(request);
    id = zmsg_next(request);
    zmsg_addstr(reply, "1.0");
    zmsg_addmem(reply, id ? zframe_data(id) : NULL, id ? zframe_size(id) : 0);
    zmsg_addstr(reply, let_in ? "200" : "400");
    zmsg_addstr(reply, let_in ? "OK" : "No access");
    zmsg_addstr(reply, let_in ? key : "");
    zmsg_addmem(reply, NULL, 0);
    (void)zmsg_send(&reply, handler->zap);
    zmsg_destroy(&reply);
    atomic_fetch_add(let_in ? &handler->auth->allowed : &handler->auth->refused, 1);
}

/* One order of auth_allow, auth_deny or zactor_destroy. False: end. */
static bool obey(struct handler *handler, zsock_t *pipe)
{
    zmsg_t *order = zmsg_recv(pipe);
    char *word = order ? zmsg_popstr(order) : NULL, *key = order ? zmsg_popstr(order) : NULL;
    const bool go_on = word && strcmp(word, "$TERM") != 0;

    if (go_on && key) {
        if (strcmp(word, "ALLOW") == 0)
            zhashx_update(handler->keys, key, handler->auth);
        else
            zhashx_delete(handler->keys, key);
        zsock_signal(pipe, 0);
    }
    zstr_free(&word);
    zstr_free(&key);
    zmsg_destroy(&order);
    return go_on;
}

static void run(zsock_t *pipe, void *arg)
{
    struct handler handler = {.auth = arg, .zap = zsock_new(ZMQ_REP), .keys = zhashx_new()};

    if (!handler.zap || zmq_bind(zsock_resolve(handler.zap), ZAP_ENDPOINT) < 0)
        handler.auth->bind_errno = errno;
    zsock_signal(pipe, 0);
    zmq_pollitem_t items[] = {
        {zsock_resolve(pipe),        0, ZMQ_POLLIN, 0},
        {zsock_resolve(handler.zap), 0, ZMQ_POLLIN, 0},
    };
    for (bool go_on = true; go_on;) {
        if (zmq_poll(items, 2, -1) < 0) {
            go_on = errno == EINTR;
            continue;
        }
        if (items[1].revents & ZMQ_POLLIN) {
            zmsg_t *request = zmsg_recv(handler.zap);

            if (request)
                answer(&handler, request);
            zmsg_destroy(&request);
        }
        if (items[0].revents & ZMQ_POLLIN)
            go_on = obey(&handler, pipe);
    }
    /* Closing alone gives the name free only later, in another thread. */
    if (!handler.auth->bind_errno)
        (void)zmq_unbind(zsock_resolve(handler.zap), ZAP_ENDPOINT);
    zhashx_destroy(&handler.keys);
    zsock_destroy(&handler.zap);
}

int auth_start(struct auth **ret, struct err *err)
{
    CLEAN(auth) struct auth *auth = mem_new(struct auth);

    atomic_init(&auth->allowed, 0);
    atomic_init(&auth->refused, 0);
    auth->actor = zactor_new(run, auth);
    if (!auth->actor)
        return err_set(err, ERR_NET, "the key handler does not start: %s", zmq_strerror(errno));
    if (auth->bind_errno)
        return err_set(err, ERR_STATE, "another key handler runs in this process: %s",
                       zmq_strerror(auth->bind_errno));
    *ret = mem_steal(&auth);
    return 0;
}

void auth_free(struct auth *auth)
{
    if (!auth)
        return;
    zactor_destroy(&auth->actor);
    mem_free(auth);
}

static void order(struct auth *auth, const char *word, const char *public_key)
{
    if (zstr_sendx(auth->actor, word, public_key, NULL) == 0)
        (void)zsock_wait(auth->actor);
}

void auth_allow(struct auth *auth, const char *public_key)
{
    order(auth, "ALLOW", public_key);
}

void auth_deny(struct auth *auth, const char *public_key)
{
    order(auth, "DENY", public_key);
}

void auth_counts(struct auth *auth, unsigned long *ret_allowed, unsigned long *ret_refused)
{
    *ret_allowed = atomic_load(&auth->allowed);
    *ret_refused = atomic_load(&auth->refused);
}
