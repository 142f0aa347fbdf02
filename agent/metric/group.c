/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the control group counts: everything the workload started, waited for or not. */
#include "agent/metric.h"
#include "agent/platform/cgroup.h"
#include "base/clk.h"

#include <math.h>

static void end_group(const void *state, const struct metric_window *window, double *value)
{
    const struct child_result *result = window->result;

    (void)state;
    if (result->cgroup_cpu_ns >= 0)
        value[0] = (double)result->cgroup_cpu_ns / (double)CLK_NS_PER_S;
    value[1] = result->cgroup_peak_kib;
    value[2] = (double)result->leftovers;
}

static const char *missing_group(const struct platform *platform, size_t column)
{
    if (column == 2)
        return NULL;
    return cgroup_detect(platform) == CGROUP_NONE ? "no control groups on this host" : NULL;
}

const struct metric_ops metric_group = {
    .name = "group",
    .help = "CPU time and memory of the workload's control group",
    .column = {{"cgroup_cpu_s", "s", "CPU time of everything the workload started, up to its exit"},
               {"cgroup_peak_kib", "KiB", "largest memory use of the whole group"},
               {"leftover_processes", "", "still alive when the workload had ended: killed"}},
    .end = end_group,
    .missing = missing_group,
};
