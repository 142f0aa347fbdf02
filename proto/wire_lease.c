/* SPDX-License-Identifier: GPL-3.0-or-later
 * Leases: an experiment and one host's share of it. The experiment's source text stays at the
 * coordinator. */
#include "wire.h"

#include "wire_experiment.h"

void wire_lease_pack(const struct lease *lease, struct str *ret)
{
    CLEAN_DONE(wire_experiment) struct wire_experiment experiment = {0};
    Muster__Lease pb = MUSTER__LEASE__INIT;

    pb.run = lease->run;
    pb.host = wire_borrow(lease->host);
    pb.epoch = lease->epoch;
    pb.seed = lease->seed;
    pb.next_seq = lease->next_seq;
    pb.session = lease->session;
    pb.first_round = lease->first_round;
    pb.upto_round = lease->upto_round;
    pb.ttl_ns = lease->ttl_ns;
    if (lease->experiment) {
        wire_experiment_init(&experiment, lease->experiment);
        experiment.pb.source = wire_borrow(NULL);
        pb.experiment = &experiment.pb;
    }
    wire_pb_pack(&pb.base, ret);
}

int wire_lease_unpack(const void *bytes, size_t length, struct lease **ret, struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};
    CLEAN(lease) struct lease *lease = mem_new(struct lease);

    if (wire_pool_unpack(&pool, &muster__lease__descriptor, bytes, length, LIMIT_SAMPLE_FRAME,
                         err) < 0)
        return -1;
    const Muster__Lease *pb = (const Muster__Lease *)pool.message;
    if (!pb->experiment)
        return err_set(err, ERR_PROTO, "lease: no experiment");
    if (pb->run < 1 || pb->epoch < 1 || pb->next_seq < 1 || pb->ttl_ns < 1)
        return err_set(err, ERR_PROTO, "lease: run, epoch, next_seq and ttl begin at 1");
    if (pb->first_round > pb->upto_round)
        return err_set(err, ERR_PROTO, "lease: rounds %u to %u", pb->first_round, pb->upto_round);
    if (wire_text(pb->host, WIRE_NAME, LIMIT_NAME, "lease: host", &lease->host, err) < 0 ||
        wire_at_most(pb->session, LIMIT_SESSIONS, "lease: session", err) < 0 ||
        wire_experiment_read(pb->experiment, &lease->experiment, err) < 0)
        return -1;
    lease->run = pb->run;
    lease->epoch = pb->epoch;
    lease->seed = pb->seed;
    lease->next_seq = pb->next_seq;
    lease->session = pb->session;
    lease->first_round = pb->first_round;
    lease->upto_round = pb->upto_round;
    lease->ttl_ns = pb->ttl_ns;
    *ret = mem_steal(&lease);
    return 0;
}
