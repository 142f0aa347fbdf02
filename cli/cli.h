/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One table from verb to function: cli/verb/NAME.c defines `const struct verb_ops verb_NAME` and
 * the build collects them.
 */
#pragma once
#include "base/err.h"
#include "base/opt.h"
#include "base/str.h"
#include "proto/wire.h"

#include <stddef.h>

enum {
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_REGRESSED = 3,
    EXIT_INCONCLUSIVE = 4,
    EXIT_PARTIAL = 5,
    EXIT_UNREACHABLE = 69,
    EXIT_INTERRUPTED = 130
};
struct verb_ops {
    const char *name, *help; /* help: one line for `muster help` */
    const struct opt_spec *const
        *spec; /* NULL-ended: the verb's own, then its sub-verbs': for completion and man pages */
    int (*run)(int argc, char **argv); /* argv[0] is the verb; returns the exit code */
};
extern const struct verb_ops *const verb_registry[];
extern const size_t verb_registry_n;

/* Where to send requests, from flags, then MUSTER_*, then the configuration file (clarity: flags
 * win). */
struct cli_target {
    char *coordinator; /* endpoint; NULL: none configured, use the local store */
    char *server_key;  /* Z85 */
    char *key_file;    /* own keys */
    char *data_dir;    /* local state: $XDG_DATA_HOME/muster */
};
/* Asks and copies replies: text to stdout, errors to stderr. Read-only kinds are answered from the
 * local store when no coordinator is configured and none embedded runs. Returns the exit code.
 * on_progress (may be NULL) gets progress JSON. */
int cli_ask(const struct wire_request *request, void (*on_progress)(void *arg, const char *json),
            void *arg);
/* Prints "muster: text" (and a hint line when the error has one) to stderr; returns the exit code
 * of the error. */
int cli_fail(const struct err *err);
/* Adds width, colour, ascii of this terminal (NO_COLOR, TERM=dumb, COLUMNS obeyed) to the
 * arguments. */
void cli_add_terminal(struct strmap *arg);
