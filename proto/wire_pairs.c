/* SPDX-License-Identifier: GPL-3.0-or-later
 * Maps of text: a variant's environment, a request's arguments. */
#include "wire_experiment.h"

Muster__Pair **wire_pairs_init(const struct strmap *map)
{
    Muster__Pair **pairs = mem_array(Muster__Pair *, map->n);

    for (size_t i = 0; i < map->n; i++) {
        pairs[i] = mem_new(Muster__Pair);
        muster__pair__init(pairs[i]);
        pairs[i]->name = wire_borrow(map->key[i]);
        pairs[i]->value = wire_borrow(map->value[i]);
    }
    return pairs;
}

void wire_pairs_done(Muster__Pair **pairs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mem_free(pairs[i]);
    mem_free(pairs);
}

int wire_pairs_read(Muster__Pair *const *pairs, size_t n, size_t max_n, size_t max_value,
                    const char *what, struct strmap *ret, struct err *err)
{
    if (wire_at_most(n, max_n, what, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        CLEAN_MEM char *name = NULL;
        CLEAN_MEM char *value = NULL;

        if (wire_text(pairs[i]->name, WIRE_LINE, LIMIT_NAME, what, &name, err) < 0 ||
            wire_text(pairs[i]->value, WIRE_TEXT | WIRE_OR_EMPTY, max_value, what, &value, err) < 0)
            return -1;
        if (strmap_get(ret, name))
            return err_set(err, ERR_PROTO, "%s: \"%s\" twice", what, name);
        strmap_set(ret, name, value);
    }
    return 0;
}
