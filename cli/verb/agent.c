/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster agent`: the daemon that measures on this host.
 */
#include "agent/agent.h"

#include <string.h>

#include "base/fdio.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/log_level.h"
#include "cli/view.h"
#include "coordinator/coord.h"

struct agent_words {
    const char *connect, *server_key, *key, *name, *state_dir, *lock, *facts_dir, *log_level;
    struct strlist env, fact;
    int64_t heartbeat;
    bool once;
};
#define AT(field) offsetof(struct agent_words, field)
/* clang-format off */
static const struct opt options[] = {
    {'c', "connect",    "ENDPOINT",   "the coordinator: tcp://HOST:7401, or the endpoints file it wrote",       OPT_TEXT,     AT(connect),    NULL},
    {0,   "server-key", "KEY",        "its public key (not needed with an endpoints file)",                     OPT_TEXT,     AT(server_key), NULL},
    {'k', "key",        "FILE",       "own key pair, made when absent (default: DIR/key)",                      OPT_TEXT,     AT(key),        NULL},
    {0,   "name",       "NAME",       "the name this key is enrolled for (default: the machine's host name)",   OPT_TEXT,     AT(name),       NULL},
    {'d', "state-dir",  "DIR",        "lease, spool, artefacts (default: $XDG_STATE_HOME/muster/agent)",        OPT_TEXT,     AT(state_dir),  NULL},
    {0,   "lock",       "FILE",       "the lock that agents of one machine share (default: the machine's own)", OPT_TEXT,     AT(lock),       NULL},
    {0,   "facts-dir",  "DIR",        "facts of the operator's own (default: /etc/muster/facts.d)",             OPT_TEXT,     AT(facts_dir),  NULL},
    {'e', "env",        "NAME=VALUE", "given to every workload and recorded as fact env.NAME; may be repeated", OPT_LIST,     AT(env),        NULL},
    {0,   "fact",       "NAME=VALUE", "a fact of this host; may be repeated",                                   OPT_LIST,     AT(fact),       NULL},
    {0,   "heartbeat",  "TIME",       "interval of signs of life (default: what the coordinator asks for)",     OPT_DURATION, AT(heartbeat),  NULL},
    {0,   "once",       NULL,         "end when the first trial has ended",                                     OPT_FLAG,     AT(once),       NULL},
    {0,   "log-level",  "LEVEL",      "least level that is logged (default: info)",                             OPT_TEXT,     AT(log_level),  LOG_LEVEL_WORDS},
};
/* clang-format on */
static const struct opt_spec spec = {
    .usage = "muster agent --connect ENDPOINT --server-key KEY [OPTION]…",
    .about = "Measure on this host what a coordinator asks for. It listens on nothing: it connects "
             "out, with its own key, which the "
             "coordinator must have enrolled under the agent's name.\n\nIt can be stopped or "
             "killed at any time: what was measured "
             "is on disk until the coordinator has stored it.",
    .v = options,
    .n = sizeof(options) / sizeof(options[0]),
};

static int split(const struct strlist *words, const char *option, struct strmap *ret,
                 struct err *err)
{
    for (size_t i = 0; i < words->n; i++) {
        const char *equals = strchr(words->v[i], '=');
        CLEAN_MEM char *name =
            equals ? mem_strndup(words->v[i], (size_t)(equals - words->v[i])) : NULL;

        if (!name || !name[0])
            return err_set(err, ERR_USAGE, "--%s %s: NAME=VALUE expected", option, words->v[i]);
        strmap_set(ret, name, equals + 1);
    }
    return 0;
}

static int measure(const struct agent_words *o, struct coord_endpoints *endpoints,
                   struct strmap *env, struct strmap *facts, struct err *err)
{
    CLEAN_MEM char *state = fdio_place(FDIO_STATE);
    CLEAN_MEM char *state_dir =
        o->state_dir ? mem_strdup(o->state_dir) : mem_printf("%s/agent", state);
    CLEAN_MEM char *key = o->key ? mem_strdup(o->key) : mem_printf("%s/key", state_dir);
    struct agent_options agent = {.endpoint = o->connect,
                                  .server_key = o->server_key,
                                  .key_file = key,
                                  .host = o->name,
                                  .state_dir = state_dir,
                                  .lock_path = o->lock,
                                  .facts_dir = o->facts_dir,
                                  .heartbeat_ns = o->heartbeat,
                                  .once = o->once};

    if (!o->connect)
        return err_set(err, ERR_USAGE, "--connect is missing: which coordinator?");
    if (!strstr(o->connect, "://")) {
        if (coord_endpoints_load(o->connect, endpoints, err) < 0)
            return err_wrap(err, "--connect");
        agent.endpoint = endpoints->agents;
        if (!agent.server_key)
            agent.server_key = endpoints->key;
    }
    if (!agent.server_key)
        return err_set(err, ERR_USAGE, "--server-key is missing: the coordinator's public key");
    if (split(&o->env, "env", env, err) < 0 || split(&o->fact, "fact", facts, err) < 0)
        return -1;
    agent.host_env = *env;
    agent.facts = *facts;
    return agent_main(&agent, err);
}

static int agent(int argc, char **argv)
{
    struct agent_words o = {.connect = NULL};
    CLEAN_DONE(strlist) struct strlist rest = {0};
    CLEAN_DONE(strmap) struct strmap env = {0};
    CLEAN_DONE(strmap) struct strmap facts = {0};
    struct coord_endpoints endpoints = {.agents = NULL};
    struct err err = {0};
    int code = view_parse(&spec, &o, argc, argv, &rest);

    if (code == VIEW_GO_ON)
        code = view_no_more(&spec, &rest, 0);
    if (code == VIEW_GO_ON) {
        log_set_name(o.name ? o.name : "agent");
        log_set_level(log_level_of(o.log_level));
        code = measure(&o, &endpoints, &env, &facts, &err) < 0 ? cli_fail(&err) : 0;
    }
    coord_endpoints_done(&endpoints);
    strlist_done(&o.env);
    strlist_done(&o.fact);
    return code;
}

static const struct opt_spec *const specs[] = {&spec, NULL};
const struct verb_ops verb_agent = {
    .name = "agent", .help = "the daemon that measures on this host", .spec = specs, .run = agent};
