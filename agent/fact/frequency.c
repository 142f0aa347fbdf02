/* SPDX-License-Identifier: GPL-3.0-or-later
 * What decides the clock: driver, governor, turbo, limits, idle states. The present frequency is no
 * fact: it drifts. */
#include "agent/fact.h"

#include <stdlib.h>
#include <string.h>

#define FREQ "/sys/devices/system/cpu/cpu0/cpufreq"

static void read_turbo(const struct platform *platform, struct fact_set *set)
{
    static const char no_turbo[] = "/sys/devices/system/cpu/intel_pstate/no_turbo",
                      boost[] = "/sys/devices/system/cpu/cpufreq/boost";
    double value;

    if (platform_number(platform, no_turbo, &value))
        fact_put(set, "cpu.turbo", value == 0 ? "on" : "off", FACT_STATE, no_turbo);
    else if (platform_number(platform, boost, &value))
        fact_put(set, "cpu.turbo", value == 0 ? "off" : "on", FACT_STATE, boost);
}

static void read_frequency(const struct fact_context *context, struct fact_set *set)
{
    const struct platform *platform = context->platform;
    double khz;

    fact_put_file(set, "cpu.frequency_driver", platform, FREQ "/scaling_driver", FACT_IDENTITY);
    fact_put_file(set, "cpu.governor", platform, FREQ "/scaling_governor", FACT_STATE);
    fact_put_file(set, "cpu.energy_preference", platform, FREQ "/energy_performance_preference",
                  FACT_STATE);
    if (platform_number(platform, FREQ "/cpuinfo_max_freq", &khz))
        fact_put_number(set, "cpu.max_mhz", khz / 1000, FACT_IDENTITY, FREQ "/cpuinfo_max_freq");
    if (platform_number(platform, FREQ "/base_frequency", &khz))
        fact_put_number(set, "cpu.base_mhz", khz / 1000, FACT_IDENTITY, FREQ "/base_frequency");
    if (platform_number(platform, FREQ "/scaling_max_freq", &khz))
        fact_put_number(set, "cpu.limit_mhz", khz / 1000, FACT_STATE, FREQ "/scaling_max_freq");
    fact_put_file(set, "cpu.idle_driver", platform,
                  "/sys/devices/system/cpu/cpuidle/current_driver", FACT_IDENTITY);
    fact_put_file(set, "cpu.idle_governor", platform,
                  "/sys/devices/system/cpu/cpuidle/current_governor_ro", FACT_STATE);
    read_turbo(platform, set);
}

const struct fact_ops fact_frequency = {
    .name = "frequency",
    .help = "driver, governor, turbo, limits, idle",
    .read = read_frequency,
};
