/* SPDX-License-Identifier: GPL-3.0-or-later
 * Whole files in and out, and where muster keeps its own. Trees of directories are in fdio_tree.c.
 */
#include "base/fdio.h"

#include "base/id.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fdio_close(int *fd)
{
    const int kept = errno;

    if (*fd >= 0)
        close(*fd); /* what had to reach the disk was synced before */
    *fd = -1;
    errno = kept;
}

int fdio_read_fd(int fd, size_t max, struct str *ret, struct err *err)
{
    enum { CHUNK = 16 * 1024 };
    CLEAN_DONE(str) struct str all = {0};
    CLEAN_MEM char *buffer = mem_array(char, CHUNK);

    for (;;) {
        const ssize_t n = read(fd, buffer, CHUNK);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, "read");
        if (n == 0)
            break;
        if ((size_t)n > max - all.length)
            return err_set(err, ERR_LIMIT, "more than %zu bytes", max);
        str_add_bytes(&all, buffer, (size_t)n);
    }
    str_add_bytes(&all, "", 0);
    str_done(ret);
    *ret = all;
    all = (struct str){0};
    return 0;
}

int fdio_read_file_at(int dir_fd, const char *path, size_t max, struct str *ret, struct err *err)
{
    CLEAN_FD int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0)
        return errno == ENOENT
                   ? err_set_at(err, ERR_NOT_FOUND, ENOENT, __FILE__, __LINE__, "open %s", path)
                   : err_sys(err, "open %s", path);
    if (fdio_read_fd(fd, max, ret, err) < 0)
        return err_wrap(err, "%s", path);
    return 0;
}

int fdio_read_file(const char *path, size_t max, struct str *ret, struct err *err)
{
    return fdio_read_file_at(AT_FDCWD, path, max, ret, err);
}

int fdio_write_all(int fd, const void *bytes, size_t length, struct err *err)
{
    const char *p = bytes;

    while (length > 0) {
        const ssize_t n = write(fd, p, length);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, "write");
        p += n;
        length -= (size_t)n;
    }
    return 0;
}

/* The directory of path as its own text: "." for a plain name. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return mem_strdup(".");
    return slash == path ? mem_strdup("/") : mem_strndup(path, (size_t)(slash - path));
}

static int sync_directory_of(const char *path, struct err *err)
{
    CLEAN_MEM char *directory = directory_of(path);
    CLEAN_FD int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return err_sys(err, "open %s", directory);
    if (fsync(fd) < 0 && errno != EINVAL) /* EINVAL: a file system without directory sync */
        return err_sys(err, "fsync %s", directory);
    return 0;
}

static int write_and_rename(const char *path, const char *temporary, const void *bytes,
                            size_t length, mode_t mode, struct err *err)
{
    CLEAN_FD int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return err_sys(err, "create %s", temporary);
    if (fdio_write_all(fd, bytes, length, err) < 0)
        return err_wrap(err, "%s", temporary);
    if (fchmod(fd, mode) < 0)
        return err_sys(err, "chmod %s", temporary);
    if (fdatasync(fd) < 0)
        return err_sys(err, "fdatasync %s", temporary);
    if (rename(temporary, path) < 0)
        return err_sys(err, "rename to %s", path);
    return 0;
}

int fdio_write_atomic(const char *path, const void *bytes, size_t length, mode_t mode,
                      struct err *err)
{
    char id[ID_SIZE];

    id_new(id);
    CLEAN_MEM char *temporary = mem_printf("%s.%s", path, id);
    if (write_and_rename(path, temporary, bytes, length, mode, err) < 0) {
        unlink(temporary);
        return -1;
    }
    return sync_directory_of(path, err);
}

int fdio_check_private(const char *path, struct err *err)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return errno == ENOENT
                   ? err_set_at(err, ERR_NOT_FOUND, ENOENT, __FILE__, __LINE__, "%s", path)
                   : err_sys(err, "%s", path);
    if (st.st_uid != geteuid())
        return err_set(err, ERR_AUTH, "%s belongs to user %lu; allowed: only your own (user %lu)",
                       path, (unsigned long)st.st_uid, (unsigned long)geteuid());
    if (st.st_mode & 077)
        return err_set(err, ERR_AUTH,
                       "%s has mode %04o; allowed: nothing for group and others (chmod go= %s)",
                       path, (unsigned)(st.st_mode & 07777), path);
    return 0;
}

static char *home_directory(void)
{
    const char *home = getenv("HOME");

    if (home && home[0] == '/')
        return mem_strdup(home);
    enum { RECORD_BYTES = 16 * 1024 };
    CLEAN_MEM char *buffer = mem_array(char, RECORD_BYTES);
    struct passwd record, *found = NULL;
    if (getpwuid_r(geteuid(), &record, buffer, RECORD_BYTES, &found) == 0 && found)
        return mem_strdup(found->pw_dir);
    return mem_strdup("/");
}

char *fdio_place(enum fdio_place place)
{
    static const struct {
        const char *variable, *fallback;
    } places[] = {
        [FDIO_CONFIG] = {"XDG_CONFIG_HOME", ".config"         },
        [FDIO_DATA] = {"XDG_DATA_HOME",   ".local/share"    },
        [FDIO_STATE] = {"XDG_STATE_HOME",  ".local/state"    },
        [FDIO_CACHE] = {"XDG_CACHE_HOME",  ".cache"          },
        [FDIO_RUNTIME] = {"XDG_RUNTIME_DIR", ".local/state/run"},
    };
    const char *base = getenv(places[place].variable);

    if (base && base[0] == '/') /* the specification has relative values ignored */
        return mem_printf("%s/muster", base);
    CLEAN_MEM char *home = home_directory();
    return mem_printf("%s/%s/muster", home, places[place].fallback);
}
