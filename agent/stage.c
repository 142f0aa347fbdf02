/* SPDX-License-Identifier: GPL-3.0-or-later
 * The cache of artefacts: DIGEST when whole, DIGEST.part while it is fetched. */
#include "agent/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/stage_dirs.h"
#include "base/fdio.h"
#include "model/limits.h"

struct stage {
    char *artefacts;
    struct stage_dirs dirs;
    char digest[DIGEST_SIZE]; /* of the running download */
    int fd;
    uint64_t offset;
};

int stage_open(const char *dir, struct stage **ret, struct err *err)
{
    CLEAN(stage) struct stage *stage = mem_new(struct stage);

    stage->fd = -1;
    stage->artefacts = mem_printf("%s/artefacts", dir);
    stage->dirs.root = mem_printf("%s/work", dir);
    if (fdio_make_dirs(stage->artefacts, 0700, err) < 0)
        return -1;
    *ret = mem_steal(&stage);
    return 0;
}

void stage_free(struct stage *stage)
{
    if (!stage)
        return;
    fdio_close(&stage->fd);
    stage_dirs_done(&stage->dirs);
    mem_free(stage->artefacts);
    mem_free(stage);
}

static char *whole_path(const struct stage *stage, const char *digest)
{
    return mem_printf("%s/%s", stage->artefacts, digest);
}

static char *part_path(const struct stage *stage, const char *digest)
{
    return mem_printf("%s/%s.part", stage->artefacts, digest);
}

static bool file_has_digest(const char *path, const char *digest)
{
    CLEAN_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    char found[DIGEST_SIZE];

    return fd >= 0 && digest_fd(fd, found, NULL) == 0 && strcmp(found, digest) == 0;
}

bool stage_holds(struct stage *stage, const char *digest)
{
    CLEAN_MEM char *path = whole_path(stage, digest);

    if (access(path, F_OK) < 0)
        return false;
    if (file_has_digest(path, digest))
        return true;
    unlink(path);
    return false;
}

int stage_fetch_begin(struct stage *stage, const char *digest, uint64_t *ret_offset,
                      struct err *err)
{
    CLEAN_MEM char *path = part_path(stage, digest);
    struct stat st;

    if (!digest_is_valid(digest))
        return err_set(err, ERR_INPUT, "no digest: \"%.80s\"", digest);
    fdio_close(&stage->fd);
    stage->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (stage->fd < 0 || fstat(stage->fd, &st) < 0)
        return err_sys(err, "open %s", path);
    memcpy(stage->digest, digest, DIGEST_SIZE);
    stage->offset = (uint64_t)st.st_size;
    *ret_offset = stage->offset;
    return 0;
}

static int finish(struct stage *stage, struct err *err)
{
    CLEAN_MEM char *part = part_path(stage, stage->digest);
    CLEAN_MEM char *whole = whole_path(stage, stage->digest);
    const int synced = fdatasync(stage->fd);

    fdio_close(&stage->fd);
    if (synced < 0)
        return err_sys(err, "write %s", part);
    if (!file_has_digest(part, stage->digest)) {
        unlink(part);
        return err_set(err, ERR_INPUT, "the artefact that arrived is not %s", stage->digest);
    }
    return rename(part, whole) < 0 ? err_sys(err, "rename to %s", whole) : STAGE_DONE;
}

int stage_fetch_take(struct stage *stage, const struct wire_chunk *chunk, uint64_t *ret_offset,
                     struct err *err)
{
    *ret_offset = stage->offset;
    if (stage->fd < 0 || strcmp(chunk->digest, stage->digest) != 0 ||
        chunk->offset != stage->offset)
        return 0;
    if (chunk->total > (uint64_t)LIMIT_ARTEFACT)
        return err_set(err, ERR_LIMIT, "an artefact of %llu bytes; allowed: up to %lld",
                       (unsigned long long)chunk->total, (long long)LIMIT_ARTEFACT);
    if (chunk->length > chunk->total - chunk->offset || chunk->length > LIMIT_CHUNK)
        return err_set(err, ERR_PROTO, "a piece reaches beyond the artefact's end");
    if (lseek(stage->fd, (off_t)chunk->offset, SEEK_SET) < 0)
        return err_sys(err, "seek");
    if (fdio_write_all(stage->fd, chunk->bytes, chunk->length, err) < 0)
        return err_wrap(err, "artefact %.12s", stage->digest);
    stage->offset += chunk->length;
    *ret_offset = stage->offset;
    return stage->offset < chunk->total ? 0 : finish(stage, err);
}

int stage_work(struct stage *stage, const struct experiment *experiment, struct err *err)
{
    if (stage_dirs_make(&stage->dirs, experiment, err) < 0)
        return -1;
    for (size_t i = 0; i < experiment->n_variants; i++) {
        const char *digest = experiment->variant[i].artefact;
        CLEAN_MEM char *path = whole_path(stage, digest);

        if (digest[0] && stage_dirs_fill(&stage->dirs, i, path, err) < 0)
            return err_wrap(err, "files of variant %s", experiment->variant[i].name);
    }
    return stage_dirs_give(&stage->dirs, experiment, err);
}

int stage_pad(struct stage *stage, uint32_t bytes, struct err *err)
{
    return stage_dirs_pad(&stage->dirs, bytes, err);
}

const char *stage_dir(const struct stage *stage, size_t variant)
{
    return stage->dirs.path[variant];
}

void stage_clear(struct stage *stage)
{
    stage_dirs_clear(&stage->dirs);
}
