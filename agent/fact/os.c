/* SPDX-License-Identifier: GPL-3.0-or-later
 * The distribution as its own file says. */
#include "agent/fact.h"

static void read_os(const struct fact_context *context, struct fact_set *set)
{
    static const struct {
        const char *field, *fact;
    } fields[] = {
        {"ID",               "os.id"      },
        {"VERSION_ID",       "os.version" },
        {"VERSION_CODENAME", "os.codename"},
        {"VARIANT_ID",       "os.variant" },
    };
    static const char *const places[] = {"/etc/os-release", "/usr/lib/os-release"};
    CLEAN_DONE(str) struct str text = {0}, value = {0};

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (platform_text(context->platform, places[i], &text)) {
            for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
                if (platform_field(str_get(&text), fields[k].field, '=', &value))
                    fact_put(set, fields[k].fact, str_get(&value), FACT_IDENTITY, places[i]);
            return;
        }
}

const struct fact_ops fact_os = {
    .name = "os",
    .help = "distribution, version",
    .read = read_os,
};
