/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What one sample of /bin/true costs through the keeper, beside bare loops that only start it and
 * wait: posix_spawn + wait4, and clone(VM | VFORK | PIDFD) + poll + wait4. One of each in turn, so
 * that what the machine does meanwhile falls on all alike; then the same with the agent grown by
 * 400 MiB.
 */
#define _GNU_SOURCE /* clone, CLONE_PIDFD */
#include "agent/keeper.h"
#include "base/clk.h"
#include "base/fdio.h"
#include "base/id.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "/bin/true"
enum { WARMUP = 20, STRETCH = 40, STACK_BYTES = 64 * 1024, GROWN_MIB = 400 };

static char *const no_environment[] = {NULL};
static char *const words[] = {PROGRAM, NULL};

struct times { /* seconds, one of each per turn */
    double *spawn, *clone, *elapsed, *whole;
    double *hyperfine; /* as many runs, in stretches between the turns; NaN: not installed */
    size_t n;
};

static void fatal(const char *what, const char *why)
{
    fprintf(stderr, "bench-launch: %s: %s\n", what, why);
    exit(1);
}

static double seconds(int64_t ns)
{
    return (double)ns / (double)CLK_NS_PER_S;
}

static double by_spawn(void)
{
    const int64_t begun_ns = clk_raw_ns();
    struct rusage usage;
    pid_t pid;
    int status;

    if (posix_spawn(&pid, PROGRAM, NULL, NULL, words, no_environment) != 0 ||
        wait4(pid, &status, 0, &usage) != pid)
        fatal("posix_spawn", strerror(errno));
    return seconds(clk_raw_ns() - begun_ns);
}

static int become(void *arg)
{
    (void)arg;
    execve(PROGRAM, words, no_environment);
    _exit(127);
}

static double by_clone(char *stack)
{
    const int64_t begun_ns = clk_raw_ns();
    struct rusage usage;
    int pidfd = -1, status;
    const pid_t pid = clone(become, stack + STACK_BYTES,
                            CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, NULL, &pidfd);
    struct pollfd poller = {.fd = pidfd, .events = POLLIN};

    if (pid < 0 || poll(&poller, 1, -1) != 1)
        fatal("clone", strerror(errno));
    const int64_t ended_ns = clk_raw_ns();
    if (wait4(pid, &status, 0, &usage) != pid)
        fatal("wait4", strerror(errno));
    close(pidfd);
    return seconds(ended_ns - begun_ns);
}

static void by_keeper(struct keeper *keeper, double *ret_elapsed, double *ret_whole)
{
    struct child_spec spec = {
        .timeout_ns = 10 * CLK_NS_PER_S, .cpu = CHILD_CPU_ANY, .output_max = 1024 * 1024};
    struct child_result result = {0};
    struct err err;

    strlist_add(&spec.argv, PROGRAM);
    spec.cwd = mem_strdup("/");
    if (keeper_run(keeper, &spec, &err) < 0 || keeper_result(keeper, &result, &err) < 0)
        fatal("keeper", err.text);
    if (result.end != CHILD_EXITED || result.status != 0)
        fatal("keeper", result.why);
    *ret_elapsed = seconds(result.elapsed_ns);
    *ret_whole = seconds(result.setup_ns + result.elapsed_ns + result.cleanup_ns);
    child_result_done(&result);
    child_spec_done(&spec);
}

/* n runs of hyperfine -N; false when it is not there. */
static bool by_hyperfine(double *v, size_t n)
{
    char path[] = "/tmp/muster-bench-XXXXXX";
    CLEAN_FD int fd = mkstemp(path);
    CLEAN_DONE(str) struct str text = {0};
    CLEAN_MEM char *runs = mem_printf("%zu", n);
    char *const command[] = {"hyperfine", "-N",   "--warmup", "3",    "--runs",        runs,
                             "--style",   "none", "--output", "null", "--export-json", path,
                             PROGRAM,     NULL};
    char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    pid_t pid;
    int status = -1;
    bool done = false;

    if (fd >= 0 && posix_spawnp(&pid, command[0], NULL, NULL, command, environment) == 0 &&
        waitpid(pid, &status, 0) == pid && status == 0 &&
        fdio_read_file(path, 1 << 24, &text, NULL) == 0) {
        const char *p = strstr(str_get(&text), "\"times\": [");

        p = p ? strchr(p, '[') : NULL;
        done = p != NULL;
        for (size_t i = 0; i < n && done; i++) {
            char *end = NULL;

            v[i] = strtod(p + 1, &end);
            done = end != p + 1;
            p = end + strspn(end, " \n\r\t");
        }
    }
    unlink(path);
    return done;
}

