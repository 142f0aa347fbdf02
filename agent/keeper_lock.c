/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flock knows no time-out and no poll, and asking again and again would disturb whoever measures.
 * So a thread waits in flock; it is interrupted by a signal when the agent changes its mind.
 */
#define _GNU_SOURCE /* eventfd */
#include "agent/keeper_lock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <unistd.h>

#include "agent/lock.h"
#include "base/fdio.h"

struct waiter {
    int lock_fd, done_fd;
    atomic_bool is_unwanted;
    int failed; /* errno, 0 held */
};

static void *wait_in_flock(void *arg)
{
    struct waiter *waiter = arg;
    const uint64_t one = 1;

    do
        waiter->failed = flock(waiter->lock_fd, LOCK_EX) == 0 ? 0 : errno;
    while (waiter->failed == EINTR && !atomic_load(&waiter->is_unwanted));
    while (write(waiter->done_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    return NULL;
}

static void wake(int signal)
{
    (void)signal; /* its arrival is all that matters: flock returns EINTR */
}

/* The signal may come just before flock begins: it is sent until the thread is done. */
static void follow(struct waiter *waiter, pthread_t thread, int stop_fd)
{
    for (;;) {
        const bool is_unwanted = atomic_load(&waiter->is_unwanted);
        struct pollfd poller[2] = {
            {.fd = waiter->done_fd,            .events = POLLIN},
            {.fd = is_unwanted ? -1 : stop_fd, .events = POLLIN}
        };

        if (poll(poller, 2, is_unwanted ? 10 : -1) < 0 && errno != EINTR)
            return;
        if (poller[0].revents)
            return;
        if (poller[1].revents)
            atomic_store(&waiter->is_unwanted, true);
        if (atomic_load(&waiter->is_unwanted))
            pthread_kill(thread, SIGUSR1);
    }
}

int keeper_wait_lock(int lock_fd, int stop_fd, struct err *err)
{
    CLEAN_FD int done_fd = eventfd(0, EFD_CLOEXEC);
    struct waiter waiter = {.lock_fd = lock_fd, .done_fd = done_fd};
    const struct sigaction action = {.sa_handler = wake}; /* no SA_RESTART */
    pthread_t thread;

    if (done_fd < 0 || sigaction(SIGUSR1, &action, NULL) < 0)
        return err_sys(err, "prepare to wait for the machine's lock");
    const int failed = pthread_create(&thread, NULL, wait_in_flock, &waiter);
    errno = failed;
    if (failed)
        return err_sys(err, "start a thread that waits for the machine's lock");
    follow(&waiter, thread, stop_fd);
    pthread_join(thread, NULL);
    errno = waiter.failed;
    if (waiter.failed == EINTR)
        return LOCK_BUSY;
    return waiter.failed ? err_sys(err, "take the machine's lock") : 0;
}
