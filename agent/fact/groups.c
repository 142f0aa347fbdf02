/* SPDX-License-Identifier: GPL-3.0-or-later
 * Which control groups the host has, and what the agent's own group is held to: a container with a
 * quota of 0.25 CPUs is another host than one without. */
#include "agent/fact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/platform/cgroup.h"

#define V2 "/sys/fs/cgroup"

/* The path of our own group in the hierarchy whose controllers contain word ("" for v2's). */
static bool own_group(const struct platform *platform, const char *word, struct str *ret)
{
    CLEAN_DONE(str) struct str text = {0};

    str_clear(ret);
    if (!platform_text(platform, "/proc/self/cgroup", &text))
        return false;
    for (const char *line = str_get(&text); line && *line;) {
        const char *controllers = strchr(line, ':');
        const char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        const char *next = strchr(line, '\n');

        if (path && (!next || path < next)) {
            CLEAN_MEM char *names = mem_strndup(controllers + 1, (size_t)(path - controllers - 1));
            const bool fits = word[0] ? strstr(names, word) != NULL : names[0] == '\0';

            if (fits) {
                str_add_bytes(ret, path + 1, strcspn(path + 1, "\n"));
                return true;
            }
        }
        line = next ? next + 1 : NULL;
    }
    return false;
}

static void put_cpus(struct fact_set *set, double quota, double period, const char *from)
{
    if (quota > 0 && period > 0)
        fact_put_number(set, "cgroup.cpu_quota", round(quota / period * 1000) / 1000, FACT_STATE,
                        from);
}

/* v2: "QUOTA PERIOD" or "max PERIOD". */
static void read_v2(const struct platform *platform, struct fact_set *set)
{
    CLEAN_DONE(str) struct str group = {0}, text = {0};

    if (!own_group(platform, "", &group))
        return;
    CLEAN_MEM char *cpu = mem_printf(V2 "%s/cpu.max", str_get(&group));
    CLEAN_MEM char *memory = mem_printf(V2 "%s/memory.max", str_get(&group));
    double bytes;
    if (platform_text(platform, cpu, &text)) {
        char *end = NULL;
        const double quota = strtod(str_get(&text), &end);
        put_cpus(set, end == str_get(&text) ? 0 : quota, strtod(end, NULL), cpu);
    }
    if (platform_number(platform, memory, &bytes))
        fact_put_number(set, "cgroup.memory_mib", floor(bytes / 1048576), FACT_STATE, memory);
}

static void read_v1(const struct platform *platform, struct fact_set *set)
{
    CLEAN_DONE(str) struct str group = {0};
    double quota, period, bytes;

    if (own_group(platform, "cpu", &group)) {
        CLEAN_MEM char *a = mem_printf("/sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", str_get(&group));
        CLEAN_MEM char *b = mem_printf("/sys/fs/cgroup/cpu%s/cpu.cfs_period_us", str_get(&group));

        if (platform_number(platform, a, &quota) && platform_number(platform, b, &period))
            put_cpus(set, quota, period, a);
    }
    if (own_group(platform, "memory", &group)) {
        CLEAN_MEM char *path =
            mem_printf("/sys/fs/cgroup/memory%s/memory.limit_in_bytes", str_get(&group));

        if (platform_number(platform, path, &bytes) && bytes < 1e18) /* 2^63: no limit */
            fact_put_number(set, "cgroup.memory_mib", floor(bytes / 1048576), FACT_STATE, path);
    }
}

static void read_groups(const struct fact_context *context, struct fact_set *set)
{
    const struct platform *platform = context->platform;
    CLEAN_DONE(str) struct str text = {0}, value = {0};

    fact_put(set, "cgroup.kind", cgroup_mode_name(cgroup_detect(platform)), FACT_IDENTITY,
             "/proc/self/mounts");
    read_v2(platform, set);
    read_v1(platform, set);
    if (!platform_text(platform, "/proc/self/status", &text))
        return;
    if (platform_field(str_get(&text), "Cpus_allowed_list", ':', &value))
        fact_put(set, "cgroup.cpus_allowed", str_get(&value), FACT_STATE, "/proc/self/status");
    if (platform_field(str_get(&text), "Seccomp", ':', &value))
        fact_put(set, "process.seccomp", str_get(&value), FACT_STATE, "/proc/self/status");
}

const struct fact_ops fact_groups = {
    .name = "groups",
    .help = "control groups, quotas, allowed CPUs",
    .read = read_groups,
};
