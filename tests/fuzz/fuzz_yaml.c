/* SPDX-License-Identifier: GPL-3.0-or-later
 * Experiment files: what is accepted is consistent, and written and read again it is accepted
 * again. */
#include "fuzz.h"

#include "coordinator/spec/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct experiment *experiment = NULL, *again = NULL;
    struct str text = {0};
    struct err err = {0};

    if (spec_from_yaml("fuzz.yaml", (const char *)data, size, false, &experiment, &err) == 0) {
        FUZZ_HOLDS(experiment_check(experiment, &err) == 0);
        spec_to_yaml(experiment, &text);
        if (spec_from_yaml("again.yaml", str_get(&text), text.length, experiment->is_aa, &again,
                           &err) < 0) {
            fprintf(stderr, "%s\n%s", err.text, str_get(&text));
            abort();
        }
    } else {
        FUZZ_HOLDS(err.text[0] != '\0');
    }
    experiment_free(experiment);
    experiment_free(again);
    str_done(&text);
    return 0;
}