static void run_turns(struct keeper *keeper, char *stack, size_t n, struct times *times)
{
    *times = (struct times){mem_array(double, n), mem_array(double, n), mem_array(double, n),
                            mem_array(double, n), mem_array(double, n), n};
    for (size_t i = 0; i < WARMUP + n; i++) {
        const size_t at = i - WARMUP; /* from WARMUP on */
        double spawn = 0, bare = 0, elapsed = 0, whole = 0;

        if (i >= WARMUP && at % STRETCH == 0) {
            const size_t stretch = n - at < STRETCH ? n - at : STRETCH;
            if (!by_hyperfine(times->hyperfine + at, stretch))
                times->hyperfine[0] = (double)NAN;
        }

        for (size_t k = 0; k < 3; k++) { /* who is first changes from turn to turn */
            switch ((i + k) % 3) {
            case 0:
                spawn = by_spawn();
                break;
            case 1:
                bare = by_clone(stack);
                break;
            default:
                by_keeper(keeper, &elapsed, &whole);
            }
        }
        if (i < WARMUP)
            continue;
        times->spawn[at] = spawn;
        times->clone[at] = bare;
        times->elapsed[at] = elapsed;
        times->whole[at] = whole;
    }
}

static void times_done(struct times *times)
{
    mem_free(times->spawn);
    mem_free(times->clone);
    mem_free(times->elapsed);
    mem_free(times->whole);
    mem_free(times->hyperfine);
}

/* ---- figures ---- */

struct figure {
    double median, low, high;
};

static int by_value(const void *a, const void *b)
{
    const double *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

/* Median and its 95 % interval by order statistics. */
static struct figure median_of(double *v, size_t n)
{
    const double spread = 0.98 * sqrt((double)n);
    const double low = floor((double)n / 2 - spread), high = ceil((double)n / 2 + spread);

    qsort(v, n, sizeof *v, by_value);
    return (struct figure){
        .median = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2,
        .low = v[low > 0 ? (size_t)low : 0],
        .high = v[high < (double)n ? (size_t)high : n - 1],
    };
}

static struct figure ratio_of(const double *a, const double *b, size_t n)
{
    double *ratio = mem_array(double, n);

    for (size_t i = 0; i < n; i++)
        ratio[i] = a[i] / b[i];
    const struct figure figure = median_of(ratio, n);
    mem_free(ratio);
    return figure;
}

static void add(struct str *json, const char *name, const char *suffix, struct figure figure)
{
    str_addf(json, "%s\"%s%s\": %.4g, \"%s%s_ci\": [%.4g, %.4g]", json->length ? ", " : "", name,
             suffix, figure.median, name, suffix, figure.low, figure.high);
    printf("%14s%-8s %8.4g  [%.4g, %.4g]\n", name, suffix, figure.median, figure.low, figure.high);
}

static void report(struct times *times, const char *suffix, struct str *json)
{
    const size_t n = times->n;

    add(json, "ratio_clone", suffix, ratio_of(times->elapsed, times->clone, n));
    if (isnan(times->hyperfine[0]))
        str_addf(json, ", \"ratio_hyperfine%s\": null", suffix);
    else
        add(json, "ratio_hyperfine", suffix, ratio_of(times->elapsed, times->hyperfine, n));
    add(json, "ratio_spawn", suffix, ratio_of(times->elapsed, times->spawn, n));
    add(json, "ratio_whole", suffix, ratio_of(times->whole, times->spawn, n));
    add(json, "spawn_s", suffix, median_of(times->spawn, n));
    add(json, "clone_s", suffix, median_of(times->clone, n));
    add(json, "elapsed_s", suffix, median_of(times->elapsed, n));
    add(json, "whole_s", suffix, median_of(times->whole, n));
}

static void grow(void)
{
    const size_t bytes = (size_t)GROWN_MIB << 20;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        fatal("grow", strerror(errno));
    for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = 1; /* kept to the end: an agent that has become large */
}

int main(int argc, char **argv)
{
    CLEAN(keeper) struct keeper *keeper = NULL;
    CLEAN_DONE(str) struct str json = {0};
    struct times times;
    struct err err;
    uint64_t n = 400;
    char id[ID_SIZE];

    if (argc > 2 || (argc == 2 && (str_to_u64(argv[1], &n, NULL) < 0 || n < 10 || n > 100000))) {
        fprintf(stderr, "usage: bench-launch [TURNS]\n");
        return 2;
    }
    id_new(id);
    if (keeper_start(id, NULL, &keeper, &err) < 0)
        fatal("keeper", err.text);
    char *stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        fatal("map", strerror(errno));
    run_turns(keeper, stack, (size_t)n, &times);
    report(&times, "", &json);
    times_done(&times);
    grow();
    run_turns(keeper, stack, (size_t)n, &times);
    report(&times, "_grown", &json);
    times_done(&times);
    printf(
        "{\"bench\": \"launch\", \"figures\": {%s}, \"n\": %llu, "
        "\"notes\": \"ratio_clone: elapsed of a sample (from just before exec) over a bare "
        "clone(VM|VFORK|PIDFD) from call to wake-up; ratio_whole: with set-up, accounts and sweep, "
        "over posix_spawn + wait4; _grown: the agent has %d MiB more\"}\n",
        str_get(&json), (unsigned long long)n, GROWN_MIB);
    return 0;
}
