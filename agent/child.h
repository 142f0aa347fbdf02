/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One execution of a command, measured from exec to exit. Used by the keeper, whose small size and
 * few descriptors are all that a workload can inherit. The caller must be a single thread and a
 * child subreaper (child_prepare_process), so that nothing a workload starts can leave it.
 */
#pragma once
#include "agent/platform/cgroup.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define CHILD_CPU_ANY UINT32_MAX
struct child_spec {
    struct strlist argv;
    struct strlist env; /* "NAME=value", all there is */
    char *cwd;
    char *sink;            /* NULL: the default */
    char *user;            /* NULL: as the keeper */
    int64_t timeout_ns;    /* > 0 */
    uint64_t memory_bytes; /* 0: no limit */
    bool no_network, aslr_off;
    uint32_t cpu;        /* starts on the cpu-th of the allowed ones (modulo their number) */
    uint64_t output_max; /* bytes kept of each of stdout and stderr */
};
void child_spec_done(struct child_spec *spec);

enum child_end {
    CHILD_EXITED,     /* status: exit code */
    CHILD_SIGNALLED,  /* status: signal; not one of ours */
    CHILD_TIMEOUT,    /* we killed it */
    CHILD_STOPPED,    /* killed because the caller asked */
    CHILD_NOT_STARTED /* status: errno; why says at which step */
};
struct child_result {
    enum child_end end;
    int status;
    char why[96];
    int64_t elapsed_ns; /* CLOCK_MONOTONIC_RAW, from just before exec to the wake-up after exit */
    int64_t setup_ns;   /* before exec: groups, sink, clone */
    int64_t cleanup_ns; /* after exit: leftovers, accounts */
    int64_t user_ns, sys_ns; /* wait4: the child, what it waited for, and orphans that came to us */
    int64_t minflt, majflt, nvcsw, nivcsw, inblock, oublock;
    int64_t maxrss_kib;
    int64_t cgroup_cpu_ns;           /* everything in the group up to the exit; -1: not counted */
    double cgroup_peak_kib;          /* NaN: not counted */
    int64_t read_bytes, write_bytes; /* /proc/PID/io of child and waited-for children; -1 unknown */
    int64_t run_delay_ns;            /* time the main thread waited for a CPU; -1 unknown */
    uint32_t leftovers;              /* processes alive after the child had ended: killed */
    uint64_t output_bytes, error_bytes; /* written, kept or not */
    struct str output, error;           /* kept of stdout and stderr */
};
void child_result_done(struct child_result *result);

/* Once per process before the first child_run: subreaper, signals. */
MUST_CHECK int child_prepare_process(struct err *err);
/* Runs and waits. stop_fd (-1: none): when it becomes readable or hangs up, the workload is killed.
 * However the workload ends is a result, not an error; errors are the keeper's own (no memory, no
 * descriptors). Nothing of the workload is left when this returns. */
MUST_CHECK int child_run(const struct child_spec *spec, const struct cgroup *cgroup, int stop_fd,
                         struct child_result *ret, struct err *err);
