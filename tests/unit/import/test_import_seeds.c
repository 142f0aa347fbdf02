/* SPDX-License-Identifier: GPL-3.0-or-later
 * The old reports' tables as imported: arms, their order, and the means the reports print. */
#include "import_fixture.h"

#define CASES TEST_SOURCE_DIR "/tests/cases/"

static double mean_of(const struct frame *frame, const char *column, uint32_t variant)
{
    const double *v = frame_find_number(frame, column);
    double sum = 0;
    size_t n = 0;

    assert_non_null(v);
    for (size_t i = 0; i < frame->n; i++) {
        if (frame->variant[i] == variant) {
            sum += v[i];
            n++;
        }
    }
    return sum / (double)n;
}

static void expect_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("want %.9g, got %.9g", want, got);
}

static void first_seed_has_forty_runs_an_arm_one_after_the_other(void **state)
{
    struct desk *desk = *state;
    CLEAN(frame) struct frame *frame = NULL;

    desk->options.hosts = CASES "seed1-hosts.csv";
    desk->options.samples = CASES "seed1-samples.csv";
    desk->options.base = "r11088";
    import_well(desk);
    frame = frame_of(desk, "ticket");
    assert_int_equal(frame->n, 80);
    for (uint32_t i = 0; i < 80; i++) {
        assert_int_equal(frame->position[i], i);
        assert_int_equal(frame->round[i], i % 40);
        assert_int_equal(frame->variant[i], i < 40 ? 1 : 0);
    }
    expect_near(mean_of(frame, "elapsed_s", 0), 0.141889375,
                1e-9); /* the ticket prints 141889 us */
    expect_near(mean_of(frame, "elapsed_s", 1), 0.197486025, 1e-9); /* and 197486 */
}

static void second_seed_is_a_throughput(void **state)
{
    struct desk *desk = *state;
    CLEAN(frame) struct frame *frame = NULL;
    CLEAN(run) struct run *run = NULL;

    desk->options.hosts = CASES "seed2-hosts.csv";
    desk->options.samples = CASES "seed2-samples.csv";
    desk->options.metric = "per_thread_ops";
    desk->options.higher_is_better = true;
    desk->options.base = "2074b6e38668e62";
    import_well(desk);
    run = run_of(desk);
    assert_true(run->spec->metric_def[0].higher_is_better);
    frame = frame_of(desk, "lkp");
    assert_int_equal(frame->n, 10);
    expect_near(mean_of(frame, "per_thread_ops", 0), 1027273.2,
                0.1);                                                /* the report prints 1027273 */
    expect_near(mean_of(frame, "per_thread_ops", 1), 982732.6, 0.1); /* and 982732 */
}

static void reproduction_has_one_run_an_arm(void **state)
{
    struct desk *desk = *state;
    CLEAN(frame) struct frame *frame = NULL;

    desk->options.hosts = CASES "seed1-reproduction-hosts.csv";
    desk->options.samples = CASES "seed1-reproduction-samples.csv";
    desk->options.base = "r11088";
    import_well(desk);
    frame = frame_of(desk, "core2");
    assert_int_equal(frame->n, 2);
    expect_near(frame_find_number(frame, "elapsed_s")[0], 5.945262, 1e-12);
}

#define T(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(first_seed_has_forty_runs_an_arm_one_after_the_other),
        T(second_seed_is_a_throughput),
        T(reproduction_has_one_run_an_arm),
    };

    return cmocka_run_group_tests_name("import_seeds", tests, NULL, NULL);
}
