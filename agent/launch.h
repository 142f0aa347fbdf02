/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The moment of starting: clone with CLONE_VM | CLONE_VFORK | CLONE_PIDFD where that works, fork
 * under tools that cannot follow it. Private to child.c.
 */
#pragma once
#include "agent/child.h"

#include <sys/resource.h>
#include <sys/types.h>

struct launch {
    const struct child_spec *spec;
    const struct cgroup *cgroup;
    int out_fd, err_fd, null_fd; /* become 1, 2, 0 */
    bool is_terminal;
    uid_t uid;
    gid_t gid;
    bool changes_user;
    bool limit_address_space; /* no group can limit memory */
};
struct launch_note { /* written by the child just before exec, in memory shared with it */
    int64_t started_ns;
    struct rusage before; /* what getting there cost: not the workload's */
    int failed;           /* errno, 0: exec went through */
    char step[32];
};
/* Returns after exec or its failure (note->failed). The pid is a zombie or running; it and the
 * pidfd are the caller's. -1: there is no process. */
MUST_CHECK int launch_start(const struct launch *launch, pid_t *ret_pid, int *ret_pidfd,
                            struct launch_note *ret_note, struct err *err);
