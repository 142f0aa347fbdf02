/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the name of a fact says: its place in a hierarchy, whether it is a code, whether it names
 * one host.
 */
#include "analysis/fact_names.h"
#include "analysis/fact_table.h"

#include <string.h>

struct place {
    const char *name; /* whole name, or a prefix ending in '*'; '_' stands for '.' or '_' */
    enum fact_chain chain;
    int depth;
};

static const struct place places[] = {
    {"cpu_vendor",        FACT_CHAIN_CPU,    0},
    {"cpu_family",        FACT_CHAIN_CPU,    1},
    {"cpu_model",         FACT_CHAIN_CPU,    2},
    {"cpu_model_name",    FACT_CHAIN_CPU,    2},
    {"cpu_name",          FACT_CHAIN_CPU,    2},
    {"cpu_stepping",      FACT_CHAIN_CPU,    3},
    {"cpu_microcode",     FACT_CHAIN_CPU,    4},
    {"cpu_flag*",         FACT_CHAIN_CPU,    5},
    {"flag_*",            FACT_CHAIN_CPU,    5},
    {"cpu_bug*",          FACT_CHAIN_CPU,    5},
    {"cpu_cache*",        FACT_CHAIN_CPU,    6},
    {"cpu_l1*",           FACT_CHAIN_CPU,    6},
    {"cpu_l2*",           FACT_CHAIN_CPU,    6},
    {"cpu_l3*",           FACT_CHAIN_CPU,    6},
    {"l1*",               FACT_CHAIN_CPU,    6},
    {"l2_*",              FACT_CHAIN_CPU,    6},
    {"l3_*",              FACT_CHAIN_CPU,    6},
    {"distro",            FACT_CHAIN_OS,     0},
    {"os",                FACT_CHAIN_OS,     0},
    {"os_id",             FACT_CHAIN_OS,     0},
    {"os_distro",         FACT_CHAIN_OS,     0},
    {"distro_release",    FACT_CHAIN_OS,     1},
    {"os_release",        FACT_CHAIN_OS,     1},
    {"os_version",        FACT_CHAIN_OS,     1},
    {"os_version_id",     FACT_CHAIN_OS,     1},
    {"libc",              FACT_CHAIN_OS,     2},
    {"os_libc",           FACT_CHAIN_OS,     2},
    {"os_glibc",          FACT_CHAIN_OS,     2},
    {"libc_build_id",     FACT_CHAIN_OS,     3},
    {"os_libc_build_id",  FACT_CHAIN_OS,     3},
    {"os_glibc_build_id", FACT_CHAIN_OS,     3},
    {"kernel",            FACT_CHAIN_KERNEL, 0},
    {"kernel_release",    FACT_CHAIN_KERNEL, 0},
    {"kernel_version",    FACT_CHAIN_KERNEL, 1},
    {"kernel_build",      FACT_CHAIN_KERNEL, 1},
};

static const char *const one_host[] = {"host",       "hostname",    "name",    "machine",
                                       "machine_id", "boot_id",     "epoch",   "machine_id_hash",
                                       "serial",     "uuid",        "address", "mac",
                                       "ip",         "ipv4",        "ipv6",    "bogomips",
                                       "mhz_now",    "current_mhz", "cur_mhz", "boot_time",
                                       "uptime"};
static const char *const codes[] = {"family", "model",     "stepping", "microcode",
                                    "device", "device_id", "vendor_id"};

static char folded(char c)
{
    return c == '.' || c == '-' ? '_' : c;
}

static bool matches(const char *name, const char *pattern)
{
    for (; *pattern && *pattern != '*'; name++, pattern++)
        if (folded(*name) != *pattern)
            return false;
    return *pattern == '*' || *name == '\0';
}

/* The last word of name is one of words: "dmi.serial" and "serial" for "serial". */
static bool ends_in(const char *name, const char *const *words, size_t n)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < n; i++) {
        size_t tail = strlen(words[i]);

        if (tail <= length && matches(name + length - tail, words[i]) &&
            (tail == length || folded(name[length - tail - 1]) == '_'))
            return true;
    }
    return false;
}

enum fact_chain fact_table_chain(const char *name, int *ret_depth)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (matches(name, places[i].name)) {
            *ret_depth = places[i].depth;
            return places[i].chain;
        }
    *ret_depth = 0;
    return FACT_CHAIN_NONE;
}

int fact_table_compare_names(const char *a, const char *b)
{
    int depth_a, depth_b;
    enum fact_chain chain_a = fact_table_chain(a, &depth_a),
                    chain_b = fact_table_chain(b, &depth_b);

    if (chain_a != chain_b) /* facts outside the hierarchies come last */
        return chain_a == FACT_CHAIN_NONE   ? 1
               : chain_b == FACT_CHAIN_NONE ? -1
               : chain_a < chain_b          ? -1
                                            : 1;
    if (depth_a != depth_b)
        return depth_a < depth_b ? -1 : 1;
    return strcmp(a, b);
}

bool fact_table_is_name(const char *fact)
{
    int depth;

    /* cpu.name is a model's name, not a host's */
    return fact_table_chain(fact, &depth) == FACT_CHAIN_NONE &&
           ends_in(fact, one_host, sizeof one_host / sizeof *one_host);
}

bool fact_names_is_code(const char *fact)
{
    return strchr(fact, '.') && ends_in(fact, codes, sizeof codes / sizeof *codes);
}
