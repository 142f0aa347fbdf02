/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * chatter: a parent that waits on a child which talks in bursts, as a test suite under a harness
 * does: 5,000 lines, 400 KB, with a little work between bursts. Almost no CPU: what it costs is
 * waiting until whoever reads stdout has read.
 */
#include "bench_main.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long lines = 5000, line_bytes = 80, burst = 100, work_us = 200;

static void write_all(int fd, const char *at, size_t left)
{
    while (left > 0) {
        const ssize_t n = write(fd, at, left);

        if (n < 0) {
            if (errno != EINTR && errno != EAGAIN)
                workload_die("writing");
            if (errno == EAGAIN) {
                struct pollfd wait_for = {.fd = fd, .events = POLLOUT};

                poll(&wait_for, 1, -1);
            }
            continue;
        }
        at += n;
        left -= (size_t)n;
    }
}

/* Spins for some microseconds: the work between two bursts. Returns a value so that it is not left
 * out. */
static unsigned spin(long microseconds)
{
    const double end = workload_now() + (double)microseconds * 1e-6;
    unsigned x = 1;

    while (workload_now() < end)
        for (int i = 0; i < 64; i++)
            x = x * 1664525U + 1013904223U;
    return x;
}

/* Writes every line with a system call of its own, as unbuffered test output is. */
static void talk(int fd)
{
    const size_t size = (size_t)line_bytes;
    char *line = malloc(size + 32);

    if (!line)
        workload_die("%zu bytes", size);
    for (long i = 0; i < lines; i++) {
        const int head = snprintf(line, size + 32, "%ld ok ", i);

        for (size_t k = (size_t)head; k + 1 < size; k++)
            line[k] = '.';
        line[size > (size_t)head ? size - 1 : (size_t)head] = '\n';
        write_all(fd, line, size > (size_t)head ? size : (size_t)head + 1);
        if (burst && (i + 1) % burst == 0)
            (void)spin(work_us);
    }
    free(line);
}

static int run_child(int fd)
{
    int status = 0;
    const pid_t child = fork();

    if (child < 0)
        workload_die("fork");
    if (child == 0) {
        talk(fd);
        _exit(0);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            workload_die("waiting");
    return status;
}

static int run(void)
{
    return run_child(STDOUT_FILENO) == 0 ? 0 : 1;
}

static int selfcheck(void)
{
    int ends[2], status, bad = 0;
    pid_t reader;

    lines = 700;
    work_us = 10;
    if (pipe(ends) != 0)
        workload_die("pipe");
    reader = fork();
    if (reader < 0)
        workload_die("fork");
    if (reader == 0) {
        char buffer[4096];
        long seen_bytes = 0, seen_lines = 0;
        ssize_t n;

        close(ends[1]);
        while ((n = read(ends[0], buffer, sizeof buffer)) > 0) {
            seen_bytes += n;
            for (ssize_t i = 0; i < n; i++)
                seen_lines += buffer[i] == '\n';
        }
        _exit(seen_bytes == lines * line_bytes && seen_lines == lines ? 0 : 1);
    }
    close(ends[0]);
    bad += workload_expect(run_child(ends[1]) == 0, "the child ends well");
    close(ends[1]);
    bad += workload_expect(waitpid(reader, &status, 0) == reader && status == 0,
                           "every line arrives whole");
    return bad ? 1 : 0;
}

int main(int argc, char **argv)
{
    const struct workload_option options[] = {
        {"lines",      "lines to print (5000)",                    WORKLOAD_COUNT, &lines,      NULL},
        {"line-bytes", "bytes of a line (80)",                     WORKLOAD_COUNT, &line_bytes, NULL},
        {"burst",      "lines between two pieces of work (100)",   WORKLOAD_COUNT, &burst,      NULL},
        {"work-us",    "microseconds of work after a burst (200)", WORKLOAD_COUNT, &work_us,    NULL},
    };
    const struct workload workload = {
        "chatter", "a child that prints in bursts and a parent that waits",
        options,   sizeof options / sizeof options[0],
        run,       selfcheck};

    return workload_main(&workload, argc, argv);
}
