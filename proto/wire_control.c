/* SPDX-License-Identifier: GPL-3.0-or-later
 * Requests and replies of the command line, and chunks of artefacts. */
#include "wire_experiment.h"
#include "wire_kind.h"

#include "control.pb-c.h"

#include <string.h>

#define ARGS_MAX 64
#define ARG_BYTES_MAX LIMIT_EXPERIMENT_FILE

enum {
#define WIRE_REQUEST_KIND(name, role, words) COUNTED_##name,
#include "model/tbl/requests.def"
#undef WIRE_REQUEST_KIND
    N_REQUEST_KINDS
};

void wire_chunk_free(struct wire_chunk *chunk)
{
    if (!chunk)
        return;
    mem_free(chunk->bytes);
    mem_free(chunk);
}

void wire_chunk_pack(const struct wire_chunk *chunk, struct str *ret)
{
    Muster__Chunk pb = MUSTER__CHUNK__INIT;

    pb.digest = wire_borrow(chunk->digest);
    pb.offset = chunk->offset;
    pb.total = chunk->total;
    pb.bytes = (ProtobufCBinaryData){chunk->length, chunk->bytes};
    wire_pb_pack(&pb.base, ret);
}

int wire_chunk_unpack(const void *bytes, size_t length, struct wire_chunk **ret, struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};
    CLEAN(wire_chunk) struct wire_chunk *chunk = mem_new(struct wire_chunk);

    if (wire_pool_unpack(&pool, &muster__chunk__descriptor, bytes, length, LIMIT_SAMPLE_FRAME,
                         err) < 0)
        return -1;
    const Muster__Chunk *pb = (const Muster__Chunk *)pool.message;
    if (wire_digest(pb->digest, false, "chunk: digest", chunk->digest, err) < 0 ||
        wire_at_most(pb->total, LIMIT_ARTEFACT, "chunk: total", err) < 0 ||
        wire_at_most(pb->bytes.len, LIMIT_CHUNK, "chunk", err) < 0)
        return -1;
    /* A chunk without bytes asks for them; it need not know the total. */
    if (pb->offset > LIMIT_ARTEFACT ||
        (pb->bytes.len > 0 && pb->offset + pb->bytes.len > pb->total))
        return err_set(err, ERR_PROTO, "chunk: reaches over its artefact's end");
    chunk->offset = pb->offset;
    chunk->total = pb->total;
    chunk->length = pb->bytes.len;
    chunk->bytes = chunk->length ? mem_dup(pb->bytes.data, chunk->length) : NULL;
    *ret = mem_steal(&chunk);
    return 0;
}

void wire_request_free(struct wire_request *request)
{
    if (!request)
        return;
    strmap_done(&request->arg);
    experiment_free(request->experiment);
    mem_free(request);
}

void wire_request_pack(const struct wire_request *request, struct str *ret)
{
    CLEAN_DONE(wire_experiment) struct wire_experiment experiment = {0};
    Muster__Request pb = MUSTER__REQUEST__INIT;

    pb.id = request->id;
    pb.kind = (uint32_t)request->kind;
    pb.arg = wire_pairs_init(&request->arg);
    pb.n_arg = request->arg.n;
    if (request->experiment) {
        wire_experiment_init(&experiment, request->experiment);
        pb.experiment = &experiment.pb;
    }
    pb.idempotency = request->idempotency;
    pb.token = wire_borrow(request->token);
    wire_pb_pack(&pb.base, ret);
    wire_pairs_done(pb.arg, pb.n_arg);
}

int wire_request_unpack(const void *bytes, size_t length, struct wire_request **ret,
                        struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};
    CLEAN(wire_request) struct wire_request *request = mem_new(struct wire_request);

    if (wire_pool_unpack(&pool, &muster__request__descriptor, bytes, length, LIMIT_SAMPLE_FRAME,
                         err) < 0)
        return -1;
    const Muster__Request *pb = (const Muster__Request *)pool.message;
    if (pb->kind == WIRE_REQUEST_NONE || pb->kind >= N_REQUEST_KINDS)
        return err_set(err, ERR_PROTO, "request: unknown kind %u", pb->kind);
    if (wire_pairs_read(pb->arg, pb->n_arg, ARGS_MAX, ARG_BYTES_MAX, "request: argument",
                        &request->arg, err) < 0 ||
        wire_id(pb->token, true, "request: token", request->token, err) < 0)
        return -1;
    if (pb->experiment && wire_experiment_read(pb->experiment, &request->experiment, err) < 0)
        return -1;
    request->id = pb->id;
    request->kind = (enum wire_request_kind)pb->kind;
    request->idempotency = pb->idempotency;
    *ret = mem_steal(&request);
    return 0;
}

void wire_reply_free(struct wire_reply *reply)
{
    if (!reply)
        return;
    mem_free(reply->text);
    mem_free(reply->error);
    mem_free(reply->progress);
    mem_free(reply);
}

void wire_reply_pack(const struct wire_reply *reply, struct str *ret)
{
    const char *error = wire_borrow(reply->error);
    CLEAN_MEM char *cut = wire_clean(error, strlen(error), LIMIT_FIELD, true);
    Muster__Reply pb = MUSTER__REPLY__INIT;

    pb.id = reply->id;
    pb.last = reply->last;
    pb.exit_code = reply->exit_code;
    pb.text = (ProtobufCBinaryData){reply->text_length, (uint8_t *)reply->text};
    pb.error = cut;
    pb.progress = wire_borrow(reply->progress);
    wire_pb_pack(&pb.base, ret);
}

int wire_reply_unpack(const void *bytes, size_t length, struct wire_reply **ret, struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};
    CLEAN(wire_reply) struct wire_reply *reply = mem_new(struct wire_reply);

    if (wire_pool_unpack(&pool, &muster__reply__descriptor, bytes, length, LIMIT_SAMPLE_FRAME,
                         err) < 0)
        return -1;
    const Muster__Reply *pb = (const Muster__Reply *)pool.message;
    if (pb->exit_code < 0 || pb->exit_code > 255)
        return err_set(err, ERR_PROTO, "reply: exit code %d", pb->exit_code);
    if (wire_text(pb->error, WIRE_TEXT | WIRE_OR_NULL, LIMIT_FIELD, "reply: error", &reply->error,
                  err) < 0 ||
        wire_text(pb->progress, WIRE_LINE | WIRE_OR_NULL, LIMIT_CONTROL_FRAME, "reply: progress",
                  &reply->progress, err) < 0)
        return -1;
    reply->id = pb->id;
    reply->last = pb->last;
    reply->exit_code = pb->exit_code;
    reply->text_length = pb->text.len;
    if (reply->text_length) {
        reply->text = mem_alloc(reply->text_length + 1, 1);
        memcpy(reply->text, pb->text.data, reply->text_length);
    }
    *ret = mem_steal(&reply);
    return 0;
}
