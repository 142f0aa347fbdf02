/* SPDX-License-Identifier: GPL-3.0-or-later
 * Facts and metrics of canned hosts, and what every entry of both registries must keep to. */
#include "agent/fact.h"
#include "agent/metrics.h"
#include "agent/platform/busy.h"
#include "agent/platform/cgroup.h"
#include "agent/quiet.h"
#include "unit/agent/agent_fixture.h"

#include <math.h>

struct want {
    const char *name, *value; /* NULL: unknown */
};

static struct fact_set *facts_of(const char *host, const struct strmap *env)
{
    CLEAN_MEM char *root = mem_printf(TEST_SOURCE_DIR "/tests/cases/hosts/%s", host);
    struct platform platform;

    platform_init(&platform, root);
    const struct fact_context context = {
        .platform = &platform, .work_dir = "/var/lib/muster/work/v00/w", .host_env = env};
    struct fact_set *set = fact_read_all(&context);
    platform_done(&platform);
    return set;
}

static void check_host(const char *host, const struct want *want, size_t n)
{
    CLEAN(fact_set) struct fact_set *set = facts_of(host, NULL);

    for (size_t i = 0; i < n; i++) {
        const char *got = fact_set_get(set, want[i].name);

        if (!str_eq(got, want[i].value))
            fail_msg("%s: %s: want %s, got %s", host, want[i].name,
                     want[i].value ? want[i].value : "nothing", got ? got : "nothing");
    }
}

#define CHECK_HOST(host, ...)                                                                      \
    do {                                                                                           \
        static const struct want want[] = {__VA_ARGS__};                                           \
        check_host((host), want, sizeof want / sizeof *want);                                      \
    } while (0)

static void old_hosts_are_named(void **state)
{
    (void)state;
    CHECK_HOST("core2-2.6", {"cpu.vendor", "Intel"}, {"cpu.family", "6"}, {"cpu.model", "15"},
               {"cpu.stepping", "11"}, {"cpu.microarchitecture", "Core 2"},
               {"kernel.release", "2.6.18-398.el5"}, {"kernel.preemption", "none or voluntary"},
               {"kernel.compiler", "gcc"}, {"cgroup.kind", "none"}, {"cpu.flag.ssse3", "yes"},
               {"cpu.flag.avx2", "no"}, {"os.id", NULL}, {"cpu.governor", NULL},
               {"virt.kind", "none"}, {"memory.total_mib", "1984"});
    CHECK_HOST("k8", {"cpu.vendor", "AMD"}, {"cpu.family", "15"}, {"cpu.model", "5"},
               {"cpu.microarchitecture", "K8"}, {"cgroup.kind", "v1"});
    CHECK_HOST("k10", {"cpu.family", "16"}, {"cpu.microarchitecture", "K10"},
               {"cgroup.kind", "hybrid"}, {"cpu.governor", "ondemand"}, {"cpu.turbo", "on"},
               {"cpu.frequency_driver", "acpi-cpufreq"});
}

static void a_server_is_described(void **state)
{
    (void)state;
    CHECK_HOST("zen2", {"cpu.microarchitecture", "Zen 2"}, {"cpu.microcode", "0x830107a"},
               {"cpu.cpuinfo_agrees", "yes"}, {"kernel.preemption", "PREEMPT_DYNAMIC"},
               {"kernel.cmdline", "ro quiet mitigations=off"}, {"cgroup.kind", "v2"},
               {"cpu.online", "128"}, {"cpu.sockets", "2"}, {"cpu.threads_per_core", "2"},
               {"cpu.cores", "64"}, {"cpu.smt", "on"}, {"cache.l1d_kib", "32"},
               {"cache.l3_kib", "16384"}, {"cache.l3_shared_by", "8"}, {"cache.line_bytes", "64"},
               {"numa.nodes", "4"}, {"kernel.thp", "madvise"},
               {"mitigation.spectre_v2", "Vulnerable"}, {"clock.source", "tsc"},
               {"memory.free_order9", "12"}, {"os.id", "debian"}, {"os.version", "12"},
               {"workdir.filesystem", "xfs"}, {"workdir.options", "rw,noatime"},
               {"workdir.disk", "rotating"}, {"rack", "r12"}, {"compiler.gcc", "12"},
               {"compiler.clang", "14"});
}

