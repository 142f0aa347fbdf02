/* SPDX-License-Identifier: GPL-3.0-or-later
 * What else wait4 counts. maxrss_kib is never below the size of the process that started the
 * workload (about 2 MiB), since Linux hands that peak on. */
#include "agent/metric.h"

static void end_rusage(const void *state, const struct metric_window *window, double *value)
{
    const struct child_result *result = window->result;

    (void)state;
    value[0] = (double)result->minflt;
    value[1] = (double)result->majflt;
    value[2] = (double)result->nvcsw;
    value[3] = (double)result->nivcsw;
    value[4] = (double)result->maxrss_kib;
}

const struct metric_ops metric_rusage = {
    .name = "rusage",
    .help = "faults, context switches, peak memory",
    .column = {{"minflt", "", "page faults without disk"},
               {"majflt", "", "page faults that read a disk"},
               {"nvcsw", "", "context switches: it waited"},
               {"nivcsw", "", "context switches: it was preempted"},
               {"maxrss_kib", "KiB", "largest resident size of one process"}},
    .end = end_rusage,
};
