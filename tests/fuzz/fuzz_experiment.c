/* SPDX-License-Identifier: GPL-3.0-or-later
 * Experiment and fact blobs of the store, and what the model makes of an experiment that nobody
 * checked. */
#include "fuzz.h"

#include "proto/wire.h"

static void use(const struct experiment *experiment)
{
    struct err err = {0};

    if (experiment_check(experiment, &err) < 0)
        return;
    const size_t cells = experiment_cells(experiment);
    for (size_t cell = 0; cell < cells && cell < 4; cell++)
        for (size_t v = 0; v < experiment->n_variants; v++) {
            struct strlist words = {0};
            char *text = NULL;

            if (experiment_substitute(experiment, cell, experiment->variant[v].run, &text, &err) ==
                0) {
                (void)!words_split(text, &words, &err);
                mem_free(text);
            }
            strlist_done(&words);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct experiment *experiment = NULL, *again = NULL;
    struct fact_set *facts = NULL;
    struct str bytes = {0};
    struct err err = {0};

    if (wire_experiment_unpack(data, size, &experiment, &err) == 0) {
        wire_experiment_pack(experiment, &bytes);
        FUZZ_HOLDS(wire_experiment_unpack(bytes.text, bytes.length, &again, &err) == 0);
        use(experiment);
    }
    if (wire_facts_unpack(data, size, &facts, &err) == 0) {
        char digest[DIGEST_SIZE];

        fact_set_digest(facts, false, digest);
        FUZZ_HOLDS(digest_is_valid(digest));
    }
    experiment_free(experiment);
    experiment_free(again);
    fact_set_free(facts);
    str_done(&bytes);
    return 0;
}
