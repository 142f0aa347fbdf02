/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which CPU it is, by CPUID where there is one, else by /proc/cpuinfo (ARM, canned hosts). Where
 * both speak and differ, the CPU wins and the difference is a fact. Flags are facts one by one, and
 * only those that choose code paths.
 */
#include "agent/fact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/platform/microarch.h"

struct cpu {
    char vendor[16];
    unsigned family, model, stepping;
    bool is_known;
};

static void name_vendor(const char *id, char ret[16])
{
    static const struct {
        const char *id, *name;
    } known[] = {
        {"GenuineIntel", "Intel"  },
        {"AuthenticAMD", "AMD"    },
        {"HygonGenuine", "Hygon"  },
        {"CentaurHauls", "VIA"    },
        {"  Shanghai  ", "Zhaoxin"},
    };

    snprintf(ret, 16, "%.15s", id);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].id, id) == 0)
            snprintf(ret, 16, "%s", known[i].name);
}

/* Family and model as the manuals combine them from base and extended fields. */
static void read_cpuid(const struct platform *platform, struct cpu *cpu)
{
    uint32_t r[4];
    char id[13] = {0};

    if (!platform_cpuid(platform, 0, 0, r))
        return;
    memcpy(id, &r[1], 4);
    memcpy(id + 4, &r[3], 4);
    memcpy(id + 8, &r[2], 4);
    name_vendor(id, cpu->vendor);
    if (!platform_cpuid(platform, 1, 0, r))
        return;
    const unsigned base = r[0] >> 8 & 0xf;
    cpu->family = base == 0xf ? base + (r[0] >> 20 & 0xff) : base;
    cpu->model = (r[0] >> 4 & 0xf) | (base == 6 || base == 0xf ? r[0] >> 12 & 0xf0 : 0);
    cpu->stepping = r[0] & 0xf;
    cpu->is_known = true;
}

static unsigned field_number(const char *text, const char *name, int base, bool *ret_found)
{
    CLEAN_DONE(str) struct str value = {0};

    *ret_found = platform_field(text, name, ':', &value);
    return *ret_found ? (unsigned)strtoul(str_get(&value), NULL, base) : 0;
}

static void read_cpuinfo(const char *text, struct cpu *cpu)
{
    CLEAN_DONE(str) struct str value = {0};
    bool has_family, has_model, has_stepping;

    if (!platform_field(text, "vendor_id", ':', &value))
        return;
    name_vendor(str_get(&value), cpu->vendor);
    cpu->family = field_number(text, "cpu family", 10, &has_family);
    cpu->model = field_number(text, "model", 10, &has_model);
    cpu->stepping = field_number(text, "stepping", 10, &has_stepping);
    cpu->is_known = has_family && has_model;
}

static void put_x86(const struct cpu *cpu, const char *from, struct fact_set *set)
{
    fact_put(set, "cpu.vendor", cpu->vendor, FACT_IDENTITY, from);
    fact_put_number(set, "cpu.family", cpu->family, FACT_IDENTITY, from);
    fact_put_number(set, "cpu.model", cpu->model, FACT_IDENTITY, from);
    fact_put_number(set, "cpu.stepping", cpu->stepping, FACT_IDENTITY, from);
    fact_put(set, "cpu.microarchitecture", microarch_x86(cpu->vendor, cpu->family, cpu->model),
             FACT_IDENTITY, from);
}

