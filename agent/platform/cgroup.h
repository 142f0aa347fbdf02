/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The control group a workload runs in: v2, v1, both (hybrid) or none. One group a keeper, used by
 * one sample after the other and empty in between. What cannot be made is left out: the sample then
 * runs without it, and cgroup_mode says so.
 */
#pragma once
#include "agent/platform/platform.h"

#include <sys/types.h>

enum cgroup_mode { CGROUP_NONE, CGROUP_V1, CGROUP_V2, CGROUP_HYBRID };
enum { CGROUP_PARTS_MAX = 4 };
struct cgroup_part { /* our directory in one hierarchy */
    char *dir;
    int procs_fd; /* cgroup.procs for writing: a child that writes "0" moves itself in */
    bool is_v2;
    bool has_cpu;    /* cpuacct.usage or cpu.stat */
    bool has_memory; /* memory.max_usage_in_bytes or memory.peak */
    bool has_freezer;
    bool has_kill; /* cgroup.kill */
};
struct cgroup {
    enum cgroup_mode mode; /* of the host, whether writable or not */
    struct cgroup_part part[CGROUP_PARTS_MAX];
    size_t n;
};
const char *cgroup_mode_name(enum cgroup_mode mode);
/* Which kind the host's mounts show. */
enum cgroup_mode cgroup_detect(const struct platform *platform);
/* Makes (or takes over, killing what still runs in it) the groups muster-NAME. Never fails: without
 * rights there are no parts. */
void cgroup_open(struct cgroup *cgroup, const struct platform *platform, const char *name);
void cgroup_done(struct cgroup *cgroup); /* removes the groups */
/* CPU time used by the group so far, in ns; false when no part counts it. */
bool cgroup_cpu_ns(const struct cgroup *cgroup, int64_t *ret);
/* Memory peak in KiB since the last reset; false when not counted (v2 counts over the group's
 * life where it cannot be reset). */
bool cgroup_memory_peak(const struct cgroup *cgroup, double *ret_kib);
void cgroup_memory_reset(const struct cgroup *cgroup);
/* Bytes, 0: none. False when no part can limit memory. */
bool cgroup_memory_limit(const struct cgroup *cgroup, uint64_t bytes);
/* Live processes in the group. */
size_t cgroup_members(const struct cgroup *cgroup, pid_t *ret, size_t max);
/* SIGKILL to every member; with cgroup.kill or the freezer a fork cannot slip away. */
void cgroup_kill(const struct cgroup *cgroup);
