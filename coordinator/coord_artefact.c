/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Artefacts by digest: agents fetch pieces, users send pieces. An upload becomes an artefact only
 * when all of it is here and its SHA-256 is its name. The answer to a piece is a chunk without
 * bytes whose offset says how much is held, so the sender sets its own pace and an interrupted
 * upload goes on where it was.
 */
#include "coordinator/hall.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fdio.h"
#include "base/log.h"

struct coord_upload {
    struct coord_upload *next;
    char digest[DIGEST_SIZE];
    uint64_t held, total;
    int fd;
    char *path; /* of the unfinished file */
};

bool coord_artefact_held(const struct coord *coord, const char *digest)
{
    CLEAN_MEM char *path = store_artefact_path(coord->store, digest);

    return access(path, R_OK) == 0;
}

static void send_chunk(struct chan *chan, const struct chan_peer *peer,
                       const struct wire_chunk *chunk)
{
    CLEAN_DONE(str) struct str bytes = {0};
    struct err err = {0};
    int result;

    if (wire_encode(WIRE_CHUNK, chunk, &bytes, &err) < 0) {
        log_err(LOG_ERROR, &err, "chunk not encoded");
        return;
    }
    result = chan_send(chan, peer, bytes.text, bytes.length, &err);
    if (result < 0)
        log_err(LOG_WARN, &err, "chunk not sent");
}

void coord_artefact_get(struct coord *coord, const struct chan_peer *peer,
                        const struct wire_chunk *ask)
{
    CLEAN_MEM char *path = store_artefact_path(coord->store, ask->digest);
    CLEAN_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    CLEAN_MEM char *bytes = NULL;
    struct wire_chunk chunk = {.offset = ask->offset};
    struct stat status;
    ssize_t got;

    if (fd < 0 || fstat(fd, &status) < 0) {
        log_warn("artefact asked for is not here digest=%s", ask->digest);
        return;
    }
    memcpy(chunk.digest, ask->digest, sizeof(chunk.digest));
    chunk.total = (uint64_t)status.st_size;
    if (ask->offset > chunk.total) {
        log_warn("artefact asked for beyond its end digest=%s", ask->digest);
        return;
    }
    bytes = mem_alloc(LIMIT_CHUNK, 1);
    got = pread(fd, bytes, LIMIT_CHUNK, (off_t)ask->offset);
    if (got < 0) {
        log_error("artefact cannot be read digest=%s errno=%d", ask->digest, errno);
        return;
    }
    chunk.bytes = bytes;
    chunk.length = (size_t)got;
    send_chunk(coord->agents, peer, &chunk);
}

static void upload_free(struct coord_upload *upload)
{
    fdio_close(&upload->fd);
    if (upload->path)
        (void)unlink(upload->path);
    mem_free(upload->path);
    mem_free(upload);
}

void coord_uploads_done(struct coord *coord)
{
    while (coord->uploads) {
        struct coord_upload *upload = coord->uploads;

        coord->uploads = upload->next;
        upload_free(upload);
    }
}

static void drop_upload(struct coord *coord, struct coord_upload *upload)
{
    for (struct coord_upload **slot = &coord->uploads; *slot; slot = &(*slot)->next) {
        if (*slot == upload) {
            *slot = upload->next;
            upload_free(upload);
            return;
        }
    }
}

/* NULL with err when it cannot begin. */
static struct coord_upload *begin(struct coord *coord, const struct wire_chunk *chunk,
                                  struct err *err)
{
    CLEAN_MEM char *path = store_artefact_path(coord->store, chunk->digest);
    CLEAN_MEM char *folder = mem_strndup(path, (size_t)(strrchr(path, '/') - path));
    struct coord_upload *upload;

    if (chunk->total > (uint64_t)LIMIT_ARTEFACT) {
        (void)err_set(err, ERR_LIMIT, "%llu bytes, at most %lld", (unsigned long long)chunk->total,
                      (long long)LIMIT_ARTEFACT);
        return NULL;
    }
    if (fdio_make_dirs(folder, 0700, err) < 0)
        return NULL;
    upload = mem_new(struct coord_upload);
    memcpy(upload->digest, chunk->digest, sizeof(upload->digest));
    upload->total = chunk->total;
    upload->path = mem_printf("%s.part", path);
    upload->fd = open(upload->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (upload->fd < 0) {
        (void)err_sys(err, "%s", upload->path);
        upload_free(upload);
        return NULL;
    }
    upload->next = coord->uploads;
    coord->uploads = upload;
    return upload;
}

static int finish(struct coord *coord, struct coord_upload *upload, struct err *err)
{
    CLEAN_MEM char *path = store_artefact_path(coord->store, upload->digest);
    char digest[DIGEST_SIZE];

    if (fdatasync(upload->fd) < 0 || lseek(upload->fd, 0, SEEK_SET) < 0)
        return err_sys(err, "%s", upload->path);
    if (digest_fd(upload->fd, digest, err) < 0)
        return -1;
    if (!str_eq(digest, upload->digest))
        return err_set(err, ERR_INPUT, "the bytes sent have another SHA-256 (%s)", digest);
    if (rename(upload->path, path) < 0)
        return err_sys(err, "%s", path);
    mem_free(upload->path);
    upload->path = NULL;
    return 0;
}

/* *ret_held: bytes held afterwards. A piece that does not follow is left out: the sender is told
 * where to go on. */
static int put(struct coord *coord, const struct wire_chunk *chunk, uint64_t *ret_held,
               struct err *err)
{
    struct coord_upload *upload = coord->uploads;

    *ret_held = chunk->total;
    if (coord_artefact_held(coord, chunk->digest))
        return 0;
    while (upload && !str_eq(upload->digest, chunk->digest))
        upload = upload->next;
    if (!upload)
        upload = begin(coord, chunk, err);
    if (!upload)
        return -1;
    if (chunk->offset == upload->held && chunk->length > 0) {
        if (chunk->length > upload->total - upload->held) {
            drop_upload(coord, upload);
            return err_set(err, ERR_INPUT, "more bytes than the %llu announced",
                           (unsigned long long)chunk->total);
        }
        if (fdio_write_all(upload->fd, chunk->bytes, chunk->length, err) < 0) {
            drop_upload(coord, upload);
            return -1;
        }
        upload->held += chunk->length;
    }
    *ret_held = upload->held;
    if (upload->held == upload->total) {
        int result = finish(coord, upload, err);

        drop_upload(coord, upload);
        return result;
    }
    return 0;
}

void coord_artefact_put(struct coord *coord, const struct chan_peer *peer,
                        const struct wire_chunk *chunk)
{
    struct wire_chunk answer = {.total = chunk->total};
    struct err err = {0};

    memcpy(answer.digest, chunk->digest, sizeof(answer.digest));
    if (put(coord, chunk, &answer.offset, &err) < 0) {
        struct coord_asker asker = {.peer = *peer};

        (void)err_wrap(&err, "upload of %.12s…", chunk->digest);
        coord_reply_error(coord, &asker, &err);
        return;
    }
    send_chunk(coord->users, peer, &answer);
}
