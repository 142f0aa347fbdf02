/* SPDX-License-Identifier: GPL-3.0-or-later
 * The draining thread. Its room is mapped for one sample and given back after it, so that it does
 * not stay in the keeper's size. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, eventfd */
#include "agent/drain.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fdio.h"

struct stream {
    int fd;
    char *room; /* first half: the beginning; second half: a ring of the end */
    uint64_t bytes;
};
struct drain {
    struct stream stream[DRAIN_STREAMS];
    size_t half;
    int stop_fd;
    pthread_t thread;
    char buffer[64 * 1024];
};

static void keep(struct stream *stream, size_t half, const char *bytes, size_t n)
{
    while (n > 0) {
        size_t at, fits;

        if (stream->bytes < half) {
            at = (size_t)stream->bytes;
            fits = half - at;
        } else {
            const size_t ring = (size_t)((stream->bytes - half) % half);
            at = half + ring;
            fits = half - ring;
        }
        const size_t take = n < fits ? n : fits;
        memcpy(stream->room + at, bytes, take);
        stream->bytes += take;
        bytes += take;
        n -= take;
    }
}

/* False at the end of the stream (a terminal says EIO when its last user is gone). */
static bool read_some(struct drain *drain, struct stream *stream)
{
    const ssize_t n = read(stream->fd, drain->buffer, sizeof drain->buffer);

    if (n > 0)
        keep(stream, drain->half, drain->buffer, (size_t)n);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void close_stream(struct stream *stream)
{
    fdio_close(&stream->fd);
}

/* What is in the pipe at the end, but no more than a writer who never stops could add. */
static void read_rest(struct drain *drain, struct stream *stream)
{
    enum { REST_MAX = 64 };

    for (int i = 0; i < REST_MAX && stream->fd >= 0; i++) {
        const ssize_t n = read(stream->fd, drain->buffer, sizeof drain->buffer);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        keep(stream, drain->half, drain->buffer, (size_t)n);
    }
}

static void *drain_run(void *arg)
{
    struct drain *drain = arg;
    struct pollfd poller[DRAIN_STREAMS + 1];

    for (;;) {
        for (int i = 0; i < DRAIN_STREAMS; i++) /* poll skips negative descriptors */
            poller[i] = (struct pollfd){.fd = drain->stream[i].fd, .events = POLLIN};
        poller[DRAIN_STREAMS] = (struct pollfd){.fd = drain->stop_fd, .events = POLLIN};
        if (poll(poller, DRAIN_STREAMS + 1, -1) < 0 && errno != EINTR)
            break;
        for (int i = 0; i < DRAIN_STREAMS; i++)
            if (poller[i].revents && !read_some(drain, &drain->stream[i]))
                close_stream(&drain->stream[i]);
        if (poller[DRAIN_STREAMS].revents)
            break;
    }
    for (int i = 0; i < DRAIN_STREAMS; i++)
        read_rest(drain, &drain->stream[i]);
    return NULL;
}

static void drain_free(struct drain *drain)
{
    for (int i = 0; i < DRAIN_STREAMS; i++) {
        close_stream(&drain->stream[i]);
        if (drain->stream[i].room)
            munmap(drain->stream[i].room, 2 * drain->half);
    }
    fdio_close(&drain->stop_fd);
    munmap(drain, sizeof *drain);
}

static int map_rooms(struct drain *drain, struct err *err)
{
    for (int i = 0; i < DRAIN_STREAMS; i++) {
        if (drain->stream[i].fd < 0)
            continue;
        void *room =
            mmap(NULL, 2 * drain->half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED)
            return err_sys(err, "map %zu bytes", 2 * drain->half);
        drain->stream[i].room = room;
    }
    drain->stop_fd = eventfd(0, EFD_CLOEXEC);
    return drain->stop_fd < 0 ? err_sys(err, "eventfd") : 0;
}

static int start_thread(struct drain *drain, struct err *err)
{
    sigset_t all, old;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are the keeper's */
    const int failed = pthread_create(&drain->thread, NULL, drain_run, drain);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = failed;
    return failed ? err_sys(err, "start the draining thread") : 0;
}

int drain_start(const int fd[DRAIN_STREAMS], size_t room, struct drain **ret, struct err *err)
{
    struct drain *drain =
        mmap(NULL, sizeof *drain, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (drain == MAP_FAILED) {
        err_sys(err, "map the drain");
        for (int i = 0; i < DRAIN_STREAMS; i++)
            if (fd[i] >= 0)
                close(fd[i]);
        return -1;
    }
    drain->half = room / 2 > 0 ? room / 2 : 1;
    drain->stop_fd = -1;
    for (int i = 0; i < DRAIN_STREAMS; i++)
        drain->stream[i].fd = fd[i];
    if (map_rooms(drain, err) < 0 || start_thread(drain, err) < 0) {
        drain_free(drain);
        return -1;
    }
    *ret = drain;
    return 0;
}

static void copy_kept(const struct drain *drain, const struct stream *stream, struct str *ret)
{
    const size_t half = drain->half;

    str_clear(ret);
    if (!stream->room)
        return;
    if (stream->bytes <= 2 * (uint64_t)half) {
        str_add_bytes(ret, stream->room, (size_t)stream->bytes);
        return;
    }
    const size_t oldest = (size_t)((stream->bytes - half) % half);
    str_add_bytes(ret, stream->room, half);
    str_addf(ret, "\n[muster: %llu bytes left out]\n",
             (unsigned long long)(stream->bytes - 2 * (uint64_t)half));
    str_add_bytes(ret, stream->room + half + oldest, half - oldest);
    str_add_bytes(ret, stream->room + half, oldest);
}

void drain_stop(struct drain *drain, struct str ret[DRAIN_STREAMS],
                uint64_t ret_bytes[DRAIN_STREAMS])
{
    const uint64_t one = 1;

    while (write(drain->stop_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    pthread_join(drain->thread, NULL);
    for (int i = 0; i < DRAIN_STREAMS; i++) {
        copy_kept(drain, &drain->stream[i], &ret[i]);
        ret_bytes[i] = drain->stream[i].bytes;
    }
    drain_free(drain);
}
