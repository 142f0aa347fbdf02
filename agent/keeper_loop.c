/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The keeper's loop: a request, an answer. It keeps nothing open but its socket, the lock and its
 * control groups, and stays small, since a workload's peak memory cannot be seen below its
 * parent's.
 */
#define _GNU_SOURCE /* close_range */
#include "agent/keeper_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/keeper_lock.h"
#include "agent/keeper_wire.h"
#include "agent/lock.h"
#include "base/fdio.h"

struct loop {
    int fd, lock_fd;
    const char *lock_path;
    struct cgroup cgroup;
};

/* The highest size of our own memory is what a child starts with: bring it down to the present. */
static void forget_own_peak(void)
{
    CLEAN_FD int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

    if (fd >= 0 && write(fd, "5", 1) < 0)
        return; /* the peak of small workloads is then read too high: maxrss_kib says so */
}

static int answer_failed(struct loop *loop, const struct err *why, struct err *err)
{
    CLEAN_DONE(str) struct str text = {0};

    str_add(&text, why->text);
    return keeper_send(loop->fd, KEEPER_FAILED, &text, err);
}

static int do_run(struct loop *loop, const struct str *body, struct err *err)
{
    CLEAN_DONE(child_spec) struct child_spec spec = {0};
    CLEAN_DONE(child_result) struct child_result result = {0};
    CLEAN_DONE(str) struct str answer = {0};
    struct err why;

    if (keeper_unpack_spec(body, &spec, err) < 0)
        return -1;
    forget_own_peak();
    if (child_run(&spec, &loop->cgroup, loop->fd, &result, &why) < 0)
        return answer_failed(loop, &why, err);
    keeper_pack_result(&result, &answer);
    return keeper_send(loop->fd, KEEPER_RESULT, &answer, err);
}

static int do_lock(struct loop *loop, struct err *err)
{
    struct err why;
    int rc;

    if (loop->lock_fd < 0 && lock_open(loop->lock_path, &loop->lock_fd, &why) < 0)
        return answer_failed(loop, &why, err);
    rc = lock_take(loop->lock_fd, false, &why);
    if (rc == LOCK_BUSY)
        rc = keeper_wait_lock(loop->lock_fd, loop->fd, &why);
    if (rc < 0)
        return answer_failed(loop, &why, err);
    return keeper_send(loop->fd, rc == 0 ? KEEPER_LOCKED : KEEPER_GAVE_UP, NULL, err);
}

static int serve(struct loop *loop, struct err *err)
{
    CLEAN_DONE(str) struct str body = {0};
    enum keeper_kind kind;
    const int rc = keeper_receive(loop->fd, &kind, &body, err);

    if (rc != 0)
        return rc;
    switch (kind) {
    case KEEPER_RUN:
        return do_run(loop, &body, err);
    case KEEPER_STOP: /* what ran has ended in the meantime, or was killed by this */
        return 0;
    case KEEPER_LOCK:
        return do_lock(loop, err);
    case KEEPER_UNLOCK:
        return loop->lock_fd >= 0 ? lock_drop(loop->lock_fd, err) : 0;
    case KEEPER_RESULT:
    case KEEPER_LOCKED:
    case KEEPER_GAVE_UP:
    case KEEPER_FAILED:
        break;
    }
    return err_set(err, ERR_PROTO, "a request of kind %d", (int)kind);
}

/* Everything but stdin, stdout, stderr and our socket. */
static void close_others(int keep)
{
#ifdef SYS_close_range
    if (keep > 3)
        syscall(SYS_close_range, 3u, (unsigned)keep - 1, 0u);
    syscall(SYS_close_range, (unsigned)keep + 1, ~0u, 0u);
#else
    for (int fd = 3; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
        if (fd != keep)
            close(fd);
#endif
}

int keeper_loop(int fd, const char *name, const char *lock_path)
{
    struct loop loop = {.fd = fd, .lock_fd = -1, .lock_path = lock_path};
    struct platform platform;
    struct err err;
    int rc = 0;

    prctl(PR_SET_NAME, "muster-keeper", 0, 0, 0);
    setsid(); /* ^C is the agent's business, and so is being asked to end: it ends us */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    close_others(fd);
    if (child_prepare_process(&err) < 0)
        return 1;
    platform_init(&platform, NULL);
    cgroup_open(&loop.cgroup, &platform, name);
    while (rc == 0)
        rc = serve(&loop, &err);
    cgroup_kill(&loop.cgroup);
    cgroup_done(&loop.cgroup);
    platform_done(&platform);
    fdio_close(&loop.lock_fd);
    return rc < 0;
}
