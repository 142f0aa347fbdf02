/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The endpoints file, and the names inside a data directory.
 */
#include "coordinator/coord_endpoints.h"

#include <string.h>

#include "base/fdio.h"
#include "coordinator/coord.h"

char *coord_db_path(const char *data_dir)
{
    return mem_printf("%s/muster.db", data_dir);
}

char *coord_endpoints_path(const char *data_dir)
{
    return mem_printf("%s/endpoints", data_dir);
}

int coord_endpoints_save(const char *path, const char *agents, const char *users, const char *key,
                         struct err *err)
{
    CLEAN_DONE(str) struct str text = {0};

    str_addf(&text, "agents %s\nusers %s\nkey %s\n", agents, users, key);
    return fdio_write_atomic(path, text.text, text.length, 0600, err);
}

void coord_endpoints_done(struct coord_endpoints *endpoints)
{
    mem_free(endpoints->agents);
    mem_free(endpoints->users);
    mem_free(endpoints->key);
    *endpoints = (struct coord_endpoints){.agents = NULL};
}

int coord_endpoints_load(const char *path, struct coord_endpoints *ret, struct err *err)
{
    CLEAN_DONE(str) struct str text = {0};
    struct coord_endpoints found = {.agents = NULL};
    struct {
        const char *name;
        char **slot;
    } lines[] = {
        {"agents ", &found.agents},
        {"users ",  &found.users },
        {"key ",    &found.key   }
    };

    if (fdio_read_file(path, 4096, &text, err) < 0)
        return -1;
    for (const char *line = str_get(&text); *line;) {
        size_t length = strcspn(line, "\n");

        for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
            size_t name = strlen(lines[i].name);

            if (length > name && strncmp(line, lines[i].name, name) == 0 && !*lines[i].slot)
                *lines[i].slot = mem_strndup(line + name, length - name);
        }
        line += length + (line[length] == '\n');
    }
    if (!found.agents || !found.users || !found.key) {
        coord_endpoints_done(&found);
        return err_set(err, ERR_INPUT, "%s: no endpoints file", path);
    }
    *ret = found;
    return 0;
}
