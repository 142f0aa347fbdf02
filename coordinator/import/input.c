/* SPDX-License-Identifier: GPL-3.0-or-later
 * Opening what is to be read more than once. */
#include "coordinator/import/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fdio.h"
#include "base/str.h"

#define CHUNK (256 * 1024)

/* Standard input and pipes are read twice, so they are copied to a file without a name first. */
static int make_seekable(int *fd, const char *name, struct err *err)
{
    CLEAN_MEM char *chunk = mem_alloc(1, CHUNK);
    FILE *spool = tmpfile();
    int copy = -1;
    ssize_t n = 0;

    if (!spool)
        return err_sys(err, "temporary file for %s", name);
    copy = fcntl(fileno(spool), F_DUPFD_CLOEXEC, 0);
    fclose(spool);
    if (copy < 0)
        return err_sys(err, "temporary file for %s", name);
    while ((n = read(*fd, chunk, CHUNK)) > 0) {
        if (fdio_write_all(copy, chunk, (size_t)n, err) < 0) {
            fdio_close(&copy);
            return err_wrap(err, "temporary copy of %s", name);
        }
    }
    if (n < 0 || lseek(copy, 0, SEEK_SET) < 0) {
        int failed = err_sys(err, "read %s", name);

        fdio_close(&copy);
        return failed;
    }
    fdio_close(fd);
    *fd = copy;
    return 0;
}

int input_open(const char *path, const char *name, struct err *err)
{
    CLEAN_FD int fd = str_eq(path, "-") ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                        : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat st;
    int result = -1;

    if (fd < 0 || fstat(fd, &st) < 0)
        return err_sys(err, "open %s", name);
    if (S_ISDIR(st.st_mode))
        return err_set(err, ERR_INPUT, "%s: a directory, not a file", name);
    if (!S_ISREG(st.st_mode) && make_seekable(&fd, name, err) < 0)
        return -1;
    result = fd;
    fd = -1;
    return result;
}
