/* SPDX-License-Identifier: GPL-3.0-or-later
 * The whole agent as a process, against a coordinator played by the test. */
#define _DEFAULT_SOURCE /* usleep */
#include "agent/held.h"
#include "model/plan.h"
#include "unit/agent/fake_coord.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>

static double number(const struct fake *fake, const char *name, size_t row)
{
    const double *v = frame_find_number(fake->samples, name);

    if (!v)
        fail_msg("no column %s", name);
    return v ? v[row] : (double)NAN;
}

static const char *text(const struct fake *fake, const char *name, size_t row)
{
    const struct frame_text *column = frame_find_text(fake->samples, name);

    if (!column || column->v[row] == FRAME_UNKNOWN)
        fail_msg("no text %s in row %zu", name, row);
    return column ? column->level[column->v[row]] : "";
}

static void agent_measures_what_it_was_granted_in_the_order_of_the_plan(void **state)
{
    struct fake *fake = *state;
    CLEAN(lease) struct lease *lease = fake_lease("true", "sh -c 'exit 0'", 3);

    lease->experiment->warmup = 1;
    lease->experiment->factor = mem_array(struct factor, 1);
    lease->experiment->n_factors = 1;
    lease->experiment->factor[0].name = mem_strdup("sink");
    strlist_add(&lease->experiment->factor[0].level, "file");
    strlist_add(&lease->experiment->factor[0].level, "pty");
    fake_start_agent(fake);
    fake_welcome(fake, false);
    fake_send(fake, WIRE_LEASE, lease);
    {
        CLEAN(wire_message) struct wire_message *staged = fake_expect(fake, WIRE_TRIAL_EVENT);
        assert_int_equal(staged->as.trial_event->event, WIRE_STAGED);
        assert_non_null(fact_set_get(staged->as.trial_event->facts, "kernel.release"));
    }
    fake_expect_event(fake, WIRE_STARTED, NULL);
    assert_int_equal(fake_expect_event(fake, WIRE_BLOCKS_DONE, NULL), 16);
    assert_int_equal(fake->stored_seq, 16); /* batches come before the word that they are done */
    for (size_t row = 0; row < 16; row++) {
        const size_t round = row < 4 ? 0 : row / 4 - 1, position = row % 4;
        struct plan_block plan;

        plan_block_build(lease->experiment, lease->seed, "n1", 0, (uint32_t)round, &plan);
        assert_int_equal(fake->samples->variant[row], plan.step[position].variant);
        assert_int_equal(fake->samples->cell[row], plan.step[position].cell);
        assert_int_equal(fake->samples->round[row], round);
        assert_int_equal(fake->samples->position[row], position);
        assert_int_equal(fake->samples->outcome[row], OUTCOME_OK);
        assert_int_equal(fake->samples->flags[row] & FRAME_WARMUP, row < 4 ? FRAME_WARMUP : 0);
        assert_true(number(fake, "elapsed_s", row) > 0);
        assert_true(number(fake, "env_bytes", row) == plan.env_bytes);
        assert_string_equal(text(fake, "stdout_kind", row),
                            experiment_level(lease->experiment, plan.step[position].cell, 0));
        plan_block_done(&plan);
    }
    fake_send(fake, WIRE_EXTEND,
              &(struct wire_extend){.run = lease->run, .epoch = lease->epoch, .upto_round = 5});
    assert_int_equal(fake_expect_event(fake, WIRE_BLOCKS_DONE, NULL), 24);
    assert_int_equal(fake->rounds_done, 5);
    fake_stop(fake, lease, false);
    assert_int_equal(fake_expect_event(fake, WIRE_TRIAL_STOPPED, NULL), 24);
    assert_int_equal(fake_end_agent(fake, SIGTERM), 0);
}

static void agent_pads_environment_and_directory_exactly(void **state)
{
    struct fake *fake = *state;
    static const char report[] = "sh -c 'echo muster: env $(env -u PWD | wc -c); "
                                 "echo muster: cwd $(pwd | tr -d \"\\n\" | wc -c)'";
    CLEAN(lease) struct lease *lease = fake_lease(report, "true", 4);

    fake_start_agent(fake);
    fake_welcome(fake, false);
    fake_send(fake, WIRE_LEASE, lease);
    fake_expect_event(fake, WIRE_BLOCKS_DONE, NULL);
    double base = (double)NAN;
    for (size_t row = 0; row < fake->samples->n; row++) {
        if (fake->samples->variant[row] != 0)
            continue;
        assert_true(number(fake, "cwd", row) == number(fake, "cwd_bytes", row));
        const double rest = number(fake, "env", row) - number(fake, "env_bytes", row);
        if (isnan(base))
            base = rest;
        if (rest != base)
            fail_msg("row %zu: want %g bytes besides the padding, got %g", row, base, rest);
    }
}

