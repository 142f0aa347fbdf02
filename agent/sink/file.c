/* SPDX-License-Identifier: GPL-3.0-or-later
 * stdout is a file without a name (removed right after it was made), read back after the sample. */
#include "agent/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int open_file(int *ret_ours, int *ret_theirs, struct err *err)
{
    char path[] = "/var/tmp/muster-out-XXXXXX";
    const int ours = mkstemp(path);

    if (ours < 0)
        return err_sys(err, "make a file in /var/tmp");
    /* A second open: the workload's offset is its own, and so are its O_… flags. */
    const int theirs = open(path, O_WRONLY | O_CLOEXEC);
    const int failed = errno;
    unlink(path);
    if (theirs < 0 || fcntl(ours, F_SETFD, FD_CLOEXEC) < 0) {
        close(ours);
        if (theirs >= 0)
            close(theirs);
        errno = failed;
        return err_sys(err, "open a file in /var/tmp");
    }
    *ret_ours = ours;
    *ret_theirs = theirs;
    return 0;
}

const struct sink_ops sink_file = {
    .name = "file",
    .help = "a file in /var/tmp, read after the sample",
    .open = open_file,
};
