/* SPDX-License-Identifier: GPL-3.0-or-later
 * The fact set as a part of other generated messages (hello, trial event). Private to proto/. */
#pragma once
#include "model/host.h"
#include "wire_pb.h"

#include "agent.pb-c.h"

struct wire_facts {
    Muster__FactSet pb;
    Muster__Fact *fact, **facts;
};
/* Borrows from set until wire_facts_done. */
void wire_facts_init(struct wire_facts *wire, const struct fact_set *set);
void wire_facts_done(struct wire_facts *wire);
/* Checks every field and copies; a fact twice is ERR_PROTO. */
MUST_CHECK int wire_facts_read(const Muster__FactSet *pb, struct fact_set **ret, struct err *err);