static void agent_that_is_killed_resumes_without_a_gap(void **state)
{
    struct fake *fake = *state;
    CLEAN(lease) struct lease *lease = fake_lease("sleep 0.02", "sleep 0.03", 12);

    fake_start_agent(fake);
    fake_welcome(fake, false);
    fake_send(fake, WIRE_LEASE, lease);
    for (int life = 0; life < 4; life++) {
        const unsigned before = fake->batches;

        fake->keeps_quiet = life % 2 == 1; /* every other time nothing is acknowledged */
        while (fake->batches < before + 2)
            wire_message_free(fake_expect(fake, WIRE_BATCH));
        fake_end_agent(fake, SIGKILL);
        fake->keeps_quiet = false;
        fake_start_agent(fake);
        for (bool is_welcome = false;
             !is_welcome;) { /* what the dead one sent is still in the pipe */
            CLEAN(wire_message)
            struct wire_message *message = fake_next(fake, clk_mono_ns() + FAKE_WAIT_NS);
            assert_non_null(message);
            if (message->kind != WIRE_HELLO)
                continue;
            struct wire_welcome welcome = {.version = WIRE_VERSION,
                                           .heartbeat_ns = CLK_NS_PER_S,
                                           .resume = true,
                                           .stored_seq = fake->stored_seq};
            memcpy(welcome.session, message->as.hello->session, sizeof welcome.session);
            assert_int_equal(message->as.hello->run, lease->run);
            assert_int_equal(message->as.hello->epoch, lease->epoch);
            assert_true(message->as.hello->spooled_seq >= fake->stored_seq);
            fake_send(fake, WIRE_WELCOME, &welcome);
            is_welcome = true;
        }
    }
    assert_int_equal(fake_expect_event(fake, WIRE_BLOCKS_DONE, NULL), 24);
    assert_int_equal(fake->samples->n, 24);
    for (size_t row = 0; row < 24; row++) /* every round once, whole */
        assert_int_equal(fake->samples->round[row], row / 2);
}

static void agent_goes_on_while_the_coordinator_is_away(void **state)
{
    struct fake *fake = *state;
    CLEAN(lease) struct lease *lease = fake_lease("true", "true", 60);

    lease->experiment->is_aa = true;
    fake_start_agent(fake);
    fake_welcome(fake, false);
    fake_send(fake, WIRE_LEASE, lease);
    wire_message_free(fake_expect(fake, WIRE_BATCH));
    CLEAN_MEM char *endpoint = mem_strdup(chan_endpoint(fake->chan));
    chan_free(fake->chan); /* the coordinator dies … */
    CLEAN_MEM char *lease_file = mem_printf("%s/state", fake->directory);
    const uint64_t before = fake->stored_seq;
    for (uint64_t seq = before; seq < before + 20;) { /* … and the agent measures on */
        CLEAN(lease) struct lease *held = NULL;

        assert_int_equal(held_load(lease_file, &held, NULL), 0);
        seq = held->next_seq - 1;
        usleep(20000);
    }
    must(chan_listen(endpoint, &fake->keys, fake->auth, &fake->chan, err)); /* comes back */
    for (bool is_told = false; !is_told;) {
        CLEAN(wire_message)
        struct wire_message *message = fake_next(fake, clk_mono_ns() + FAKE_WAIT_NS);
        assert_non_null(message);
        if (message->kind == WIRE_HEARTBEAT || message->kind == WIRE_BATCH) {
            fake_send(fake, WIRE_REFUSED,
                      &(struct wire_refused){.reason = (char *)"say hello", .final = false});
        } else if (message->kind == WIRE_HELLO) {
            struct wire_welcome welcome = {.version = WIRE_VERSION,
                                           .heartbeat_ns = CLK_NS_PER_S,
                                           .resume = true,
                                           .stored_seq = fake->stored_seq};
            memcpy(welcome.session, message->as.hello->session, sizeof welcome.session);
            fake_send(fake, WIRE_WELCOME, &welcome);
            is_told = true;
        }
    }
    assert_int_equal(fake_expect_event(fake, WIRE_BLOCKS_DONE, NULL), 120);
    assert_int_equal(fake->samples->n, 120);
}

