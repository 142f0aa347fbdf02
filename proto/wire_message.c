/* SPDX-License-Identifier: GPL-3.0-or-later
 * The envelope: which kinds there are, how large each may be, and what reads and writes its body.
 */
#include "wire_kind.h"
#include "wire_pb.h"

#include "envelope.pb-c.h"

#include <string.h>

static const struct {
    enum wire_kind kind;
    const char *name;
    size_t cap;
} kinds[] = {
    {WIRE_HELLO,            "hello",            LIMIT_CONTROL_FRAME},
    {WIRE_HEARTBEAT,        "heartbeat",        LIMIT_CONTROL_FRAME},
    {WIRE_BATCH,            "batch",            LIMIT_SAMPLE_FRAME },
    {WIRE_TRIAL_EVENT,      "trial-event",      LIMIT_CONTROL_FRAME},
    {WIRE_ARTEFACT_GET,     "artefact-get",     LIMIT_CONTROL_FRAME},
    {WIRE_WELCOME,          "welcome",          LIMIT_CONTROL_FRAME},
    {WIRE_REFUSED,          "refused",          LIMIT_CONTROL_FRAME},
    {WIRE_LEASE,            "lease",            LIMIT_SAMPLE_FRAME },
    {WIRE_ACK,              "ack",              LIMIT_CONTROL_FRAME},
    {WIRE_EXTEND,           "extend",           LIMIT_CONTROL_FRAME},
    {WIRE_STOP,             "stop",             LIMIT_CONTROL_FRAME},
    {WIRE_CHUNK,            "chunk",            LIMIT_SAMPLE_FRAME },
    {WIRE_HEARTBEAT_ANSWER, "heartbeat-answer", LIMIT_CONTROL_FRAME},
    {WIRE_REQUEST,          "request",          LIMIT_SAMPLE_FRAME },
    {WIRE_PUT,              "put",              LIMIT_SAMPLE_FRAME },
    {WIRE_REPLY,            "reply",            LIMIT_SAMPLE_FRAME },
};
#define N_KINDS (sizeof kinds / sizeof kinds[0])

const char *wire_kind_name(enum wire_kind kind)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i].kind == kind)
            return kinds[i].name;
    return NULL;
}

size_t wire_kind_cap(enum wire_kind kind)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i].kind == kind)
            return kinds[i].cap;
    return 0;
}

/* The number behind the tag of field 1, which every frame begins with; 0 when it does not. */
static uint32_t peek(const void *bytes, size_t length)
{
    const unsigned char *p = bytes;
    uint32_t kind = 0;

    if (length < 2 || p[0] != 0x08)
        return 0;
    for (size_t i = 1; i < length && i <= 4; i++) {
        kind |= (uint32_t)(p[i] & 0x7f) << (7 * (i - 1));
        if (p[i] < 0x80)
            return kind;
    }
    return 0;
}

enum wire_kind wire_peek(const void *bytes, size_t length)
{
    return (enum wire_kind)peek(bytes, length);
}

static int decode_body(struct wire_message *message, const ProtobufCBinaryData *body,
                       struct err *err)
{
    const void *bytes = body->data;
    const size_t length = body->len;

    switch (message->kind) {
    case WIRE_HELLO:
        return wire_hello_unpack(bytes, length, &message->as.hello, err);
    case WIRE_HEARTBEAT:
    case WIRE_HEARTBEAT_ANSWER:
        return wire_heartbeat_unpack(bytes, length, &message->as.heartbeat, err);
    case WIRE_BATCH:
        return wire_batch_unpack(bytes, length, &message->as.batch, err);
    case WIRE_TRIAL_EVENT:
        return wire_trial_event_unpack(bytes, length, &message->as.trial_event, err);
    case WIRE_ARTEFACT_GET:
    case WIRE_CHUNK:
    case WIRE_PUT:
        return wire_chunk_unpack(bytes, length, &message->as.chunk, err);
    case WIRE_WELCOME:
        return wire_welcome_unpack(bytes, length, &message->as.welcome, err);
    case WIRE_REFUSED:
        return wire_refused_unpack(bytes, length, &message->as.refused, err);
    case WIRE_LEASE:
        return wire_lease_unpack(bytes, length, &message->as.lease, err);
    case WIRE_ACK:
        return wire_ack_unpack(bytes, length, &message->as.ack, err);
    case WIRE_EXTEND:
        return wire_extend_unpack(bytes, length, &message->as.extend, err);
    case WIRE_STOP:
        return wire_stop_unpack(bytes, length, &message->as.stop, err);
    case WIRE_REQUEST:
        return wire_request_unpack(bytes, length, &message->as.request, err);
    case WIRE_REPLY:
        return wire_reply_unpack(bytes, length, &message->as.reply, err);
    }
    return WIRE_UNKNOWN;
}

