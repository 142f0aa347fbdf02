/* SPDX-License-Identifier: GPL-3.0-or-later
 * Brings the agent up in the order that matters: state directory, keeper, signals, then sockets. */
#include "agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/runner.h"
#include "base/digest.h"
#include "base/fdio.h"
#include "base/log.h"
#include "net/sig.h"

/* Two agents on one state directory would send the same numbers twice. */
static int take_state_dir(const char *dir, int *ret_fd, struct err *err)
{
    CLEAN_MEM char *path = mem_printf("%s/agent.lock", dir);

    if (fdio_make_dirs(dir, 0711, err) < 0)
        return -1;
    *ret_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*ret_fd < 0)
        return err_sys(err, "open %s", path);
    if (flock(*ret_fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? err_set(err, ERR_STATE, "another agent uses %s", dir)
                                    : err_sys(err, "lock %s", path);
    return 0;
}

/* One keeper's control group per state directory: a restarted agent finds what the last one left.
 */
static char *group_name(const char *state_dir)
{
    char digest[DIGEST_SIZE];

    digest_bytes(state_dir, strlen(state_dir), digest);
    return mem_strndup(digest, 12);
}

static char *host_name(const char *asked)
{
    struct utsname name;

    if (asked)
        return mem_strdup(asked);
    return mem_strdup(uname(&name) == 0 ? name.nodename : "");
}

/* Workloads get no path that hangs on where the agent was started. */
static char *absolute(const char *path)
{
    char here[4096];

    if (path[0] == '/' || !getcwd(here, sizeof here))
        return mem_strdup(path);
    return mem_printf("%s/%s", here, path);
}

static int connect_and_serve(struct runner *runner, const char *host, struct err *err)
{
    struct uplink_options uplink = {.endpoint = runner->options->endpoint,
                                    .server_key = runner->options->server_key,
                                    .host = host,
                                    .heartbeat_ns = runner->options->heartbeat_ns,
                                    .signal_fd = runner->signal_fd};
    struct uplink_ops ops;

    runner_ops(runner, &ops);
    if (keys_load_or_new(runner->options->key_file, &uplink.keys, err) < 0 ||
        uplink_new(&uplink, &ops, &runner->uplink, err) < 0)
        return -1;
    log_info("agent of host %s, coordinator %s", host, uplink.endpoint);
    return runner_serve(runner, err);
}

static int serve_with(struct runner *runner, const char *host, struct err *err)
{
    const struct agent_options *options = runner->options;
    CLEAN_MEM char *spool_dir = mem_printf("%s/spool", options->state_dir);
    const struct fact_context context = {.platform = runner->platform,
                                         .work_dir = options->state_dir,
                                         .host_env = &options->host_env,
                                         .facts_dir = options->facts_dir,
                                         .declared = &options->facts};
    uint64_t cut = 0;
    int rc = -1;

    runner->metrics = metrics_new();
    runner->facts = fact_read_all(&context);
    if (outbox_open(spool_dir, &runner->outbox, &cut, err) == 0 &&
        stage_open(options->state_dir, &runner->stage, err) == 0)
        rc = connect_and_serve(runner, host, err);
    if (cut > 0)
        log_warn("%llu bytes of a torn block were cut off the spool", (unsigned long long)cut);
    uplink_free(runner->uplink);
    runner_done(runner);
    stage_free(runner->stage);
    outbox_free(runner->outbox);
    metrics_free(runner->metrics);
    return rc;
}

static int check_options(const struct agent_options *options, const char *host, struct err *err)
{
    if (!options->endpoint || !options->server_key || !options->key_file || !options->state_dir)
        return err_set(
            err, ERR_USAGE,
            "an agent needs the coordinator's address and key, a key file of its own and "
            "a state directory");
    if (!str_is_name(host))
        return err_set(err, ERR_USAGE, "\"%.64s\" cannot be a host's name", host);
    return 0;
}

int agent_main(const struct agent_options *options, struct err *err)
{
    CLEAN_MEM char *host = host_name(options->host);
    CLEAN_FD int state_fd = -1;
    CLEAN_FD int signal_fd = -1;
    CLEAN(keeper) struct keeper *keeper = NULL;
    struct platform platform;
    int rc;

    if (check_options(options, host, err) < 0)
        return -1;
    CLEAN_MEM char *state_dir = absolute(options->state_dir);
    CLEAN_MEM char *group = group_name(state_dir);
    struct agent_options own = *options;
    own.state_dir = state_dir;
    umask(022); /* work directories are for other users to enter */
    if (take_state_dir(state_dir, &state_fd, err) < 0 ||
        keeper_start(group, options->lock_path, &keeper, err) < 0 || sig_open(&signal_fd, err) < 0)
        return -1;
    platform_init(&platform, NULL);
    struct runner runner = {
        .options = &own, .platform = &platform, .keeper = keeper, .signal_fd = signal_fd};
    rc = serve_with(&runner, host, err);
    platform_done(&platform);
    return rc;
}