static void put_arm(const char *text, struct fact_set *set)
{
    bool has_implementer, has_part, has_revision;
    const unsigned implementer = field_number(text, "CPU implementer", 16, &has_implementer);
    const unsigned part = field_number(text, "CPU part", 16, &has_part);
    const unsigned revision = field_number(text, "CPU revision", 10, &has_revision);

    if (!has_implementer || !has_part)
        return;
    CLEAN_MEM char *vendor = mem_printf("0x%02x", implementer);
    fact_put(set, "cpu.vendor", implementer == 0x41 ? "ARM" : vendor, FACT_IDENTITY,
             "/proc/cpuinfo");
    fact_put_number(set, "cpu.model", part, FACT_IDENTITY, "/proc/cpuinfo");
    if (has_revision)
        fact_put_number(set, "cpu.stepping", revision, FACT_IDENTITY, "/proc/cpuinfo");
    fact_put(set, "cpu.microarchitecture", microarch_arm(implementer, part), FACT_IDENTITY,
             "/proc/cpuinfo");
}

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);

    for (const char *p = words; p && *p; p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL)
        if (strncmp(p, word, length) == 0 && (p[length] == ' ' || p[length] == '\0'))
            return true;
    return false;
}

/* The flags that libraries and compilers dispatch on. */
static void put_flags(const char *text, struct fact_set *set)
{
    static const char *const wanted[] = {
        "sse3",        "pni",        "ssse3", "sse4_1",       "sse4_2",      "popcnt",   "avx",
        "avx2",        "fma",        "bmi1",  "bmi2",         "avx512f",     "avx512bw", "avx512vl",
        "avx512_vnni", "amx_tile",   "aes",   "sha_ni",       "erms",        "fsrm",     "adx",
        "rdrand",      "clflushopt", "rtm",   "constant_tsc", "nonstop_tsc", "pcid",     "invpcid",
        "pdpe1gb",     "asimd",      "sve",   "sve2",         "atomics",     "sha2",     "crc32"};
    CLEAN_DONE(str) struct str flags = {0};

    if (!platform_field(text, "flags", ':', &flags) &&
        !platform_field(text, "Features", ':', &flags))
        return;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        CLEAN_MEM char *name = mem_printf("cpu.flag.%s", wanted[i]);

        fact_put(set, name, has_word(str_get(&flags), wanted[i]) ? "yes" : "no", FACT_IDENTITY,
                 "/proc/cpuinfo");
    }
}

static void put_words(const char *text, struct fact_set *set)
{
    CLEAN_DONE(str) struct str value = {0};

    if (platform_field(text, "model name", ':', &value))
        fact_put(set, "cpu.name", str_get(&value), FACT_IDENTITY, "/proc/cpuinfo");
    if (platform_field(text, "microcode", ':', &value))
        fact_put(set, "cpu.microcode", str_get(&value), FACT_IDENTITY, "/proc/cpuinfo");
    if (platform_field(text, "address sizes", ':', &value))
        fact_put(set, "cpu.address_sizes", str_get(&value), FACT_IDENTITY, "/proc/cpuinfo");
}

static void read_cpu(const struct fact_context *context, struct fact_set *set)
{
    CLEAN_DONE(str) struct str text = {0}, machine = {0};
    struct cpu by_cpu = {.is_known = false}, by_kernel = {.is_known = false};

    if (platform_machine(context->platform, &machine))
        fact_put(set, "cpu.architecture", str_get(&machine), FACT_IDENTITY, "uname");
    platform_text(context->platform, "/proc/cpuinfo", &text);
    read_cpuid(context->platform, &by_cpu);
    read_cpuinfo(str_get(&text), &by_kernel);
    if (by_cpu.is_known)
        put_x86(&by_cpu, "cpuid", set);
    else if (by_kernel.is_known)
        put_x86(&by_kernel, "/proc/cpuinfo", set);
    else
        put_arm(str_get(&text), set);
    if (by_cpu.is_known && by_kernel.is_known)
        fact_put(set, "cpu.cpuinfo_agrees",
                 strcmp(by_cpu.vendor, by_kernel.vendor) == 0 &&
                         by_cpu.family == by_kernel.family && by_cpu.model == by_kernel.model
                     ? "yes"
                     : "no",
                 FACT_IDENTITY, "cpuid, /proc/cpuinfo");
    put_words(str_get(&text), set);
    put_flags(str_get(&text), set);
}

const struct fact_ops fact_cpu = {
    .name = "cpu",
    .help = "vendor, model, microarchitecture, microcode, flags",
    .read = read_cpu,
};
