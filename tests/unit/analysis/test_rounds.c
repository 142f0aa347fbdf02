/* SPDX-License-Identifier: GPL-3.0-or-later
 * From rows to rounds: designs, repeats, what is dropped, labels, machines that are joined. */
#include "analysis/rounds.h"
#include "analysis/rounds_columns.h"
#include "unit/analysis/made_frame.h"

static const struct rounds_options elapsed = {.metric = {.name = "elapsed_s"}, .candidate = 1};

static struct host_rounds build(const struct frame *frame, const struct rounds_options *options)
{
    struct host_rounds rounds;

    host_rounds_build(frame, options, &rounds);
    return rounds;
}

/* Rows "A0 B0 B1 A1 …": variant letter and round, in the order taken; position runs on, or starts
 * anew in each round. */
static struct frame *rows(const char *text, bool runs_on)
{
    struct frame *frame = frame_new();
    uint32_t position = 0, before = UINT32_MAX;

    for (const char *at = text; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] != '\0')) {
        const uint32_t round = (uint32_t)strtoul(at + 1, NULL, 10);

        position = runs_on || round == before ? position : 0;
        before = round;
        made_row(frame, (uint32_t)(at[0] - 'A'), round, position++, 1 + 0.1 * (at[0] - 'A'));
    }
    return frame;
}

static void designs_are_told_by_the_order(void **state)
{
    static const struct {
        const char *rows, *want;
        bool runs_on, unknown;
    } cases[] = {
        {"A0 B0 B1 A1",                   "randomised",  false, false},
        {"A0 B0 A1 B1 A2 B2 A3 B3",       "randomised",  false, false}, /* 4 rounds say nothing */
        {"A0 B0 A1 B1 A2 B2 A3 B3 A4 B4", "alternating", false, false},
        {"B0 A0 B1 A1 B2 A2 B3 A3 B4 A4", "alternating", false, false},
        {"A0 B0 A1 B1 A2 B2 A3 B3 B4 A4", "randomised",  false, false},
        {"A0 A1 A2 B0 B1 B2",             "blocked",     true,  false},
        {"A0 B0 A1 A2 B1 B2",             "blocked",     true,  false}, /* one round apart is enough */
        {"A0 B0 B1 A1",                   "randomised",  true,  false},
        {"A0 C0 B0 B1 C1 A1",             "randomised",  false, false}, /* others do not count */
        {"A0 A1 B2 B3",                   "unpaired",    true,  false},
        {"A0 A1",                         "unpaired",    true,  false},
        {"A0 B0 B1 A1",                   "unpaired",    true,  true },
        {"A0 A0 B0 B0 B1 B1 A1 A1",       "randomised",  false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CLEAN(frame) struct frame *frame = rows(cases[i].rows, cases[i].runs_on);
        struct rounds_options options = elapsed;

        options.design_unknown = cases[i].unknown;
        CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &options);

        made_text(cases[i].rows, design_name(got.design), cases[i].want);
    }
}

static void no_rows_are_no_design(void **state)
{
    CLEAN(frame) struct frame *frame = rows("C0 C1", false);
    CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &elapsed);

    (void)state;
    assert_int_equal(got.design, DESIGN_NONE);
    assert_int_equal(got.n, 0);
    assert_int_equal(got.dropped, 0);
}

static void the_order_of_rows_in_the_input_does_not_matter(void **state)
{
    CLEAN(frame) struct frame *frame = made_pairs(12, 0.03, 0.01, 4);
    CLEAN(frame) struct frame *other = made_shuffled(frame, 9);
    CLEAN_DONE(host_rounds) struct host_rounds a = build(frame, &elapsed);
    CLEAN_DONE(host_rounds) struct host_rounds b = build(other, &elapsed);

    (void)state;
    assert_int_equal(a.n, 12);
    assert_int_equal(a.design, b.design);
    assert_memory_equal(a.d, b.d, 12 * sizeof *a.d);
    assert_memory_equal(a.run[1], b.run[1], 12 * sizeof *a.d);
    assert_memory_equal(a.run_position[0], b.run_position[0], 12 * sizeof *a.d);
}

static void a_third_sitting_keeps_its_order(void **state)
{
    CLEAN(frame) struct frame *frame = frame_new();

    (void)state;
    for (uint32_t session = 0; session < 4; session++)
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t place = 0; place < 2; place++) {
                const uint32_t variant = (place + r) % 2;
                const size_t row = made_row(frame, variant, r, place, 1 + variant);

                frame->session[row] = session;
            }
    CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &elapsed);

    made_text("design", design_name(got.design), "randomised");
    assert_int_equal(got.n, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(got.session[i], i / 2);
        assert_int_equal(got.round[i], i % 2);
        made_near("place of A", got.run_position[0][i], (double)(2 * i + i % 2), 0);
    }
}

