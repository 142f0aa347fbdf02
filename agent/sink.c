/* SPDX-License-Identifier: GPL-3.0-or-later
 * Looks a sink up by name; the entries are in agent/sink/. */
#include "agent/sink.h"

#include <string.h>

const struct sink_ops *sink_find(const char *name)
{
    for (size_t i = 0; i < sink_registry_n; i++)
        if (strcmp(sink_registry[i]->name, name) == 0)
            return sink_registry[i];
    return NULL;
}