static void agent_stops_by_itself_when_its_lease_runs_out(void **state)
{
    struct fake *fake = *state;
    CLEAN(lease) struct lease *lease = fake_lease("sleep 0.01", "sleep 0.011", 100000);
    CLEAN_MEM char *spool = mem_printf("%s/state/spool/5-1.spool", fake->directory);
    struct stat before, after;

    lease->ttl_ns = 4 * CLK_NS_PER_S; /* enough for a first block on a busy machine */
    lease->experiment->timeout_ns = CLK_NS_PER_S / 2;
    fake_start_agent(fake);
    fake_welcome(fake, false);
    fake->keeps_quiet = true;
    fake_send(fake, WIRE_LEASE, lease);
    wire_message_free(fake_expect(fake, WIRE_BATCH));
    const int64_t until_ns = clk_mono_ns() + 6 * CLK_NS_PER_S; /* ttl, time-out, margin */
    for (struct wire_message *message; (message = fake_next(fake, until_ns));)
        wire_message_free(message);
    assert_int_equal(stat(spool, &before), 0);
    usleep(500000);
    assert_int_equal(stat(spool, &after), 0);
    assert_true(before.st_size > 0);
    assert_int_equal(before.st_size, after.st_size);
}

static void agent_stopped_at_once_keeps_whole_blocks_only(void **state)
{
    struct fake *fake = *state;
    CLEAN(lease) struct lease *lease = fake_lease("sleep 0.05", "sleep 0.06", 1000);

    fake_start_agent(fake);
    fake_welcome(fake, false);
    fake_send(fake, WIRE_LEASE, lease);
    wire_message_free(fake_expect(fake, WIRE_BATCH));
    fake_stop(fake, lease, true);
    const uint64_t seq = fake_expect_event(fake, WIRE_TRIAL_STOPPED, NULL);
    assert_int_equal(seq % 2, 0);
    assert_int_equal(seq, fake->stored_seq);
    CLEAN_MEM char *lease_file = mem_printf("%s/state/lease", fake->directory);
    for (int i = 0; i < 100 && access(lease_file, F_OK) == 0; i++)
        usleep(20000);
    assert_int_equal(access(lease_file, F_OK), -1);
}

static void agent_runs_artefacts_with_the_host_environment(void **state)
{
    struct fake *fake = *state;
    CLEAN(lease) struct lease *lease = fake_lease("./tool 3", "./tool 4", 1);
    CLEAN_MEM char *tool = mem_printf("%s/tool", fake->directory);
    static const char script[] = "#!/bin/sh\ntest \"$COLOUR\" = blue || exit 9\n"
                                 "test \"$OWN\" = $1-yes || exit 8\ntest -e ready || exit 7\n"
                                 "echo \"muster: size $1.5 kg\"\n";

    fake->host_env = mem_strdup("COLOUR=blue");
    must(fdio_write_atomic(tool, script, strlen(script), 0755, err));
    fake->artefact = mem_printf("%s/pack", fake->directory);
    must(pack_make(tool, fake->artefact, lease->experiment->variant[0].artefact, err));
    memcpy(lease->experiment->variant[1].artefact, lease->experiment->variant[0].artefact,
           DIGEST_SIZE);
    strmap_set(&lease->experiment->variant[0].env, "OWN", "3-yes");
    strmap_set(&lease->experiment->variant[1].env, "OWN", "4-yes");
    lease->experiment->variant[0].setup = mem_strdup("touch ready");
    lease->experiment->variant[1].prepare = mem_strdup("touch ready");
    fake_start_agent(fake);
    fake_welcome(fake, false);
    fake_send(fake, WIRE_LEASE, lease);
    {
        CLEAN(wire_message) struct wire_message *staged = fake_expect(fake, WIRE_TRIAL_EVENT);
        assert_string_equal(fact_set_get(staged->as.trial_event->facts, "env.COLOUR"), "blue");
    }
    fake_expect_event(fake, WIRE_BLOCKS_DONE, NULL);
    for (size_t row = 0; row < 2; row++) {
        assert_int_equal(fake->samples->outcome[row], OUTCOME_OK);
        assert_true(number(fake, "size", row) == 3.5 + fake->samples->variant[row]);
    }
}

