/* SPDX-License-Identifier: GPL-3.0-or-later
 * Compilers and linker, by the names of installed files: nothing is executed. */
#include "agent/fact.h"

#include <stdlib.h>
#include <string.h>

/* The highest N of files PREFIX-N in /usr/bin; -1 none. */
static long highest(const struct strlist *names, const char *prefix)
{
    long best = -1;

    for (size_t i = 0; i < names->n; i++) {
        char *end = NULL;

        if (!str_starts(names->v[i], prefix))
            continue;
        const long n = strtol(names->v[i] + strlen(prefix), &end, 10);
        if (end != names->v[i] + strlen(prefix) && *end == '\0' && n > best)
            best = n;
    }
    return best;
}

static void read_compiler(const struct fact_context *context, struct fact_set *set)
{
    CLEAN_DONE(strlist) struct strlist names = {0};
    CLEAN_DONE(str) struct str linker = {0};

    platform_names(context->platform, "/usr/bin", &names);
    const long gcc = highest(&names, "gcc-"), clang = highest(&names, "clang-");
    if (gcc > 0)
        fact_put_number(set, "compiler.gcc", (double)gcc, FACT_IDENTITY, "/usr/bin");
    if (clang > 0)
        fact_put_number(set, "compiler.clang", (double)clang, FACT_IDENTITY, "/usr/bin");
    if (platform_link(context->platform, "/usr/bin/ld", &linker)) {
        const char *slash = strrchr(str_get(&linker), '/');
        fact_put(set, "compiler.linker", slash ? slash + 1 : str_get(&linker), FACT_IDENTITY,
                 "/usr/bin/ld");
    }
}

const struct fact_ops fact_compiler = {
    .name = "compiler",
    .help = "installed compilers and linker",
    .read = read_compiler,
};
