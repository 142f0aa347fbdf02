/* SPDX-License-Identifier: GPL-3.0-or-later
 * flock on one file that every user of the machine may open. */
#include "agent/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define LOCK_NAME "muster.lock"

char *lock_path(void)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");

    if (access("/run/lock/" LOCK_NAME, R_OK) == 0 || access("/run/lock", W_OK) == 0)
        return mem_strdup("/run/lock/" LOCK_NAME);
    if (runtime && runtime[0] == '/')
        return mem_printf("%s/%s", runtime, LOCK_NAME);
    return mem_strdup("/tmp/" LOCK_NAME);
}

int lock_open(const char *path, int *ret_fd, struct err *err)
{
    CLEAN_MEM char *own = path ? mem_strdup(path) : lock_path();
    /* Reading is enough for flock, and a file of another user in a sticky directory must not be
     * opened with O_CREAT. */
    int fd = open(own, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0 && errno == ENOENT) {
        fd = open(own, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (fd >= 0 && fchmod(fd, 0644) < 0 && errno != EPERM) {
            const int failed = errno;
            close(fd);
            errno = failed;
            fd = -1;
        }
    }
    if (fd < 0)
        return err_sys(err, "open the lock %s", own);
    *ret_fd = fd;
    return 0;
}

int lock_take(int fd, bool wait, struct err *err)
{
    for (;;) {
        if (flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB)) == 0)
            return 0;
        if (errno == EWOULDBLOCK && !wait)
            return LOCK_BUSY;
        if (errno != EINTR)
            return err_sys(err, "take the machine's lock");
    }
}

int lock_drop(int fd, struct err *err)
{
    return flock(fd, LOCK_UN) < 0 ? err_sys(err, "give the machine's lock back") : 0;
}