int wire_decode(const void *bytes, size_t length, struct wire_message **ret, struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};
    CLEAN(wire_message) struct wire_message *message = NULL;
    const uint32_t kind = peek(bytes, length);

    if (kind == 0)
        return err_set(err, ERR_PROTO, "a frame of %zu bytes is no message", length);
    const size_t cap = wire_kind_cap((enum wire_kind)kind);
    if (cap == 0)
        return WIRE_UNKNOWN;
    if (wire_pool_unpack(&pool, &muster__envelope__descriptor, bytes, length, cap, err) < 0)
        return err_wrap(err, "%s", wire_kind_name((enum wire_kind)kind));
    const Muster__Envelope *envelope = (const Muster__Envelope *)pool.message;
    /* A second `kind` behind the first would win: what was judged by wire_peek must be what is
     * read. */
    if (envelope->kind != kind)
        return err_set(err, ERR_PROTO, "a message of two kinds");
    message = mem_new(struct wire_message);
    message->kind = (enum wire_kind)kind;
    if (decode_body(message, &envelope->body, err) < 0)
        return -1;
    *ret = mem_steal(&message);
    return 0;
}

static void encode_body(enum wire_kind kind, const void *body, struct str *ret)
{
    switch (kind) {
    case WIRE_HELLO:
        wire_hello_pack(body, ret);
        break;
    case WIRE_HEARTBEAT:
    case WIRE_HEARTBEAT_ANSWER:
        wire_heartbeat_pack(body, ret);
        break;
    case WIRE_BATCH:
        wire_batch_pack(body, ret);
        break;
    case WIRE_TRIAL_EVENT:
        wire_trial_event_pack(body, ret);
        break;
    case WIRE_ARTEFACT_GET:
    case WIRE_CHUNK:
    case WIRE_PUT:
        wire_chunk_pack(body, ret);
        break;
    case WIRE_WELCOME:
        wire_welcome_pack(body, ret);
        break;
    case WIRE_REFUSED:
        wire_refused_pack(body, ret);
        break;
    case WIRE_LEASE:
        wire_lease_pack(body, ret);
        break;
    case WIRE_ACK:
        wire_ack_pack(body, ret);
        break;
    case WIRE_EXTEND:
        wire_extend_pack(body, ret);
        break;
    case WIRE_STOP:
        wire_stop_pack(body, ret);
        break;
    case WIRE_REQUEST:
        wire_request_pack(body, ret);
        break;
    case WIRE_REPLY:
        wire_reply_pack(body, ret);
        break;
    }
}

int wire_encode(enum wire_kind kind, const void *body, struct str *ret, struct err *err)
{
    CLEAN_DONE(str) struct str packed = {0};
    Muster__Envelope envelope = MUSTER__ENVELOPE__INIT;
    const size_t cap = wire_kind_cap(kind);

    if (cap == 0)
        return err_set(err, ERR_INTERNAL, "no message kind %d", (int)kind);
    encode_body(kind, body, &packed);
    envelope.kind = (uint32_t)kind;
    envelope.body = (ProtobufCBinaryData){packed.length, (uint8_t *)packed.text};
    const size_t length = muster__envelope__get_packed_size(&envelope);
    if (length > cap)
        return err_set(err, ERR_LIMIT, "%s of %zu bytes, at most %zu are allowed",
                       wire_kind_name(kind), length, cap);
    wire_pb_pack(&envelope.base, ret);
    return 0;
}

void wire_message_free(struct wire_message *message)
{
    if (!message)
        return;
    switch (message->kind) {
    case WIRE_HELLO:
        wire_hello_free(message->as.hello);
        break;
    case WIRE_BATCH:
        wire_batch_free(message->as.batch);
        break;
    case WIRE_TRIAL_EVENT:
        wire_trial_event_free(message->as.trial_event);
        break;
    case WIRE_ARTEFACT_GET:
    case WIRE_CHUNK:
    case WIRE_PUT:
        wire_chunk_free(message->as.chunk);
        break;
    case WIRE_REFUSED:
        wire_refused_free(message->as.refused);
        break;
    case WIRE_LEASE:
        lease_free(message->as.lease);
        break;
    case WIRE_STOP:
        wire_stop_free(message->as.stop);
        break;
    case WIRE_REQUEST:
        wire_request_free(message->as.request);
        break;
    case WIRE_REPLY:
        wire_reply_free(message->as.reply);
        break;
    case WIRE_HEARTBEAT:
    case WIRE_HEARTBEAT_ANSWER:
        mem_free(message->as.heartbeat);
        break;
    case WIRE_WELCOME:
        mem_free(message->as.welcome);
        break;
    case WIRE_ACK:
        mem_free(message->as.ack);
        break;
    case WIRE_EXTEND:
        mem_free(message->as.extend);
        break;
    }
    mem_free(message);
}
