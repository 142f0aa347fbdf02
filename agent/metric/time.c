/* SPDX-License-Identifier: GPL-3.0-or-later
 * Wall time from exec to exit, and CPU time as wait4 tells it: the child, everything it waited for,
 * and its orphans. */
#include "agent/metric.h"
#include "base/clk.h"

static void end_time(const void *state, const struct metric_window *window, double *value)
{
    const double ns_per_s = (double)CLK_NS_PER_S;

    (void)state;
    value[0] = (double)window->result->elapsed_ns / ns_per_s;
    value[1] = (double)window->result->user_ns / ns_per_s;
    value[2] = (double)window->result->sys_ns / ns_per_s;
}

const struct metric_ops metric_time = {
    .name = "time",
    .help = "wall and CPU time",
    .column = {{"elapsed_s", "s", "wall time from exec to exit, CLOCK_MONOTONIC_RAW"},
               {"user_s", "s", "CPU time in user mode (wait4)"},
               {"sys_s", "s", "CPU time in the kernel (wait4)"}},
    .end = end_time,
};
