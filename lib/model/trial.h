/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trial is one host's share of a run. The states a run and its hosts can be in, and the lease
 * that carries a trial to an agent. The target list is fixed at submit; every host of a run ends in
 * exactly one of done, failed, lost, never.
 */
#pragma once
#include "base/id.h"
#include "model/experiment.h"

#include <stdint.h>

enum run_state {
#define RUN_STATE(name, word) RUN_##name,
#include "model/tbl/run_states.def"
#undef RUN_STATE
};
enum trial_state {
#define TRIAL_STATE(name, word, is_end) TRIAL_##name,
#include "model/tbl/trial_states.def"
#undef TRIAL_STATE
};
const char *run_state_name(enum run_state state);
const char *trial_state_name(enum trial_state state);
bool trial_state_is_end(enum trial_state state);

/* What an agent is granted: run rounds [first_round, upto_round) of session, under epoch, within
 * ttl of receipt. */
struct lease {
    int64_t run;       /* run id */
    char *host;        /* the host's name: part of the plan's seed */
    uint64_t epoch;    /* fencing token, grows with every grant of this trial */
    uint64_t seed;     /* the run's seed */
    uint64_t next_seq; /* number of the next sample: stored so far + 1 */
    uint32_t session;
    uint32_t first_round, upto_round;
    int64_t ttl_ns; /* renewed by every heartbeat answer and every ack */
    struct experiment *experiment;
};
void lease_free(struct lease *lease);
MEM_CLEANUP(lease)
