/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Extracting artefacts that somebody else made. Every entry is judged before anything of it touches
 * the disk, and files are made by openat below descriptors of our own, never through a link.
 */
#include "agent/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fdio.h"
#include "base/str.h"
#include "model/limits.h"

struct unpacking {
    struct archive *archive;
    int root_fd;
    size_t files;
    uint64_t bytes;
};

static int refuse(const char *name, const char *why, struct err *err)
{
    CLEAN_MEM char *shown = str_visible(name ? name : "", 200);

    return err_set(err, ERR_INPUT, "entry \"%s\" is refused: %s", shown, why);
}

/* A relative path of plain components. */
static int check_name(const char *name, struct err *err)
{
    if (!name || !name[0] || strlen(name) > LIMIT_PATH)
        return refuse(name, "no usable name", err);
    if (name[0] == '/')
        return refuse(name, "an absolute name", err);
    for (const char *part = name; part;) {
        const size_t n = strcspn(part, "/");

        if (n == 2 && strncmp(part, "..", 2) == 0)
            return refuse(name, "it climbs out by ..", err);
        part = part[n] ? part + n + 1 : NULL;
    }
    return 0;
}

static int check_entry(struct unpacking *unpacking, struct archive_entry *entry, struct err *err)
{
    const char *name = archive_entry_pathname(entry);
    const unsigned type = archive_entry_filetype(entry);

    if (check_name(name, err) < 0)
        return -1;
    if (archive_entry_hardlink(entry) || archive_entry_symlink(entry) || type == AE_IFLNK)
        return refuse(name, "a link", err);
    if (type != AE_IFREG && type != AE_IFDIR)
        return refuse(name, "neither a file nor a directory", err);
    if (archive_entry_size(entry) < 0 || archive_entry_size(entry) > LIMIT_ARTEFACT)
        return refuse(name, "its size is out of bounds", err);
    unpacking->files++;
    if (unpacking->files > LIMIT_ARTEFACT_FILES)
        return err_set(err, ERR_LIMIT, "more than %d files", LIMIT_ARTEFACT_FILES);
    return 0;
}

/* The directory that holds the last component, made where it is missing; *ret_last points into
 * name. "." and empty components are skipped. */
static int open_parent(int root_fd, const char *name, int *ret_fd, char *last, size_t last_size,
                       struct err *err)
{
    int fd = fcntl(root_fd, F_DUPFD_CLOEXEC, 0);

    last[0] = '\0';
    for (const char *part = name; part && fd >= 0;) {
        const size_t n = strcspn(part, "/");
        const char *next = part[n] ? part + n + 1 : NULL;

        if (n > 0 && !(n == 1 && part[0] == '.')) {
            if (last[0]) { /* the one before was a directory */
                if (mkdirat(fd, last, 0755) < 0 && errno != EEXIST)
                    break;
                const int deeper =
                    openat(fd, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                close(fd);
                fd = deeper;
            }
            if (n >= last_size) {
                fdio_close(&fd);
                return refuse(name, "a component is too long", err);
            }
            memcpy(last, part, n);
            last[n] = '\0';
        }
        if (!next) {
            *ret_fd = fd;
            return fd < 0 ? err_sys(err, "%s", name) : 0;
        }
        part = next;
    }
    err_sys(err, "%s", name);
    fdio_close(&fd);
    return -1;
}

static int write_content(struct unpacking *unpacking, int fd, const char *name, struct err *err)
{
    for (;;) {
        const void *bytes;
        size_t n;
        la_int64_t offset;
        const int rc = archive_read_data_block(unpacking->archive, &bytes, &n, &offset);

        if (rc == ARCHIVE_EOF)
            return 0;
        if (rc != ARCHIVE_OK)
            return err_set(err, ERR_INPUT, "%s: %s", name,
                           archive_error_string(unpacking->archive));
        unpacking->bytes += n;
        if (unpacking->bytes > (uint64_t)LIMIT_ARTEFACT)
            return err_set(err, ERR_LIMIT, "more than %lld bytes when unpacked",
                           (long long)LIMIT_ARTEFACT);
        if (lseek(fd, offset, SEEK_SET) < 0)
            return err_sys(err, "seek in %s", name);
        if (fdio_write_all(fd, bytes, n, err) < 0)
            return err_wrap(err, "%s", name);
    }
}

static int extract_entry(struct unpacking *unpacking, struct archive_entry *entry, struct err *err)
{
    const char *name = archive_entry_pathname(entry);
    char last[256];
    CLEAN_FD int parent = -1;

    if (open_parent(unpacking->root_fd, name, &parent, last, sizeof last, err) < 0)
        return -1;
    if (!last[0]) /* "." itself */
        return 0;
    if (archive_entry_filetype(entry) == AE_IFDIR) {
        if (mkdirat(parent, last, 0755) < 0 && errno != EEXIST)
            return err_sys(err, "mkdir %s", name);
        return 0;
    }
    const mode_t mode = archive_entry_perm(entry) & 0111 ? 0755 : 0644;
    CLEAN_FD int fd =
        openat(parent, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0)
        return errno == EEXIST ? refuse(name, "it stands there twice", err)
                               : err_sys(err, "create %s", name);
    if (write_content(unpacking, fd, name, err) < 0)
        return -1;
    if (ftruncate(fd, archive_entry_size(entry)) < 0 || fchmod(fd, mode) < 0)
        return err_sys(err, "finish %s", name);
    return 0;
}

static int extract_all(struct unpacking *unpacking, struct err *err)
{
    for (;;) {
        struct archive_entry *entry;
        const int rc = archive_read_next_header(unpacking->archive, &entry);

        if (rc == ARCHIVE_EOF)
            return 0;
        if (rc != ARCHIVE_OK)
            return err_set(err, ERR_INPUT, "no readable tar: %s",
                           archive_error_string(unpacking->archive));
        if (check_entry(unpacking, entry, err) < 0 || extract_entry(unpacking, entry, err) < 0)
            return -1;
    }
}

int pack_extract(const char *from, const char *directory, struct err *err)
{
    CLEAN_FD int fd = open(from, O_RDONLY | O_CLOEXEC);
    CLEAN_FD int root_fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct unpacking unpacking = {.archive = archive_read_new(), .root_fd = root_fd};
    int rc = -1;

    if (fd < 0 || root_fd < 0)
        err_sys(err, "open %s", fd < 0 ? from : directory);
    else if (archive_read_support_format_tar(unpacking.archive) != ARCHIVE_OK ||
             archive_read_open_fd(unpacking.archive, fd, 64 * 1024) != ARCHIVE_OK)
        err_set(err, ERR_INPUT, "no readable tar: %s", archive_error_string(unpacking.archive));
    else
        rc = extract_all(&unpacking, err);
    archive_read_free(unpacking.archive);
    return rc < 0 ? err_wrap(err, "extract %s", from) : 0;
}
