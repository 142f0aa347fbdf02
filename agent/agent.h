/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The agent as one call: measures on this host what a coordinator asks for. It listens on nothing.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct agent_options {
    const char *endpoint;   /* of the coordinator: "tcp://host:7401", "ipc://…" */
    const char *server_key; /* Z85: its public key */
    const char *key_file;   /* own key pair; made when absent */
    const char *host;       /* the name this key is enrolled for; NULL: the machine's host name */
    const char *state_dir;  /* lease, spool, artefacts, work directories; made with mode 0711 */
    const char *lock_path;  /* NULL: the machine's own (agent/lock.h) */
    const char *facts_dir;  /* NULL: /etc/muster/facts.d */
    struct strmap host_env; /* given to every workload; recorded as facts env.NAME */
    struct strmap facts;    /* declared by the operator: name -> value */
    int64_t heartbeat_ns;   /* 0: what the coordinator asks for */
    bool once;              /* end when the first trial has ended */
};
/* Runs until SIGTERM or SIGINT (0: what was measured is spooled and resumes at the next start), or,
 * with once, until a trial has ended. -1: could not start, was refused for good, or lost its
 * keeper. Must be called while the process is a single thread. */
MUST_CHECK int agent_main(const struct agent_options *options, struct err *err);
