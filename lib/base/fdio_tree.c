/* SPDX-License-Identifier: GPL-3.0-or-later
 * Making and removing directories. Removal works by descriptors and never follows a link, so a
 * workload that swaps a directory for a link while it is removed gains nothing. */
#include "base/fdio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TREE_DEPTH_MAX = 512 }; /* one descriptor a level */

static int make_one(const char *path, mode_t mode, struct err *err)
{
    struct stat st;

    if (mkdir(path, mode) == 0)
        return 0;
    const int failed = errno;
    if (failed == EEXIST && stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return 0;
        errno = ENOTDIR;
    } else {
        errno = failed;
    }
    return err_sys(err, "mkdir %s", path);
}

int fdio_make_dirs(const char *path, mode_t mode, struct err *err)
{
    CLEAN_MEM char *copy = mem_strdup(path);

    for (char *slash = strchr(copy + (copy[0] == '/'), '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (make_one(copy, mode, err) < 0)
            return -1;
        *slash = '/';
    }
    return make_one(copy, mode, err);
}

static void close_dir(DIR **dir)
{
    if (*dir)
        closedir(*dir);
}

static int remove_entry(int dir_fd, const char *name, int depth, struct err *err);

static int empty_directory(int dir_fd, const char *name, int depth, struct err *err)
{
    const int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT ? 0 : err_sys(err, "open %s", name);
    __attribute__((cleanup(close_dir))) DIR *dir = fdopendir(fd);
    if (!dir) {
        const int failed = errno;
        close(fd);
        errno = failed;
        return err_sys(err, "read %s", name);
    }
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry)
            return errno ? err_sys(err, "read %s", name) : 0;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (remove_entry(dirfd(dir), entry->d_name, depth + 1, err) < 0)
            return err_wrap(err, "in %s", name);
    }
}

static int remove_entry(int dir_fd, const char *name, int depth, struct err *err)
{
    struct stat st;

    if (depth > TREE_DEPTH_MAX)
        return err_set(err, ERR_LIMIT, "%s is more than %d directories deep", name, TREE_DEPTH_MAX);
    if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : err_sys(err, "stat %s", name);
    const bool is_dir = S_ISDIR(st.st_mode);
    if (is_dir && empty_directory(dir_fd, name, depth, err) < 0)
        return -1;
    if (unlinkat(dir_fd, name, is_dir ? AT_REMOVEDIR : 0) < 0 && errno != ENOENT)
        return err_sys(err, "remove %s", name);
    return 0;
}

int fdio_remove_tree(const char *path, struct err *err)
{
    return remove_entry(AT_FDCWD, path, 0, err);
}
