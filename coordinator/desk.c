/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two queues under one mutex, a condition for the thread, an eventfd for the loop.
 */
#include "coordinator/desk.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fdio.h"

struct queue {
    struct desk_job *first, **last;
};
struct desk {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    struct queue todo, done;
    size_t backlog;
    bool ending;
    int fd;
    struct store *store; /* used by the thread between start and join */
};

static void queue_init(struct queue *queue)
{
    queue->first = NULL;
    queue->last = &queue->first;
}

static void queue_add(struct queue *queue, struct desk_job *job)
{
    job->next = NULL;
    *queue->last = job;
    queue->last = &job->next;
}

static struct desk_job *queue_take(struct queue *queue)
{
    struct desk_job *job = queue->first;

    if (job) {
        queue->first = job->next;
        if (!queue->first)
            queue->last = &queue->first;
    }
    return job;
}

static void ring(int fd)
{
    uint64_t one = 1;

    while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
        continue;
}

static void *serve(void *arg)
{
    struct desk *desk = arg;

    (void)pthread_mutex_lock(&desk->mutex);
    while (!desk->ending) {
        struct desk_job *job = queue_take(&desk->todo);

        if (!job) {
            (void)pthread_cond_wait(&desk->wake, &desk->mutex);
            continue;
        }
        (void)pthread_mutex_unlock(&desk->mutex);
        job->work(job, desk->store);
        (void)pthread_mutex_lock(&desk->mutex);
        queue_add(&desk->done, job);
        ring(desk->fd);
    }
    (void)pthread_mutex_unlock(&desk->mutex);
    return NULL;
}

int desk_start(const char *path, struct desk **ret, struct err *err)
{
    struct desk *desk = mem_new(struct desk);
    int failed;

    desk->fd = -1;
    queue_init(&desk->todo);
    queue_init(&desk->done);
    if (store_open(path, STORE_READ, &desk->store, err) < 0)
        goto fail;
    desk->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (desk->fd < 0) {
        (void)err_sys(err, "eventfd");
        goto fail;
    }
    (void)pthread_mutex_init(&desk->mutex, NULL);
    (void)pthread_cond_init(&desk->wake, NULL);
    failed = pthread_create(&desk->thread, NULL, serve, desk);
    if (failed) {
        (void)err_set(err, ERR_SYS, "cannot start a thread (error %d)", failed);
        (void)pthread_cond_destroy(&desk->wake);
        (void)pthread_mutex_destroy(&desk->mutex);
        goto fail;
    }
    *ret = desk;
    return 0;
fail:
    fdio_close(&desk->fd);
    store_free(desk->store);
    mem_free(desk);
    return -1;
}

void desk_free(struct desk *desk)
{
    struct desk_job *job;

    if (!desk)
        return;
    (void)pthread_mutex_lock(&desk->mutex);
    desk->ending = true;
    (void)pthread_cond_signal(&desk->wake);
    (void)pthread_mutex_unlock(&desk->mutex);
    (void)pthread_join(desk->thread, NULL);
    while ((job = queue_take(&desk->todo)) || (job = queue_take(&desk->done)))
        job->drop(job);
    (void)pthread_cond_destroy(&desk->wake);
    (void)pthread_mutex_destroy(&desk->mutex);
    fdio_close(&desk->fd);
    store_free(desk->store);
    mem_free(desk);
}

void desk_post(struct desk *desk, struct desk_job *job)
{
    (void)pthread_mutex_lock(&desk->mutex);
    queue_add(&desk->todo, job);
    desk->backlog++;
    (void)pthread_cond_signal(&desk->wake);
    (void)pthread_mutex_unlock(&desk->mutex);
}

int desk_fd(const struct desk *desk)
{
    return desk->fd;
}

void desk_dispatch(struct desk *desk)
{
    uint64_t count;
    struct queue ready;

    while (read(desk->fd, &count, sizeof(count)) < 0 && errno == EINTR)
        continue;
    queue_init(&ready);
    (void)pthread_mutex_lock(&desk->mutex);
    for (struct desk_job *job; (job = queue_take(&desk->done));) {
        queue_add(&ready, job);
        desk->backlog--;
    }
    (void)pthread_mutex_unlock(&desk->mutex);
    for (struct desk_job *job; (job = queue_take(&ready));)
        job->done(job);
}

size_t desk_backlog(struct desk *desk)
{
    size_t backlog;

    (void)pthread_mutex_lock(&desk->mutex);
    backlog = desk->backlog;
    (void)pthread_mutex_unlock(&desk->mutex);
    return backlog;
}
