/* SPDX-License-Identifier: GPL-3.0-or-later
 * The three clocks, and wall time as text. */
#include "base/clk.h"

#include <stdio.h>
#include <time.h>

static int64_t read_ns(clockid_t clock)
{
    struct timespec now = {0};

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * CLK_NS_PER_S + now.tv_nsec;
}

int64_t clk_mono_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

int64_t clk_raw_ns(void)
{
    return read_ns(CLOCK_MONOTONIC_RAW);
}

int64_t clk_wall_us(void)
{
    return read_ns(CLOCK_REALTIME) / 1000;
}

void clk_iso(int64_t wall_us, char ret[32])
{
    const int64_t seconds = wall_us / 1000000 - (wall_us % 1000000 < 0);
    const time_t when = (time_t)seconds;
    struct tm tm;

    ret[0] = '\0';
    if (gmtime_r(&when, &tm) && strftime(ret, 32, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0)
        return;
    snprintf(ret, 32, "unknown");
}
