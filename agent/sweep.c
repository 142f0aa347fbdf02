/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A workload's orphans become children of the keeper (a subreaper), so the keeper's descendants and
 * the group's members together are all there can be. Killing repeats until both are empty: a
 * process that forks while it is looked for is found in the next round.
 */
#define _GNU_SOURCE /* wait4 */
#include "agent/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clk.h"
#include "base/fdio.h"
#include "base/mem.h"

enum { MEMBERS_MAX = 65536, DEADLINE_S = 10 };

void sweep_add_usage(struct rusage *into, const struct rusage *more)
{
    into->ru_utime.tv_sec += more->ru_utime.tv_sec;
    into->ru_utime.tv_usec += more->ru_utime.tv_usec;
    into->ru_stime.tv_sec += more->ru_stime.tv_sec;
    into->ru_stime.tv_usec += more->ru_stime.tv_usec;
    into->ru_minflt += more->ru_minflt;
    into->ru_majflt += more->ru_majflt;
    into->ru_nvcsw += more->ru_nvcsw;
    into->ru_nivcsw += more->ru_nivcsw;
    into->ru_inblock += more->ru_inblock;
    into->ru_oublock += more->ru_oublock;
    if (more->ru_maxrss > into->ru_maxrss)
        into->ru_maxrss = more->ru_maxrss;
}

struct relation {
    pid_t pid, parent;
    bool is_ours;
};

/* "PID (name) S PPID": the name may hold anything, so the last ")" counts. */
static bool read_relation(const char *name, struct relation *ret)
{
    CLEAN_DONE(str) struct str text = {0};
    char path[64];
    char state = 0;
    long parent = 0;

    snprintf(path, sizeof path, "/proc/%.20s/stat", name);
    if (fdio_read_file(path, 4096, &text, NULL) < 0)
        return false;
    const char *end = strrchr(str_get(&text), ')');
    if (!end || !end[1] || !end[2])
        return false;
    state = end[2];
    parent = strtol(end + 3, NULL, 10);
    *ret = (struct relation){.pid = (pid_t)strtol(name, NULL, 10), .parent = (pid_t)parent};
    return state != 'Z' && state != 'X';
}

static size_t read_relations(struct relation **ret)
{
    struct relation *v = NULL;
    size_t n = 0, cap = 0;
    DIR *dir = opendir("/proc");

    if (!dir)
        return 0;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        struct relation relation;

        if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
            !read_relation(entry->d_name, &relation))
            continue;
        v = mem_grow(v, &cap, n + 1, sizeof *v);
        v[n++] = relation;
    }
    closedir(dir);
    *ret = v;
    return n;
}

/* Parents usually have smaller numbers, so a few passes mark the whole tree. */
static void mark_descendants(struct relation *v, size_t n)
{
    const pid_t self = getpid();
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t i = 0; i < n; i++) {
            bool ours = v[i].parent == self;

            for (size_t k = 0; k < n && !ours && !v[i].is_ours; k++)
                ours = v[k].is_ours && v[k].pid == v[i].parent;
            if (ours && !v[i].is_ours)
                v[i].is_ours = changed = true;
        }
    }
}

static uint32_t kill_descendants(void)
{
    CLEAN_MEM struct relation *v = NULL;
    const size_t n = read_relations(&v);
    uint32_t killed = 0;

    mark_descendants(v, n);
    for (size_t i = 0; i < n; i++) /* stopped first, so that none forks while others die */
        if (v[i].is_ours)
            kill(v[i].pid, SIGSTOP);
    for (size_t i = 0; i < n; i++)
        if (v[i].is_ours && kill(v[i].pid, SIGKILL) == 0)
            killed++;
    return killed;
}

/* Reaps what has ended. True while there are children. */
static bool reap(struct rusage *usage)
{
    for (;;) {
        struct rusage more;
        const pid_t pid = wait4(-1, NULL, WNOHANG, &more);

        if (pid == 0 || (pid < 0 && errno == EINTR))
            return true;
        if (pid < 0)
            return false; /* ECHILD */
        sweep_add_usage(usage, &more);
    }
}

uint32_t sweep_leftovers(const struct cgroup *cgroup, struct rusage *usage)
{
    const int64_t deadline = clk_mono_ns() + DEADLINE_S * CLK_NS_PER_S;
    uint32_t count = 0;

    for (bool is_first = true;; is_first = false) {
        CLEAN_MEM pid_t *member = mem_array(pid_t, is_first ? MEMBERS_MAX : 1);
        const size_t members = cgroup_members(cgroup, member, is_first ? MEMBERS_MAX : 1);
        const bool has_children = reap(usage);

        if (members == 0 && !has_children)
            return count;
        if (clk_mono_ns() > deadline)
            return count ? count : 1;
        uint32_t found = (uint32_t)members;
        if (members > 0)
            cgroup_kill(cgroup);
        if (has_children) {
            const uint32_t killed = kill_descendants();
            found = killed > found ? killed : found;
        }
        if (is_first)
            count = found;
        poll(NULL, 0, 1); /* let them die */
    }
}
