/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the agent sees of other programs, and how it keeps out of the way of others that measure:
 * load, quiet gate, lock, and the keeper's end. */
#define _DEFAULT_SOURCE /* usleep */
#include "agent/lock.h"
#include "agent/metrics.h"
#include "agent/quiet.h"
#include "unit/agent/agent_fixture.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/* ---- load ---- */

static double clock_s(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static pid_t start_burner(void)
{
    const pid_t pid = fork();

    if (pid == 0) {
        volatile unsigned long sum = 0;

        for (;;)
            sum++;
    }
    assert_true(pid > 0);
    return pid;
}

static double burner_cpu_s(pid_t pid)
{
    clockid_t clock;

    assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
    return clock_s(clock);
}

static void end_burner(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static double column(const struct frame *frame, const char *name)
{
    const double *v = frame_find_number(frame, name);

    assert_non_null(v);
    return v[0];
}

/* Other programs may run on this machine too, so the load is at least the burner's; a workload that
 * is busy itself must not be in it. */
static void load_is_that_of_others(void **state)
{
    struct place *place = *state;
    CLEAN(metrics) struct metrics *metrics = metrics_new();
    CLEAN(frame) struct frame *quiet = frame_new();
    CLEAN(frame) struct frame *busy = frame_new();
    struct platform platform;
    double burnt = 0;

    platform_init(&platform, NULL);
    for (int i = 0; i < 2; i++) {
        struct frame *frame = i ? busy : quiet;
        CLEAN_DONE(child_result) struct child_result result = {0};
        const pid_t burner = i ? start_burner() : 0;
        const double before = i ? burner_cpu_s(burner) : 0;
        const int64_t begun_ns = clk_raw_ns();

        metrics_begin(metrics, &platform);
        run_shell(place,
                  "i=0; end=$(($(date +%s%N) + 1500000000)); "
                  "while [ $(date +%s%N) -lt $end ]; do i=$((i+1)); done",
                  &result);
        frame_add_row(frame);
        metrics_end(metrics, &platform, &result, frame, 0);
        if (i) {
            burnt = (burner_cpu_s(burner) - before) / ((double)(clk_raw_ns() - begun_ns) / 1e9);
            end_burner(burner);
        }
    }
    const double got = column(busy, "load_other_cpu");
    if (got < burnt * 0.95)
        fail_msg("want a load of %g CPUs at least, got %g", burnt, got);
    assert_true(column(quiet, "load_other_cpu") >= 0);
    assert_true(got <= (double)sysconf(_SC_NPROCESSORS_ONLN) + 0.1);
    assert_true(column(busy, "cgroup_cpu_s") > 0 || isnan(column(busy, "cgroup_cpu_s")));
    platform_done(&platform);
}

static void write_text(const char *root, const char *path, const char *text)
{
    CLEAN_MEM char *full = mem_printf("%s/%s", root, path);
    CLEAN_MEM char *dir = mem_strndup(full, (size_t)(strrchr(full, '/') - full));

    must(fdio_make_dirs(dir, 0700, err));
    must(fdio_write_atomic(full, text, strlen(text), 0600, err));
}

/* A host whose programs have used so many ticks (of 10 ms). */
static void write_host(const char *root, int all, int editor, int miner)
{
    CLEAN_MEM char *stat = mem_printf("cpu  %d 0 0 90000 0 0 0\n", all);
    CLEAN_MEM char *one = mem_printf("7 (editor) S 1 7 7 0 -1 0 0 0 0 0 %d 0 0 0 20\n", editor);
    CLEAN_MEM char *two = mem_printf("8 (a) b) R 1 8 8 0 -1 0 0 0 0 0 %d 1 0 0 20\n", miner);

    write_text(root, "proc/stat", stat);
    write_text(root, "proc/7/stat", one);
    write_text(root, "proc/8/stat", two);
}

static void quiet_gate_names_the_offender(void **state)
{
    const struct place *place = *state;
    CLEAN_MEM char *root = mem_printf("%s/host", place->directory);
    struct platform platform;
    CLEAN_DONE(str) struct str why = {0};

    write_host(root, 1000, 500, 100);
    platform_init(&platform, root);
    CLEAN(quiet_look) struct quiet_look *look = quiet_begin(&platform);
    assert_true(quiet_is(look, &why)); /* nothing was used since */
    write_host(root, 900000, 500, 899000);
    assert_false(quiet_is(look, &why));
    assert_non_null(strstr(str_get(&why), "CPUs are busy with other programs: a) b"));
    assert_null(strstr(str_get(&why), "editor"));
    platform_done(&platform);
}

static void quiet_gate_lets_an_unreadable_host_pass(void **state)
{
    struct platform platform;
    CLEAN_DONE(str) struct str why = {0};

    (void)state;
    platform_init(&platform, TEST_SOURCE_DIR "/tests/cases/hosts/bare");
    CLEAN(quiet_look) struct quiet_look *look = quiet_begin(&platform);
    assert_true(quiet_is(look, &why));
    platform_done(&platform);
}

/* ---- lock ---- */

static int open_lock(const struct place *place)
{
    CLEAN_MEM char *path = mem_printf("%s/lock", place->directory);
    int fd = -1;

    must(lock_open(path, &fd, err));
    return fd;
}

static bool is_free(const struct place *place)
{
    CLEAN_FD int fd = open_lock(place);
    int rc;

    must(rc = lock_take(fd, false, err));
    return rc == 0;
}

static void keeper_holds_the_lock_until_told(void **state)
{
    struct place *place = *state;

    must(keeper_lock(place->keeper, err));
    assert_int_equal(keeper_locked(place->keeper, NULL), 0);
    assert_false(is_free(place));
    must(keeper_unlock(place->keeper, err));
    must(keeper_lock(place->keeper, err)); /* the unlock before it is done when this is answered */
    assert_int_equal(keeper_locked(place->keeper, NULL), 0);
    must(keeper_unlock(place->keeper, err));
    CLEAN_DONE(child_result) struct child_result result = {0};
    run_shell(place, "true", &result);
    assert_true(is_free(place));
}

static void keeper_waits_for_the_lock_and_can_give_up(void **state)
{
    struct place *place = *state;
    CLEAN_FD int held = open_lock(place);
    CLEAN_DONE(child_result) struct child_result result = {0};

    must(lock_take(held, false, err));
    must(keeper_lock(place->keeper, err));
    must(keeper_stop(place->keeper, err));
    assert_int_equal(keeper_locked(place->keeper, NULL), KEEPER_NOT_LOCKED);
    run_shell(place, "exit 5", &result); /* and serves on */
    assert_end(&result, CHILD_EXITED, 5);

    must(keeper_lock(place->keeper, err));
    usleep(50000); /* most likely it waits by now; either way is right */
    must(lock_drop(held, err));
    assert_int_equal(keeper_locked(place->keeper, NULL), 0);
    assert_false(is_free(place));
    must(keeper_unlock(place->keeper, err));
}

/* ---- the keeper's end ---- */

static bool ends_soon(pid_t pid)
{
    for (int i = 0; i < 500; i++) {
        if (kill(pid, 0) < 0)
            return true;
        usleep(10000);
    }
    return false;
}

static pid_t workload_pid(const char *file)
{
    for (int i = 0; i < 500; i++) {
        CLEAN_DONE(str) struct str text = {0};

        if (fdio_read_file(file, 64, &text, NULL) == 0 && text.length > 1)
            return (pid_t)strtol(str_get(&text), NULL, 10);
        usleep(10000);
    }
    fail_msg("the workload did not start");
    return -1;
}

static struct keeper *start_sleeper(const struct place *place, const char *name, char id[ID_SIZE],
                                    pid_t *ret_pid)
{
    CLEAN_MEM char *file = mem_printf("%s/%s", place->directory, name);
    CLEAN_MEM char *line =
        mem_printf("echo $$ > %s.new; mv %s.new %s; exec sleep 1000", file, file, file);
    struct keeper *keeper = NULL;
    CLEAN_DONE(child_spec) struct child_spec spec;

    id_new(id);
    must(keeper_start(id, NULL, &keeper, err));
    spec_shell(&spec, line);
    must(keeper_run(keeper, &spec, err));
    *ret_pid = workload_pid(file);
    return keeper;
}

static void workload_ends_with_the_agent(void **state)
{
    char id[ID_SIZE];
    pid_t pid;

    keeper_free(start_sleeper(*state, "one", id, &pid)); /* the agent's end of the socket closes */
    assert_true(ends_soon(pid));
}

static void workload_ends_with_the_keeper(void **state)
{
    CLEAN_DONE(child_result) struct child_result result = {0};
    char id[ID_SIZE];
    pid_t pid;
    struct keeper *keeper = start_sleeper(*state, "two", id, &pid);

    kill(keeper_pid(keeper), SIGKILL);
    must_fail(keeper_result(keeper, &result, err), ERR_STATE, "gone");
    assert_true(ends_soon(pid));
    keeper_free(keeper);
    must(keeper_start(id, NULL, &keeper,
                      err)); /* the next one takes over its groups, and removes them */
    keeper_free(keeper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_is_that_of_others),
        cmocka_unit_test(quiet_gate_names_the_offender),
        cmocka_unit_test(quiet_gate_lets_an_unreadable_host_pass),
        cmocka_unit_test(keeper_holds_the_lock_until_told),
        cmocka_unit_test(keeper_waits_for_the_lock_and_can_give_up),
        cmocka_unit_test(workload_ends_with_the_agent),
        cmocka_unit_test(workload_ends_with_the_keeper),
    };
    return cmocka_run_group_tests(tests, place_make, place_drop);
}
