/* SPDX-License-Identifier: GPL-3.0-or-later
 * Ends whatever a workload left: members of its group and every process that descends from us. */
#pragma once
#include "agent/platform/cgroup.h"

#include <stdint.h>
#include <sys/resource.h>

/* Reaps every child and adds its usage to *usage. Returns how many processes were alive at the
 * start. Ends within a deadline even when something cannot be killed. */
uint32_t sweep_leftovers(const struct cgroup *cgroup, struct rusage *usage);
void sweep_add_usage(struct rusage *into, const struct rusage *more);
