/* SPDX-License-Identifier: GPL-3.0-or-later
 * How much CPU time the whole machine has used: the base of the load of others. */
#pragma once
#include "agent/platform/platform.h"

struct busy {
    double busy_s;  /* user + nice + system + irq + softirq, or the exact sum of all tasks */
    double steal_s; /* taken by other guests of the hypervisor */
    double irq_s;   /* irq + softirq */
    bool is_exact;  /* by the root control group's nanoseconds, not by ticks */
    bool is_known;
};
/* From the root of cpuacct where that is the whole machine's (no container), else from /proc/stat,
 * which counts in ticks. Two readings must be of one kind to be subtracted. */
void busy_read(const struct platform *platform, struct busy *ret);
