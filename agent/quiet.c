/* SPDX-License-Identifier: GPL-3.0-or-later
 * Two readings of the machine's busy time, and of every program's, with the window between them. */
#include "agent/quiet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/platform/busy.h"
#include "base/clk.h"

enum { OFFENDERS = 3 };
struct program {
    long pid;
    unsigned long long ticks;
    char name[32];
};
struct quiet_look {
    const struct platform *platform;
    struct busy busy;
    int64_t begun_ns;
    struct program *v;
    size_t n, cap;
};

/* "PID (name) S …": utime and stime are fields 14 and 15. */
static bool read_program(const struct platform *platform, const char *pid, struct program *ret)
{
    CLEAN_DONE(str) struct str text = {0};
    CLEAN_MEM char *path = mem_printf("/proc/%s/stat", pid);
    unsigned long long user = 0, system = 0;

    if (!platform_text(platform, path, &text))
        return false;
    const char *open = strchr(str_get(&text), '('), *close = strrchr(str_get(&text), ')');
    if (!open || !close || close < open)
        return false;
    const char *p = close + 1;
    for (int field = 3; field < 14 && p; field++)
        p = strchr(p + 1, ' ');
    if (!p)
        return false;
    char *end = NULL;
    user = strtoull(p, &end, 10);
    system = strtoull(end, NULL, 10);
    *ret = (struct program){.pid = strtol(pid, NULL, 10), .ticks = user + system};
    const size_t length = (size_t)(close - open - 1);
    memcpy(ret->name, open + 1, length < sizeof ret->name ? length : sizeof ret->name - 1);
    return true;
}

static void read_programs(const struct platform *platform, struct program **v, size_t *n,
                          size_t *cap)
{
    CLEAN_DONE(strlist) struct strlist names = {0};

    platform_names(platform, "/proc", &names);
    for (size_t i = 0; i < names.n; i++) {
        struct program program;

        if (names.v[i][0] < '1' || names.v[i][0] > '9' ||
            !read_program(platform, names.v[i], &program))
            continue;
        *v = mem_grow(*v, cap, *n + 1, sizeof **v);
        (*v)[(*n)++] = program;
    }
}

struct quiet_look *quiet_begin(const struct platform *platform)
{
    struct quiet_look *look = mem_new(struct quiet_look);

    look->platform = platform;
    read_programs(platform, &look->v, &look->n, &look->cap);
    busy_read(platform, &look->busy);
    look->begun_ns = clk_raw_ns();
    return look;
}

void quiet_look_free(struct quiet_look *look)
{
    if (!look)
        return;
    mem_free(look->v);
    mem_free(look);
}

static unsigned long long ticks_before(const struct quiet_look *look, long pid)
{
    for (size_t i = 0; i < look->n; i++)
        if (look->v[i].pid == pid)
            return look->v[i].ticks;
    return 0;
}

static int by_ticks(const void *a, const void *b)
{
    const struct program *left = a, *right = b;

    return (left->ticks < right->ticks) - (left->ticks > right->ticks);
}

static void name_offenders(const struct quiet_look *look, struct str *ret)
{
    CLEAN_MEM struct program *now = NULL;
    size_t n = 0, cap = 0;

    read_programs(look->platform, &now, &n, &cap);
    for (size_t i = 0; i < n; i++) {
        const unsigned long long before = ticks_before(look, now[i].pid);

        now[i].ticks = now[i].ticks > before ? now[i].ticks - before : 0;
    }
    if (n > 1)
        qsort(now, n, sizeof *now, by_ticks);
    for (size_t i = 0; i < n && i < OFFENDERS && now[i].ticks > 0; i++) {
        CLEAN_MEM char *name = str_visible(now[i].name, 31);
        str_addf(ret, "%s%s", i ? ", " : ": ", name);
    }
}

bool quiet_is(const struct quiet_look *look, struct str *ret_why)
{
    const double wall_s = (double)(clk_raw_ns() - look->begun_ns) / (double)CLK_NS_PER_S;
    struct busy after;

    busy_read(look->platform, &after);
    if (!after.is_known || !look->busy.is_known || after.is_exact != look->busy.is_exact ||
        wall_s <= 0)
        return true;
    const double cpus = (after.busy_s - look->busy.busy_s) / wall_s;
    if (cpus <= QUIET_CPU_MAX)
        return true;
    str_clear(ret_why);
    str_addf(ret_why, "%.2f CPUs are busy with other programs", cpus);
    name_offenders(look, ret_why);
    return false;
}
