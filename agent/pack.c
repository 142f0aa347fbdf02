/* SPDX-License-Identifier: GPL-3.0-or-later
 * Writing artefacts. The walk is by sorted names, so the same tree gives the same bytes anywhere.
 */
#include "agent/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fdio.h"
#include "base/str.h"
#include "model/limits.h"

enum { DEPTH_MAX = 128, COPY_BYTES = 64 * 1024 };

struct packing {
    struct archive *archive;
    size_t files;
    uint64_t bytes;
    char *buffer;
};

static int archive_failed(struct archive *archive, const char *what, struct err *err)
{
    const char *why = archive_error_string(archive);

    return err_set(err, ERR_SYS, "%s: %s", what, why ? why : "unknown");
}

static int count(struct packing *packing, const char *path, uint64_t bytes, struct err *err)
{
    packing->files++;
    packing->bytes += bytes;
    if (packing->files > LIMIT_ARTEFACT_FILES)
        return err_set(err, ERR_LIMIT, "%s: more than %d files", path, LIMIT_ARTEFACT_FILES);
    if (packing->bytes > (uint64_t)LIMIT_ARTEFACT)
        return err_set(err, ERR_LIMIT, "%s: more than %lld bytes in all", path,
                       (long long)LIMIT_ARTEFACT);
    return 0;
}

static int put_entry(struct packing *packing, const char *name, const struct stat *st,
                     struct err *err)
{
    struct archive_entry *entry = archive_entry_new();
    const bool is_directory = S_ISDIR(st->st_mode);

    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, is_directory ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(entry, is_directory || (st->st_mode & 0111) ? 0755 : 0644);
    archive_entry_set_size(entry, is_directory ? 0 : st->st_size);
    const int rc = archive_write_header(packing->archive, entry);
    archive_entry_free(entry);
    return rc == ARCHIVE_OK ? 0 : archive_failed(packing->archive, name, err);
}

static int put_content(struct packing *packing, int fd, const char *path, off_t size,
                       struct err *err)
{
    while (size > 0) {
        const ssize_t n = read(fd, packing->buffer, COPY_BYTES);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, "read %s", path);
        if (n == 0 || n > size)
            return err_set(err, ERR_STATE, "%s changed while it was packed", path);
        if (archive_write_data(packing->archive, packing->buffer, (size_t)n) != n)
            return archive_failed(packing->archive, path, err);
        size -= n;
    }
    return 0;
}

static int put_file(struct packing *packing, const char *path, const char *name, struct err *err)
{
    struct stat st;
    CLEAN_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || fstat(fd, &st) < 0)
        return err_sys(err, "open %s", path);
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_INPUT, "%s is neither a file nor a directory", path);
    if (count(packing, path, (uint64_t)st.st_size, err) < 0 ||
        put_entry(packing, name, &st, err) < 0)
        return -1;
    return put_content(packing, fd, path, st.st_size, err);
}

static int list_names(const char *path, struct strlist *ret, struct err *err)
{
    DIR *dir = opendir(path);

    if (!dir)
        return err_sys(err, "open %s", path);
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            strlist_add(ret, entry->d_name);
    closedir(dir);
    strlist_sort(ret);
    return 0;
}

static int put_directory(struct packing *packing, const char *path, const char *prefix, int depth,
                         struct err *err);

static int put_any(struct packing *packing, const char *path, const char *name, int depth,
                   struct err *err)
{
    struct stat st;

    if (lstat(path, &st) < 0)
        return err_sys(err, "%s", path);
    if (S_ISLNK(st.st_mode)) {
        if (stat(path, &st) < 0)
            return err_sys(err, "%s (a link)", path);
        if (S_ISDIR(st.st_mode))
            return err_set(err, ERR_INPUT, "%s is a link to a directory: pack what it points to",
                           path);
    }
    if (!S_ISDIR(st.st_mode))
        return put_file(packing, path, name, err);
    if (count(packing, path, 0, err) < 0 || put_entry(packing, name, &st, err) < 0)
        return -1;
    return put_directory(packing, path, name, depth, err);
}

static int put_directory(struct packing *packing, const char *path, const char *prefix, int depth,
                         struct err *err)
{
    CLEAN_DONE(strlist) struct strlist names = {0};

    if (depth == DEPTH_MAX)
        return err_set(err, ERR_LIMIT, "%s: deeper than %d directories", path, DEPTH_MAX);
    if (list_names(path, &names, err) < 0)
        return -1;
    for (size_t i = 0; i < names.n; i++) {
        CLEAN_MEM char *child = mem_printf("%s/%s", path, names.v[i]);
        CLEAN_MEM char *name = mem_printf("%s%s%s", prefix, prefix[0] ? "/" : "", names.v[i]);

        if (put_any(packing, child, name, depth + 1, err) < 0)
            return -1;
    }
    return 0;
}

static int put_top(struct packing *packing, const char *from, struct err *err)
{
    struct stat st;
    const char *slash = strrchr(from, '/');

    if (stat(from, &st) < 0)
        return err_sys(err, "%s", from);
    if (S_ISDIR(st.st_mode))
        return put_directory(packing, from, "", 0, err);
    return put_file(packing, from, slash ? slash + 1 : from, err);
}

static int write_archive(const char *from, int fd, struct err *err)
{
    struct packing packing = {.archive = archive_write_new(), .buffer = mem_alloc(COPY_BYTES, 1)};
    int rc = -1;

    if (archive_write_set_format_pax_restricted(packing.archive) != ARCHIVE_OK ||
        archive_write_open_fd(packing.archive, fd) != ARCHIVE_OK)
        archive_failed(packing.archive, "tar", err);
    else
        rc = put_top(&packing, from, err);
    if (rc == 0 && archive_write_close(packing.archive) != ARCHIVE_OK)
        rc = archive_failed(packing.archive, "tar", err);
    archive_write_free(packing.archive);
    mem_free(packing.buffer);
    return rc;
}

int pack_make(const char *from, const char *to, char ret_digest[DIGEST_SIZE], struct err *err)
{
    CLEAN_FD int fd = open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0)
        return err_sys(err, "create %s", to);
    if (write_archive(from, fd, err) < 0)
        return err_wrap(err, "pack %s", from);
    if (lseek(fd, 0, SEEK_SET) < 0)
        return err_sys(err, "seek in %s", to);
    return digest_fd(fd, ret_digest, err);
}
