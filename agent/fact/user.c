/* SPDX-License-Identifier: GPL-3.0-or-later
 * Facts people declare: on the agent's command line and in files NAME of /etc/muster/facts.d (the
 * first line is the value). Declared facts win over what was found. */
#include "agent/fact.h"

#include <string.h>

#define FACTS_DIR "/etc/muster/facts.d"

static void read_user(const struct fact_context *context, struct fact_set *set)
{
    CLEAN_DONE(strlist) struct strlist names = {0};
    CLEAN_DONE(str) struct str text = {0};
    const char *dir = context->facts_dir ? context->facts_dir : FACTS_DIR;

    platform_names(context->platform, dir, &names);
    for (size_t i = 0; i < names.n; i++) {
        CLEAN_MEM char *path = mem_printf("%s/%s", dir, names.v[i]);

        if (!platform_text(context->platform, path, &text))
            continue;
        CLEAN_MEM char *line = mem_strndup(str_get(&text), strcspn(str_get(&text), "\r\n"));
        fact_put(set, names.v[i], line, FACT_IDENTITY, "user");
    }
    for (size_t i = 0; context->declared && i < context->declared->n; i++)
        fact_put(set, context->declared->key[i], context->declared->value[i], FACT_IDENTITY,
                 "user");
}

const struct fact_ops fact_user = {
    .name = "user",
    .help = "declared by people",
    .read = read_user,
};
