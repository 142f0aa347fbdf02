/* SPDX-License-Identifier: GPL-3.0-or-later
 * Where the time went: deltas that add up, their intervals, the class, the look of a shared CPU. */
#include "analysis/split_where.h"

#include "analysis/modes.h"
#include "unit/analysis/made_frame.h"

struct times { /* of the candidate beside a base of user 0.5, sys 0.2, wait 0.3 */
    double user, sys, wait;
};

/* Ten rounds; every part has noise of 1 ms that does not go with the variant. */
static struct frame *timed(struct times more, bool blocked)
{
    struct frame *frame = frame_new();
    struct rng rng;

    rng_seed(&rng, 77);
    for (uint32_t i = 0; i < 20; i++) {
        const uint32_t round = blocked ? i % 10 : i / 2,
                       variant = blocked ? i >= 10 : (i % 2 + round) % 2;
        const double user = 0.5 + variant * more.user + 0.001 * rng_normal(&rng),
                     sys = 0.2 + variant * more.sys + 0.001 * rng_normal(&rng),
                     wait = 0.3 + variant * more.wait + 0.001 * rng_normal(&rng);
        const size_t row = made_row(frame, variant, round, blocked ? i : i % 2, user + sys + wait);

        made_set(frame, row, "user_s", user);
        made_set(frame, row, "sys_s", sys);
    }
    return frame;
}

static struct host_rounds build(const struct frame *frame)
{
    const struct rounds_options options = {.metric = {.name = "elapsed_s"}, .candidate = 1};
    struct host_rounds rounds;

    host_rounds_build(frame, &options, &rounds);
    return rounds;
}

static void the_part_that_carries_the_delta_names_the_class(void **state)
{
    static const struct {
        struct times more;
        const char *want;
    } cases[] = {
        {{0.05, 0, 0},        "cpu-user"},
        {{0, 0.05, 0},        "cpu-sys" },
        {{0, 0, 0.05},        "wait"    },
        {{0, 0, -0.05},       "wait"    }, /* less waiting */
        {{0.05, 0.05, 0.05},  "mixed"   }, /* a third each */
        {{0.05, 0.005, 0.05}, "mixed"   },
        {{0.05, -0.05, 0},    "none"    }, /* elapsed did not move */
        {{0, 0, 0},           "none"    },
        {{0.08, -0.02, 0},    "cpu-user"}, /* a share above 1 */
    };

    (void)state;
    for (int blocked = 0; blocked < 2; blocked++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            CLEAN(frame) struct frame *frame = timed(cases[i].more, blocked);
            CLEAN_DONE(host_rounds) struct host_rounds rounds = build(frame);
            struct where_time got;

            split_where(&rounds, 0.05, &got);
            assert_true(got.known);
            if (strcmp(time_class_name(got.class), cases[i].want) != 0)
                fail_msg("case %zu, blocked %d: want %s, got %s", i, blocked, cases[i].want,
                         time_class_name(got.class));
            made_near("sum", got.elapsed.delta_s,
                      got.user.delta_s + got.sys.delta_s + got.wait.delta_s, 1e-12);
            made_near("user", got.user.delta_s, cases[i].more.user, 0.002);
            if (got.class == TIME_CLASS_NONE)
                assert_true(isnan(got.user.share) && isnan(got.elapsed.share));
            else
                made_near("shares", got.user.share + got.sys.share + got.wait.share, 1, 1e-9);
        }
}

static void the_interval_is_the_jackknife_of_the_mean(void **state)
{
    CLEAN(frame) struct frame *frame = timed((struct times){0.05, 0, 0}, false);
    CLEAN_DONE(host_rounds) struct host_rounds rounds = build(frame);
    struct where_time got;
    double mean = 0, squares = 0;

    (void)state;
    split_where(&rounds, 0.05, &got);
    for (size_t i = 0; i < 10; i++)
        mean += rounds.part[1][i] / 10;
    for (size_t i = 0; i < 10; i++)
        squares += (rounds.part[1][i] - mean) * (rounds.part[1][i] - mean);
    made_near("delta", got.user.delta_s, mean, 1e-12);
    made_near("half width", (got.user.ci.hi - got.user.ci.lo) / 2,
              2.262157163 * sqrt(squares / 9 / 10), 1e-9); /* t quantile, 9 df */
}

static void throughput_does_not_turn_the_deltas(void **state)
{
    CLEAN(frame) struct frame *frame = timed((struct times){0.05, 0, 0}, false);
    const struct rounds_options options = {
        .metric = {.name = "elapsed_s", .higher_is_better = true},
          .candidate = 1
    };
    CLEAN_DONE(host_rounds) struct host_rounds rounds;
    struct where_time got;

    (void)state;
    host_rounds_build(frame, &options, &rounds);
    split_where(&rounds, 0.05, &got);
    assert_true(rounds.d[0] < 0 && got.user.delta_s > 0.04);
}

static void without_user_and_system_time_nothing_is_known(void **state)
{
    CLEAN(frame) struct frame *frame = made_pairs(10, 0.05, 0.001, 1);
    CLEAN_DONE(host_rounds) struct host_rounds rounds = build(frame);
    struct where_time got;

    (void)state;
    split_where(&rounds, 0.05, &got);
    assert_false(got.known);
    assert_true(isnan(got.elapsed.delta_s) && isnan(got.wait.ci.lo));
}

static void one_round_has_deltas_without_intervals(void **state)
{
    CLEAN(frame) struct frame *all = timed((struct times){0.05, 0, 0}, false);
    CLEAN(frame) struct frame *frame = frame_slice(all, 0, 2);
    CLEAN_DONE(host_rounds) struct host_rounds rounds = build(frame);
    struct where_time got;

    (void)state;
    split_where(&rounds, 0.05, &got);
    assert_true(got.known && isnan(got.user.ci.lo) && !isnan(got.user.delta_s));
    made_text("class", time_class_name(got.class), "none");
}

/* Every second run of the candidate takes `times` as long, all of it waiting. */
static bool looks_shared(double times, double user)
{
    CLEAN(frame) struct frame *frame = timed((struct times){user, 0, 0}, false);
    struct modes_finding modes;
    struct where_time where;

    for (size_t i = 0; i < 20; i++)
        if (frame->variant[i] && frame->round[i] % 5 != 4)
            made_set(frame, i, "elapsed_s", frame->number[0].v[i] + times - 1);
    CLEAN_DONE(host_rounds) struct host_rounds rounds = build(frame);

    split_where(&rounds, 0.05, &where);
    modes_host(&rounds, 0.05, false, &modes);
    assert_true(modes.found);
    return split_where_shared(&rounds, &modes, &where);
}

static void slow_runs_of_twice_the_time_look_like_a_shared_cpu(void **state)
{
    (void)state;
    assert_true(looks_shared(2, 0));
    assert_true(looks_shared(3, 0));
    assert_false(looks_shared(2.5, 0)); /* no whole number */
    assert_false(looks_shared(1.3, 0));
    assert_false(looks_shared(2, 0.02)); /* CPU time went up too */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_part_that_carries_the_delta_names_the_class),
        cmocka_unit_test(the_interval_is_the_jackknife_of_the_mean),
        cmocka_unit_test(throughput_does_not_turn_the_deltas),
        cmocka_unit_test(without_user_and_system_time_nothing_is_known),
        cmocka_unit_test(one_round_has_deltas_without_intervals),
        cmocka_unit_test(slow_runs_of_twice_the_time_look_like_a_shared_cpu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