static void runs_stand_in_the_order_they_were_taken(void **state)
{
    CLEAN(frame) struct frame *frame = rows("A2 A0 A1 B1 B2 B0", true);

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        made_set(frame, i, "elapsed_s", 1 + (double)i);
        made_set(frame, i, "user_s", 0.5 + (double)i);
        made_set(frame, i, "sys_s", 0.25);
    }
    CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &elapsed);

    made_text("design", design_name(got.design), "blocked");
    for (size_t i = 0; i < 3; i++) {
        made_near("run of A", got.run[0][i], 1 + (double)i, 0);
        made_near("run of B", got.run[1][i], 4 + (double)i, 0);
        made_near("its user time", got.run_part[1][1][i], 3.5 + (double)i, 0);
        made_near("round by round", got.d[i], log((got.candidate[i]) / got.base[i]), 1e-15);
    }
    made_near("round 0: the second A, the last B", got.d[0], log(6.0 / 2.0), 1e-15);
}

static void repeats_enter_as_the_mean_of_ln(void **state)
{
    CLEAN(frame) struct frame *frame = frame_new();

    (void)state;
    made_row(frame, 0, 0, 0, 1);
    made_row(frame, 1, 0, 1, 2);
    made_row(frame, 1, 0, 2, 8);
    made_row(frame, 0, 0, 3, 4);
    CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &elapsed);

    assert_int_equal(got.n, 1);
    made_near("d", got.d[0], log(4.0 / 2.0), 1e-15);
    made_near("mean of A", got.base[0], 2.5, 0);
    made_near("mean of B", got.candidate[0], 5, 0);
    assert_int_equal(got.samples[0], 2);
}

static void a_bad_repeat_is_dropped_alone(void **state)
{
    CLEAN(frame) struct frame *frame = frame_new();

    (void)state;
    made_row(frame, 0, 0, 0, 1);
    made_row(frame, 1, 0, 1, NAN);
    made_row(frame, 1, 0, 2, 8);
    CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &elapsed);

    assert_int_equal(got.n, 1);
    assert_int_equal(got.dropped, 0);
    assert_int_equal(got.samples[1], 1);
    made_near("d", got.d[0], log(8), 1e-15);
}

static void rounds_without_a_good_value_are_counted_and_named(void **state)
{
    static const struct {
        double value;
        const char *want;
    } cases[] = {
        {NAN,      "round 1: elapsed_s is missing"},
        {0,        "round 1: elapsed_s is 0"      },
        {-0.5,     "round 1: elapsed_s is -0.5"   },
        {INFINITY, "round 1: elapsed_s is missing"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CLEAN(frame) struct frame *frame = rows("A0 B0 B1 A1 A2", false);

        made_set(frame, 2, "elapsed_s", cases[i].value);
        CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &elapsed);

        assert_int_equal(got.n, 1);
        assert_int_equal(got.dropped, 2);
        assert_int_equal(got.samples[0], 3);
        assert_int_equal(got.samples[1], 1);
        made_text("first", got.first_bad, cases[i].want);
    }
}

static void samples_that_failed_are_counted_by_arm(void **state)
{
    CLEAN(frame) struct frame *frame = rows("A0 B0 B1 A1 A2 B2 B3 A3", false);

    (void)state;
    frame->outcome[2] = OUTCOME_TIMEOUT; /* B1 */
    frame->outcome[5] = OUTCOME_FAILED;  /* B2 */
    frame->outcome[4] = OUTCOME_FAILED;  /* A2: round 2 has no sample at all */
    frame->outcome[7] = OUTCOME_CANCELLED;
    CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &elapsed);

    assert_int_equal(got.n, 1);
    assert_int_equal(got.dropped, 3);
    assert_int_equal(got.failed[0], 1);
    assert_int_equal(got.failed[1], 2);
    made_text("first", got.first_bad, "round 1: a sample ended as timeout");
}

static void warmups_and_profiled_rows_are_not_there(void **state)
{
    CLEAN(frame) struct frame *frame = rows("A0 B0 B1 A1 A2 B2", false);

    (void)state;
    frame->flags[0] = frame->flags[1] = FRAME_WARMUP;
    frame->flags[4] = frame->flags[5] = FRAME_PROFILED;
    frame->flags[2] = FRAME_TAINTED; /* kept */
    CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &elapsed);

    assert_int_equal(got.n, 1);
    assert_int_equal(got.dropped, 0);
    assert_int_equal(got.round[0], 1);
}

