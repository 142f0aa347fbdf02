/* SPDX-License-Identifier: GPL-3.0-or-later
 * Where the kernel takes time from, and its tick. */
#include "agent/fact.h"

static void read_clock(const struct fact_context *context, struct fact_set *set)
{
    fact_put_file(set, "clock.source", context->platform,
                  "/sys/devices/system/clocksource/clocksource0/current_clocksource", FACT_STATE);
    fact_put_file(set, "clock.sources", context->platform,
                  "/sys/devices/system/clocksource/clocksource0/available_clocksource",
                  FACT_IDENTITY);
}

const struct fact_ops fact_clock = {
    .name = "clock",
    .help = "clock source",
    .read = read_clock,
};
