/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * process-mix: n scripts in parallel, each of which forks, execs, maps, protects and unmaps shared
 * files, many times over, as an old software-development benchmark did; the result is scripts per
 * minute. Files are mapped in order of their address (sorted) or not, which is what two kernels of
 * that time differed in.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "bench_main.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SORTED, UNSORTED };
#define FILES 8
#define FILE_PAGES 16

static int order = SORTED;
static long parallel = 4, scripts = 10, maps = 40, execs = 1;
static int shared_fd[FILES];

static void make_files(void)
{
    const long page = sysconf(_SC_PAGESIZE);

    for (int i = 0; i < FILES; i++) {
        char name[] = "process-mix.XXXXXX";

        shared_fd[i] = mkostemp(name, O_CLOEXEC);
        if (shared_fd[i] < 0 || unlink(name) != 0 ||
            ftruncate(shared_fd[i], page * FILE_PAGES) != 0)
            workload_die("making a file");
    }
}

/* Maps one page of each file many times over, touches, protects and unmaps them. Returns the pages
 * mapped. */
static long map_and_unmap(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    long mapped = 0;

    for (long m = 0; m < maps; m++) {
        char *at[FILES];

        for (int i = 0; i < FILES; i++) {
            const long step = order == SORTED ? m : (m * 7 + i * 3);
            const off_t offset = (off_t)((size_t)(step % FILE_PAGES) * page);

            at[i] = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, shared_fd[i], offset);
            if (at[i] == MAP_FAILED)
                workload_die("mmap");
            at[i][0] = (char)m;
        }
        for (int i = 0; i < FILES; i++) {
            const int k = order == SORTED ? i : (i * 5) % FILES;

            if (mprotect(at[k], page, PROT_READ) != 0 || munmap(at[k], page) != 0)
                workload_die("munmap");
            mapped++;
        }
    }
    return mapped;
}

static void script(void)
{
    const char *const words[] = {"true", NULL};

    for (long i = 0; i < execs; i++) {
        const pid_t child = fork();
        int status = 0;

        if (child < 0)
            workload_die("fork");
        if (child == 0) {
            execvp(words[0], (char *const *)(uintptr_t)words);
            _exit(127);
        }
        if (waitpid(child, &status, 0) != child || status != 0)
            workload_die("true ended with status %d", status);
    }
    map_and_unmap();
}

/* Runs `scripts` scripts in each of `parallel` processes; number of processes that failed. */
static int run_all(void)
{
    int failed = 0;

    for (long i = 0; i < parallel; i++) {
        const pid_t child = fork();

        if (child < 0)
            workload_die("fork");
        if (child == 0) {
            for (long k = 0; k < scripts; k++)
                script();
            _exit(0);
        }
    }
    for (long i = 0; i < parallel; i++) {
        int status = 0;

        if (wait(&status) < 0 || status != 0)
            failed++;
    }
    return failed;
}

static int run(void)
{
    double start;

    make_files();
    start = workload_now();
    if (run_all() != 0)
        return 1;
    workload_result("scripts_per_minute",
                    (double)(parallel * scripts) / (workload_now() - start) * 60, "1/min");
    return 0;
}

static int selfcheck(void)
{
    int bad = 0;

    make_files();
    maps = 5;
    for (order = SORTED; order <= UNSORTED; order++)
        bad += workload_expect(map_and_unmap() == 5 * FILES, "every file is mapped and unmapped");
    parallel = 3;
    scripts = 2;
    bad += workload_expect(run_all() == 0, "every script ends well");
    return bad ? 1 : 0;
}

int main(int argc, char **argv)
{
    const struct workload_option options[] = {
        {"parallel", "scripts at a time (4)",                        WORKLOAD_COUNT,  &parallel, NULL},
        {"scripts",  "scripts of each (10)",                         WORKLOAD_COUNT,  &scripts,  NULL},
        {"maps",     "times a script maps all files (40)",           WORKLOAD_COUNT,  &maps,     NULL},
        {"execs",    "programs a script runs (1)",                   WORKLOAD_COUNT,  &execs,    NULL},
        {"order",    "order in which files are mapped and unmapped", WORKLOAD_CHOICE, &order,
         "sorted|unsorted"                                                                           },
    };
    const struct workload workload = {
        "process-mix", "scripts that fork, exec, map, protect and unmap",
        options,       sizeof options / sizeof options[0],
        run,           selfcheck};

    return workload_main(&workload, argc, argv);
}
