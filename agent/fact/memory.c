/* SPDX-License-Identifier: GPL-3.0-or-later
 * How much memory, of which kind of pages; free order-9 blocks say whether huge pages can be had.
 */
#include "agent/fact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Total memory differs by what the firmware kept: to whole 64 MiB it is the same after every boot.
 */
static void read_sizes(const struct platform *platform, struct fact_set *set)
{
    CLEAN_DONE(str) struct str text = {0}, value = {0};

    if (!platform_text(platform, "/proc/meminfo", &text))
        return;
    if (platform_field(str_get(&text), "MemTotal", ':', &value))
        fact_put_number(set, "memory.total_mib",
                        round(strtod(str_get(&value), NULL) / 1024 / 64) * 64, FACT_IDENTITY,
                        "/proc/meminfo");
    if (platform_field(str_get(&text), "SwapTotal", ':', &value))
        fact_put_number(set, "memory.swap_mib", round(strtod(str_get(&value), NULL) / 1024),
                        FACT_STATE, "/proc/meminfo");
    if (platform_field(str_get(&text), "HugePages_Total", ':', &value))
        fact_put_number(set, "memory.hugepages", strtod(str_get(&value), NULL), FACT_STATE,
                        "/proc/meminfo");
    if (platform_field(str_get(&text), "Hugepagesize", ':', &value))
        fact_put(set, "memory.hugepage_size", str_get(&value), FACT_IDENTITY, "/proc/meminfo");
}

/* "Node 0, zone Normal 1 2 3 … ": the tenth number is of order 9 (2 MiB of 4 KiB pages). */
static void read_order9(const struct platform *platform, struct fact_set *set)
{
    enum { ORDER = 9 };
    CLEAN_DONE(str) struct str text = {0};
    double blocks = 0;
    bool any = false;

    if (!platform_text(platform, "/proc/buddyinfo", &text))
        return;
    for (const char *line = strstr(str_get(&text), "zone"); line; line = strstr(line, "zone")) {
        line += strlen("zone");
        line += strspn(line, " ");
        line += strcspn(line, " \n"); /* the zone's name */
        for (int i = 0; i <= ORDER; i++) {
            char *end = NULL;
            const double n = strtod(line, &end);

            if (end == line)
                break;
            if (i == ORDER) {
                blocks += n;
                any = true;
            }
            line = end;
        }
    }
    if (any)
        fact_put_number(set, "memory.free_order9", blocks, FACT_STATE, "/proc/buddyinfo");
}

static void read_memory(const struct fact_context *context, struct fact_set *set)
{
    read_sizes(context->platform, set);
    read_order9(context->platform, set);
}

const struct fact_ops fact_memory = {
    .name = "memory",
    .help = "memory, swap, huge pages",
    .read = read_memory,
};