static void each_candidate_and_cell_has_its_own_rounds(void **state)
{
    CLEAN(frame) struct frame *frame = rows("A0 B0 C0 C1 A1 B2 A2", false);
    struct rounds_options options = elapsed;

    (void)state;
    CLEAN_DONE(host_rounds) struct host_rounds b = build(frame, &options);
    options.candidate = 2;
    CLEAN_DONE(host_rounds) struct host_rounds c = build(frame, &options);
    options.cell = 1;
    CLEAN_DONE(host_rounds) struct host_rounds other = build(frame, &options);

    assert_int_equal(b.n, 2);
    assert_int_equal(b.dropped, 1); /* round 1 lacks B, and only this comparison loses it */
    assert_int_equal(c.n, 2);
    assert_int_equal(c.dropped, 1);
    assert_int_equal(other.n, 0);
    assert_int_equal(other.design, DESIGN_NONE);
}

static void higher_is_better_mirrors_the_effect(void **state)
{
    CLEAN(frame) struct frame *frame = rows("A0 B0", false);
    struct rounds_options options = elapsed;

    (void)state;
    options.metric.higher_is_better = true;
    CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &options);

    made_near("d", got.d[0], -log(1.1), 1e-15);
}

static void metrics_that_may_be_zero_go_by_shares_of_the_base(void **state)
{
    CLEAN(frame) struct frame *frame = rows("A0 B0 B1 A1", false);
    struct rounds_options options = {
        .metric = {.name = "majflt", .by_difference = true},
          .candidate = 1
    };

    (void)state;
    assert_true(rounds_metric_by_difference("majflt") && rounds_metric_by_difference("wait_s"));
    assert_false(rounds_metric_by_difference("elapsed_s"));
    made_set(frame, 0, "majflt", 0);
    made_set(frame, 1, "majflt", 6);
    made_set(frame, 2, "majflt", 2);
    made_set(frame, 3, "majflt", 8);
    CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &options);

    assert_int_equal(got.n, 2); /* 0 is a good value here */
    made_near("scale", got.scale, 4, 0);
    made_near("d 0", got.d[0], 6.0 / 4, 0);
    made_near("d 1", got.d[1], -6.0 / 4, 0);
    for (size_t i = 0; i < 4; i++)
        made_set(frame, i, "majflt", frame->variant[i] ? 5 : 0);
    CLEAN_DONE(host_rounds) struct host_rounds none = build(frame, &options);

    made_near("the base has none", none.d[0], 1, 0);
    for (size_t i = 0; i < 4; i++)
        made_set(frame, i, "majflt", 0);
    CLEAN_DONE(host_rounds) struct host_rounds zero = build(frame, &options);

    made_near("nobody has any", zero.d[0], 0, 0);
}

static void wait_and_cpu_are_made_of_the_parts(void **state)
{
    CLEAN(frame) struct frame *frame = rows("A0 B0", false);
    struct rounds_options options = {
        .metric = {.name = "wait_s", .by_difference = true},
          .candidate = 1
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        made_set(frame, i, "user_s", 0.6 + 0.2 * (double)i);
        made_set(frame, i, "sys_s", 0.5);
    }
    CLEAN_DONE(host_rounds) struct host_rounds wait = build(frame, &options);

    made_near("wait of A, negative", wait.base[0], -0.1, 1e-12);
    made_near("wait of B", wait.candidate[0], -0.2, 1e-12);
    made_near("d", wait.d[0], -1, 1e-9);
    for (int p = 0; p < 4; p++)
        made_near("part", wait.part[p][0], p == 1 ? 0.2 : p == 0 ? 0.1 : p == 3 ? -0.1 : 0, 1e-12);
    options.metric = (struct rounds_metric){.name = "cpu_s"};
    CLEAN_DONE(host_rounds) struct host_rounds cpu = build(frame, &options);

    made_near("cpu", cpu.d[0], log(1.3 / 1.1), 1e-12);
    options.metric.name = "nowhere";
    CLEAN_DONE(host_rounds) struct host_rounds none = build(frame, &options);

    assert_int_equal(none.n, 0);
    assert_int_equal(none.dropped, 1);
}

