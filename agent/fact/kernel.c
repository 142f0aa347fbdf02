/* SPDX-License-Identifier: GPL-3.0-or-later
 * The kernel: release, build, command line, preemption, mitigations, scheduler, memory and layout
 * switches. */
#include "agent/fact.h"

#include <string.h>

/* "Linux version … #1 SMP PREEMPT_DYNAMIC …": the model in the build line. */
static void put_preemption(struct fact_set *set, const char *version)
{
    static const char *const models[] = {"PREEMPT_DYNAMIC", "PREEMPT_RT", "PREEMPT"};

    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strstr(version, models[i])) {
            fact_put(set, "kernel.preemption", models[i], FACT_IDENTITY, "/proc/version");
            return;
        }
    fact_put(set, "kernel.preemption", "none or voluntary", FACT_IDENTITY, "/proc/version");
}

static void read_version(const struct platform *platform, struct fact_set *set)
{
    CLEAN_DONE(str) struct str text = {0};

    fact_put_file(set, "kernel.release", platform, "/proc/sys/kernel/osrelease", FACT_IDENTITY);
    fact_put_file(set, "kernel.build", platform, "/proc/sys/kernel/version", FACT_IDENTITY);
    if (!platform_text(platform, "/proc/version", &text))
        return;
    put_preemption(set, str_get(&text));
    const char *gcc = strstr(str_get(&text), "gcc"), *clang = strstr(str_get(&text), "clang");
    if (gcc || clang)
        fact_put(set, "kernel.compiler", clang ? "clang" : "gcc", FACT_IDENTITY, "/proc/version");
}

/* What names a disk or an address, and what is not for the kernel, is left out. */
static void read_command_line(const struct platform *platform, struct fact_set *set)
{
    static const char *const dropped[] = {
        "root=", "BOOT_IMAGE=", "initrd=", "resume=", "ip=", "rd.luks", "crashkernel="};
    CLEAN_DONE(str) struct str text = {0}, kept = {0};
    char *rest = NULL;

    if (!platform_text(platform, "/proc/cmdline", &text) || !text.text)
        return;
    for (char *word = strtok_r(text.text, " \n", &rest); word;
         word = strtok_r(NULL, " \n", &rest)) {
        bool keep = true;

        if (strcmp(word, "--") == 0) /* what follows is for the first program */
            break;
        for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
            keep = keep && !str_starts(word, dropped[i]);
        if (keep)
            str_addf(&kept, "%s%s", kept.length ? " " : "", word);
    }
    fact_put(set, "kernel.cmdline", str_get(&kept), FACT_IDENTITY, "/proc/cmdline");
}

static void read_mitigations(const struct platform *platform, struct fact_set *set)
{
    static const char dir[] = "/sys/devices/system/cpu/vulnerabilities";
    CLEAN_DONE(strlist) struct strlist names = {0};
    CLEAN_DONE(str) struct str text = {0};

    platform_names(platform, dir, &names);
    for (size_t i = 0; i < names.n; i++) {
        CLEAN_MEM char *path = mem_printf("%s/%s", dir, names.v[i]);
        CLEAN_MEM char *name = mem_printf("mitigation.%s", names.v[i]);

        if (platform_text(platform, path, &text))
            fact_put(set, name, str_get(&text), FACT_IDENTITY, path);
    }
}

static void read_switches(const struct platform *platform, struct fact_set *set)
{
    static const struct {
        const char *fact, *path;
        enum fact_kind kind;
    } files[] = {
        {"kernel.aslr",           "/proc/sys/kernel/randomize_va_space",      FACT_STATE},
        {"kernel.perf_paranoid",  "/proc/sys/kernel/perf_event_paranoid",     FACT_STATE},
        {"kernel.autogroup",      "/proc/sys/kernel/sched_autogroup_enabled", FACT_STATE},
        {"kernel.numa_balancing", "/proc/sys/kernel/numa_balancing",          FACT_STATE},
        {"kernel.nmi_watchdog",   "/proc/sys/kernel/nmi_watchdog",            FACT_STATE},
        {"kernel.swappiness",     "/proc/sys/vm/swappiness",                  FACT_STATE},
        {"kernel.overcommit",     "/proc/sys/vm/overcommit_memory",           FACT_STATE},
        {"kernel.ksm",            "/sys/kernel/mm/ksm/run",                   FACT_STATE},
        {"kernel.lru_gen",        "/sys/kernel/mm/lru_gen/enabled",           FACT_STATE},
        {"kernel.tainted",        "/proc/sys/kernel/tainted",                 FACT_STATE},
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        fact_put_file(set, files[i].fact, platform, files[i].path, files[i].kind);
    fact_put_choice(set, "kernel.thp", platform, "/sys/kernel/mm/transparent_hugepage/enabled",
                    FACT_STATE);
    fact_put_choice(set, "kernel.thp_defrag", platform,
                    "/sys/kernel/mm/transparent_hugepage/defrag", FACT_STATE);
}

static void read_kernel(const struct fact_context *context, struct fact_set *set)
{
    read_version(context->platform, set);
    read_command_line(context->platform, set);
    read_mitigations(context->platform, set);
    read_switches(context->platform, set);
}

const struct fact_ops fact_kernel = {
    .name = "kernel",
    .help = "release, command line, mitigations, switches",
    .read = read_kernel,
};
