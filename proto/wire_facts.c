/* SPDX-License-Identifier: GPL-3.0-or-later
 * Fact sets, on their own and inside other messages. */
#include "wire_facts.h"

#include "wire.h"

#define FACTS_BYTES_MAX (2 * LIMIT_SAMPLE_FRAME) /* LIMIT_FACTS of the longest values and more */

void wire_facts_init(struct wire_facts *wire, const struct fact_set *set)
{
    muster__fact_set__init(&wire->pb);
    wire->fact = mem_array(Muster__Fact, set->n);
    wire->pb.fact = wire->facts = mem_array(Muster__Fact *, set->n);
    wire->pb.n_fact = set->n;
    for (size_t i = 0; i < set->n; i++) {
        muster__fact__init(&wire->fact[i]);
        wire->fact[i].name = wire_borrow(set->v[i].name);
        wire->fact[i].value = wire_borrow(set->v[i].value);
        wire->fact[i].is_state = set->v[i].kind == FACT_STATE;
        wire->fact[i].from = wire_borrow(set->v[i].from);
        wire->facts[i] = &wire->fact[i];
    }
}

void wire_facts_done(struct wire_facts *wire)
{
    mem_free(wire->fact);
    mem_free(wire->facts);
}

int wire_facts_read(const Muster__FactSet *pb, struct fact_set **ret, struct err *err)
{
    CLEAN(fact_set) struct fact_set *set = fact_set_new();

    if (wire_at_most(pb->n_fact, LIMIT_FACTS, "facts", err) < 0)
        return -1;
    for (size_t i = 0; i < pb->n_fact; i++) {
        const Muster__Fact *fact = pb->fact[i];
        CLEAN_MEM char *name = NULL;
        CLEAN_MEM char *value = NULL;
        CLEAN_MEM char *from = NULL;

        if (wire_text(fact->name, WIRE_NAME, LIMIT_NAME, "fact", &name, err) < 0 ||
            wire_text(fact->value, WIRE_LINE, LIMIT_FACT_VALUE, "fact: value", &value, err) < 0 ||
            wire_text(fact->from, WIRE_LINE | WIRE_OR_NULL, LIMIT_FACT_VALUE, "fact: from", &from,
                      err) < 0 ||
            fact_set_put(set, name, value, fact->is_state ? FACT_STATE : FACT_IDENTITY, from, err) <
                0)
            return -1;
        if (set->n != i + 1)
            return err_set(err, ERR_PROTO, "fact \"%s\" twice", name);
    }
    *ret = mem_steal(&set);
    return 0;
}

void wire_facts_pack(const struct fact_set *facts, struct str *ret)
{
    CLEAN_DONE(wire_facts) struct wire_facts wire = {0};

    wire_facts_init(&wire, facts);
    wire_pb_pack(&wire.pb.base, ret);
}

int wire_facts_unpack(const void *bytes, size_t length, struct fact_set **ret, struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};

    if (wire_pool_unpack(&pool, &muster__fact_set__descriptor, bytes, length, FACTS_BYTES_MAX,
                         err) < 0)
        return -1;
    return wire_facts_read((const Muster__FactSet *)pool.message, ret, err);
}