static void arms_that_differ_in_a_recorded_word_are_named(void **state)
{
    CLEAN(frame) struct frame *frame = rows("A0 B0 B1 A1", false);
    const char *names[] = {"libc"}, *sink[] = {"kernel"};
    struct rounds_options options = elapsed;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        made_word(frame, i, "libc", frame->variant[i] ? "2.31" : "2.28");
        made_word(frame, i, "kernel", frame->variant[i] ? "5.10" : "5.4");
        made_word(frame, i, "sink", frame->round[i] ? "pipe" : "file"); /* goes with the round */
        if (i)
            made_word(frame, i, "disk", "sda"); /* the same in both; once unknown */
    }
    CLEAN_DONE(host_rounds) struct host_rounds first = build(frame, &options);

    made_text("first by name", first.arms_differ, "kernel");
    options.part_of_variant = sink;
    options.n_part_of_variant = 1;
    CLEAN_DONE(host_rounds) struct host_rounds second = build(frame, &options);

    made_text("the other", second.arms_differ, "libc");
    options.factor = names;
    options.n_factors = 1;
    CLEAN_DONE(host_rounds) struct host_rounds none = build(frame, &options);

    assert_null(none.arms_differ);
}

static const struct rounds_label *label(const struct host_rounds *rounds, const char *name)
{
    for (size_t l = 0; l < rounds->n_labels; l++)
        if (strcmp(rounds->label[l].name, name) == 0)
            return &rounds->label[l];
    fail_msg("no label %s", name);
    return NULL;
}

static void labels_are_those_of_the_base(void **state)
{
    CLEAN(frame) struct frame *frame = rows("A0 B0 B1 A1", false);

    (void)state;
    made_word(frame, 0, "sink", "pipe");
    made_word(frame, 1, "sink", "file");
    made_word(frame, 2, "sink", "file");
    made_set(frame, 3, "env_bytes", 4096);
    CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &elapsed);

    made_text("sink 0", label(&got, "sink")->text[0], "pipe");
    assert_null(label(&got, "sink")->text[1]); /* A's own is unknown */
    assert_true(isnan(label(&got, "env_bytes")->number[0]));
    made_near("env", label(&got, "env_bytes")->number[1], 4096, 0);
    made_text("position 0", label(&got, "position")->text[0], "base first");
    made_text("position 1", label(&got, "position")->text[1], "candidate first");
}

static void loads_are_means_of_what_is_known(void **state)
{
    CLEAN(frame) struct frame *frame = rows("A0 A0 B0", false);

    (void)state;
    made_set(frame, 0, "load_other_cpu", 0.5);
    CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &elapsed);

    made_near("A", got.load[0][0], 0.5, 0);
    assert_true(isnan(got.load[1][0]));
}

static void one_machine_is_joined(void **state)
{
    CLEAN(frame) struct frame *one = rows("A0 B0 B1 A1", false);
    CLEAN(frame) struct frame *two = rows("B0 A0 A1 B1 A2 B2", false);

    (void)state;
    for (size_t i = 0; i < one->n; i++)
        made_word(one, i, "sink", "pipe");
    for (size_t i = 0; i < two->n; i++)
        made_word(two, i, "sink", i < 4 ? "file" : "pipe");
    made_set(two, 5, "elapsed_s", 0); /* the last round is dropped */
    CLEAN_DONE(host_rounds) struct host_rounds into = build(one, &elapsed);
    struct host_rounds more = build(two, &elapsed);

    host_rounds_join(&into, &more);
    host_rounds_done(&more);
    assert_int_equal(into.n, 4);
    assert_int_equal(into.dropped, 1);
    assert_int_equal(into.samples[0], 5);
    assert_int_equal(into.samples[1], 4);
    assert_int_equal(into.session[1], 0);
    assert_int_equal(into.session[2], 1); /* the other name's rounds are a sitting of their own */
    made_text("its label", label(&into, "sink")->text[2], "file");
    made_text("own label", label(&into, "sink")->text[0], "pipe");
    made_text("first bad", into.first_bad, "round 2: elapsed_s is 0");
    for (size_t i = 1; i < into.n_run[0]; i++)
        assert_true(into.run_position[0][i] > into.run_position[0][i - 1]);
}

