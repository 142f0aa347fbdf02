/* SPDX-License-Identifier: GPL-3.0-or-later
 * Where workloads run: the mount of the working directory, and the kind of disk below it. */
#include "agent/fact.h"

#include <stdlib.h>
#include <string.h>

struct mount {
    char *point, *kind, *options, *device;
};

static void mount_done(struct mount *mount)
{
    mem_free(mount->point);
    mem_free(mount->kind);
    mem_free(mount->options);
    mem_free(mount->device);
    *mount = (struct mount){0};
}

static bool covers(const char *point, const char *path)
{
    const size_t length = strlen(point);

    if (strcmp(point, "/") == 0)
        return true;
    return strncmp(point, path, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* mountinfo: ID PARENT MAJOR:MINOR ROOT POINT OPTIONS … - KIND SOURCE SUPER. The longest point that
 * covers the path; of equal ones the last, which lies on top. */
static bool find_mount(const struct platform *platform, const char *path, struct mount *ret)
{
    enum { DEVICE = 2, POINT = 4, OPTIONS = 5 };
    CLEAN_DONE(str) struct str text = {0};
    char *rest = NULL;
    size_t best = 0;

    if (!platform_text(platform, "/proc/self/mountinfo", &text) || !text.text)
        return false;
    for (char *line = strtok_r(text.text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *dash = strstr(line, " - "), *place = NULL;
        const char *field[OPTIONS + 1] = {NULL};

        if (!dash)
            continue;
        *dash = '\0';
        CLEAN_MEM char *kind = mem_strndup(dash + 3, strcspn(dash + 3, " "));
        for (size_t i = 0; i <= OPTIONS; i++)
            field[i] = strtok_r(i ? NULL : line, " ", &place);
        if (!field[OPTIONS] || !covers(field[POINT], path) || strlen(field[POINT]) < best)
            continue;
        best = strlen(field[POINT]);
        mount_done(ret);
        *ret = (struct mount){mem_strdup(field[POINT]), mem_steal(&kind),
                              mem_strdup(field[OPTIONS]), mem_strdup(field[DEVICE])};
    }
    return ret->point != NULL;
}

static void put_disk(const struct platform *platform, const char *device, struct fact_set *set)
{
    CLEAN_MEM char *own = mem_printf("/sys/dev/block/%s/queue/rotational", device);
    CLEAN_MEM char *parent = mem_printf("/sys/dev/block/%s/../queue/rotational", device);
    double rotational;

    if (platform_number(platform, own, &rotational) ||
        platform_number(platform, parent, &rotational))
        fact_put(set, "workdir.disk", rotational != 0 ? "rotating" : "solid", FACT_IDENTITY, own);
}

static void read_workdir(const struct fact_context *context, struct fact_set *set)
{
    struct mount mount = {0};

    if (!context->work_dir || !find_mount(context->platform, context->work_dir, &mount))
        return;
    fact_put(set, "workdir.filesystem", mount.kind, FACT_IDENTITY, "/proc/self/mountinfo");
    fact_put(set, "workdir.options", mount.options, FACT_IDENTITY, "/proc/self/mountinfo");
    put_disk(context->platform, mount.device, set);
    mount_done(&mount);
}

const struct fact_ops fact_workdir = {
    .name = "workdir",
    .help = "file system and disk of the working directory",
    .read = read_workdir,
};
