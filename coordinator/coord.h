/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The coordinator as one call: options in, exit code out. One zloop thread owns every room without
 * locks; the store's writer, the questions of users and the looks of the stop rule have threads of
 * their own and are reached by messages.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct coord_options {
    const char *data_dir;         /* muster.db, artefacts/, endpoints; made with mode 0700 */
    const char *agent_endpoint;   /* "tcp://0.0.0.0:7401", "ipc://…"; NULL: tcp://127.0.0.1:* */
    const char *user_endpoint;    /* NULL: tcp://127.0.0.1:* */
    const char *key_file;         /* own key pair, made when absent; NULL: DATA/coordinator.key */
    const char *endpoints_file;   /* where to write what was bound; NULL: DATA/endpoints */
    const struct strlist *enroll; /* NAME=PUBLICKEY: hosts whose agents may connect; remembered */
    const struct strlist *allow_user; /* PUBLICKEY[:operator|:viewer]: users; remembered */
    int64_t heartbeat_ns;             /* 0: 5 s; a host is lost after three are missed */
    int64_t ttl_ns;                   /* of a lease; 0: 60 s */
    int64_t wait_hosts_ns; /* how long a run waits for a host that is not connected; 0: 60 s */
    int64_t lost_grace_ns; /* how long the end of a run waits for lost hosts; 0: 30 s */
    bool exit_when_idle;   /* embedded: ends when the user has gone and no run is open */
};
/* Runs until SIGTERM or SIGINT (0: state is in the store, open runs continue at the next start).
 * -1: could not start. */
MUST_CHECK int coord_main(const struct coord_options *options, struct err *err);
/* "agents ENDPOINT", "users ENDPOINT", "key PUBLICKEY" lines of an endpoints file. */
struct coord_endpoints {
    char *agents, *users, *key;
};
void coord_endpoints_done(struct coord_endpoints *endpoints);
MUST_CHECK int coord_endpoints_load(const char *path, struct coord_endpoints *ret, struct err *err);
/* The exit code a command line ends with for an error: 2 wrong usage or a wrong file, 69 not
 * reachable, 130 interrupted, else 1. */
int coord_exit_code(const struct err *err);
/* Names inside a data directory, owned by the caller. */
char *coord_db_path(const char *data_dir);
char *coord_endpoints_path(const char *data_dir);
