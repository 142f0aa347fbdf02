/* SPDX-License-Identifier: GPL-3.0-or-later
 * Bytes that reached or left a disk (/proc/PID/io) and time spent waiting for a CPU while runnable
 * (/proc/PID/schedstat), of the workload's first process and the children it waited for. */
#include "agent/metric.h"
#include "base/clk.h"

static void end_io(const void *state, const struct metric_window *window, double *value)
{
    const struct child_result *result = window->result;

    (void)state;
    if (result->read_bytes >= 0)
        value[0] = (double)result->read_bytes;
    if (result->write_bytes >= 0)
        value[1] = (double)result->write_bytes;
    if (result->run_delay_ns >= 0)
        value[2] = (double)result->run_delay_ns / (double)CLK_NS_PER_S;
}

static const char *missing_io(const struct platform *platform, size_t column)
{
    if (column < 2)
        return platform_exists(platform, "/proc/self/io") ? NULL
                                                          : "the kernel keeps no /proc/PID/io";
    return platform_exists(platform, "/proc/self/schedstat") ? NULL
                                                             : "the kernel keeps no schedstat";
}

const struct metric_ops metric_io = {
    .name = "io",
    .help = "bytes of disks, time in the run queue",
    .column = {{"read_bytes", "B", "read from disks"},
               {"write_bytes", "B", "sent towards disks"},
               {"runq_delay_s", "s", "the first thread was ready and had to wait for a CPU"}},
    .end = end_io,
    .missing = missing_io,
};
