/* SPDX-License-Identifier: GPL-3.0-or-later
 * /proc/stat and, finer, the root of the cpuacct hierarchy. */
#include "agent/platform/busy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double ticks_per_s(const struct platform *platform)
{
    const long ticks = platform_is_live(platform) ? sysconf(_SC_CLK_TCK) : 100;

    return ticks > 0 ? (double)ticks : 100;
}

static void read_stat(const struct platform *platform, struct busy *ret)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };
    CLEAN_DONE(str) struct str text = {0};
    double v[FIELDS] = {0};

    if (!platform_text(platform, "/proc/stat", &text) || !str_starts(str_get(&text), "cpu "))
        return;
    const char *p = str_get(&text) + strlen("cpu ");
    for (int i = 0; i < FIELDS; i++) { /* older kernels have fewer: the rest stays 0 */
        char *end = NULL;

        v[i] = strtod(p, &end);
        if (end == p || *end == '\n')
            break;
        p = end;
    }
    const double s = 1 / ticks_per_s(platform);
    ret->busy_s = (v[USER] + v[NICE] + v[SYSTEM] + v[IRQ] + v[SOFTIRQ]) * s;
    ret->irq_s = (v[IRQ] + v[SOFTIRQ]) * s;
    ret->steal_s = v[STEAL] * s;
    ret->is_known = true;
}

/* 4026531835 is the number of the first control group namespace: seen from another, the root of the
 * hierarchy is not the machine's. */
static bool read_root_group(const struct platform *platform, double *ret_s)
{
    static const char *const places[] = {"/sys/fs/cgroup/cpuacct/cpuacct.usage",
                                         "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage"};
    CLEAN_DONE(str) struct str namespace = {0};
    double ns;

    if (!platform_link(platform, "/proc/self/ns/cgroup", &namespace) ||
        !str_eq(str_get(&namespace), "cgroup:[4026531835]"))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (platform_number(platform, places[i], &ns)) {
            *ret_s = ns / 1e9;
            return true;
        }
    return false;
}

void busy_read(const struct platform *platform, struct busy *ret)
{
    double exact_s;

    *ret = (struct busy){0};
    read_stat(platform, ret);
    if (ret->is_known && read_root_group(platform, &exact_s)) {
        ret->busy_s = exact_s;
        ret->is_exact = true;
    }
}
