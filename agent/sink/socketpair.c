/* SPDX-License-Identifier: GPL-3.0-or-later
 * stdout is one end of a UNIX stream socket pair, as some test harnesses take it. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "agent/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static int open_socketpair(int *ret_ours, int *ret_theirs, struct err *err)
{
    int fd[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
        return err_sys(err, "socketpair");
    if (fcntl(fd[0], F_SETFL, O_NONBLOCK) < 0) {
        const int failed = errno;
        close(fd[0]);
        close(fd[1]);
        errno = failed;
        return err_sys(err, "socketpair flags");
    }
    *ret_ours = fd[0];
    *ret_theirs = fd[1];
    return 0;
}

const struct sink_ops sink_socketpair = {
    .name = "socketpair",
    .help = "a UNIX stream socket pair",
    .is_drained = true,
    .open = open_socketpair,
};
