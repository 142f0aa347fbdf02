/* SPDX-License-Identifier: GPL-3.0-or-later
 * Resource limits a workload inherits, as the kernel shows them. */
#include "agent/fact.h"

#include <string.h>

static void read_limits(const struct fact_context *context, struct fact_set *set)
{
    static const struct {
        const char *line, *fact;
    } wanted[] = {
        {"Max stack size",     "ulimit.stack"    },
        {"Max open files",     "ulimit.files"    },
        {"Max processes",      "ulimit.processes"},
        {"Max locked memory",  "ulimit.locked"   },
        {"Max address space",  "ulimit.address"  },
        {"Max core file size", "ulimit.core"     },
    };
    CLEAN_DONE(str) struct str text = {0};

    if (!platform_text(context->platform, "/proc/self/limits", &text))
        return;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const char *line = strstr(str_get(&text), wanted[i].line);

        if (!line)
            continue;
        line += strlen(wanted[i].line);
        line += strspn(line, " ");
        CLEAN_MEM char *soft = mem_strndup(line, strcspn(line, " \n"));
        fact_put(set, wanted[i].fact, soft, FACT_STATE, "/proc/self/limits");
    }
}

const struct fact_ops fact_limits = {
    .name = "limits",
    .help = "resource limits",
    .read = read_limits,
};
