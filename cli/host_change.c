/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster host add`, `approve`, `drain`, `hold`, `rm`: changes of the pool, asked of the
 * coordinator.
 */
#include "cli/host_verbs.h"
#include "cli/link.h"
#include "cli/target.h"
#include "cli/view.h"

#include <stdio.h>

const struct opt_spec host_add_spec = {
    .usage = "muster host add NAME PUBLICKEY",
    .about = "Enrol a host: its agent, known by this key (`muster keys` prints it), may connect "
             "and be measured on. A host that "
             "is enrolled already gets the new key."};
const struct opt_spec host_approve_spec = {
    .usage = "muster host approve NAME",
    .about = "Let a host be measured on again: ends drain and hold."};
const struct opt_spec host_drain_spec = {
    .usage = "muster host drain NAME",
    .about = "Take no new work on a host; what runs there is finished. `approve` ends it."};
const struct opt_spec host_hold_spec = {
    .usage = "muster host hold NAME",
    .about = "Keep a host for yourself: no run starts there. `approve` ends it."};
const struct opt_spec host_rm_spec = {
    .usage = "muster host rm NAME",
    .about = "Remove a host from the pool and refuse its key from now on. What it measured stays."};

/* A change is the coordinator's to make: without one there is no pool. */
static int ask(const struct strmap *arg)
{
    struct cli_target target = {.coordinator = NULL};
    CLEAN(link) struct link *link = NULL;
    const struct wire_request request = {.kind = WIRE_REQUEST_HOST_SET, .arg = *arg};
    const struct link_sink sink = {.out = stdout};
    struct err err = {0};
    int code = EXIT_FAILED, result = cli_target_load(&target, &err);

    if (result == 0 && !target.coordinator)
        result = err_set(
            &err, ERR_USAGE,
            "no coordinator is configured (MUSTER_COORDINATOR): there is no pool to change");
    if (result == 0)
        result = link_open(&target, &link, &err);
    if (result == 0)
        result = link_ask(link, &request, &sink, &code, &err);
    cli_target_done(&target);
    return result < 0 ? cli_fail(&err) : code;
}

static int change(const struct opt_spec *spec, const char *action, size_t words, int argc,
                  char **argv)
{
    static const char *const names[] = {"host", "key"};
    CLEAN_DONE(strlist) struct strlist rest = {0};
    CLEAN_DONE(strmap) struct strmap arg = {0};
    char nothing;
    int code = view_parse(spec, &nothing, argc, argv, &rest);

    if (code == VIEW_GO_ON)
        code = view_no_more(spec, &rest, words);
    for (size_t i = 0; i < words && code == VIEW_GO_ON; i++) {
        if (!view_word(spec, &rest, i, names[i], &arg))
            code = EXIT_USAGE;
    }
    if (code != VIEW_GO_ON)
        return code;
    strmap_set(&arg, "action", action);
    return ask(&arg);
}

static int host_add(int argc, char **argv)
{
    return change(&host_add_spec, "add", 2, argc, argv);
}

static int host_approve(int argc, char **argv)
{
    return change(&host_approve_spec, "approve", 1, argc, argv);
}

static int host_drain(int argc, char **argv)
{
    return change(&host_drain_spec, "drain", 1, argc, argv);
}

static int host_hold(int argc, char **argv)
{
    return change(&host_hold_spec, "hold", 1, argc, argv);
}

static int host_rm(int argc, char **argv)
{
    return change(&host_rm_spec, "rm", 1, argc, argv);
}

const struct host_verb host_change_verbs[] = {
    {"add",     "enrol a host's key",            &host_add_spec,     host_add    },
    {"approve", "let a host be measured on",     &host_approve_spec, host_approve},
    {"drain",   "take no new work on a host",    &host_drain_spec,   host_drain  },
    {"hold",    "keep a host out of runs",       &host_hold_spec,    host_hold   },
    {"rm",      "remove a host, refuse its key", &host_rm_spec,      host_rm     },
};
const size_t host_change_verbs_n = sizeof(host_change_verbs) / sizeof(host_change_verbs[0]);
