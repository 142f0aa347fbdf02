/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One trial after the other: takes a lease, stages it, measures its blocks, spools them, and goes
 * on or stops as the coordinator says. Joins uplink, outbox, stage and keeper.
 */
#pragma once
#include "agent/agent.h"
#include "agent/fact.h"
#include "agent/keeper.h"
#include "agent/metrics.h"
#include "agent/outbox.h"
#include "agent/stage.h"
#include "agent/uplink.h"
#include "model/plan.h"

struct runner {
    const struct agent_options *options;
    const struct platform *platform;
    struct keeper *keeper;
    struct uplink *uplink;
    struct outbox *outbox;
    struct stage *stage;
    struct metrics *metrics;
    struct fact_set *facts; /* as read last */
    int signal_fd;

    struct lease *lease;      /* held; first_round and next_seq move on with every spooled block */
    struct lease *next;       /* came while another was held: takes its place */
    struct spool *spool;      /* of lease; the outbox's */
    struct wire_chunk *chunk; /* the last piece of an artefact that came */
    bool is_stopped;          /* told to stop; at once with kill_now */
    bool kill_now;
    bool is_lost;            /* the coordinator does not know our lease any more */
    bool is_rewelcomed;      /* a new session has begun: say again what it may not know */
    bool is_locked;          /* we hold the machine's lock */
    bool ends;               /* a signal came */
    int64_t asleep_until_ns; /* the lease is good so long, as announced before a sample */
    uint32_t bad_blocks;     /* in a row without one good sample */
    uint32_t trials;         /* ended */
};
/* Fills ops for the uplink. */
void runner_ops(struct runner *runner, struct uplink_ops *ret);
/* Resumes the lease on disk, then serves until a signal (0). -1: see agent_main. */
MUST_CHECK int runner_serve(struct runner *runner, struct err *err);
void runner_done(struct runner *runner);

/* ---- shared by runner.c, trial.c and block.c ---- */

/* How the holding of a lease ended. */
enum runner_left { RUNNER_GO_ON = 0, RUNNER_LEFT = 1 };
/* Waits like uplink_wait and sends what is due. RUNNER_LEFT: stop what you do (told so, lease gone,
 * signal). With until_ns 0 it only looks. *ret_event (may be NULL) as of uplink_wait. */
MUST_CHECK int runner_wait(struct runner *runner, int fd, int64_t until_ns, int *ret_event,
                           struct err *err);
/* When we must have stopped by ourselves: the lease's ttl after the coordinator was last heard. */
int64_t runner_expiry_ns(const struct runner *runner);
/* Runs a command that is not measured, answering the coordinator meanwhile. RUNNER_LEFT: killed. */
MUST_CHECK int runner_command(struct runner *runner, const struct child_spec *spec,
                              struct child_result *ret, struct err *err);
void runner_event(struct runner *runner, enum wire_event event, const char *reason, uint64_t seq);

/* ---- trial.c ---- */
/* From staging to the last granted round and on, until told to stop. RUNNER_LEFT; -1 with a reason
 * the run should know. */
MUST_CHECK int trial_run(struct runner *runner, struct err *err);

/* ---- block.c ---- */
/* Measures one block and spools it. RUNNER_LEFT: abandoned, nothing of it is kept. */
MUST_CHECK int block_run(struct runner *runner, uint32_t round, bool is_warmup, struct err *err);
