/* SPDX-License-Identifier: GPL-3.0-or-later
 * signalfd; see sig.h. */
#include "net/sig.h"

#include <czmq.h>
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int sig_open(int *ret_fd, struct err *err)
{
    static const int taken[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t set;

    zsys_handler_set(NULL);
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        (void)sigaddset(&set, taken[i]);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 || sigaction(SIGPIPE, &ignore, NULL) < 0)
        return err_sys(err, "signals");
    const int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        return err_sys(err, "signalfd");
    *ret_fd = fd;
    return 0;
}

int sig_read(int fd)
{
    struct signalfd_siginfo info;

    return read(fd, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}