static void joining_keeps_parts_and_designs_only_where_both_have_them(void **state)
{
    CLEAN(frame) struct frame *one = rows("A0 B0 B1 A1", false);
    CLEAN(frame) struct frame *two = rows("A0 A1 B0 B1", true);
    CLEAN(frame) struct frame *rest = rows("A7", false);

    (void)state;
    for (size_t i = 0; i < two->n; i++) {
        made_set(two, i, "user_s", 0.5);
        made_set(two, i, "sys_s", 0.1);
    }
    CLEAN_DONE(host_rounds) struct host_rounds into = build(one, &elapsed);
    struct host_rounds more = build(two, &elapsed);
    struct host_rounds last = build(rest, &elapsed);

    assert_non_null(more.part[0]);
    host_rounds_join(&into, &last);
    made_text("a lone sample changes nothing", design_name(into.design), "randomised");
    struct host_rounds alone = build(rest, &elapsed), good = build(one, &elapsed);

    host_rounds_join(&alone, &good);
    made_text("nor does it stand in the way", design_name(alone.design), "randomised");
    host_rounds_done(&alone);
    host_rounds_join(&into, &more);
    assert_null(into.part[0]);
    made_text("the weaker design", design_name(into.design), "blocked");
    assert_int_equal(into.n, 4);
}

static void joining_fills_labels_that_one_side_lacks(void **state)
{
    CLEAN(frame) struct frame *one = rows("A0 B0", false);
    CLEAN(frame) struct frame *two = rows("B0 A0", false);

    (void)state;
    made_word(one, 0, "sink", "pipe");
    made_set(one, 0, "env_bytes", 64);
    made_word(two, 1, "libc", "2.36");
    for (size_t i = 0; i < 2; i++) {
        made_word(one, i, "kernel", i ? "5" : "4");
        for (int k = 0; k < 2; k++) {
            made_set(k ? two : one, i, "user_s", 0.1);
            made_set(k ? two : one, i, "sys_s", 0.1);
        }
    }
    CLEAN_DONE(host_rounds) struct host_rounds into = build(two, &elapsed);
    struct host_rounds more = build(one, &elapsed);

    host_rounds_join(&into, &more);
    assert_int_equal(into.n, 2);
    assert_null(label(&into, "libc")->text[1]);
    made_text("position", label(&into, "position")->text[1], "base first");
    made_text("differs", into.arms_differ, "kernel");
    made_near("parts are kept", into.part[1][1], 0, 1e-15);
    made_near("of both", into.run_part[0][1][1], 0.1, 0);
    CLEAN_DONE(host_rounds) struct host_rounds first = build(one, &elapsed);
    struct host_rounds second = build(two, &elapsed);

    host_rounds_join(&first, &second);
    assert_true(isnan(label(&first, "env_bytes")->number[1]));
    assert_null(label(&first, "sink")->text[1]);
}

static void the_tick_is_the_least_step(void **state)
{
    CLEAN(frame) struct frame *frame = rows("A0 B0 B1 A1", false);

    (void)state;
    CLEAN_DONE(host_rounds) struct host_rounds got = build(frame, &elapsed);

    made_near("step", got.resolution, 0.1 / 1.05, 1e-9);
    for (size_t i = 0; i < 4; i++)
        made_set(frame, i, "elapsed_s", 0.25);
    CLEAN_DONE(host_rounds) struct host_rounds same = build(frame, &elapsed);

    made_near("last digit printed", same.resolution, 0.01 / 0.25, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(designs_are_told_by_the_order),
        cmocka_unit_test(no_rows_are_no_design),
        cmocka_unit_test(the_order_of_rows_in_the_input_does_not_matter),
        cmocka_unit_test(a_third_sitting_keeps_its_order),
        cmocka_unit_test(runs_stand_in_the_order_they_were_taken),
        cmocka_unit_test(repeats_enter_as_the_mean_of_ln),
        cmocka_unit_test(a_bad_repeat_is_dropped_alone),
        cmocka_unit_test(rounds_without_a_good_value_are_counted_and_named),
        cmocka_unit_test(samples_that_failed_are_counted_by_arm),
        cmocka_unit_test(warmups_and_profiled_rows_are_not_there),
        cmocka_unit_test(each_candidate_and_cell_has_its_own_rounds),
        cmocka_unit_test(higher_is_better_mirrors_the_effect),
        cmocka_unit_test(metrics_that_may_be_zero_go_by_shares_of_the_base),
        cmocka_unit_test(wait_and_cpu_are_made_of_the_parts),
        cmocka_unit_test(arms_that_differ_in_a_recorded_word_are_named),
        cmocka_unit_test(labels_are_those_of_the_base),
        cmocka_unit_test(loads_are_means_of_what_is_known),
        cmocka_unit_test(one_machine_is_joined),
        cmocka_unit_test(joining_keeps_parts_and_designs_only_where_both_have_them),
        cmocka_unit_test(joining_fills_labels_that_one_side_lacks),
        cmocka_unit_test(the_tick_is_the_least_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
