/* SPDX-License-Identifier: GPL-3.0-or-later
 * What was exported as CSV and imported again is the same run: hosts, facts, epochs, samples, odd
 * names included. */
#include "import_fixture.h"

#include "coordinator/report/export.h"

static void export_to(struct desk *desk, const struct run *run, const char *what, const char *path)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    if (export_run(desk->store, run, "csv", what, out, &desk->err) < 0)
        fail_msg("%s", desk->err.text);
    assert_int_equal(fclose(out), 0);
}

static void expect_same_hosts(struct desk *desk, int64_t first, int64_t second)
{
    CLEAN_DONE(trial_list) struct trial_list a = {0};
    CLEAN_DONE(trial_list) struct trial_list b = {0};

    assert_int_equal(store_trials(desk->store, first, &a, &desk->err), 0);
    assert_int_equal(store_trials(desk->store, second, &b, &desk->err), 0);
    assert_int_equal(a.n, b.n);
    for (size_t i = 0; i < a.n; i++) {
        CLEAN(frame) struct frame *x = NULL;
        CLEAN(frame) struct frame *y = NULL;

        assert_string_equal(a.v[i]->host, b.v[i]->host);
        assert_string_equal(a.v[i]->facts, b.v[i]->facts); /* digests */
        assert_true(str_eq(a.v[i]->epoch_name, b.v[i]->epoch_name));
        assert_int_equal(a.v[i]->state, b.v[i]->state);
        assert_int_equal(store_frame_get(desk->store, first, a.v[i]->host, &x, &desk->err), 0);
        assert_int_equal(store_frame_get(desk->store, second, a.v[i]->host, &y, &desk->err), 0);
        if (!frame_equal(x, y))
            fail_msg("samples of %s differ (%zu and %zu)", a.v[i]->host, x->n, y->n);
    }
}

/* Imports what options name, exports, imports that, compares. */
static void go_round(struct desk *desk)
{
    CLEAN_MEM char *hosts = mem_printf("%s/out-hosts.csv", desk->directory);
    CLEAN_MEM char *samples = mem_printf("%s/out-samples.csv", desk->directory);
    CLEAN(run) struct run *first = NULL;
    CLEAN(run) struct run *second = NULL;

    import_well(desk);
    first = run_of(desk);
    export_to(desk, first, "hosts", hosts);
    export_to(desk, first, "samples", samples);
    desk->options.hosts = hosts;
    desk->options.samples = samples;
    import_well(desk);
    second = run_of(desk);
    assert_int_equal(second->number, 2);
    assert_int_equal(first->design_unknown, second->design_unknown);
    for (size_t i = 0; i < first->spec->n_variants; i++)
        assert_string_equal(first->spec->variant[i].name, second->spec->variant[i].name);
    expect_same_hosts(desk, first->id, second->id);
}

static void fleet_survives_the_round(void **state)
{
    struct desk *desk = *state;

    desk->options.hosts = TEST_SOURCE_DIR "/tests/cases/fleet/gaps-and-dead-hosts/hosts.csv";
    desk->options.samples = TEST_SOURCE_DIR "/tests/cases/fleet/gaps-and-dead-hosts/samples.csv";
    desk->options.base = "A";
    go_round(desk);
}

static void odd_names_and_epochs_survive_the_round(void **state)
{
    struct desk *desk = *state;

    write_hosts(
        desk, "host,epoch,note\n=cmd(),,@SUM(A1)\n-h,1,\"a,b\"\n-h,2,#x\n\"say \"\"hi\"\"\",,+1\n");
    write_samples(desk, "host,epoch,variant,round,position,elapsed_s,word\n"
                        "=cmd(),,+A,0,0,0.1,\"two\nlines\"\n=cmd(),,B,0,1,-0.25,\n"
                        "-h,1,+A,0,0,1e-9,=1\n-h,2,B,0,0,1e300,#\n\"say \"\"hi\"\"\",,B,3,7,,x\n");
    go_round(desk);
}

static void unknown_places_and_levels_survive_the_round(void **state)
{
    struct desk *desk = *state;

    desk->options.hosts = NULL;
    write_samples(desk, "host,variant,elapsed_s,threads\nh,A,1,1\nh,A,2,4\nh,B,3,1\nh,B,4,4\n");
    strlist_add(&desk->options.factor, "threads");
    go_round(desk);
}

#define T(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(fleet_survives_the_round),
        T(odd_names_and_epochs_survive_the_round),
        T(unknown_places_and_levels_survive_the_round),
    };

    return cmocka_run_group_tests_name("import_export", tests, NULL, NULL);
}