static void the_machine_id_leaves_as_a_hash_only(void **state)
{
    CLEAN(fact_set) struct fact_set *set = facts_of("zen2", NULL);

    (void)state;
    assert_int_equal(strlen(fact_set_get(set, "machine_id_hash")), 64);
    for (size_t i = 0; i < set->n; i++)
        if (strstr(set->v[i].value, "0123456789abcdef0123456789abcdef"))
            fail_msg("%s holds the machine id", set->v[i].name);
}

static void the_cpu_wins_over_the_kernel_and_guests_are_seen(void **state)
{
    (void)state;
    CHECK_HOST("skylake-guest", {"cpu.vendor", "Intel"}, {"cpu.microarchitecture", "Skylake-X"},
               {"cpu.cpuinfo_agrees", "no"}, {"virt.kind", "kvm"}, {"os.id", "ubuntu"},
               {"os.version", "22.04"}, {"cpu.flag.avx512f", "yes"});
}

static void containers_on_arm_are_described(void **state)
{
    (void)state;
    CHECK_HOST("arm64-container", {"cpu.architecture", "aarch64"}, {"cpu.vendor", "ARM"},
               {"cpu.microarchitecture", "Neoverse N1"}, {"cpu.flag.asimd", "yes"},
               {"cgroup.cpu_quota", "0.25"}, {"cgroup.memory_mib", "512"},
               {"virt.container", "docker"}, {"libc.kind", "musl"}, {"libc.build_id", NULL},
               {"cgroup.cpus_allowed", "0-1"}, {"process.seccomp", "2"}, {"os.id", "alpine"});
}

static void an_unreadable_host_has_no_made_up_facts(void **state)
{
    CLEAN(fact_set) struct fact_set *set = facts_of("bare", NULL);

    (void)state;
    CHECK_HOST("bare", {"cpu.architecture", "riscv64"}, {"cpu.vendor", NULL},
               {"kernel.release", NULL}, {"memory.total_mib", NULL}, {"boot_id", NULL},
               {"virt.kind", NULL}, {"libc.kind", NULL});
    assert_true(set->n <= 5);
}

static void host_environment_is_a_fact(void **state)
{
    CLEAN_DONE(strmap) struct strmap env = {0};

    (void)state;
    strmap_set(&env, "GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2");
    CLEAN(fact_set) struct fact_set *set = facts_of("bare", &env);
    assert_string_equal(fact_set_get(set, "env.GLIBC_TUNABLES"), "glibc.cpu.hwcaps=-AVX2");
    assert_string_equal(fact_set_get(set, "libc.tunables"), "glibc.cpu.hwcaps=-AVX2");
}

static void this_host_says_what_it_is(void **state)
{
    struct platform platform;

    (void)state;
    platform_init(&platform, NULL);
    const struct fact_context context = {.platform = &platform, .work_dir = "/"};
    CLEAN(fact_set) struct fact_set *first = fact_read_all(&context);
    CLEAN(fact_set) struct fact_set *second = fact_read_all(&context);
    char a[DIGEST_SIZE], b[DIGEST_SIZE];

    if (getenv("SHOW_FACTS"))
        for (size_t i = 0; i < first->n; i++)
            printf("%s = %s (%s)\n", first->v[i].name, first->v[i].value, first->v[i].from);
    assert_non_null(fact_set_get(first, "boot_id"));
    assert_non_null(fact_set_get(first, "kernel.release"));
    assert_non_null(fact_set_get(first, "cpu.architecture"));
    fact_set_digest(first, true, a);
    fact_set_digest(second, true, b);
    assert_string_equal(a, b); /* identity does not drift */
    platform_done(&platform);
}

