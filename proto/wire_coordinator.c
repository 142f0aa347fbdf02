/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the coordinator says to agents: welcome, refused, ack, extend, stop. */
#include "wire_kind.h"
#include "wire_pb.h"

#include "agent.pb-c.h"

#include <string.h>

void wire_welcome_pack(const struct wire_welcome *welcome, struct str *ret)
{
    Muster__Welcome pb = MUSTER__WELCOME__INIT;

    pb.version = welcome->version;
    pb.session = wire_borrow(welcome->session);
    pb.heartbeat_ns = welcome->heartbeat_ns;
    pb.resume = welcome->resume;
    pb.stored_seq = welcome->stored_seq;
    wire_pb_pack(&pb.base, ret);
}

int wire_welcome_unpack(const void *bytes, size_t length, struct wire_welcome **ret,
                        struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};
    struct wire_welcome welcome = {0};

    if (wire_pool_unpack(&pool, &muster__welcome__descriptor, bytes, length, LIMIT_CONTROL_FRAME,
                         err) < 0)
        return -1;
    const Muster__Welcome *pb = (const Muster__Welcome *)pool.message;
    if (pb->heartbeat_ns < 1)
        return err_set(err, ERR_PROTO, "welcome: no heartbeat interval");
    if (wire_id(pb->session, false, "welcome: session", welcome.session, err) < 0)
        return -1;
    welcome.version = pb->version;
    welcome.heartbeat_ns = pb->heartbeat_ns;
    welcome.resume = pb->resume;
    welcome.stored_seq = pb->stored_seq;
    *ret = mem_dup(&welcome, sizeof welcome);
    return 0;
}

void wire_refused_free(struct wire_refused *refused)
{
    if (!refused)
        return;
    mem_free(refused->reason);
    mem_free(refused);
}

void wire_refused_pack(const struct wire_refused *refused, struct str *ret)
{
    const char *reason = wire_borrow(refused->reason);
    CLEAN_MEM char *cut = wire_clean(reason, strlen(reason), LIMIT_REASON, false);
    Muster__Refused pb = MUSTER__REFUSED__INIT;

    pb.reason = cut;
    pb.final = refused->final;
    wire_pb_pack(&pb.base, ret);
}

int wire_refused_unpack(const void *bytes, size_t length, struct wire_refused **ret,
                        struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};
    CLEAN(wire_refused) struct wire_refused *refused = mem_new(struct wire_refused);

    if (wire_pool_unpack(&pool, &muster__refused__descriptor, bytes, length, LIMIT_CONTROL_FRAME,
                         err) < 0)
        return -1;
    const Muster__Refused *pb = (const Muster__Refused *)pool.message;
    if (wire_text(pb->reason, WIRE_LINE | WIRE_OR_EMPTY, LIMIT_REASON, "refused: reason",
                  &refused->reason, err) < 0)
        return -1;
    refused->final = pb->final;
    *ret = mem_steal(&refused);
    return 0;
}

/* Every message below is about a lease. */
static int check_lease(int64_t run, uint64_t epoch, const char *what, struct err *err)
{
    if (run < 1 || epoch < 1)
        return err_set(err, ERR_PROTO, "%s: run and epoch begin at 1", what);
    return 0;
}

void wire_ack_pack(const struct wire_ack *ack, struct str *ret)
{
    Muster__Ack pb = MUSTER__ACK__INIT;

    pb.run = ack->run;
    pb.epoch = ack->epoch;
    pb.stored_seq = ack->stored_seq;
    wire_pb_pack(&pb.base, ret);
}

int wire_ack_unpack(const void *bytes, size_t length, struct wire_ack **ret, struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};

    if (wire_pool_unpack(&pool, &muster__ack__descriptor, bytes, length, LIMIT_CONTROL_FRAME, err) <
        0)
        return -1;
    const Muster__Ack *pb = (const Muster__Ack *)pool.message;
    if (check_lease(pb->run, pb->epoch, "ack", err) < 0)
        return -1;
    const struct wire_ack ack = {pb->run, pb->epoch, pb->stored_seq};
    *ret = mem_dup(&ack, sizeof ack);
    return 0;
}

void wire_extend_pack(const struct wire_extend *extend, struct str *ret)
{
    Muster__Extend pb = MUSTER__EXTEND__INIT;

    pb.run = extend->run;
    pb.epoch = extend->epoch;
    pb.session = extend->session;
    pb.upto_round = extend->upto_round;
    wire_pb_pack(&pb.base, ret);
}

int wire_extend_unpack(const void *bytes, size_t length, struct wire_extend **ret, struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};

    if (wire_pool_unpack(&pool, &muster__extend__descriptor, bytes, length, LIMIT_CONTROL_FRAME,
                         err) < 0)
        return -1;
    const Muster__Extend *pb = (const Muster__Extend *)pool.message;
    if (check_lease(pb->run, pb->epoch, "extend", err) < 0 ||
        wire_at_most(pb->session, LIMIT_SESSIONS, "extend: session", err) < 0)
        return -1;
    const struct wire_extend extend = {pb->run, pb->epoch, pb->session, pb->upto_round};
    *ret = mem_dup(&extend, sizeof extend);
    return 0;
}

void wire_stop_free(struct wire_stop *stop)
{
    if (!stop)
        return;
    mem_free(stop->reason);
    mem_free(stop);
}

void wire_stop_pack(const struct wire_stop *stop, struct str *ret)
{
    const char *reason = wire_borrow(stop->reason);
    CLEAN_MEM char *cut = wire_clean(reason, strlen(reason), LIMIT_REASON, false);
    Muster__Stop pb = MUSTER__STOP__INIT;

    pb.run = stop->run;
    pb.epoch = stop->epoch;
    pb.kill_now = stop->kill_now;
    pb.reason = cut;
    wire_pb_pack(&pb.base, ret);
}

int wire_stop_unpack(const void *bytes, size_t length, struct wire_stop **ret, struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};
    CLEAN(wire_stop) struct wire_stop *stop = mem_new(struct wire_stop);

    if (wire_pool_unpack(&pool, &muster__stop__descriptor, bytes, length, LIMIT_CONTROL_FRAME,
                         err) < 0)
        return -1;
    const Muster__Stop *pb = (const Muster__Stop *)pool.message;
    if (check_lease(pb->run, pb->epoch, "stop", err) < 0 ||
        wire_text(pb->reason, WIRE_LINE | WIRE_OR_NULL, LIMIT_REASON, "stop: reason", &stop->reason,
                  err) < 0)
        return -1;
    stop->run = pb->run;
    stop->epoch = pb->epoch;
    stop->kill_now = pb->kill_now;
    *ret = mem_steal(&stop);
    return 0;
}
