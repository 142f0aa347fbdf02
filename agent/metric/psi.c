/* SPDX-License-Identifier: GPL-3.0-or-later
 * Pressure stall information: the share of the sample's time in which some task of the machine
 * waited for CPU, disk or memory, from the running totals (microseconds) of /proc/pressure. */
#include "agent/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CPU_SOME, IO_SOME, IO_FULL, MEMORY_SOME, MEMORY_FULL, N };
static const struct {
    const char *path, *line;
} places[N] = {
    {"/proc/pressure/cpu",    "some "},
    {"/proc/pressure/io",     "some "},
    {"/proc/pressure/io",     "full "},
    {"/proc/pressure/memory", "some "},
    {"/proc/pressure/memory", "full "},
};
struct totals {
    double us[N]; /* NaN unknown */
};

static double read_total(const struct platform *platform, size_t i)
{
    CLEAN_DONE(str) struct str text = {0};

    if (!platform_text(platform, places[i].path, &text))
        return (double)NAN;
    const char *line = strstr(str_get(&text), places[i].line);
    const char *total = line ? strstr(line, "total=") : NULL;
    return total ? strtod(total + strlen("total="), NULL) : (double)NAN;
}

static void begin_psi(void *state, const struct platform *platform)
{
    struct totals *totals = state;

    for (size_t i = 0; i < N; i++)
        totals->us[i] = read_total(platform, i);
}

static void end_psi(const void *state, const struct metric_window *window, double *value)
{
    const struct totals *before = state;

    if (window->wall_ns <= 0)
        return;
    for (size_t i = 0; i < N; i++)
        value[i] =
            (read_total(window->platform, i) - before->us[i]) * 1e3 / (double)window->wall_ns * 100;
}

static const char *missing_psi(const struct platform *platform, size_t column)
{
    return isfinite(read_total(platform, column)) ? NULL
                                                  : "the kernel has no /proc/pressure (PSI off)";
}

_Static_assert(sizeof(struct totals) <= METRIC_STATE_MAX, "state fits");
const struct metric_ops metric_psi = {
    .name = "psi",
    .help = "pressure: some or all tasks of the machine waited",
    .column = {{"psi_cpu_some", "%", "some task waited for a CPU"},
               {"psi_io_some", "%", "some task waited for a disk"},
               {"psi_io_full", "%", "all tasks waited for a disk"},
               {"psi_memory_some", "%", "some task waited for memory"},
               {"psi_memory_full", "%", "all tasks waited for memory"}},
    .begin = begin_psi,
    .end = end_psi,
    .missing = missing_psi,
};
