/* SPDX-License-Identifier: GPL-3.0-or-later
 * CPUID: the agent asks the CPU itself, since /proc/cpuinfo is the kernel's view (under emulation
 * of user programs the two differ). Canned trees hold lines "leaf subleaf eax ebx ecx edx" in hex.
 */
#include "agent/platform/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

static bool ask_cpu(uint32_t leaf, uint32_t subleaf, uint32_t ret[4])
{
    return __get_cpuid_count(leaf, subleaf, &ret[0], &ret[1], &ret[2], &ret[3]) == 1;
}
#else
static bool ask_cpu(uint32_t leaf, uint32_t subleaf, uint32_t ret[4])
{
    (void)leaf;
    (void)subleaf;
    (void)ret;
    return false;
}
#endif

static bool read_six(const char *line, uint32_t v[6])
{
    for (int i = 0; i < 6; i++) {
        char *end = NULL;

        v[i] = (uint32_t)strtoul(line, &end, 16);
        if (end == line)
            return false;
        line = end;
    }
    return true;
}

bool platform_cpuid(const struct platform *platform, uint32_t leaf, uint32_t subleaf,
                    uint32_t ret[4])
{
    CLEAN_DONE(str) struct str text = {0};

    if (platform_is_live(platform))
        return ask_cpu(leaf, subleaf, ret);
    if (!platform_text(platform, "/cpuid.txt", &text))
        return false;
    for (const char *line = str_get(&text); line && *line;) {
        uint32_t v[6];
        const char *next = strchr(line, '\n');

        if (read_six(line, v) && v[0] == leaf && v[1] == subleaf) {
            memcpy(ret, v + 2, 4 * sizeof *ret);
            return true;
        }
        line = next ? next + 1 : NULL;
    }
    return false;
}
