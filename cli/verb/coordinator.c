/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster coordinator`: the daemon that owns runs, hosts and samples.
 */
#include "cli/cli.h"
#include "cli/log_level.h"
#include "cli/target.h"
#include "cli/view.h"
#include "coordinator/coord.h"

struct coordinator {
    const char *data_dir, *agents, *users, *key, *endpoints, *log_level;
    struct strlist enroll, allow_user;
    int64_t heartbeat, ttl, wait_hosts, lost_grace;
    bool exit_when_idle;
};
#define AT(field) offsetof(struct coordinator, field)
/* clang-format off */
static const struct opt options[] = {
    {'d', "data-dir",       "DIR",        "where everything is kept (default: $MUSTER_DATA, $XDG_DATA_HOME/muster)", OPT_TEXT,     AT(data_dir),       NULL},
    {0,   "agents",         "ENDPOINT",   "where agents connect (default: tcp://127.0.0.1:7401)",                    OPT_TEXT,     AT(agents),         NULL},
    {0,   "users",          "ENDPOINT",   "where command lines connect (default: tcp://127.0.0.1:7402)",             OPT_TEXT,     AT(users),          NULL},
    {'k', "key",            "FILE",       "own key pair, made when absent (default: DIR/coordinator.key)",           OPT_TEXT,     AT(key),            NULL},
    {0,   "endpoints",      "FILE",       "where to write what was bound (default: DIR/endpoints)",                  OPT_TEXT,     AT(endpoints),      NULL},
    {0,   "enroll",         "NAME=KEY",   "a host and its agent's public key; may be repeated",                      OPT_LIST,     AT(enroll),         NULL},
    {0,   "allow-user",     "KEY[:ROLE]", "a user's public key, as operator or viewer; may be repeated",             OPT_LIST,     AT(allow_user),     NULL},
    {0,   "heartbeat",      "TIME",       "interval of signs of life; three missed: lost (default: 5s)",             OPT_DURATION, AT(heartbeat),      NULL},
    {0,   "ttl",            "TIME",       "life of a lease that is not renewed (default: 60s)",                      OPT_DURATION, AT(ttl),            NULL},
    {0,   "wait-hosts",     "TIME",       "how long a run waits for hosts that are not connected (default: 60s)",    OPT_DURATION, AT(wait_hosts),     NULL},
    {0,   "lost-grace",     "TIME",       "how long the end of a run waits for lost hosts (default: 30s)",           OPT_DURATION, AT(lost_grace),     NULL},
    {0,   "exit-when-idle", NULL,         "end when the user has gone and no run is open",                           OPT_FLAG,     AT(exit_when_idle), NULL},
    {0,   "log-level",      "LEVEL",      "least level that is logged (default: info)",                              OPT_TEXT,     AT(log_level),      LOG_LEVEL_WORDS},
};
/* clang-format on */
static const struct opt_spec spec = {
    .usage = "muster coordinator [OPTION]…",
    .about =
        "Own the pool: take runs from users, lease hosts to them, store what agents measure.\n\n"
        "Only agents and users whose keys were enrolled can talk to it. It can be stopped or "
        "killed at any time: open runs go "
        "on at the next start.",
    .v = options,
    .n = sizeof(options) / sizeof(options[0]),
};

static int serve(const struct coordinator *o)
{
    struct cli_target target = {.coordinator = NULL};
    struct err err = {0};
    struct coord_options coord = {
        .data_dir = o->data_dir,
        .agent_endpoint = o->agents ? o->agents : "tcp://127.0.0.1:7401",
        .user_endpoint = o->users ? o->users : "tcp://127.0.0.1:7402",
        .key_file = o->key,
        .endpoints_file = o->endpoints,
        .enroll = &o->enroll,
        .allow_user = &o->allow_user,
        .heartbeat_ns = o->heartbeat,
        .ttl_ns = o->ttl,
        .wait_hosts_ns = o->wait_hosts,
        .lost_grace_ns = o->lost_grace,
        .exit_when_idle = o->exit_when_idle,
    };
    int result = 0;

    log_set_name("coordinator");
    log_set_level(log_level_of(o->log_level));
    if (!coord.data_dir) {
        result = cli_target_load(&target, &err);
        coord.data_dir = target.data_dir;
    }
    if (result == 0)
        result = coord_main(&coord, &err);
    cli_target_done(&target);
    return result < 0 ? cli_fail(&err) : 0;
}

static int coordinator(int argc, char **argv)
{
    struct coordinator o = {.data_dir = NULL};
    CLEAN_DONE(strlist) struct strlist rest = {0};
    int code = view_parse(&spec, &o, argc, argv, &rest);

    if (code == VIEW_GO_ON)
        code = view_no_more(&spec, &rest, 0);
    if (code == VIEW_GO_ON)
        code = serve(&o);
    strlist_done(&o.enroll);
    strlist_done(&o.allow_user);
    return code;
}

static const struct opt_spec *const specs[] = {&spec, NULL};
const struct verb_ops verb_coordinator = {.name = "coordinator",
                                          .help = "the daemon that owns runs, hosts and samples",
                                          .spec = specs,
                                          .run = coordinator};
