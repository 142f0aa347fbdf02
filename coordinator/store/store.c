/* SPDX-License-Identifier: GPL-3.0-or-later
 * The door of the store: which file, who may write it, is the disk fit for it. Rows are the
 * backend's. */
#include "coordinator/store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fdio.h"
#include "coordinator/store/backend/sqlite.h"

#define SPACE_LEAST_BYTES (512ULL * 1024 * 1024)
#define SPACE_LEAST_SHARE 20 /* one part in 20: 5 % */

const char *place_network_fs(long type)
{
    static const struct {
        unsigned long type;
        const char *name;
    } known[] = {
        {0x6969UL,     "NFS"   },
        {0x517bUL,     "SMB"   },
        {0xfe534d42UL, "SMB2"  },
        {0xff534d42UL, "CIFS"  },
        {0x00c36400UL, "Ceph"  },
        {0x5346414fUL, "AFS"   },
        {0x6b414653UL, "AFS"   },
        {0x73757245UL, "Coda"  },
        {0x01021997UL, "9p"    },
        {0x0bd00bd0UL, "Lustre"},
        {0x47504653UL, "GPFS"  },
        {0x19830326UL, "BeeGFS"},
        {0x01161970UL, "GFS2"  },
        {0x7461636fUL, "OCFS2" },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (((unsigned long)type & 0xffffffffUL) == known[i].type)
            return known[i].name;
    }
    return NULL;
}

char *place_directory(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return mem_strdup(".");
    return slash == path ? mem_strdup("/") : mem_strndup(path, (size_t)(slash - path));
}

/* Locks and the shared memory of the log do not hold on file systems of other machines. */
static int refuse_network(const char *path, struct err *err)
{
    CLEAN_MEM char *directory = place_directory(path);
    struct statfs fs;

    if (statfs(directory, &fs) < 0)
        return errno == ENOENT ? err_set(err, ERR_NOT_FOUND, "no directory %s", directory)
                               : err_sys(err, "statfs %s", directory);
    if (place_network_fs((long)fs.f_type))
        return err_set(
            err, ERR_STORE,
            "%s: on a network file system (%s), where locks cannot be relied on; use a local disk",
            path, place_network_fs((long)fs.f_type));
    return 0;
}

/* A file of its own: closing a second descriptor of the database would drop SQLite's locks in this
 * process. */
static int take_lock(struct store *store, struct err *err)
{
    CLEAN_MEM char *path = mem_printf("%s.lock", store->path);

    store->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (store->lock_fd < 0)
        return err_sys(err, "open %s", path);
    if (flock(store->lock_fd, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (errno == EWOULDBLOCK)
        return err_set(err, ERR_STATE,
                       "%s: another process writes to it (is a coordinator running?)", store->path);
    return err_sys(err, "lock %s", path);
}

/* Only a file that was not there: see take_lock. SQLite gives its other files the same mode. */
static int make_file(const char *path, struct err *err)
{
    CLEAN_FD int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    return fd < 0 && errno != EEXIST ? err_sys(err, "open %s", path) : 0;
}

int store_open(const char *path, int flags, struct store **ret, struct err *err)
{
    CLEAN(store) struct store *store = mem_new(struct store);
    struct stat st;

    store->path = mem_strdup(path);
    store->lock_fd = -1;
    store->writable = (flags & (STORE_WRITE | STORE_CREATE)) != 0;
    if (flags & STORE_CREATE) {
        CLEAN_MEM char *directory = place_directory(path);

        if (fdio_make_dirs(directory, 0700, err) < 0)
            return -1;
    }
    if (!(flags & STORE_CREATE) && stat(path, &st) < 0)
        return errno == ENOENT ? err_set(err, ERR_NOT_FOUND, "no store at %s", path)
                               : err_sys(err, "stat %s", path);
    if (refuse_network(path, err) < 0)
        return -1;
    if (store->writable && take_lock(store, err) < 0)
        return -1;
    if ((flags & STORE_CREATE) && make_file(path, err) < 0)
        return -1;
    if (sqlite_open(store, err) < 0)
        return -1;
    *ret = mem_steal(&store);
    return 0;
}

void store_free(struct store *store)
{
    if (!store)
        return;
    sqlite_shut(store);
    fdio_close(&store->lock_fd); /* after the last write: the next writer may come now */
    mem_free(store->path);
    mem_free(store);
}

const char *store_path(const struct store *store)
{
    return store->path;
}

bool place_space_low(uint64_t free_bytes, uint64_t total_bytes)
{
    return free_bytes < SPACE_LEAST_BYTES || free_bytes < total_bytes / SPACE_LEAST_SHARE;
}

int store_space_low(const struct store *store, struct err *err)
{
    struct statvfs fs;

    if (statvfs(store->path, &fs) < 0)
        return err_sys(err, "statvfs %s", store->path);
    return place_space_low((uint64_t)fs.f_bavail * fs.f_frsize, (uint64_t)fs.f_blocks * fs.f_frsize)
               ? STORE_SPACE_LOW
               : 0;
}

char *store_artefact_path(const struct store *store, const char *digest)
{
    CLEAN_MEM char *directory = place_directory(store->path);

    return mem_printf("%s/artefacts/%.2s/%s", directory, digest, digest);
}
