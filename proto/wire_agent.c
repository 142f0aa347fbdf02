/* SPDX-License-Identifier: GPL-3.0-or-later
 * What agents say of themselves and of their trial: hello, heartbeat, trial event. */
#include "wire_facts.h"
#include "wire_kind.h"

#include <string.h>

void wire_hello_free(struct wire_hello *hello)
{
    if (!hello)
        return;
    mem_free(hello->agent_version);
    mem_free(hello->host);
    mem_free(hello->boot_id);
    mem_free(hello->machine_id_hash);
    fact_set_free(hello->facts);
    mem_free(hello);
}

void wire_hello_pack(const struct wire_hello *hello, struct str *ret)
{
    CLEAN_DONE(wire_facts) struct wire_facts facts = {0};
    Muster__Hello pb = MUSTER__HELLO__INIT;

    pb.version = hello->version;
    pb.agent_version = wire_borrow(hello->agent_version);
    pb.session = wire_borrow(hello->session);
    pb.host = wire_borrow(hello->host);
    pb.boot_id = wire_borrow(hello->boot_id);
    pb.machine_id_hash = wire_borrow(hello->machine_id_hash);
    if (hello->facts) {
        wire_facts_init(&facts, hello->facts);
        pb.facts = &facts.pb;
    }
    pb.run = hello->run;
    pb.epoch = hello->epoch;
    pb.spooled_seq = hello->spooled_seq;
    wire_pb_pack(&pb.base, ret);
}

/* A message without facts reads as the empty set. */
static int read_facts(const Muster__FactSet *pb, struct fact_set **ret, struct err *err)
{
    if (pb)
        return wire_facts_read(pb, ret, err);
    *ret = fact_set_new();
    return 0;
}

int wire_hello_unpack(const void *bytes, size_t length, struct wire_hello **ret, struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};
    CLEAN(wire_hello) struct wire_hello *hello = mem_new(struct wire_hello);

    if (wire_pool_unpack(&pool, &muster__hello__descriptor, bytes, length, LIMIT_CONTROL_FRAME,
                         err) < 0)
        return -1;
    const Muster__Hello *pb = (const Muster__Hello *)pool.message;
    if (wire_text(pb->agent_version, WIRE_LINE | WIRE_OR_EMPTY, LIMIT_NAME, "hello: agent_version",
                  &hello->agent_version, err) < 0 ||
        wire_id(pb->session, false, "hello: session", hello->session, err) < 0 ||
        wire_text(pb->host, WIRE_NAME, LIMIT_NAME, "hello: host", &hello->host, err) < 0 ||
        wire_text(pb->boot_id, WIRE_NAME, LIMIT_NAME, "hello: boot_id", &hello->boot_id, err) < 0 ||
        wire_text(pb->machine_id_hash, WIRE_NAME | WIRE_OR_EMPTY, LIMIT_NAME,
                  "hello: machine_id_hash", &hello->machine_id_hash, err) < 0 ||
        wire_not_negative(pb->run, "hello: run", err) < 0 ||
        read_facts(pb->facts, &hello->facts, err) < 0)
        return -1;
    hello->version = pb->version;
    hello->run = pb->run;
    hello->epoch = pb->epoch;
    hello->spooled_seq = pb->spooled_seq;
    *ret = mem_steal(&hello);
    return 0;
}

void wire_heartbeat_pack(const struct wire_heartbeat *heartbeat, struct str *ret)
{
    Muster__Heartbeat pb = MUSTER__HEARTBEAT__INIT;

    pb.session = wire_borrow(heartbeat->session);
    pb.counter = heartbeat->counter;
    pb.wall_us = heartbeat->wall_us;
    pb.run = heartbeat->run;
    pb.epoch = heartbeat->epoch;
    pb.sleeping_ns = heartbeat->sleeping_ns;
    wire_pb_pack(&pb.base, ret);
}

int wire_heartbeat_unpack(const void *bytes, size_t length, struct wire_heartbeat **ret,
                          struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};
    struct wire_heartbeat heartbeat = {0};

    if (wire_pool_unpack(&pool, &muster__heartbeat__descriptor, bytes, length, LIMIT_CONTROL_FRAME,
                         err) < 0)
        return -1;
    const Muster__Heartbeat *pb = (const Muster__Heartbeat *)pool.message;
    if (wire_id(pb->session, false, "heartbeat: session", heartbeat.session, err) < 0 ||
        wire_not_negative(pb->run, "heartbeat: run", err) < 0 ||
        wire_not_negative(pb->sleeping_ns, "heartbeat: sleeping", err) < 0)
        return -1;
    heartbeat.counter = pb->counter;
    heartbeat.wall_us = pb->wall_us;
    heartbeat.run = pb->run;
    heartbeat.epoch = pb->epoch;
    heartbeat.sleeping_ns = pb->sleeping_ns;
    *ret = mem_dup(&heartbeat, sizeof heartbeat);
    return 0;
}

void wire_trial_event_free(struct wire_trial_event *event)
{
    if (!event)
        return;
    mem_free(event->reason);
    fact_set_free(event->facts);
    mem_free(event);
}

void wire_trial_event_pack(const struct wire_trial_event *event, struct str *ret)
{
    const char *reason = wire_borrow(event->reason);
    CLEAN_MEM char *cut = wire_clean(reason, strlen(reason), LIMIT_REASON, false);
    CLEAN_DONE(wire_facts) struct wire_facts facts = {0};
    Muster__TrialEvent pb = MUSTER__TRIAL_EVENT__INIT;

    pb.run = event->run;
    pb.epoch = event->epoch;
    pb.event = (uint32_t)event->event;
    pb.reason = cut;
    if (event->facts) {
        wire_facts_init(&facts, event->facts);
        pb.facts = &facts.pb;
    }
    pb.seq = event->seq;
    wire_pb_pack(&pb.base, ret);
}

int wire_trial_event_unpack(const void *bytes, size_t length, struct wire_trial_event **ret,
                            struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};
    CLEAN(wire_trial_event) struct wire_trial_event *event = mem_new(struct wire_trial_event);

    if (wire_pool_unpack(&pool, &muster__trial_event__descriptor, bytes, length,
                         LIMIT_CONTROL_FRAME, err) < 0)
        return -1;
    const Muster__TrialEvent *pb = (const Muster__TrialEvent *)pool.message;
    if (pb->event < WIRE_STAGED || pb->event > WIRE_TRIAL_STOPPED)
        return err_set(err, ERR_PROTO, "trial event: unknown event %u", pb->event);
    if (pb->run < 1 || pb->epoch < 1)
        return err_set(err, ERR_PROTO, "trial event: run and epoch begin at 1");
    if (wire_text(pb->reason, WIRE_LINE | WIRE_OR_NULL, LIMIT_REASON, "trial event: reason",
                  &event->reason, err) < 0)
        return -1;
    if (pb->facts && wire_facts_read(pb->facts, &event->facts, err) < 0)
        return -1;
    event->run = pb->run;
    event->epoch = pb->epoch;
    event->event = (enum wire_event)pb->event;
    event->seq = pb->seq;
    *ret = mem_steal(&event);
    return 0;
}
