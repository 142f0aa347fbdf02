/* SPDX-License-Identifier: GPL-3.0-or-later
 * What this host adds to every workload's environment: part of what the host is. */
#include "agent/fact.h"

#include <string.h>

static void read_env(const struct fact_context *context, struct fact_set *set)
{
    const struct strmap *env = context->host_env;

    /* workloads start with an environment of the agent's making: what it does not set is not set */
    fact_put(set, "libc.tunables", "none", FACT_IDENTITY, "agent's configuration");
    for (size_t i = 0; env && i < env->n; i++) {
        CLEAN_MEM char *name = mem_printf("env.%s", env->key[i]);

        fact_put(set, name, env->value[i], FACT_IDENTITY, "agent's configuration");
        if (strcmp(env->key[i], "GLIBC_TUNABLES") == 0)
            fact_put(set, "libc.tunables", env->value[i], FACT_IDENTITY, "agent's configuration");
    }
}

const struct fact_ops fact_env = {
    .name = "env",
    .help = "additions to every workload's environment",
    .read = read_env,
};
