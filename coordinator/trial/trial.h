/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of one host's share of a run as one const table. A step changes the struct in memory and
 * says what the hallway must do once the step is stored: send a lease, more rounds, a stop, or ask
 * the stop rule. Pure: nothing is sent, stored or logged here.
 */
#pragma once
#include "base/err.h"
#include "base/fsm.h"
#include "model/limits.h"
#include "model/trial.h"

#include <stdbool.h>
#include <stdint.h>

enum trial_event {
#define TRIAL_EVENT(name, words) TRIAL_EV_##name,
#include "coordinator/trial/events.def"
#undef TRIAL_EVENT
    TRIAL_EV_COUNT
};
const char *trial_event_name(enum trial_event event);

struct trial_life {
    int state; /* enum trial_state */
    uint64_t epoch;
    uint32_t session, n_sessions;
    uint32_t rounds_done;  /* complete and stored, of this session */
    uint32_t granted_upto; /* of this session */
    uint64_t stored_seq;
    uint64_t taken_seq; /* highest number the agent said it gave; 0 while unknown */
    bool taken_known;   /* the agent said so after the rounds granted now */
    bool draining;      /* ended, but the agent still owes an answer to a stop */
    char reason[LIMIT_REASON];
};
/* What is new, beside the event; only the fields the event needs are read. */
struct trial_news {
    uint64_t epoch;       /* GRANT */
    uint32_t upto;        /* GRANT, GO_ON */
    uint32_t session;     /* STORED */
    uint32_t rounds_done; /* STORED */
    uint64_t seq;         /* STORED: stored up to; TAKEN, STOPPED, BACK: taken up to */
    const char *reason;   /* FAILED, MISSING, SILENT, NEVER, ENOUGH, CANCEL */
};
/* What the hallway owes after the step is stored. */
enum trial_order {
    TRIAL_ORDER_NOTHING,
    TRIAL_ORDER_LEASE,  /* send a lease for rounds [rounds_done, granted_upto) under epoch */
    TRIAL_ORDER_EXTEND, /* send the rounds granted so far */
    TRIAL_ORDER_STOP,   /* tell the agent to stop at the end of its block */
    TRIAL_ORDER_KILL,   /* tell the agent to stop now */
    TRIAL_ORDER_LOOK    /* ask the stop rule */
};
enum { TRIAL_IGNORED = 1 };
/* Outcomes: 0; TRIAL_IGNORED when the event means nothing in this state (a late or repeated
 * message). */
MUST_CHECK int trial_step(struct trial_life *life, enum trial_event event,
                          const struct trial_news *news, enum trial_order *ret_order,
                          struct err *err);
/* All granted rounds are stored and the agent's count agrees: time for LOOK. */
bool trial_wants_look(const struct trial_life *life);
/* Samples [*ret_from, *ret_to] were taken and are not stored. False when the counts agree or the
 * agent has not said. */
bool trial_missing(const struct trial_life *life, uint64_t *ret_from, uint64_t *ret_to);
/* The table itself, for tests and docs/STATES. */
extern const struct fsm trial_fsm;
