/* SPDX-License-Identifier: GPL-3.0-or-later
 * A directory is made once a trial and renamed for every block that pads it: cheap, and exact to
 * the byte. */
#include "agent/stage_dirs.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/pack.h"
#include "base/fdio.h"
#include "base/log.h"
#include "model/limits.h"

static char *path_of(const struct stage_dirs *dirs, size_t variant, uint32_t padding)
{
    char pad[LIMIT_DIR_PADDING + 1];

    memset(pad, 'p', padding);
    pad[padding] = '\0';
    return mem_printf("%s/v%02zu/w%s", dirs->root, variant, pad);
}

static void forget(struct stage_dirs *dirs)
{
    for (size_t i = 0; i < dirs->n; i++)
        mem_free(dirs->path[i]);
    mem_free(dirs->path);
    dirs->path = NULL;
    dirs->n = 0;
    dirs->padding = 0;
}

void stage_dirs_done(struct stage_dirs *dirs)
{
    forget(dirs);
    mem_free(dirs->root);
    dirs->root = NULL;
}

int stage_dirs_make(struct stage_dirs *dirs, const struct experiment *experiment, struct err *err)
{
    forget(dirs);
    if (fdio_remove_tree(dirs->root, err) < 0)
        return err_wrap(err, "remove old work directories");
    dirs->path = mem_array(char *, experiment->n_variants);
    for (; dirs->n < experiment->n_variants; dirs->n++) {
        dirs->path[dirs->n] = path_of(dirs, dirs->n, 0);
        if (fdio_make_dirs(dirs->path[dirs->n], 0755, err) < 0)
            return -1;
    }
    return 0;
}

int stage_dirs_fill(struct stage_dirs *dirs, size_t variant, const char *artefact, struct err *err)
{
    return pack_extract(artefact, dirs->path[variant], err);
}

int stage_dirs_give(struct stage_dirs *dirs, const struct experiment *experiment, struct err *err)
{
    char buffer[4096];
    struct passwd entry, *found = NULL;

    if (!experiment->limit_user || geteuid() != 0)
        return 0;
    if (getpwnam_r(experiment->limit_user, &entry, buffer, sizeof buffer, &found) != 0 || !found)
        return err_set(err, ERR_INPUT, "limits.user: this host has no user \"%s\"",
                       experiment->limit_user);
    for (size_t i = 0; i < dirs->n; i++)
        if (chown(dirs->path[i], entry.pw_uid, entry.pw_gid) < 0)
            return err_sys(err, "chown %s", dirs->path[i]);
    return 0;
}

int stage_dirs_pad(struct stage_dirs *dirs, uint32_t bytes, struct err *err)
{
    const uint32_t padding = bytes < LIMIT_DIR_PADDING ? bytes : LIMIT_DIR_PADDING;

    if (padding == dirs->padding)
        return 0;
    for (size_t i = 0; i < dirs->n; i++) {
        char *path = path_of(dirs, i, padding);

        if (rename(dirs->path[i], path) < 0) {
            err_sys(err, "rename %s", dirs->path[i]);
            mem_free(path);
            return -1;
        }
        mem_free(dirs->path[i]);
        dirs->path[i] = path;
    }
    dirs->padding = padding;
    return 0;
}

void stage_dirs_clear(struct stage_dirs *dirs)
{
    struct err err;

    if (fdio_remove_tree(dirs->root, &err) < 0)
        log_err(LOG_WARN, &err, "work directories stay");
    forget(dirs);
}
