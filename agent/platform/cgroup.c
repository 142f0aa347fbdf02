/* SPDX-License-Identifier: GPL-3.0-or-later
 * Control groups by plain files. Every write may be refused; a refusal only means that this part is
 * not there. */
#include "agent/platform/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fdio.h"

const char *cgroup_mode_name(enum cgroup_mode mode)
{
    static const char *const names[] = {"none", "v1", "v2", "hybrid"};

    return names[mode];
}

/* Walks the mounts of kind cgroup and cgroup2: calls on_mount(arg, directory, options, is_v2). */
static void
each_mount(const struct platform *platform,
           void (*on_mount)(void *arg, const char *dir, const char *options, bool is_v2), void *arg)
{
    CLEAN_DONE(str) struct str mounts = {0};
    char *rest = NULL;

    if (!platform_text(platform, "/proc/self/mounts", &mounts) || !mounts.text)
        return;
    for (char *line = strtok_r(mounts.text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *place = NULL;

        if (!strtok_r(line, " ", &place))
            continue;
        const char *dir = strtok_r(NULL, " ", &place), *kind = strtok_r(NULL, " ", &place),
                   *options = strtok_r(NULL, " ", &place);
        if (kind && options && (strcmp(kind, "cgroup") == 0 || strcmp(kind, "cgroup2") == 0))
            on_mount(arg, dir, options, kind[6] != '\0');
    }
}

static bool has_option(const char *options, const char *word)
{
    const size_t length = strlen(word);

    for (const char *p = options; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strncmp(p, word, length) == 0 && (p[length] == ',' || p[length] == '\0'))
            return true;
    return false;
}

struct seen {
    bool v1, v2;
};

static void note_mount(void *arg, const char *dir, const char *options, bool is_v2)
{
    struct seen *seen = arg;

    (void)dir;
    if (is_v2)
        seen->v2 = true;
    else if (!strstr(options, "name="))
        seen->v1 = true;
}

enum cgroup_mode cgroup_detect(const struct platform *platform)
{
    struct seen seen = {0};

    each_mount(platform, note_mount, &seen);
    if (seen.v1)
        return seen.v2 ? CGROUP_HYBRID : CGROUP_V1;
    return seen.v2 ? CGROUP_V2 : CGROUP_NONE;
}

static bool write_text(const char *dir, const char *file, const char *text)
{
    CLEAN_MEM char *path = mem_printf("%s/%s", dir, file);
    CLEAN_FD int fd = open(path, O_WRONLY | O_CLOEXEC);

    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static bool read_text(const char *dir, const char *file, struct str *ret)
{
    CLEAN_MEM char *path = mem_printf("%s/%s", dir, file);

    return fdio_read_file(path, 256 * 1024, ret, NULL) == 0;
}

static bool has_file(const char *dir, const char *file)
{
    CLEAN_MEM char *path = mem_printf("%s/%s", dir, file);

    return access(path, F_OK) == 0;
}

struct opening {
    struct cgroup *cgroup;
    const struct platform *platform;
    const char *name;
};

/* Our own group inside a hierarchy: below the group we are in would be cleaner, but v2 forbids
 * processes in inner groups, so it is made at the top of what we see. */
static void open_part(void *arg, const char *dir, const char *options, bool is_v2)
{
    struct opening *opening = arg;
    struct cgroup *cgroup = opening->cgroup;

    if (cgroup->n == CGROUP_PARTS_MAX ||
        !(is_v2 || has_option(options, "cpuacct") || has_option(options, "memory") ||
          has_option(options, "freezer")))
        return;
    CLEAN_MEM char *ours =
        mem_printf("%s%s/muster-%s", opening->platform->root, dir, opening->name);
    if (mkdir(ours, 0755) < 0 && errno != EEXIST)
        return;
    if (is_v2) { /* counting beyond CPU needs the controllers handed down; refusal is fine */
        CLEAN_MEM char *top = platform_path(opening->platform, dir);

        write_text(top, "cgroup.subtree_control", "+cpu +memory +io");
    }
    CLEAN_MEM char *procs = mem_printf("%s/cgroup.procs", ours);
    const int fd = open(procs, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        rmdir(ours);
        return;
    }
    cgroup->part[cgroup->n++] = (struct cgroup_part){
        .dir = mem_strdup(ours),
        .procs_fd = fd,
        .is_v2 = is_v2,
        .has_cpu = has_file(ours, is_v2 ? "cpu.stat" : "cpuacct.usage"),
        .has_memory = has_file(ours, is_v2 ? "memory.peak" : "memory.max_usage_in_bytes"),
        .has_freezer = !is_v2 && has_file(ours, "freezer.state"),
        .has_kill = is_v2 && has_file(ours, "cgroup.kill"),
    };
}

void cgroup_open(struct cgroup *cgroup, const struct platform *platform, const char *name)
{
    struct opening opening = {cgroup, platform, name};

    *cgroup = (struct cgroup){.mode = cgroup_detect(platform)};
    each_mount(platform, open_part, &opening);
    cgroup_kill(cgroup); /* what a keeper that was killed left behind */
}

void cgroup_done(struct cgroup *cgroup)
{
    for (size_t i = 0; i < cgroup->n; i++) {
        close(cgroup->part[i].procs_fd);
        rmdir(cgroup->part[i].dir);
        mem_free(cgroup->part[i].dir);
    }
    cgroup->n = 0;
}

bool cgroup_cpu_ns(const struct cgroup *cgroup, int64_t *ret)
{
    CLEAN_DONE(str) struct str text = {0};

    for (size_t i = 0; i < cgroup->n;
         i++) { /* v1 first: on a hybrid host it holds the controller */
        const struct cgroup_part *part = &cgroup->part[i];

        if (part->has_cpu && !part->is_v2 && read_text(part->dir, "cpuacct.usage", &text)) {
            *ret = strtoll(str_get(&text), NULL, 10);
            return true;
        }
    }
    for (size_t i = 0; i < cgroup->n; i++) {
        const struct cgroup_part *part = &cgroup->part[i];

        if (part->has_cpu && part->is_v2 && read_text(part->dir, "cpu.stat", &text) &&
            str_starts(str_get(&text), "usage_usec ")) {
            *ret = strtoll(str_get(&text) + strlen("usage_usec "), NULL, 10) * 1000;
            return true;
        }
    }
    return false;
}

static const struct cgroup_part *memory_part(const struct cgroup *cgroup)
{
    for (size_t i = 0; i < cgroup->n; i++)
        if (cgroup->part[i].has_memory)
            return &cgroup->part[i];
    return NULL;
}

bool cgroup_memory_peak(const struct cgroup *cgroup, double *ret_kib)
{
    CLEAN_DONE(str) struct str text = {0};
    const struct cgroup_part *part = memory_part(cgroup);

    if (!part ||
        !read_text(part->dir, part->is_v2 ? "memory.peak" : "memory.max_usage_in_bytes", &text))
        return false;
    *ret_kib = strtod(str_get(&text), NULL) / 1024;
    return true;
}

void cgroup_memory_reset(const struct cgroup *cgroup)
{
    const struct cgroup_part *part = memory_part(cgroup);

    if (part)
        write_text(part->dir, part->is_v2 ? "memory.peak" : "memory.max_usage_in_bytes", "0");
}

bool cgroup_memory_limit(const struct cgroup *cgroup, uint64_t bytes)
{
    const struct cgroup_part *part = memory_part(cgroup);

    if (!part)
        return false;
    CLEAN_MEM char *value = bytes ? mem_printf("%llu", (unsigned long long)bytes)
                                  : mem_strdup(part->is_v2 ? "max" : "-1");
    if (!part->is_v2) /* swap counts too, where it is accounted; lowered after, raised before */
        write_text(part->dir, "memory.memsw.limit_in_bytes", "-1");
    const bool done =
        write_text(part->dir, part->is_v2 ? "memory.max" : "memory.limit_in_bytes", value);
    write_text(part->dir, part->is_v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes",
               bytes ? (part->is_v2 ? "0" : value) : (part->is_v2 ? "max" : "-1"));
    return done;
}

static size_t members_of(const struct cgroup_part *part, pid_t *ret, size_t max)
{
    CLEAN_DONE(str) struct str text = {0};
    size_t n = 0;

    if (!read_text(part->dir, "cgroup.procs", &text))
        return 0;
    for (const char *p = str_get(&text); *p && n < max;) {
        char *end = NULL;
        const long pid = strtol(p, &end, 10);

        if (end == p)
            break;
        ret[n++] = (pid_t)pid;
        p = *end ? end + 1 : end;
    }
    return n;
}

size_t cgroup_members(const struct cgroup *cgroup, pid_t *ret, size_t max)
{
    size_t n = 0;

    for (size_t i = 0; i < cgroup->n && n == 0; i++) /* a member of one is a member of all */
        n = members_of(&cgroup->part[i], ret, max);
    return n;
}

static void kill_members(const struct cgroup_part *part)
{
    enum { AT_ONCE = 4096 };
    CLEAN_MEM pid_t *pid = mem_array(pid_t, AT_ONCE);
    const size_t n = members_of(part, pid, AT_ONCE);

    for (size_t i = 0; i < n; i++)
        if (pid[i] > 1)
            kill(pid[i], SIGKILL);
}

void cgroup_kill(const struct cgroup *cgroup)
{
    for (size_t i = 0; i < cgroup->n; i++)
        if (cgroup->part[i].has_kill && write_text(cgroup->part[i].dir, "cgroup.kill", "1"))
            return;
    for (size_t i = 0; i < cgroup->n; i++)
        if (cgroup->part[i].has_freezer) {
            write_text(cgroup->part[i].dir, "freezer.state", "FROZEN");
            kill_members(&cgroup->part[i]);
            write_text(cgroup->part[i].dir, "freezer.state", "THAWED");
            return;
        }
    for (size_t i = 0; i < cgroup->n; i++)
        kill_members(&cgroup->part[i]);
}
