/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A conversation of the command line with a coordinator: one request at a time, answers until the
 * last one. A coordinator that restarts meanwhile is waited for; requests that may be repeated are.
 */
#pragma once
#include "cli/cli.h"

#include <stdbool.h>
#include <stdio.h>

struct link;
/* Connects and waits for a sign of life. ERR_UNREACHABLE after 10 s without one (also: this key is
 * not allowed there). */
MUST_CHECK int link_open(const struct cli_target *target, struct link **ret, struct err *err);
void link_free(struct link *link);
MEM_CLEANUP(link)
struct link_sink {
    FILE *out;        /* where answers go; NULL: dropped */
    struct str *text; /* or here */
    void (*on_progress)(void *arg, const char *json);
    /* SIGINT or SIGTERM came, see link_take_signals; false: stop waiting (LINK_LEFT). NULL:
     * ERR_CANCELLED. */
    bool (*on_signal)(void *arg);
    void *arg;
};
enum { LINK_LEFT = 1 };
/* Gives the request an id, asks, copies answers; errors of the coordinator are printed to stderr.
 * Returns 0 and the exit code; LINK_LEFT; ERR_UNREACHABLE when the coordinator stays silent for a
 * minute. */
MUST_CHECK int link_ask(struct link *link, const struct wire_request *request,
                        const struct link_sink *sink, int *ret_exit, struct err *err);
/* Sends a request without waiting for its answer, which is dropped: for `cancel` beside a FOLLOW
 * under way. */
MUST_CHECK int link_tell(struct link *link, const struct wire_request *request, struct err *err);
/* Sends a file as an artefact, unless the coordinator has it. */
MUST_CHECK int link_put(struct link *link, const char *path, const char *digest, struct err *err);
/* Waits a moment for messages nobody asked for, and drops them: between two questions of the same
 * kind. */
void link_pause(struct link *link);
/* From now on SIGINT and SIGTERM are read between messages; call before threads exist. */
MUST_CHECK int link_take_signals(struct link *link, struct err *err);
