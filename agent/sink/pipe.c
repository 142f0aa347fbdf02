/* SPDX-License-Identifier: GPL-3.0-or-later
 * stdout is a pipe of the system's default size, drained while the workload runs. */
#include "agent/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int open_pipe(int *ret_ours, int *ret_theirs, struct err *err)
{
    int fd[2];

    if (pipe(fd) < 0)
        return err_sys(err, "pipe");
    /* Only our end may be non-blocking: the two ends of a pipe have flags of their own. */
    if (fcntl(fd[0], F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd[1], F_SETFD, FD_CLOEXEC) < 0 ||
        fcntl(fd[0], F_SETFL, O_NONBLOCK) < 0) {
        const int failed = errno;
        close(fd[0]);
        close(fd[1]);
        errno = failed;
        return err_sys(err, "pipe flags");
    }
    *ret_ours = fd[0];
    *ret_theirs = fd[1];
    return 0;
}

const struct sink_ops sink_pipe = {
    .name = "pipe",
    .help = "a pipe, as a shell would take it",
    .is_drained = true,
    .open = open_pipe,
};
