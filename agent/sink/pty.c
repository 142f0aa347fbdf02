/* SPDX-License-Identifier: GPL-3.0-or-later
 * stdout is a pseudo terminal that passes bytes through as they are (no newline translation, no
 * echo) and is the workload's controlling terminal. */
#define _GNU_SOURCE /* posix_openpt, ptsname_r */
#include "agent/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static int open_ends(int *ret_ours, int *ret_theirs, struct err *err)
{
    char name[64];

    *ret_ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (*ret_ours < 0)
        return err_sys(err, "open a pseudo terminal");
    if (grantpt(*ret_ours) < 0 || unlockpt(*ret_ours) < 0 ||
        ptsname_r(*ret_ours, name, sizeof name) != 0)
        return err_sys(err, "unlock the pseudo terminal");
    *ret_theirs = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    return *ret_theirs < 0 ? err_sys(err, "open %s", name) : 0;
}

static int pass_bytes_through(int fd, struct err *err)
{
    struct termios mode;

    if (tcgetattr(fd, &mode) < 0)
        return err_sys(err, "tcgetattr");
    mode.c_oflag &= (tcflag_t)~OPOST;
    mode.c_lflag &= (tcflag_t) ~(ECHO | ECHONL | ICANON);
    return tcsetattr(fd, TCSANOW, &mode) < 0 ? err_sys(err, "tcsetattr") : 0;
}

static int open_pty(int *ret_ours, int *ret_theirs, struct err *err)
{
    int ours = -1, theirs = -1;

    if (open_ends(&ours, &theirs, err) < 0 || pass_bytes_through(theirs, err) < 0) {
        if (ours >= 0)
            close(ours);
        if (theirs >= 0)
            close(theirs);
        return -1;
    }
    *ret_ours = ours;
    *ret_theirs = theirs;
    return 0;
}

const struct sink_ops sink_pty = {
    .name = "pty",
    .help = "a pseudo terminal: the workload believes in a person",
    .is_drained = true,
    .is_terminal = true,
    .open = open_pty,
};