static void add_metric(struct experiment *experiment, const char *name, const char *match)
{
    const size_t n = experiment->n_metric_defs;

    experiment->metric_def =
        mem_resize(experiment->metric_def, n + 1, sizeof *experiment->metric_def);
    experiment->metric_def[n] = (struct metric_def){
        .name = mem_strdup(name), .match = mem_strdup(match), .unit = mem_strdup("")};
    experiment->n_metric_defs++;
    mem_free(experiment->metric);
    experiment->metric = mem_strdup(name);
}

static void hostile_metrics_end_in_a_named_outcome(void **state)
{
    struct fake *fake = *state;
    CLEAN(lease)
    struct lease *lease = fake_lease("sh -c 'echo speed ${value}'",
                                     "sh -c 'echo muster: speed ${value}; "
                                     "echo speed ${value}'",
                                     1);
    static const char *const levels[] = {"NaN", "inf", "1e400", "1,5", "-0", "0x10", "7", ""};

    lease->experiment->factor = mem_array(struct factor, 1);
    lease->experiment->n_factors = 1;
    lease->experiment->factor[0].name = mem_strdup("value");
    for (size_t i = 0; i < 7; i++)
        strlist_add(&lease->experiment->factor[0].level, levels[i]);
    add_metric(lease->experiment, "speed", "speed ([^ ]*)$");
    fake_start_agent(fake);
    fake_welcome(fake, false);
    fake_send(fake, WIRE_LEASE, lease);
    fake_expect_event(fake, WIRE_BLOCKS_DONE, NULL);
    assert_int_equal(fake->samples->n, 14);
    for (size_t row = 0; row < 14; row++) {
        const char *level = text(fake, "value", row);
        const bool is_number = strcmp(level, "7") == 0 || strcmp(level, "-0") == 0;
        const int want = is_number ? OUTCOME_OK : OUTCOME_NO_METRIC;

        if (fake->samples->outcome[row] != want)
            fail_msg("speed %s: want %s, got %s", level, outcome_name((enum outcome)want),
                     outcome_name((enum outcome)fake->samples->outcome[row]));
    }
    assert_int_equal(fake->outputs.n, 10);
    assert_non_null(strstr(fake->outputs.v[0], "no number for the primary metric speed"));
}

static void failed_samples_are_rows_and_say_what_they_said(void **state)
{
    struct fake *fake = *state;
    CLEAN(lease)
    struct lease *lease = fake_lease("sh -c 'echo some trouble >&2; exit 3'", "sleep 100", 1);

    lease->experiment->timeout_ns = CLK_NS_PER_S / 5;
    fake_start_agent(fake);
    fake_welcome(fake, false);
    fake_send(fake, WIRE_LEASE, lease);
    fake_expect_event(fake, WIRE_BLOCKS_DONE, NULL);
    for (size_t row = 0; row < 2; row++)
        assert_int_equal(fake->samples->outcome[row],
                         fake->samples->variant[row] == 0 ? OUTCOME_FAILED : OUTCOME_TIMEOUT);
    assert_int_equal(fake->outputs.n, 2);
    const char *said = fake->outputs.v[fake->samples->variant[0] == 0 ? 0 : 1];
    assert_non_null(strstr(said, "exit status 3"));
    assert_non_null(strstr(said, "some trouble"));
}

static void expect_failed_trial(struct fake *fake, struct lease *lease, const char *words)
{
    CLEAN_DONE(str) struct str reason = {0};

    lease->epoch = fake->stored_seq + 1;
    lease->next_seq = fake->stored_seq + 1;
    fake_send(fake, WIRE_LEASE, lease);
    fake_expect_event(fake, WIRE_TRIAL_FAILED, &reason);
    if (!strstr(str_get(&reason), words))
        fail_msg("want a reason with \"%s\", got \"%s\"", words, str_get(&reason));
}

