/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the configuration file and the environment into a target.
 */
#include "cli/target.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fdio.h"
#include "coordinator/coord.h"
#include "net/keys.h"

struct setting {
    const char *name, *variable;
    char **slot;
};

static char *trimmed(const char *from, size_t length)
{
    while (length > 0 && strchr(" \t\r", from[0])) {
        from++;
        length--;
    }
    while (length > 0 && strchr(" \t\r", from[length - 1]))
        length--;
    return mem_strndup(from, length);
}

static int read_line(const char *path, size_t number, const char *line, size_t length,
                     const struct setting *settings, size_t n, struct err *err)
{
    const char *equals = memchr(line, '=', length);
    CLEAN_MEM char *name = trimmed(line, equals ? (size_t)(equals - line) : length);

    if (name[0] == '\0' || name[0] == '#')
        return 0;
    if (!equals)
        return err_set(err, ERR_INPUT, "%s:%zu: found \"%s\", expected name = value", path, number,
                       name);
    for (size_t i = 0; i < n; i++) {
        if (!str_eq(name, settings[i].name))
            continue;
        mem_free(*settings[i].slot);
        *settings[i].slot = trimmed(equals + 1, length - (size_t)(equals + 1 - line));
        return 0;
    }
    return err_set(err, ERR_INPUT,
                   "%s:%zu: found \"%s\", allowed: coordinator, server_key, key, data", path,
                   number, name);
}

static int read_config(const struct setting *settings, size_t n, struct err *err)
{
    CLEAN_MEM char *folder = fdio_place(FDIO_CONFIG);
    CLEAN_MEM char *path = mem_printf("%s/config", folder);
    CLEAN_DONE(str) struct str text = {0};
    size_t number = 0;

    if (access(path, F_OK) < 0)
        return 0;
    if (fdio_read_file(path, 64 * 1024, &text, err) < 0)
        return -1;
    for (const char *line = str_get(&text); *line;) {
        size_t length = strcspn(line, "\n");

        if (read_line(path, ++number, line, length, settings, n, err) < 0)
            return -1;
        line += length + (line[length] == '\n');
    }
    return 0;
}

static int read_endpoints(struct cli_target *target, struct err *err)
{
    struct coord_endpoints endpoints = {.agents = NULL};

    if (coord_endpoints_load(target->coordinator, &endpoints, err) < 0)
        return err_wrap(err, "coordinator");
    mem_free(target->coordinator);
    target->coordinator = mem_steal(&endpoints.users);
    if (!target->server_key)
        target->server_key = mem_steal(&endpoints.key);
    coord_endpoints_done(&endpoints);
    return 0;
}

int cli_target_load(struct cli_target *ret, struct err *err)
{
    struct cli_target found = {.coordinator = NULL};
    const struct setting settings[] = {
        {"coordinator", "MUSTER_COORDINATOR", &found.coordinator},
        {"server_key",  "MUSTER_SERVER_KEY",  &found.server_key },
        {"key",         "MUSTER_KEY",         &found.key_file   },
        {"data",        "MUSTER_DATA",        &found.data_dir   },
    };
    const size_t n = sizeof(settings) / sizeof(settings[0]);

    if (read_config(settings, n, err) < 0)
        goto fail;
    for (size_t i = 0; i < n; i++) {
        const char *value = getenv(settings[i].variable);

        if (value && value[0]) {
            mem_free(*settings[i].slot);
            *settings[i].slot = mem_strdup(value);
        }
    }
    if (!found.data_dir)
        found.data_dir = fdio_place(FDIO_DATA);
    if (found.coordinator && !strstr(found.coordinator, "://") && read_endpoints(&found, err) < 0)
        goto fail;
    if (found.coordinator && !found.server_key) {
        (void)err_set(
            err, ERR_USAGE,
            "a coordinator is configured but not its public key (MUSTER_SERVER_KEY, server_key)");
        goto fail;
    }
    if (found.server_key && !keys_is_public(found.server_key)) {
        (void)err_set(err, ERR_USAGE, "the coordinator's public key has not the form of a key");
        goto fail;
    }
    if (!found.key_file) {
        CLEAN_MEM char *folder = fdio_place(FDIO_CONFIG);

        found.key_file = mem_printf("%s/key", folder);
    }
    *ret = found;
    return 0;
fail:
    cli_target_done(&found);
    return -1;
}

void cli_target_done(struct cli_target *target)
{
    mem_free(target->coordinator);
    mem_free(target->server_key);
    mem_free(target->key_file);
    mem_free(target->data_dir);
    *target = (struct cli_target){.coordinator = NULL};
}

int cli_keys(const char *path, struct keys *ret, struct err *err)
{
    const char *slash = strrchr(path, '/');
    CLEAN_MEM char *folder =
        slash && slash != path ? mem_strndup(path, (size_t)(slash - path)) : NULL;

    if (folder && fdio_make_dirs(folder, 0700, err) < 0)
        return -1;
    return keys_load_or_new(path, ret, err);
}
