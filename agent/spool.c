/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An append-only file and an index of it in memory. Trimming moves a mark in memory only; the file
 * shrinks when nothing is left in it. After a crash the trimmed records are offered again, and the
 * coordinator ignores what it has.
 */
#include "agent/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fdio.h"
#include "model/limits.h"

#define SPOOL_SUFFIX ".spool"
enum { HEAD_BYTES = 8 };

struct spool {
    char *path;
    int fd;
    int64_t run;
    uint64_t epoch;
    uint64_t end; /* of the last whole record */
    struct spool_record *v;
    size_t n, cap, first; /* first: the oldest that is not trimmed */
};

static void put_u32(unsigned char *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> (8 * i));
}

static uint32_t get_u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The length is covered too: a flipped bit in it must not lead to another place that fits. */
static uint32_t checksum(uint32_t length, const void *payload)
{
    unsigned char head[4];

    put_u32(head, length);
    return digest_crc32c(digest_crc32c(0, head, sizeof head), payload, length);
}

static int read_at(int fd, void *into, size_t length, uint64_t offset, struct err *err)
{
    char *p = into;

    while (length > 0) {
        const ssize_t n = pread(fd, p, length, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, "read");
        if (n == 0)
            return err_set(err, ERR_INPUT, "it ends too early");
        p += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return 0;
}

static int read_payload(const struct spool *spool, uint64_t offset, struct str *ret,
                        struct err *err)
{
    unsigned char head[HEAD_BYTES];

    if (read_at(spool->fd, head, sizeof head, offset, err) < 0)
        return -1;
    const uint32_t length = get_u32(head);
    if (length == 0 || length > LIMIT_SAMPLE_FRAME)
        return err_set(err, ERR_INPUT, "a record of %u bytes", length);
    CLEAN_MEM char *payload = mem_array(char, length);
    if (read_at(spool->fd, payload, length, offset + HEAD_BYTES, err) < 0)
        return -1;
    if (checksum(length, payload) != get_u32(head + 4))
        return err_set(err, ERR_INPUT, "a record is damaged");
    str_clear(ret);
    str_add_bytes(ret, payload, length);
    return 0;
}

static void remember(struct spool *spool, uint64_t offset, size_t length,
                     const struct wire_batch *batch)
{
    const struct frame *frame = batch->frame;

    spool->v = mem_grow(spool->v, &spool->cap, spool->n + 1, sizeof *spool->v);
    spool->v[spool->n++] = (struct spool_record){
        .offset = offset,
        .length = (uint32_t)length,
        .last_seq = frame->first_seq + frame->n - 1,
        .session = batch->session,
        .rounds_done = batch->rounds_done,
    };
    spool->end = offset + HEAD_BYTES + length;
}

/* Reads records from the start until one is not whole. */
static void index_records(struct spool *spool)
{
    CLEAN_DONE(str) struct str payload = {0};

    while (read_payload(spool, spool->end, &payload, NULL) == 0) {
        CLEAN(wire_batch) struct wire_batch *batch = NULL;

        if (wire_batch_unpack(payload.text, payload.length, &batch, NULL) < 0 || !batch->frame ||
            batch->frame->n == 0)
            return;
        remember(spool, spool->end, payload.length, batch);
    }
}

int spool_open(const char *dir, int64_t run, uint64_t epoch, struct spool **ret, uint64_t *ret_cut,
               struct err *err)
{
    CLEAN(spool) struct spool *spool = mem_new(struct spool);
    struct stat st;

    spool->run = run;
    spool->epoch = epoch;
    spool->path =
        mem_printf("%s/%lld-%llu" SPOOL_SUFFIX, dir, (long long)run, (unsigned long long)epoch);
    spool->fd = open(spool->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (spool->fd < 0 || fstat(spool->fd, &st) < 0)
        return err_sys(err, "open the spool %s", spool->path);
    index_records(spool);
    if (ret_cut)
        *ret_cut = (uint64_t)st.st_size - spool->end;
    if (ftruncate(spool->fd, (off_t)spool->end) < 0)
        return err_sys(err, "cut the spool %s", spool->path);
    *ret = mem_steal(&spool);
    return 0;
}

void spool_free(struct spool *spool)
{
    if (!spool)
        return;
    fdio_close(&spool->fd);
    mem_free(spool->path);
    mem_free(spool->v);
    mem_free(spool);
}

int64_t spool_run(const struct spool *spool)
{
    return spool->run;
}

uint64_t spool_epoch(const struct spool *spool)
{
    return spool->epoch;
}

static int write_at(int fd, const void *bytes, size_t length, uint64_t offset, struct err *err)
{
    const char *p = bytes;

    while (length > 0) {
        const ssize_t n = pwrite(fd, p, length, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, "write");
        p += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return fdatasync(fd) < 0 ? err_sys(err, "fdatasync") : 0;
}

int spool_append(struct spool *spool, const struct wire_batch *batch, struct err *err)
{
    CLEAN_DONE(str) struct str payload = {0}, record = {0};
    unsigned char head[HEAD_BYTES];

    wire_batch_pack(batch, &payload);
    if (payload.length > LIMIT_SAMPLE_FRAME)
        return err_set(err, ERR_LIMIT, "a block of %zu bytes; allowed: up to %d", payload.length,
                       LIMIT_SAMPLE_FRAME);
    if (spool->end + HEAD_BYTES + payload.length > (uint64_t)LIMIT_SPOOL)
        return err_set(err, ERR_LIMIT, "the spool %s is full (%lld bytes)", spool->path,
                       (long long)LIMIT_SPOOL);
    put_u32(head, (uint32_t)payload.length);
    put_u32(head + 4, checksum((uint32_t)payload.length, payload.text));
    str_add_bytes(&record, head, sizeof head);
    str_add_bytes(&record, payload.text, payload.length);
    if (write_at(spool->fd, record.text, record.length, spool->end, err) < 0) {
        err_wrap(err, "spool %s", spool->path);
        if (ftruncate(spool->fd, (off_t)spool->end) < 0)
            return err_wrap(err, "and it could not be cut back");
        return -1;
    }
    remember(spool, spool->end, payload.length, batch);
    return 0;
}

size_t spool_count(const struct spool *spool)
{
    return spool->n - spool->first;
}

const struct spool_record *spool_record(const struct spool *spool, size_t i)
{
    return &spool->v[spool->first + i];
}

uint64_t spool_last_seq(const struct spool *spool)
{
    return spool_count(spool) ? spool->v[spool->n - 1].last_seq : 0;
}

int spool_read(const struct spool *spool, size_t i, struct wire_batch **ret, struct err *err)
{
    CLEAN_DONE(str) struct str payload = {0};

    if (read_payload(spool, spool_record(spool, i)->offset, &payload, err) < 0 ||
        wire_batch_unpack(payload.text, payload.length, ret, err) < 0)
        return err_wrap(err, "spool %s", spool->path);
    return 0;
}

int spool_trim(struct spool *spool, uint64_t stored_seq, struct err *err)
{
    while (spool->first < spool->n && spool->v[spool->first].last_seq <= stored_seq)
        spool->first++;
    if (spool->first < spool->n || spool->n == 0)
        return 0;
    spool->n = spool->first = 0;
    spool->end = 0;
    return ftruncate(spool->fd, 0) < 0 ? err_sys(err, "empty the spool %s", spool->path) : 0;
}

void spool_remove(struct spool *spool)
{
    if (spool_count(spool) == 0)
        unlink(spool->path);
    spool_free(spool);
}

bool spool_parse_name(const char *name, int64_t *ret_run, uint64_t *ret_epoch)
{
    const char *dash = strchr(name, '-');

    if (!dash)
        return false;
    CLEAN_MEM char *run = mem_strndup(name, (size_t)(dash - name));
    CLEAN_MEM char *epoch = mem_strndup(dash + 1, strcspn(dash + 1, "."));
    return str_to_i64(run, ret_run, NULL) == 0 && *ret_run > 0 &&
           str_to_u64(epoch, ret_epoch, NULL) == 0 && *ret_epoch > 0;
}

void spool_list(const char *dir, struct strlist *ret)
{
    DIR *d = opendir(dir);
    int64_t run;
    uint64_t epoch;

    if (!d)
        return;
    for (const struct dirent *entry; (entry = readdir(d));)
        if (str_ends(entry->d_name, SPOOL_SUFFIX) &&
            spool_parse_name(entry->d_name, &run, &epoch)) {
            CLEAN_MEM char *name =
                mem_strndup(entry->d_name, strlen(entry->d_name) - strlen(SPOOL_SUFFIX));
            strlist_add(ret, name);
        }
    closedir(d);
    strlist_sort(ret);
}
