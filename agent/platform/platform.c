/* SPDX-License-Identifier: GPL-3.0-or-later
 * Reading a host below a root path. Nothing here fails loudly: what cannot be read is unknown. */
#include "agent/platform/platform.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fdio.h"

enum { FILE_MAX = 1024 * 1024 };

void platform_init(struct platform *platform, const char *root)
{
    platform->root = mem_strdup(root ? root : "");
}

void platform_done(struct platform *platform)
{
    mem_free(platform->root);
    platform->root = NULL;
}

bool platform_is_live(const struct platform *platform)
{
    return platform->root[0] == '\0';
}

char *platform_path(const struct platform *platform, const char *path)
{
    return mem_printf("%s%s", platform->root, path);
}

static void trim_end(struct str *s)
{
    while (s->length > 0 && strchr(" \t\r\n", s->text[s->length - 1]))
        s->text[--s->length] = '\0';
}

bool platform_text(const struct platform *platform, const char *path, struct str *ret)
{
    CLEAN_MEM char *full = platform_path(platform, path);

    if (fdio_read_file(full, FILE_MAX, ret, NULL) < 0) {
        str_clear(ret);
        return false;
    }
    trim_end(ret);
    return true;
}

bool platform_number(const struct platform *platform, const char *path, double *ret)
{
    CLEAN_DONE(str) struct str text = {0};
    char *end = NULL;

    if (!platform_text(platform, path, &text) || text.length == 0)
        return false;
    const double value = strtod(text.text, &end);
    if (end == text.text)
        return false;
    *ret = value;
    return true;
}

bool platform_link(const struct platform *platform, const char *path, struct str *ret)
{
    CLEAN_MEM char *full = platform_path(platform, path);
    char target[512];
    const ssize_t n = readlink(full, target, sizeof target - 1);

    str_clear(ret);
    if (n <= 0)
        return false;
    str_add_bytes(ret, target, (size_t)n);
    return true;
}

void platform_names(const struct platform *platform, const char *path, struct strlist *ret)
{
    CLEAN_MEM char *full = platform_path(platform, path);
    DIR *dir = opendir(full);

    if (!dir)
        return;
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            strlist_add(ret, entry->d_name);
    closedir(dir);
    strlist_sort(ret);
}

bool platform_exists(const struct platform *platform, const char *path)
{
    CLEAN_MEM char *full = platform_path(platform, path);

    return access(full, F_OK) == 0;
}

bool platform_machine(const struct platform *platform, struct str *ret)
{
    struct utsname name;

    if (!platform_is_live(platform))
        return platform_text(platform, "/uname.txt", ret);
    if (uname(&name) < 0)
        return false;
    str_clear(ret);
    str_add(ret, name.machine);
    return true;
}

static const char *after_name(const char *line, const char *name, char separator)
{
    if (!str_starts(line, name))
        return NULL;
    line += strlen(name);
    while (*line == ' ' || *line == '\t')
        line++;
    if (*line != separator)
        return NULL;
    line++;
    while (*line == ' ' || *line == '\t')
        line++;
    return line;
}

bool platform_field(const char *text, const char *name, char separator, struct str *ret)
{
    str_clear(ret);
    for (const char *line = text; line && *line;) {
        const char *value = after_name(line, name, separator);
        const char *next = strchr(line, '\n');

        if (value) {
            size_t length = strcspn(value, "\n");

            if (length >= 2 && (*value == '"' || *value == '\'') && value[length - 1] == *value) {
                value++;
                length -= 2;
            }
            str_add_bytes(ret, value, length);
            trim_end(ret);
            return true;
        }
        line = next ? next + 1 : NULL;
    }
    return false;
}
