/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One thread that writes. The owner posts closures; the thread takes all that wait (at most
 * LIMIT_GROUP), runs each behind a mark in one transaction, commits, and only then hands them back
 * with their results. What was handed back as done is on disk; whatever the owner has not heard of
 * may or may not be.
 */
#include "coordinator/store/writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/fdio.h"
#include "model/limits.h"

#define IDLE_S 1 /* quiet for so long after a write: the log is moved into the file */

struct job {
    struct job *next;
    writer_work work;
    writer_done done;
    void *arg;
    int result;
    struct err err;
};
struct queue { /* first in, first out */
    struct job *head, *tail;
    size_t n;
};
struct writer {
    pthread_t thread;
    struct store *store; /* the thread's from start to join */
    int event_fd;
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t wake;
    struct queue waiting, finished;
    size_t working;
    bool closing;
};

static void push(struct queue *queue, struct job *job)
{
    job->next = NULL;
    if (queue->tail)
        queue->tail->next = job;
    else
        queue->head = job;
    queue->tail = job;
    queue->n++;
}

static struct job *pop(struct queue *queue)
{
    struct job *job = queue->head;

    if (!job)
        return NULL;
    queue->head = job->next;
    if (!queue->head)
        queue->tail = NULL;
    queue->n--;
    return job;
}

static void run_job(struct store *store, struct job *job)
{
    if (store_mark(store, &job->err) < 0) {
        job->result = -1;
        return;
    }
    job->result = job->work(store, job->arg, &job->err);
    if (job->result < 0)
        store_undo(store);
    else if (store_keep(store, &job->err) < 0)
        job->result = -1;
}

/* A group that could not be committed failed as a whole, whatever its closures returned. */
static void fail_group(struct queue *group, const struct err *why)
{
    for (struct job *job = group->head; job; job = job->next) {
        if (job->result < 0)
            continue;
        job->result = -1;
        job->err = *why;
    }
}

static void run_group(struct store *store, struct queue *group)
{
    struct err err = {0};

    if (store_begin(store, &err) < 0) {
        fail_group(group, &err);
        return;
    }
    for (struct job *job = group->head; job; job = job->next)
        run_job(store, job);
    if (store_commit(store, &err) < 0)
        fail_group(group, &err);
}

static void ring(struct writer *writer)
{
    uint64_t one = 1;
    ssize_t n = 0;

    do
        n = write(writer->event_fd, &one, sizeof one);
    while (n < 0 && errno == EINTR); /* EAGAIN: the counter is full, so it is readable already */
}

/* Waits for work. False: nothing came for IDLE_S. With the mutex held. */
static bool wait_for_work(struct writer *writer, bool may_idle)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += IDLE_S;
    while (!writer->waiting.n && !writer->closing) {
        if (!may_idle)
            pthread_cond_wait(&writer->wake, &writer->mutex);
        else if (pthread_cond_timedwait(&writer->wake, &writer->mutex, &until) == ETIMEDOUT)
            return false;
    }
    return true;
}

static void take_group(struct writer *writer, struct queue *group)
{
    while (writer->waiting.n && group->n < LIMIT_GROUP)
        push(group, pop(&writer->waiting));
    writer->working = group->n;
}

static void hand_back(struct writer *writer, struct queue *group)
{
    struct job *job = NULL;

    while ((job = pop(group)))
        push(&writer->finished, job);
    writer->working = 0;
    ring(writer);
}

static void *writer_main(void *arg)
{
    struct writer *writer = arg;
    bool dirty = false; /* written since the last checkpoint */

    pthread_mutex_lock(&writer->mutex);
    for (;;) {
        struct queue group = {0};
        bool work = wait_for_work(writer, dirty);

        if (work && !writer->waiting.n)
            break; /* closing and nothing left */
        take_group(writer, &group);
        pthread_mutex_unlock(&writer->mutex);
        if (group.n)
            run_group(writer->store, &group);
        else
            (void)!store_checkpoint(
                writer->store, NULL); /* the next idle moment tries again; nothing depends on it */
        pthread_mutex_lock(&writer->mutex);
        dirty = group.n > 0;
        if (group.n)
            hand_back(writer, &group);
    }
    pthread_mutex_unlock(&writer->mutex);
    return NULL;
}

static int start_thread(struct writer *writer, struct err *err)
{
    pthread_condattr_t monotonic;
    int rc = 0;

    pthread_mutex_init(&writer->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&writer->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    rc = pthread_create(&writer->thread, NULL, writer_main, writer);
    if (rc == 0)
        return 0;
    pthread_cond_destroy(&writer->wake);
    pthread_mutex_destroy(&writer->mutex);
    errno = rc;
    return err_sys(err, "writer thread");
}

int writer_start(const char *path, struct writer **ret, struct err *err)
{
    struct writer *writer = mem_new(struct writer);

    writer->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (writer->event_fd < 0) {
        int failed = err_sys(err, "eventfd");

        mem_free(writer);
        return failed;
    }
    if (store_open(path, STORE_WRITE | STORE_CREATE, &writer->store, err) < 0 ||
        start_thread(writer, err) < 0) {
        store_free(writer->store);
        fdio_close(&writer->event_fd);
        mem_free(writer);
        return -1;
    }
    *ret = writer;
    return 0;
}

void writer_free(struct writer *writer)
{
    if (!writer)
        return;
    pthread_mutex_lock(&writer->mutex);
    writer->closing = true;
    pthread_cond_signal(&writer->wake);
    pthread_mutex_unlock(&writer->mutex);
    pthread_join(writer->thread, NULL);
    writer_dispatch(writer);
    store_free(writer->store);
    pthread_cond_destroy(&writer->wake);
    pthread_mutex_destroy(&writer->mutex);
    fdio_close(&writer->event_fd);
    mem_free(writer);
}

void writer_post(struct writer *writer, writer_work work, void *arg, writer_done done)
{
    struct job *job = mem_new(struct job);

    job->work = work;
    job->arg = arg;
    job->done = done;
    pthread_mutex_lock(&writer->mutex);
    push(&writer->waiting, job);
    pthread_cond_signal(&writer->wake);
    pthread_mutex_unlock(&writer->mutex);
}

int writer_fd(const struct writer *writer)
{
    return writer->event_fd;
}

void writer_dispatch(struct writer *writer)
{
    struct queue finished = {0};
    struct job *job = NULL;
    uint64_t count = 0;

    if (read(writer->event_fd, &count, sizeof count) < 0 && errno != EAGAIN && errno != EINTR)
        return;
    pthread_mutex_lock(&writer->mutex);
    finished = writer->finished;
    writer->finished = (struct queue){0};
    pthread_mutex_unlock(&writer->mutex);
    while ((job = pop(&finished))) {
        if (job->done)
            job->done(job->arg, job->result, &job->err);
        mem_free(job);
    }
}

size_t writer_backlog(const struct writer *writer)
{
    struct writer *w = (struct writer *)writer; /* the mutex is no part of what const promises */
    size_t n = 0;

    pthread_mutex_lock(&w->mutex);
    n = w->waiting.n + w->working + w->finished.n;
    pthread_mutex_unlock(&w->mutex);
    return n;
}
