/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * write-seek: each of n threads (or processes) writes a small buffer to its own unlinked file and
 * seeks back, for a fixed time or a fixed count; the result is operations per second of one thread.
 * The buffer's offset from a page's start is an option, since its alignment is layout, not the code
 * under test.
 */
#define _GNU_SOURCE /* O_TMPFILE, MAP_ANONYMOUS */
#include "bench_main.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS, PROCESSES };
static int kind = THREADS;
static long workers = 1, bytes = 4096, misalign, operations = 200000, limit_ms;
#define MOST_WORKERS 256

struct tally { /* in memory shared with child processes */
    uint64_t operations;
    double seconds;
};
struct worker {
    pthread_t thread;
    struct tally *tally;
};

static int open_file(void)
{
    char name[] = "/dev/shm/write-seek.XXXXXX";
    int fd = mkostemp(name, O_CLOEXEC);

    if (fd < 0) {
        char here[] = "write-seek.XXXXXX";

        fd = mkostemp(here, O_CLOEXEC);
        if (fd < 0)
            workload_die("making a file");
        unlink(here);
        return fd;
    }
    unlink(name);
    return fd;
}

static void *work(void *arg)
{
    struct tally *tally = ((struct worker *)arg)->tally;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE),
                 room = (size_t)bytes + (size_t)misalign + page;
    char *memory = aligned_alloc(page, (room / page + 1) * page);
    const int fd = open_file();
    const double start = workload_now(), end = start + (double)limit_ms / 1000;

    if (!memory)
        workload_die("%zu bytes", room);
    memset(memory, 'w', room);
    while (tally->operations < (uint64_t)operations) {
        if (write(fd, memory + misalign, (size_t)bytes) != bytes || lseek(fd, 0, SEEK_SET) != 0)
            workload_die("writing");
        tally->operations++;
        if (limit_ms && tally->operations % 256 == 0 && workload_now() >= end)
            break;
    }
    tally->seconds = workload_now() - start;
    close(fd);
    free(memory);
    return NULL;
}

static void run_workers(struct tally *tally)
{
    struct worker worker[MOST_WORKERS] = {0};
    pid_t child[MOST_WORKERS] = {0};

    for (long i = 0; i < workers; i++) {
        worker[i].tally = &tally[i];
        if (kind == THREADS) {
            errno = pthread_create(&worker[i].thread, NULL, work, &worker[i]);
            if (errno)
                workload_die("thread %ld", i);
        } else {
            child[i] = fork();
            if (child[i] < 0)
                workload_die("process %ld", i);
            if (child[i] == 0) {
                work(&worker[i]);
                _exit(0);
            }
        }
    }
    for (long i = 0; i < workers; i++) {
        int status = 0;

        if (kind == THREADS)
            pthread_join(worker[i].thread, NULL);
        else if (waitpid(child[i], &status, 0) < 0 || status != 0)
            workload_die("process %ld ended with status %d", i, status);
    }
}

static struct tally *new_tally(void)
{
    struct tally *tally = mmap(NULL, sizeof *tally * MOST_WORKERS, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (tally == MAP_FAILED)
        workload_die("shared memory");
    return tally;
}

static int run(void)
{
    struct tally *tally = new_tally();
    double rate = 0;

    if (workers < 1 || workers > MOST_WORKERS || bytes < 1) {
        fprintf(stderr, "write-seek: --workers from 1 to %d, --bytes from 1\n", MOST_WORKERS);
        return 2;
    }
    run_workers(tally);
    for (long i = 0; i < workers; i++)
        rate += tally[i].seconds > 0 ? (double)tally[i].operations / tally[i].seconds : 0;
    workload_result("per_thread_ops", rate / (double)workers, "ops/s");
    return 0;
}

static int selfcheck(void)
{
    int bad = 0;

    operations = 500;
    workers = 3;
    for (kind = THREADS; kind <= PROCESSES; kind++)
        for (misalign = 0; misalign < 100; misalign += 63) {
            struct tally *tally = new_tally();
            uint64_t done = 0;

            run_workers(tally);
            for (long i = 0; i < workers; i++)
                done += tally[i].operations;
            bad += workload_expect(done == 1500, "every worker does its operations");
            munmap(tally, sizeof *tally * MOST_WORKERS);
        }
    return bad ? 1 : 0;
}

int main(int argc, char **argv)
{
    const struct workload_option options[] = {
        {"workers",    "threads or processes (1)",                            WORKLOAD_COUNT,  &workers,    NULL               },
        {"as",         "what a worker is",                                    WORKLOAD_CHOICE, &kind,       "threads|processes"},
        {"bytes",      "bytes of a write (4096)",                             WORKLOAD_COUNT,  &bytes,      NULL               },
        {"misalign",   "bytes by which the buffer misses a page's start (0)", WORKLOAD_COUNT,
         &misalign,                                                                                         NULL               },
        {"operations", "writes and seeks of each worker (200000)",            WORKLOAD_COUNT,  &operations,
         NULL                                                                                                                  },
        {"limit-ms",   "stop after so many milliseconds (0: never)",          WORKLOAD_COUNT,  &limit_ms,   NULL               },
    };
    const struct workload workload = {"write-seek", "writes and seeks per thread in a memory file",
                                      options,      sizeof options / sizeof options[0],
                                      run,          selfcheck};

    return workload_main(&workload, argc, argv);
}