static void trials_that_cannot_be_say_why(void **state)
{
    struct fake *fake = *state;
    CLEAN(lease) struct lease *setup = fake_lease("true", "false", 5);
    CLEAN(lease) struct lease *load = fake_lease("true", "false", 5);
    CLEAN(lease) struct lease *missing = fake_lease("./nothing", "./nowhere", 5);

    setup->run = 11;
    setup->experiment->variant[1].setup = mem_strdup("sh -c 'echo no compiler >&2; exit 2'");
    load->run = 12;
    load->experiment->factor = mem_array(struct factor, 1);
    load->experiment->n_factors = 1;
    load->experiment->factor[0].name = mem_strdup("load");
    strlist_add(&load->experiment->factor[0].level, "50%");
    missing->run = 13;
    fake_start_agent(fake);
    fake_welcome(fake, false);
    expect_failed_trial(fake, setup, "no compiler");
    expect_failed_trial(fake, load, "load");
    expect_failed_trial(fake, missing, "not started: exec: No such file");
}

static void agent_refused_for_good_ends(void **state)
{
    struct fake *fake = *state;
    int status = 0;

    fake_start_agent(fake);
    wire_message_free(fake_expect(fake, WIRE_HELLO));
    fake_send(fake, WIRE_REFUSED,
              &(struct wire_refused){.reason = (char *)"not enrolled", .final = true});
    assert_int_equal(waitpid(fake->agent, &status, 0), fake->agent);
    fake->agent = 0;
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

/* ---- disturbance ---- */

/* Voluntary and involuntary switches of all threads. */
static long switches_of(pid_t pid)
{
    CLEAN_MEM char *dir_path = mem_printf("/proc/%ld/task", (long)pid);
    DIR *dir = opendir(dir_path);
    long sum = 0;

    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        CLEAN_DONE(str) struct str status = {0}, value = {0};
        CLEAN_MEM char *path = mem_printf("%s/%s/status", dir_path, entry->d_name);

        if (entry->d_name[0] == '.' || fdio_read_file(path, 65536, &status, NULL) < 0)
            continue;
        assert_true(platform_field(str_get(&status), "voluntary_ctxt_switches", ':', &value));
        sum += strtol(str_get(&value), NULL, 10);
        assert_true(platform_field(str_get(&status), "nonvoluntary_ctxt_switches", ':', &value));
        sum += strtol(str_get(&value), NULL, 10);
    }
    closedir(dir);
    return sum;
}

static void agent_sleeps_while_a_sample_runs(void **state)
{
    struct fake *fake = *state;
    CLEAN_MEM char *mark = mem_printf("%s/mark", fake->directory);
    CLEAN_MEM char *end = mem_printf("%s/end", fake->directory);
    CLEAN_MEM char *line = mem_printf("sh -c 'touch %s; sleep 2; touch %s'", mark, end);
    CLEAN(lease) struct lease *lease = fake_lease(line, line, 1);

    lease->experiment->is_aa = true;
    fake_start_agent(fake);
    fake_welcome(fake, false);
    fake_send(fake, WIRE_LEASE, lease);
    for (int64_t until = clk_mono_ns() + FAKE_WAIT_NS; access(mark, F_OK) < 0;) {
        assert_true(clk_mono_ns() < until);
        wire_message_free(fake_next(fake, clk_mono_ns() + 10 * CLK_NS_PER_MS));
    }
    const long before = switches_of(fake->agent);
    while (access(end, F_OK) < 0) {
        usleep(10000);
        const long now = switches_of(fake->agent);
        if (access(end, F_OK) < 0 && now - before > 2)
            fail_msg("want at most 2 switches of the agent during a sample, got %ld", now - before);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "agent") == 0)
        return fake_be_agent(argc, argv);
#define LIVE(test) cmocka_unit_test_setup_teardown(test, fake_make, fake_drop)
    const struct CMUnitTest tests[] = {
        LIVE(agent_measures_what_it_was_granted_in_the_order_of_the_plan),
        LIVE(agent_pads_environment_and_directory_exactly),
        LIVE(agent_that_is_killed_resumes_without_a_gap),
        LIVE(agent_goes_on_while_the_coordinator_is_away),
        LIVE(agent_stops_by_itself_when_its_lease_runs_out),
        LIVE(agent_stopped_at_once_keeps_whole_blocks_only),
        LIVE(agent_runs_artefacts_with_the_host_environment),
        LIVE(hostile_metrics_end_in_a_named_outcome),
        LIVE(failed_samples_are_rows_and_say_what_they_said),
        LIVE(trials_that_cannot_be_say_why),
        LIVE(agent_refused_for_good_ends),
        LIVE(agent_sleeps_while_a_sample_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
