/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The C library that workloads of this host get: from the host's own files, never from the agent's
 * process, which may have brought its own. The build-id tells two builds of one version apart.
 */
#include "agent/fact.h"

#include <string.h>

#include "agent/platform/elf.h"

static const char *const glibc_places[] = {"/lib/x86_64-linux-gnu/libc.so.6",
                                           "/usr/lib/x86_64-linux-gnu/libc.so.6",
                                           "/lib/aarch64-linux-gnu/libc.so.6",
                                           "/usr/lib/aarch64-linux-gnu/libc.so.6",
                                           "/lib/riscv64-linux-gnu/libc.so.6",
                                           "/lib64/libc.so.6",
                                           "/usr/lib64/libc.so.6",
                                           "/lib/libc.so.6"};
static const char *const musl_places[] = {"/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"};

/* "GNU C Library (Debian GLIBC 2.36-9+deb12u9) stable release version 2.36." */
static void put_glibc(const struct platform *platform, const char *path, struct fact_set *set)
{
    CLEAN_DONE(str) struct str banner = {0};

    fact_put(set, "libc.kind", "glibc", FACT_IDENTITY, path);
    if (!elf_find_text(platform, path, "GNU C Library (", &banner))
        return;
    const char *text = str_get(&banner), *version = strstr(text, "release version ");
    if (version) {
        version += strlen("release version ");
        CLEAN_MEM char *number = mem_strndup(version, strspn(version, "0123456789."));
        size_t n = strlen(number);
        while (n > 0 && number[n - 1] == '.')
            number[--n] = '\0';
        fact_put(set, "os.glibc", number, FACT_IDENTITY, path);
    }
    const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL;
    if (close) {
        CLEAN_MEM char *package = mem_strndup(open + 1, (size_t)(close - open - 1));
        fact_put(set, "libc.package", package, FACT_IDENTITY, path);
    }
}

static void read_libc(const struct fact_context *context, struct fact_set *set)
{
    const struct platform *platform = context->platform;
    CLEAN_DONE(str) struct str id = {0};
    const char *found = NULL;

    for (size_t i = 0; !found && i < sizeof glibc_places / sizeof *glibc_places; i++)
        if (platform_exists(platform, glibc_places[i])) {
            found = glibc_places[i];
            put_glibc(platform, found, set);
        }
    for (size_t i = 0; !found && i < sizeof musl_places / sizeof *musl_places; i++)
        if (platform_exists(platform, musl_places[i])) {
            found = musl_places[i];
            fact_put(set, "libc.kind", "musl", FACT_IDENTITY, found);
        }
    if (found && elf_build_id(platform, found, &id))
        fact_put(set, "libc.build_id", str_get(&id), FACT_IDENTITY, found);
}

const struct fact_ops fact_libc = {
    .name = "libc",
    .help = "C library: kind, version, build-id",
    .read = read_libc,
};