/* ---- every metric, on every host ---- */

static void metrics_say_why_they_are_missing(void **state)
{
    static const char *const hosts[] = {"core2-2.6", "k8", "zen2", "arm64-container", "bare"};

    (void)state;
    for (size_t h = 0; h < sizeof hosts / sizeof *hosts; h++) {
        CLEAN_MEM char *root = mem_printf(TEST_SOURCE_DIR "/tests/cases/hosts/%s", hosts[h]);
        CLEAN(metrics) struct metrics *metrics = metrics_new();
        CLEAN(frame) struct frame *frame = frame_new();
        const struct child_result result = {.elapsed_ns = 5 * CLK_NS_PER_MS,
                                            .cgroup_cpu_ns = -1,
                                            .cgroup_peak_kib = (double)NAN,
                                            .read_bytes = -1,
                                            .write_bytes = -1,
                                            .run_delay_ns = -1};
        struct platform platform;

        platform_init(&platform, root);
        metrics_begin(metrics, &platform);
        frame_add_row(frame);
        metrics_end(metrics, &platform, &result, frame, 0);
        for (size_t i = 0; i < metric_registry_n; i++)
            for (size_t k = 0; metric_registry[i]->column[k].name; k++) {
                const struct metric_column *column = &metric_registry[i]->column[k];
                const double *v = frame_find_number(frame, column->name);
                const char *why =
                    metric_registry[i]->missing ? metric_registry[i]->missing(&platform, k) : NULL;

                assert_non_null(v);
                assert_true(str_is_name(column->name) && column->help[0] && column->unit);
                if (why && !isnan(v[0]))
                    fail_msg("%s on %s: missing (%s), but it is %g", column->name, hosts[h], why,
                             v[0]);
            }
        assert_true(frame_find_number(frame, "elapsed_s")[0] == 0.005);
        platform_done(&platform);
    }
}

static void registries_are_named_once(void **state)
{
    CLEAN_DONE(strlist) struct strlist columns = {0};

    (void)state;
    for (size_t i = 0; i < metric_registry_n; i++)
        for (size_t k = 0; metric_registry[i]->column[k].name; k++) {
            assert_false(strlist_has(&columns, metric_registry[i]->column[k].name));
            strlist_add(&columns, metric_registry[i]->column[k].name);
        }
    for (size_t i = 0; i < fact_registry_n; i++)
        assert_true(fact_registry[i]->name[0] && fact_registry[i]->help[0] &&
                    fact_registry[i]->read != NULL);
}

static void busy_time_leaves_idle_wait_and_steal_out(void **state)
{
    struct platform platform;
    struct busy busy;

    (void)state;
    platform_init(&platform, TEST_SOURCE_DIR "/tests/cases/hosts/zen2");
    busy_read(&platform, &busy);
    assert_true(busy.is_known);
    assert_true(fabs(busy.busy_s - 15.30) < 1e-9); /* 1000 + 10 + 500 + 5 + 15 ticks of 10 ms */
    assert_true(fabs(busy.steal_s - 0.07) < 1e-9);
    platform_done(&platform);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_hosts_are_named),
        cmocka_unit_test(a_server_is_described),
        cmocka_unit_test(the_machine_id_leaves_as_a_hash_only),
        cmocka_unit_test(the_cpu_wins_over_the_kernel_and_guests_are_seen),
        cmocka_unit_test(containers_on_arm_are_described),
        cmocka_unit_test(an_unreadable_host_has_no_made_up_facts),
        cmocka_unit_test(host_environment_is_a_fact),
        cmocka_unit_test(this_host_says_what_it_is),
        cmocka_unit_test(metrics_say_why_they_are_missing),
        cmocka_unit_test(registries_are_named_once),
        cmocka_unit_test(busy_time_leaves_idle_wait_and_steal_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
