/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A strided loop over threads that live for one call.
 */
#include "analysis/parallel.h"

#include <pthread.h>
#include <stdbool.h>

#define MOST_THREADS 64

struct share {
    size_t first, stride, n;
    void (*work)(void *context, size_t item);
    void *context;
};

static void *do_share(void *memory)
{
    const struct share *share = memory;

    for (size_t item = share->first; item < share->n; item += share->stride)
        share->work(share->context, item);
    return NULL;
}

void parallel_run(unsigned threads, size_t n, void (*work)(void *context, size_t item),
                  void *context)
{
    struct share share[MOST_THREADS] = {{0}};
    pthread_t thread[MOST_THREADS];
    bool started[MOST_THREADS] = {false};
    size_t parts = threads == 0 ? 1 : threads;

    if (parts > MOST_THREADS)
        parts = MOST_THREADS;
    if (parts > n)
        parts = n > 0 ? n : 1;
    for (size_t t = 0; t < parts; t++)
        share[t] = (struct share){t, parts, n, work, context};
    for (size_t t = 1; t < parts; t++)
        started[t] = pthread_create(&thread[t], NULL, do_share, &share[t]) == 0;
    (void)do_share(&share[0]);
    for (size_t t = 1; t < parts; t++) {
        if (started[t])
            (void)pthread_join(thread[t], NULL);
        else
            (void)do_share(&share[t]);
    }
}
