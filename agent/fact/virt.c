/* SPDX-License-Identifier: GPL-3.0-or-later
 * Is this a guest, a container, and whose? */
#include "agent/fact.h"

#include <string.h>

static bool read_hypervisor(const struct platform *platform, struct fact_set *set)
{
    static const struct {
        const char *signature, *name;
    } known[] = {
        {"KVMKVMKVM",    "kvm"       },
        {"TCGTCGTCGTCG", "qemu"      },
        {"Microsoft Hv", "hyper-v"   },
        {"VMwareVMware", "vmware"    },
        {"XenVMMXenVMM", "xen"       },
        {"bhyve bhyve ", "bhyve"     },
        {"VBoxVBoxVBox", "virtualbox"},
        {"ACRNACRNACRN", "acrn"      },
    };
    uint32_t r[4];
    char signature[13] = {0};

    if (!platform_cpuid(platform, 1, 0, r) || !(r[2] & (1u << 31)))
        return false;
    const char *name = "unknown hypervisor";
    if (platform_cpuid(platform, 0x40000000, 0, r)) {
        memcpy(signature, &r[1], 4);
        memcpy(signature + 4, &r[2], 4);
        memcpy(signature + 8, &r[3], 4);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (str_starts(signature, known[i].signature))
                name = known[i].name;
    }
    fact_put(set, "virt.kind", name, FACT_IDENTITY, "cpuid");
    return true;
}

static void read_virt(const struct fact_context *context, struct fact_set *set)
{
    const struct platform *platform = context->platform;
    CLEAN_DONE(str) struct str text = {0};
    uint32_t r[4];

    const bool is_guest = read_hypervisor(platform, set);
    if (!is_guest && platform_cpuid(platform, 0, 0, r))
        fact_put(set, "virt.kind", "none", FACT_IDENTITY, "cpuid");
    fact_put_file(set, "virt.product", platform, "/sys/class/dmi/id/product_name", FACT_IDENTITY);
    fact_put_file(set, "virt.vendor", platform, "/sys/class/dmi/id/sys_vendor", FACT_IDENTITY);
    const char *container = "none";
    if (platform_exists(platform, "/.dockerenv"))
        container = "docker";
    else if (platform_exists(platform, "/run/.containerenv"))
        container = "podman";
    else if (platform_text(platform, "/run/systemd/container", &text) && text.length > 0)
        container = str_get(&text);
    fact_put(set, "virt.container", container, FACT_IDENTITY, "container marks");
}

const struct fact_ops fact_virt = {
    .name = "virt",
    .help = "hypervisor, container",
    .read = read_virt,
};
