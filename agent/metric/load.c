/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Load of others: CPUs that were busy with other programs while the sample ran. The machine's busy
 * time minus the workload's own tree, over the wall time between the two readings.
 */
#include "agent/metric.h"
#include "agent/platform/busy.h"
#include "base/clk.h"

#include <math.h>

static void begin_load(void *state, const struct platform *platform)
{
    busy_read(platform, state);
}

static double own_cpu_s(const struct child_result *result)
{
    const int64_t by_wait = result->user_ns + result->sys_ns;
    const int64_t ns = result->cgroup_cpu_ns > by_wait ? result->cgroup_cpu_ns : by_wait;

    return (double)ns / (double)CLK_NS_PER_S;
}

static void end_load(const void *state, const struct metric_window *window, double *value)
{
    const struct busy *before = state;
    const double wall_s = (double)window->wall_ns / (double)CLK_NS_PER_S;
    struct busy after;

    busy_read(window->platform, &after);
    if (!before->is_known || !after.is_known || before->is_exact != after.is_exact || wall_s <= 0)
        return;
    const double others_s = after.busy_s - before->busy_s - own_cpu_s(window->result);
    value[0] = others_s > 0 ? others_s / wall_s : 0; /* below 0: ticks that fell unluckily */
    value[1] = (after.steal_s - before->steal_s) / wall_s;
    value[2] = (after.irq_s - before->irq_s) / wall_s;
}

static const char *missing_load(const struct platform *platform, size_t column)
{
    struct busy now;

    (void)column;
    busy_read(platform, &now);
    return now.is_known ? NULL : "/proc/stat cannot be read";
}

_Static_assert(sizeof(struct busy) <= METRIC_STATE_MAX, "state fits");
const struct metric_ops metric_load = {
    .name = "load",
    .help = "what other programs did meanwhile",
    .column = {{"load_other_cpu", "CPUs", "CPUs busy with other programs"},
               {"steal_cpu", "CPUs", "CPUs taken by other guests of the hypervisor"},
               {"irq_cpu", "CPUs", "CPUs busy with interrupts"}},
    .begin = begin_load,
    .end = end_load,
    .missing = missing_load,
};
