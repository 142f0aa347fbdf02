/* SPDX-License-Identifier: GPL-3.0-or-later
 * Crossed factors: one comparison a cell, in order of the levels; arms that never share a level are
 * not compared, and that is said. */
#include "unit/analysis/made_frame.h"

static const char *const factors[] = {"threads"};

/* 12 rounds of both arms at each of the levels; effect at the level's index. */
static struct frame *crossed(const double *level, const double *effect, size_t n, uint64_t seed)
{
    struct frame *frame = frame_new();
    struct rng rng;

    rng_seed(&rng, seed);
    for (uint32_t r = 0; r < 12; r++)
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t place = 0; place < 2; place++) {
                const uint32_t variant = (place + r) % 2;
                const size_t row =
                    made_row(frame, variant, r, 2 * k + place,
                             exp((variant ? effect[k] : 0) + 0.004 * rng_normal(&rng)));

                made_set(frame, row, "threads", level[k]);
                frame->cell[row] = k;
            }
    return frame;
}

static struct judge_options crossed_options(void)
{
    struct judge_options options = made_options();

    options.factor = factors;
    options.n_factors = 1;
    return options;
}

static void one_comparison_a_cell_in_order_of_levels(void **state)
{
    const double level[] = {16, 2, 1}, effect[] = {0.10, 0, 0};
    struct made_host host[3];
    const struct judge_options options = crossed_options();

    (void)state;
    for (size_t h = 0; h < 3; h++)
        host[h] = (struct made_host){.name = &"a\0b\0c"[2 * h],
                                     .frame = crossed(level, effect, 3, h + 1)};
    CLEAN(answer) struct answer *answer = made_answer(&options, host, 3);

    assert_int_equal(answer->n_comparisons, 3);
    made_text("first", strmap_get(&answer->comparison[0].cell, "threads"), "1");
    made_text("second", strmap_get(&answer->comparison[1].cell, "threads"), "2");
    made_text("third", strmap_get(&answer->comparison[2].cell, "threads"), "16");
    assert_int_equal(answer->comparison[0].outcome, ANSWER_UNCHANGED);
    assert_int_equal(answer->comparison[2].outcome, ANSWER_REGRESSED);
    for (size_t c = 0; c < 3; c++) {
        const struct comparison_answer *one = &answer->comparison[c];

        assert_int_equal(one->n_factors, 1);
        made_text("factor", one->factor[0].factor, "threads");
        assert_int_equal(one->factor[0].n_levels, 3);
        if (!(one->factor[0].p <= 0.05))
            fail_msg("want the levels told apart, got p %g", one->factor[0].p);
    }
    for (size_t h = 0; h < 3; h++)
        frame_free(host[h].frame);
}

static void arms_that_never_share_a_level_are_shown_without_a_verdict(void **state)
{
    const struct judge_options options = crossed_options();
    struct frame *frame = made_pairs(12, 0.1, 0.001, 3);

    (void)state;
    for (size_t row = 0; row < frame->n; row++) {
        frame->cell[row] = frame->variant[row];
        made_set(frame, row, "threads", frame->variant[row] + 1);
    }
    CLEAN(answer) struct answer *answer = made_answer_one(&options, frame);

    assert_int_equal(answer->n_comparisons, 2);
    for (size_t c = 0; c < 2; c++) {
        const struct comparison_answer *one = &answer->comparison[c];

        assert_int_equal(one->outcome, ANSWER_INCONCLUSIVE);
        if (!str_starts(one->sentence, "0 of 1 host has a verdict: only one of the two variants "
                                       "ran"))
            fail_msg("got \"%s\"", one->sentence);
    }
    frame_free(frame);
}

static void a_level_that_one_arm_lacks_is_left_out(void **state)
{
    const double level[] = {1, 2}, effect[] = {0.1, 0.1};
    const struct judge_options options = crossed_options();
    struct frame *both = crossed(level, effect, 2, 5), *frame = frame_new();

    (void)state;
    frame->first_seq = 1;
    for (size_t row = 0; row < both->n; row++)
        if (both->cell[row] == 0 || both->variant[row] == 0) {
            CLEAN(frame) struct frame *one = frame_slice(both, row, 1);

            frame_append(frame, one);
        }
    CLEAN(answer) struct answer *answer = made_answer_one(&options, frame);

    assert_int_equal(answer->n_comparisons, 1);
    made_text("cell", strmap_get(&answer->comparison[0].cell, "threads"), "1");
    assert_int_equal(answer->comparison[0].outcome, ANSWER_REGRESSED);
    frame_free(both);
    frame_free(frame);
}

/* A candidate that ran nowhere is in the answer all the same. */
static void every_candidate_is_answered(void **state)
{
    struct judge_options options = made_options();
    struct frame *frame = made_pairs(12, 0.1, 0.001, 3);

    (void)state;
    options.n_variants = 3;
    CLEAN(answer) struct answer *answer = made_answer_one(&options, frame);

    assert_int_equal(answer->n_comparisons, 2);
    made_text("first", answer->comparison[0].candidate, "B");
    made_text("second", answer->comparison[1].candidate, "C");
    assert_int_equal(answer->comparison[0].outcome, ANSWER_REGRESSED);
    assert_int_equal(answer->comparison[1].outcome, ANSWER_INCONCLUSIVE);
    frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_comparison_a_cell_in_order_of_levels),
        cmocka_unit_test(arms_that_never_share_a_level_are_shown_without_a_verdict),
        cmocka_unit_test(a_level_that_one_arm_lacks_is_left_out),
        cmocka_unit_test(every_candidate_is_answered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
