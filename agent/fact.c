/* SPDX-License-Identifier: GPL-3.0-or-later
 * Runs the registry of facts; the entries are in agent/fact/. */
#include "agent/fact.h"

#include <string.h>

#include "model/limits.h"

void fact_put(struct fact_set *set, const char *name, const char *value, enum fact_kind kind,
              const char *from)
{
    CLEAN_MEM char *cut = NULL;

    if (value && strlen(value) > LIMIT_FACT_VALUE) {
        size_t length = LIMIT_FACT_VALUE;

        while (length > 0 && ((unsigned char)value[length] & 0xc0) == 0x80)
            length--;
        cut = mem_strndup(value, length);
        value = cut;
    }
    if (value && value[0] && fact_set_put(set, name, value, kind, from, NULL) < 0)
        return; /* control bytes, no UTF-8, too many: unknown */
}

void fact_put_number(struct fact_set *set, const char *name, double value, enum fact_kind kind,
                     const char *from)
{
    char text[32];

    str_from_double(value, text);
    if (strcmp(text, "null") != 0)
        fact_put(set, name, text, kind, from);
}

void fact_put_file(struct fact_set *set, const char *name, const struct platform *platform,
                   const char *path, enum fact_kind kind)
{
    CLEAN_DONE(str) struct str text = {0};

    if (platform_text(platform, path, &text))
        fact_put(set, name, str_get(&text), kind, path);
}

void fact_put_choice(struct fact_set *set, const char *name, const struct platform *platform,
                     const char *path, enum fact_kind kind)
{
    CLEAN_DONE(str) struct str text = {0};

    if (!platform_text(platform, path, &text))
        return;
    const char *open = strchr(str_get(&text), '['), *close = open ? strchr(open, ']') : NULL;
    if (!close)
        return;
    CLEAN_MEM char *word = mem_strndup(open + 1, (size_t)(close - open - 1));
    fact_put(set, name, word, kind, path);
}

struct fact_set *fact_read_all(const struct fact_context *context)
{
    struct fact_set *set = fact_set_new();

    for (size_t i = 0; i < fact_registry_n; i++)
        fact_registry[i]->read(context, set);
    return set;
}
