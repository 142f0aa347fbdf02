/* SPDX-License-Identifier: GPL-3.0-or-later
 * The agent's end of the keeper: fork, ask, read answers. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "agent/keeper.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/keeper_loop.h"
#include "agent/keeper_wire.h"
#include "base/fdio.h"

struct keeper {
    pid_t pid;
    int fd;
};

int keeper_start(const char *name, const char *lock_path, struct keeper **ret, struct err *err)
{
    int fd[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
        return err_sys(err, "socketpair");
    const pid_t pid = fork();
    if (pid == 0)
        _exit(keeper_loop(fd[1], name, lock_path));
    close(fd[1]);
    if (pid < 0) {
        const int failed = errno;
        close(fd[0]);
        errno = failed;
        return err_sys(err, "fork the keeper");
    }
    *ret = mem_new(struct keeper);
    **ret = (struct keeper){.pid = pid, .fd = fd[0]};
    return 0;
}

void keeper_free(struct keeper *keeper)
{
    if (!keeper)
        return;
    fdio_close(&keeper->fd); /* it sees the end, kills its workload, and ends */
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    mem_free(keeper);
}

pid_t keeper_pid(const struct keeper *keeper)
{
    return keeper->pid;
}

int keeper_fd(const struct keeper *keeper)
{
    return keeper->fd;
}

static int ask(struct keeper *keeper, enum keeper_kind kind, const struct str *body,
               struct err *err)
{
    if (keeper_send(keeper->fd, kind, body, err) < 0)
        return err_wrap(err, "keeper");
    return 0;
}

int keeper_run(struct keeper *keeper, const struct child_spec *spec, struct err *err)
{
    CLEAN_DONE(str) struct str body = {0};

    keeper_pack_spec(spec, &body);
    return ask(keeper, KEEPER_RUN, &body, err);
}

int keeper_stop(struct keeper *keeper, struct err *err)
{
    return ask(keeper, KEEPER_STOP, NULL, err);
}

static int answer(struct keeper *keeper, enum keeper_kind want, struct str *body, struct err *err)
{
    enum keeper_kind kind = 0;
    const int rc = keeper_receive(keeper->fd, &kind, body, err);

    if (rc < 0)
        return err_wrap(err, "keeper");
    if (rc == KEEPER_GONE)
        return err_set(err, ERR_STATE, "the keeper is gone: something killed it");
    if (kind == KEEPER_FAILED)
        return err_set(err, ERR_SYS, "keeper: %s", str_get(body));
    if (kind == KEEPER_GAVE_UP && want == KEEPER_LOCKED)
        return KEEPER_NOT_LOCKED;
    if (kind != want)
        return err_set(err, ERR_PROTO, "keeper: answer %d to another question", (int)kind);
    return 0;
}

int keeper_result(struct keeper *keeper, struct child_result *ret, struct err *err)
{
    CLEAN_DONE(str) struct str body = {0};

    if (answer(keeper, KEEPER_RESULT, &body, err) < 0)
        return -1;
    return keeper_unpack_result(&body, ret, err);
}

int keeper_lock(struct keeper *keeper, struct err *err)
{
    return ask(keeper, KEEPER_LOCK, NULL, err);
}

int keeper_locked(struct keeper *keeper, struct err *err)
{
    CLEAN_DONE(str) struct str body = {0};

    return answer(keeper, KEEPER_LOCKED, &body, err);
}

int keeper_unlock(struct keeper *keeper, struct err *err)
{
    return ask(keeper, KEEPER_UNLOCK, NULL, err);
}
