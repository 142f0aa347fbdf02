/* SPDX-License-Identifier: GPL-3.0-or-later
 * How many CPUs of which kind: sockets, cores, SMT, caches and who shares them, NUMA nodes. */
#include "agent/fact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS "/sys/devices/system/cpu"

/* How many CPUs a list like "0-3,8" names. */
static unsigned count_list(const char *text)
{
    unsigned n = 0;

    for (const char *p = text; *p >= '0' && *p <= '9';) {
        char *end = NULL;
        const unsigned long first = strtoul(p, &end, 10);
        unsigned long last = first;

        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (last < first || last - first > 1000000)
            return 0;
        n += (unsigned)(last - first + 1);
        p = *end == ',' ? end + 1 : end;
    }
    return n;
}

static bool read_list(const struct platform *platform, const char *path, unsigned *ret)
{
    CLEAN_DONE(str) struct str text = {0};

    if (!platform_text(platform, path, &text) || text.length == 0)
        return false;
    *ret = count_list(str_get(&text));
    return *ret > 0;
}

/* Distinct values of one file over all CPUs. */
static unsigned count_distinct(const struct platform *platform, const char *file)
{
    CLEAN_DONE(strlist) struct strlist names = {0}, seen = {0};

    platform_names(platform, CPUS, &names);
    for (size_t i = 0; i < names.n; i++) {
        CLEAN_DONE(str) struct str text = {0};
        CLEAN_MEM char *path = mem_printf(CPUS "/%s/topology/%s", names.v[i], file);

        if (str_starts(names.v[i], "cpu") && platform_text(platform, path, &text) &&
            text.length > 0 && !strlist_has(&seen, str_get(&text)))
            strlist_add(&seen, str_get(&text));
    }
    return (unsigned)seen.n;
}

static void read_counts(const struct platform *platform, struct fact_set *set)
{
    unsigned online = 0, threads = 0;
    CLEAN_DONE(str) struct str smt = {0};

    if (read_list(platform, CPUS "/online", &online))
        fact_put_number(set, "cpu.online", online, FACT_STATE, CPUS "/online");
    const unsigned sockets = count_distinct(platform, "physical_package_id");
    if (sockets > 0)
        fact_put_number(set, "cpu.sockets", sockets, FACT_IDENTITY, "topology");
    if (read_list(platform, CPUS "/cpu0/topology/thread_siblings_list", &threads)) {
        fact_put_number(set, "cpu.threads_per_core", threads, FACT_IDENTITY, "topology");
        if (online > 0)
            fact_put_number(set, "cpu.cores", (double)online / threads, FACT_IDENTITY, "topology");
    }
    if (platform_text(platform, CPUS "/smt/active", &smt))
        fact_put(set, "cpu.smt", strcmp(str_get(&smt), "1") == 0 ? "on" : "off", FACT_STATE,
                 CPUS "/smt/active");
}

static void read_caches(const struct platform *platform, struct fact_set *set)
{
    CLEAN_DONE(strlist) struct strlist names = {0};

    platform_names(platform, CPUS "/cpu0/cache", &names);
    for (size_t i = 0; i < names.n; i++) {
        CLEAN_DONE(str) struct str level = {0}, type = {0}, size = {0}, line = {0};
        CLEAN_MEM char *dir = mem_printf(CPUS "/cpu0/cache/%s", names.v[i]);
        CLEAN_MEM char *level_path = mem_printf("%s/level", dir);
        CLEAN_MEM char *type_path = mem_printf("%s/type", dir);
        CLEAN_MEM char *size_path = mem_printf("%s/size", dir);
        CLEAN_MEM char *shared_path = mem_printf("%s/shared_cpu_list", dir);
        unsigned shared = 0;

        if (!platform_text(platform, level_path, &level) ||
            !platform_text(platform, type_path, &type) ||
            !platform_text(platform, size_path, &size))
            continue;
        const char *kind = strcmp(str_get(&type), "Data") == 0          ? "d"
                           : strcmp(str_get(&type), "Instruction") == 0 ? "i"
                                                                        : "";
        CLEAN_MEM char *name = mem_printf("cache.l%.8s%s_kib", str_get(&level), kind);
        double kib = strtod(str_get(&size), NULL);
        if (str_ends(str_get(&size), "M"))
            kib *= 1024;
        fact_put_number(set, name, kib, FACT_IDENTITY, size_path);
        if (read_list(platform, shared_path, &shared)) {
            CLEAN_MEM char *by = mem_printf("cache.l%.8s%s_shared_by", str_get(&level), kind);
            fact_put_number(set, by, shared, FACT_IDENTITY, shared_path);
        }
    }
    fact_put_file(set, "cache.line_bytes", platform, CPUS "/cpu0/cache/index0/coherency_line_size",
                  FACT_IDENTITY);
}

static void read_topology(const struct fact_context *context, struct fact_set *set)
{
    unsigned nodes = 0;

    read_counts(context->platform, set);
    read_caches(context->platform, set);
    if (read_list(context->platform, "/sys/devices/system/node/online", &nodes))
        fact_put_number(set, "numa.nodes", nodes, FACT_IDENTITY, "/sys/devices/system/node/online");
}

const struct fact_ops fact_topology = {
    .name = "topology",
    .help = "CPUs, cores, SMT, caches, NUMA",
    .read = read_topology,
};
