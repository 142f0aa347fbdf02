/* SPDX-License-Identifier: GPL-3.0-or-later
 * Host selection expressions: parsed, and asked of a host with some facts. */
#include "fuzz.h"

#include "model/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEAN_MEM char *text = mem_strndup((const char *)data, size);
    struct fact_set *facts = fact_set_new();
    struct expr *expr = NULL;
    struct str why = {0};
    struct err err = {0};

    FUZZ_HOLDS(fact_set_put(facts, "cpu.vendor", "AMD", FACT_IDENTITY, NULL, &err) == 0);
    FUZZ_HOLDS(fact_set_put(facts, "cpu.count", "8", FACT_IDENTITY, NULL, &err) == 0);
    if (expr_parse(text, &expr, &err) == 0) {
        const enum expr_value value = expr_eval(expr, "n1", facts, &why);

        FUZZ_HOLDS(value == EXPR_TRUE || value == EXPR_FALSE || value == EXPR_UNKNOWN);
    } else {
        FUZZ_HOLDS(err.text[0] != '\0');
    }
    expr_free(expr);
    fact_set_free(facts);
    str_done(&why);
    return 0;
}
