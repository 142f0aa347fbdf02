/* SPDX-License-Identifier: GPL-3.0-or-later
 * Clocks: durations by monotonic clocks, wall time only as a label. */
#pragma once
#include <stdint.h>

#define CLK_NS_PER_S INT64_C(1000000000)
#define CLK_NS_PER_MS INT64_C(1000000)

int64_t clk_mono_ns(void); /* CLOCK_MONOTONIC: deadlines */
int64_t clk_raw_ns(void);  /* CLOCK_MONOTONIC_RAW: measured times */
int64_t clk_wall_us(void); /* microseconds since 1970: a label */
/* "2026-01-31T12:00:00Z" */
void clk_iso(int64_t wall_us, char ret[32]);
