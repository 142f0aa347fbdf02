/* SPDX-License-Identifier: GPL-3.0-or-later
 * Names of the states of runs and trials; the lease's end. */
#include "model/trial.h"

static const char *const run_words[] = {
#define RUN_STATE(name, word) word,
#include "model/tbl/run_states.def"
#undef RUN_STATE
};
static const struct {
    const char *word;
    bool is_end;
} trial_words[] = {
#define TRIAL_STATE(name, word, is_end) {word, is_end},
#include "model/tbl/trial_states.def"
#undef TRIAL_STATE
};

const char *run_state_name(enum run_state state)
{
    return (size_t)state < sizeof run_words / sizeof *run_words ? run_words[state] : NULL;
}

const char *trial_state_name(enum trial_state state)
{
    return (size_t)state < sizeof trial_words / sizeof *trial_words ? trial_words[state].word
                                                                    : NULL;
}

bool trial_state_is_end(enum trial_state state)
{
    return (size_t)state < sizeof trial_words / sizeof *trial_words && trial_words[state].is_end;
}

void lease_free(struct lease *lease)
{
    if (!lease)
        return;
    mem_free(lease->host);
    experiment_free(lease->experiment);
    mem_free(lease);
}
