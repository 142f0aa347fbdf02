/* SPDX-License-Identifier: GPL-3.0-or-later
 * One sample against what is known of it: how it ended, what it used, what it left behind. */
#define _GNU_SOURCE /* personality's constants, ptrace-free process tricks of the workloads */
#include "agent/sink.h"
#include "unit/agent/agent_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* ---- workloads ---- */

static double cpu_used(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void burn(double seconds)
{
    const double until = cpu_used() + seconds; /* getting here cost something already */
    volatile unsigned long sum = 0;

    while (cpu_used() < until)
        for (int i = 0; i < 10000; i++)
            sum += (unsigned long)i;
}

/* A child burns and a grandchild burns; nobody waits for either. */
static int burn_unwaited(double seconds)
{
    int gate[2];
    char byte;

    if (pipe(gate) < 0)
        return 1;
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            close(gate[0]);
            burn(seconds);
            _exit(0); /* its end of the gate closes */
        }
    close(gate[1]);
    while (read(gate[0], &byte, 1) > 0) /* until both are done */
        continue;
    return 0;
}

static int touch_memory(size_t mib)
{
    char *memory =
        mmap(NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return 1;
    for (size_t i = 0; i < mib << 20; i += 4096)
        memory[i] = 1;
    return 0;
}

static int switch_often(int n)
{
    struct timespec t = {.tv_nsec = 100000};

    for (int i = 0; i < n; i++)
        nanosleep(&t, NULL);
    return 0;
}

static int count_descriptors(void)
{
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            return 1;
    return 0;
}

static int fork_many(int n)
{
    for (int i = 0; i < n; i++)
        if (fork() == 0) {
            pause();
            _exit(0);
        }
    return 0;
}

static int be_workload(const char *word, const char *arg)
{
    if (strcmp(word, "burn") == 0)
        return burn(strtod(arg, NULL)), 0;
    if (strcmp(word, "unwaited") == 0)
        return burn_unwaited(strtod(arg, NULL));
    if (strcmp(word, "memory") == 0)
        return touch_memory((size_t)strtol(arg, NULL, 10));
    if (strcmp(word, "switches") == 0)
        return switch_often((int)strtol(arg, NULL, 10));
    if (strcmp(word, "descriptors") == 0)
        return count_descriptors();
    if (strcmp(word, "forks") == 0)
        return fork_many((int)strtol(arg, NULL, 10));
    return 99;
}

/* ---- how it ends ---- */

static void child_reports_exit_code(void **state)
{
    CLEAN_DONE(child_result) struct child_result result = {0};

    run_shell(*state, "exit 7", &result);
    assert_end(&result, CHILD_EXITED, 7);
    assert_true(result.elapsed_ns > 0);
    assert_int_equal(result.leftovers, 0);
}

static void child_reports_signal(void **state)
{
    CLEAN_DONE(child_result) struct child_result result = {0};

    run_shell(*state, "kill -SEGV $$", &result);
    assert_end(&result, CHILD_SIGNALLED, SIGSEGV);
}

static void child_that_cannot_be_executed_says_why(void **state)
{
    CLEAN_DONE(child_result) struct child_result result = {0};
    struct child_spec spec;

    spec_init(&spec);
    strlist_add(&spec.argv, "./no-such-program");
    run_spec(*state, &spec, &result);
    assert_end(&result, CHILD_NOT_STARTED, ENOENT);
    assert_non_null(strstr(result.why, "exec"));
    child_result_done(&result);

    spec_shell(&spec, "true");
    spec.cwd = mem_strdup("/no/such/directory");
    run_spec(*state, &spec, &result);
    assert_end(&result, CHILD_NOT_STARTED, ENOENT);
    assert_non_null(strstr(result.why, "directory"));
}

static void child_is_found_along_its_own_path(void **state)
{
    CLEAN_DONE(child_result) struct child_result result = {0};
    struct child_spec spec;

    spec_init(&spec);
    strlist_add(&spec.argv, "true");
    run_spec(*state, &spec, &result);
    assert_end(&result, CHILD_EXITED, 0);
}

static void child_killing_its_group_ends_only_itself(void **state)
{
    CLEAN_DONE(child_result) struct child_result result = {0};

    run_shell(*state, "kill -KILL 0", &result);
    assert_end(&result, CHILD_SIGNALLED, SIGKILL);
    child_result_done(&result);
    run_shell(*state, "exit 0", &result);
    assert_end(&result, CHILD_EXITED, 0);
}

/* ---- trees ---- */

static bool is_alive(const char *pid_file)
{
    CLEAN_DONE(str) struct str text = {0};

    assert_int_equal(fdio_read_file(pid_file, 64, &text, NULL), 0);
    const pid_t pid = (pid_t)strtol(str_get(&text), NULL, 10);
    assert_true(pid > 1);
    return kill(pid, 0) == 0;
}

static void child_timeout_kills_the_whole_tree(void **state)
{
    struct place *place = *state;
    CLEAN_DONE(child_result) struct child_result result = {0};
    CLEAN_MEM char *file = mem_printf("%s/grandchild", place->directory);
    CLEAN_MEM char *line = mem_printf(
        "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ > %s; sleep 1000' & sleep 1000", file);
    struct child_spec spec;

    spec_shell(&spec, line);
    spec.timeout_ns = CLK_NS_PER_S / 2;
    run_spec(place, &spec, &result);
    assert_end(&result, CHILD_TIMEOUT, 0);
    assert_false(is_alive(file));
}

static void child_leftovers_are_killed_and_counted(void **state)
{
    struct place *place = *state;
    CLEAN_DONE(child_result) struct child_result result = {0};
    CLEAN_MEM char *file = mem_printf("%s/daemon", place->directory);
    /* A daemon by the book: own session, parent gone, stdout closed. It ends only when it is
     * killed. */
    CLEAN_MEM char *line =
        mem_printf("setsid sh -c 'echo $$ > %s.new; mv %s.new %s; exec sleep 1000' "
                   ">/dev/null 2>&1 & while ! test -e %s; do sleep 0.01; done",
                   file, file, file, file);

    run_shell(place, line, &result);
    assert_end(&result, CHILD_EXITED, 0);
    assert_int_equal(result.leftovers, 1);
    assert_false(is_alive(file));
}

static void child_that_forks_many_leaves_nothing(void **state)
{
    CLEAN_DONE(child_result) struct child_result result = {0};
    struct child_spec spec;

    spec_self(&spec, "forks", "500");
    run_spec(*state, &spec, &result);
    assert_end(&result, CHILD_EXITED, 0);
    assert_int_equal(result.leftovers, 500);
    child_result_done(&result);
    run_shell(*state, "exit 0", &result);
    assert_int_equal(result.leftovers, 0);
}

static void child_is_stopped_on_request(void **state)
{
    struct place *place = *state;
    CLEAN_DONE(child_result) struct child_result result = {0};
    CLEAN_DONE(child_spec) struct child_spec spec;

    spec_shell(&spec, "sleep 1000");
    must(keeper_run(place->keeper, &spec, err));
    must(keeper_stop(place->keeper, err));
    must(keeper_result(place->keeper, &result, err));
    assert_end(&result, CHILD_STOPPED, 0);
    child_result_done(&result);
    must(keeper_stop(place->keeper, err)); /* nothing runs: harmless */
    run_shell(place, "exit 3", &result);
    assert_end(&result, CHILD_EXITED, 3);
}

/* ---- accounts ---- */

static void assert_near(const char *what, double want, double got, double by)
{
    if (!(fabs(want - got) <= by))
        fail_msg("%s: want %g within %g, got %g", what, want, by, got);
}

/* What this program costs when it does nothing (sanitizers make that a lot). */
static void run_idle(struct place *place, struct child_result *result)
{
    struct child_spec spec;

    spec_self(&spec, "burn", "0");
    run_spec(place, &spec, result);
    assert_end(result, CHILD_EXITED, 0);
}

static double cpu_of(const struct child_result *result)
{
    return (double)(result->user_ns + result->sys_ns) / 1e9;
}

static void child_cpu_of_unwaited_children_is_counted(void **state)
{
    CLEAN_DONE(child_result) struct child_result idle = {0}, result = {0};
    struct child_spec spec;

    run_idle(*state, &idle);
    spec_self(&spec, "unwaited", "0.3");
    run_spec(*state, &spec, &result);
    assert_end(&result, CHILD_EXITED, 0);
    assert_near("by wait4, orphans included", 0.6, cpu_of(&result) - cpu_of(&idle), 0.09);
    if (result.cgroup_cpu_ns >= 0)
        assert_near("by the group", 0.6, (double)(result.cgroup_cpu_ns - idle.cgroup_cpu_ns) / 1e9,
                    0.09);
}

static void child_cpu_of_itself_is_counted(void **state)
{
    CLEAN_DONE(child_result) struct child_result idle = {0}, result = {0};
    struct child_spec spec;

    run_idle(*state, &idle);
    spec_self(&spec, "burn", "0.3");
    run_spec(*state, &spec, &result);
    assert_near("cpu", 0.3, cpu_of(&result) - cpu_of(&idle), 0.06);
    assert_true(result.elapsed_ns >= 300 * CLK_NS_PER_MS);
}

static void child_faults_switches_and_memory_are_counted(void **state)
{
    enum { MIB = 256 };
    CLEAN_DONE(child_result) struct child_result none = {0}, result = {0};
    struct child_spec spec;

    spec_self(&spec, "memory", "0");
    run_spec(*state, &spec, &none);
    spec_self(&spec, "memory", "256");
    run_spec(*state, &spec, &result);
    assert_end(&result, CHILD_EXITED, 0);
    assert_true(result.maxrss_kib >= MIB * 1024);
    /* a sanitizer's shadow is an eighth more */
    assert_true(result.maxrss_kib <= MIB * 1024 / 8 * 9 + none.maxrss_kib);
    /* one fault a page, fewer where the kernel hands out huge pages */
    assert_true(result.minflt > none.minflt + MIB / 4);
    assert_true(result.minflt < none.minflt + MIB * 256 / 8 * 9 + 5000);
    child_result_done(&result);

    spec_self(&spec, "switches", "50");
    run_spec(*state, &spec, &result);
    assert_near("voluntary switches", 50, (double)(result.nvcsw - none.nvcsw), 10);
}

static void child_inherits_no_descriptors(void **state)
{
    CLEAN_DONE(child_result) struct child_result result = {0};
    struct child_spec spec;

    spec_self(&spec, "descriptors", "");
    run_spec(*state, &spec, &result);
    assert_end(&result, CHILD_EXITED, 0);
}

static void child_user_and_memory_limits_hold(void **state)
{
    CLEAN_DONE(child_result) struct child_result result = {0};
    struct child_spec spec;

    spec_self(&spec, "memory", "256");
    spec.memory_bytes = 64 << 20;
    run_spec(*state, &spec, &result);
    assert_false(result.end == CHILD_EXITED && result.status == 0);
    child_result_done(&result);
    spec_self(&spec, "memory", "256"); /* the limit was of that sample alone */
    run_spec(*state, &spec, &result);
    assert_end(&result, CHILD_EXITED, 0);
    if (geteuid() != 0)
        return;
    child_result_done(&result);
    spec_shell(&spec, "test $(id -u) != 0 && test $(id -g) != 0");
    spec.user = mem_strdup("nobody");
    run_spec(*state, &spec, &result);
    assert_end(&result, CHILD_EXITED, 0);
}

static void child_without_network_sees_no_interfaces(void **state)
{
    CLEAN_DONE(child_result) struct child_result result = {0};
    struct child_spec spec;

    if (geteuid() != 0)
        skip();
    spec_shell(&spec, "test $(grep -c : /proc/net/dev) = 1"); /* lo alone */
    spec.no_network = true;
    run_spec(*state, &spec, &result);
    assert_end(&result, CHILD_EXITED, 0);
}

static void child_without_aslr_has_one_layout(void **state)
{
    CLEAN_DONE(child_result) struct child_result first = {0}, second = {0};
    struct child_spec spec;

    for (int i = 0; i < 2; i++) {
        spec_shell(&spec, "grep stack /proc/self/maps");
        spec.aslr_off = true;
        run_spec(*state, &spec, i ? &second : &first);
    }
    assert_string_equal(str_get(&first.output), str_get(&second.output));
}

/* ---- output ---- */

static void sinks_deliver_the_same_bytes(void **state)
{
    CLEAN_DONE(str) struct str want = {0};

    for (int i = 1; i <= 2000; i++)
        str_addf(&want, "%d\tline\r\n", i);
    for (size_t i = 0; i < sink_registry_n; i++) {
        CLEAN_DONE(child_result) struct child_result result = {0};
        struct child_spec spec;

        spec_shell(&spec, "i=1; while [ $i -le 2000 ]; do printf '%d\\tline\\r\\n' $i; i=$((i+1)); "
                          "done; echo oops >&2");
        spec.sink = mem_strdup(sink_registry[i]->name);
        run_spec(*state, &spec, &result);
        assert_end(&result, CHILD_EXITED, 0);
        assert_string_equal(str_get(&result.error), "oops\n");
        if (strcmp(sink_registry[i]->name, "null") == 0) {
            assert_int_equal(result.output.length, 0);
            continue;
        }
        if (strcmp(str_get(&want), str_get(&result.output)) != 0)
            fail_msg("%s: want %zu bytes as written, got %zu others", sink_registry[i]->name,
                     want.length, result.output.length);
    }
}

static void output_over_the_cap_keeps_both_ends(void **state)
{
    static const char *const sinks[] = {"pipe", "socketpair", "file"};

    for (size_t i = 0; i < sizeof sinks / sizeof *sinks; i++) {
        CLEAN_DONE(child_result) struct child_result result = {0};
        const bool is_file = strcmp(sinks[i], "file") == 0;
        struct child_spec spec;

        /* 1 GiB through a pipe, less where it would fill a disk */
        spec_shell(&spec, is_file ? "echo begin; head -c 67108864 /dev/zero; echo; echo end"
                                  : "echo begin; head -c 1073741824 /dev/zero; echo; echo end");
        spec.sink = mem_strdup(sinks[i]);
        run_spec(*state, &spec, &result);
        assert_end(&result, CHILD_EXITED, 0);
        assert_int_equal(result.output_bytes, (is_file ? 67108864 : 1073741824) + 11);
        assert_true(result.output.length <= 1024 * 1024 + 64);
        assert_memory_equal(result.output.text, "begin\n", 6);
        assert_memory_equal(result.output.text + result.output.length - 5, "\nend\n", 5);
    }
}

static void child_that_closes_its_descriptors_is_still_followed(void **state)
{
    CLEAN_DONE(child_result) struct child_result result = {0};

    run_shell(*state, "exec 0<&- 1>&- 2>&-; sleep 0.1; exit 4", &result);
    assert_end(&result, CHILD_EXITED, 4);
    assert_true(result.elapsed_ns >= 100 * CLK_NS_PER_MS);
}

static void child_environment_is_exactly_what_was_given(void **state)
{
    CLEAN_DONE(child_result) struct child_result result = {0};
    struct child_spec spec;

    spec_init(&spec);
    strlist_add(&spec.argv, "/usr/bin/env");
    strlist_add(&spec.env, "ONE=1");
    run_spec(*state, &spec, &result);
    assert_string_equal(str_get(&result.output),
                        "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin\nONE=1\n");
}

int main(int argc, char **argv)
{
    if (argc == 3)
        _exit(be_workload(argv[1], argv[2]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(child_reports_exit_code),
        cmocka_unit_test(child_reports_signal),
        cmocka_unit_test(child_that_cannot_be_executed_says_why),
        cmocka_unit_test(child_is_found_along_its_own_path),
        cmocka_unit_test(child_killing_its_group_ends_only_itself),
        cmocka_unit_test(child_timeout_kills_the_whole_tree),
        cmocka_unit_test(child_leftovers_are_killed_and_counted),
        cmocka_unit_test(child_that_forks_many_leaves_nothing),
        cmocka_unit_test(child_is_stopped_on_request),
        cmocka_unit_test(child_cpu_of_unwaited_children_is_counted),
        cmocka_unit_test(child_cpu_of_itself_is_counted),
        cmocka_unit_test(child_faults_switches_and_memory_are_counted),
        cmocka_unit_test(child_inherits_no_descriptors),
        cmocka_unit_test(child_user_and_memory_limits_hold),
        cmocka_unit_test(child_without_network_sees_no_interfaces),
        cmocka_unit_test(child_without_aslr_has_one_layout),
        cmocka_unit_test(sinks_deliver_the_same_bytes),
        cmocka_unit_test(output_over_the_cap_keeps_both_ends),
        cmocka_unit_test(child_that_closes_its_descriptors_is_still_followed),
        cmocka_unit_test(child_environment_is_exactly_what_was_given),
    };
    return cmocka_run_group_tests(tests, place_make, place_drop);
}
