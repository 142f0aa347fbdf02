/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A peer that should get nowhere: connects to a real coordinator in one of several wrong ways,
 * sends a hello (and a request), and prints every answer. flow_intruder HOW ENDPOINT SERVER_KEY
 * OWN_KEY_FILE NAME null, plain     other mechanisms than CURVE unknown         CURVE with a key
 * nobody enrolled curve           CURVE with the key of OWN_KEY_FILE, saying it is NAME routing as
 * curve, with NAME as its routing id request         as curve, sends a user's request instead Exit
 * code: 0 no answer within the time, 10 refused in words (printed), 11 any other answer.
 */
#include <stdio.h>
#include <string.h>

#include <czmq.h>

#include "base/clk.h"
#include "base/id.h"
#include "model/host.h"
#include "net/keys.h"
#include "proto/wire.h"

#define WAIT_MS 1500

static int set_up(zsock_t *socket, const char *how, const char *server_key, const char *key_file,
                  const char *name)
{
    struct keys keys;
    struct err err = {0};

    if (strcmp(how, "null") == 0)
        return 0;
    if (strcmp(how, "plain") == 0) {
        zsock_set_plain_username(socket, "admin");
        zsock_set_plain_password(socket, "admin");
        return 0;
    }
    if ((strcmp(how, "unknown") == 0 ? keys_new(&keys, &err) : keys_load(key_file, &keys, &err)) <
        0) {
        (void)fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    zsock_set_curve_serverkey(socket, server_key);
    zsock_set_curve_publickey(socket, keys.public_key);
    zsock_set_curve_secretkey(socket, keys.secret_key);
    if (strcmp(how, "routing") == 0)
        zsock_set_identity(socket, name);
    return 0;
}

static int make_message(const char *how, const char *name, struct str *ret, struct err *err)
{
    struct wire_hello hello = {.version = WIRE_VERSION,
                               .agent_version = "0",
                               .host = (char *)name,
                               .boot_id = "b",
                               .machine_id_hash = "m"};
    struct wire_request request = {.id = 1, .kind = WIRE_REQUEST_RUNS};
    int result;

    if (strcmp(how, "request") == 0)
        return wire_encode(WIRE_REQUEST, &request, ret, err);
    id_new(hello.session);
    hello.facts = fact_set_new();
    result = wire_encode(WIRE_HELLO, &hello, ret, err);
    fact_set_free(hello.facts);
    return result;
}

static int listen_for(zsock_t *socket)
{
    zmq_pollitem_t item = {.socket = zsock_resolve(socket), .events = ZMQ_POLLIN};
    CLEAN(wire_message) struct wire_message *message = NULL;
    zframe_t *frame;
    int result;

    if (zmq_poll(&item, 1, WAIT_MS) <= 0)
        return 0;
    frame = zframe_recv(socket);
    if (!frame)
        return 0;
    result = wire_decode(zframe_data(frame), zframe_size(frame), &message, NULL);
    zframe_destroy(&frame);
    if (result != 0) {
        (void)puts("something that is no message");
        return 11;
    }
    if (message->kind == WIRE_REFUSED) {
        (void)printf("refused: %s\n", message->as.refused->reason);
        return 10;
    }
    (void)printf("message of kind %d\n", (int)message->kind);
    return 11;
}

int main(int argc, char **argv)
{
    CLEAN_DONE(str) struct str bytes = {0};
    struct err err = {0};
    zsock_t *socket;
    int code = 1;

    if (argc != 6) {
        (void)fputs("usage: flow_intruder HOW ENDPOINT SERVER_KEY KEY_FILE NAME\n", stderr);
        return 2;
    }
    socket = zsock_new(ZMQ_DEALER);
    zsock_set_linger(socket, 0);
    if (set_up(socket, argv[1], argv[3], argv[4], argv[5]) == 0 &&
        zsock_connect(socket, "%s", argv[2]) == 0 &&
        make_message(argv[1], argv[5], &bytes, &err) == 0 &&
        zmq_send(zsock_resolve(socket), bytes.text, bytes.length, ZMQ_DONTWAIT) >= 0)
        code = listen_for(socket);
    else
        (void)fprintf(stderr, "not sent: %s\n", err.text);
    zsock_destroy(&socket);
    return code;
}
