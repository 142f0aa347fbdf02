/* SPDX-License-Identifier: GPL-3.0-or-later
 * This boot of the kernel, and the machine as a hash: its own id never leaves the host. */
#include "agent/fact.h"

#include "base/digest.h"

#include <string.h>

static void read_boot(const struct fact_context *context, struct fact_set *set)
{
    const struct platform *platform = context->platform;
    CLEAN_DONE(str) struct str id = {0};
    char hash[DIGEST_SIZE];

    fact_put_file(set, "boot_id", platform, "/proc/sys/kernel/random/boot_id", FACT_STATE);
    if (platform_text(platform, "/etc/machine-id", &id) && id.length > 0) {
        CLEAN_MEM char *salted = mem_printf("muster machine %s", str_get(&id));

        digest_bytes(salted, strlen(salted), hash);
        fact_put(set, "machine_id_hash", hash, FACT_STATE, "/etc/machine-id, hashed");
    }
}

const struct fact_ops fact_boot = {
    .name = "boot",
    .help = "boot id, machine id as a hash",
    .read = read_boot,
};
