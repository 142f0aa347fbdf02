/* SPDX-License-Identifier: GPL-3.0-or-later
 * The numbers of one host, and its verdict. */
#include "analysis/effect_host.h"

#include "analysis/trimmed.h"
#include "base/str.h"
#include "unit/analysis/made_frame.h"

static const struct effect_options usual = {.alpha = 0.05, .theta = 0.00995, .family = 1};

struct measured {
    struct host_rounds rounds;
    struct host_answer answer;
    struct effect_numbers numbers;
};

static void measured_done(struct measured *host)
{
    host_rounds_done(&host->rounds);
    strlist_done(&host->answer.notes);
    strlist_done(&host->answer.reasons);
}

static struct measured measure(const struct frame *frame, const struct effect_options *options)
{
    const struct rounds_options rounds = {
        .metric = {.name = "elapsed_s",
                   .higher_is_better = options->higher_is_better,
                   .by_difference = options->by_difference},
        .candidate = 1
    };
    struct measured host = {
        .answer = {.ci = {NAN, NAN},
                   .ci_level = NAN,
                   .p = NAN,
                   .q = NAN,
                   .rounds_needed = NAN,
                   .detectable = NAN,
                   .mean_ci = {NAN, NAN}}
    };

    host_rounds_build(frame, &rounds, &host.rounds);
    effect_host(&host.rounds, options, &host.answer, &host.numbers);
    return host;
}

/* Frame of rounds with these effects exactly, randomised by hand. */
static struct frame *of_effects(const double *d, size_t n)
{
    struct frame *frame = frame_new();

    for (uint32_t r = 0; r < n; r++) {
        const bool first = r % 3 == 1;

        made_row(frame, first ? 1 : 0, r, 0, first ? exp(d[r]) : 1);
        made_row(frame, first ? 0 : 1, r, 1, first ? 1 : exp(d[r]));
    }
    return frame;
}

static void mean_effect_is_a_jackknife(void **state)
{
    CLEAN(frame) struct frame *frame = made_pairs(9, 0.04, 0.05, 21);
    CLEAN_DONE(measured) struct measured host = measure(frame, &usual);
    const struct host_rounds *r = &host.rounds;
    double without[9], mean = 0, squares = 0;

    (void)state;
    for (size_t out = 0; out < 9; out++) {
        double a = 0, b = 0;

        for (size_t i = 0; i < 9; i++)
            if (i != out) {
                a += r->base[i] / 8;
                b += r->candidate[i] / 8;
            }
        without[out] = log(b / a);
        mean += without[out] / 9;
    }
    for (size_t i = 0; i < 9; i++)
        squares += (without[i] - mean) * (without[i] - mean);
    const double t8 = 2.306004135, half = t8 * sqrt(8.0 / 9 * squares); /* t quantile, 8 df */

    made_near("half width", (host.answer.mean_ci.hi - host.answer.mean_ci.lo) / 2, half, 1e-9);
    made_near("centre", (host.answer.mean_ci.hi + host.answer.mean_ci.lo) / 2,
              host.answer.mean_effect, 1e-12);
}

static void jackknife_of_a_mean_is_its_standard_error(void **state)
{
    const double v[] = {1, 4, 2, 8, 5};
    double without[5];

    (void)state;
    for (size_t i = 0; i < 5; i++)
        without[i] = (20 - v[i]) / 4;
    const struct range got = effect_jackknife(without, 5, 4, 0.95);

    made_near("half width", (got.hi - got.lo) / 2, 2.776445105 * sqrt(30.0 / 4 / 5), 1e-8);
    assert_true(isnan(effect_jackknife(without, 1, 4, 0.95).lo));
}

static void trimmed_pair_by_hand(void **state)
{
    const double v[] = {-10, 1, 2, 3, 4, 5, 6, 7, 8, 100}; /* g = 2 */
    const struct trimmed got = trimmed_mean(v, 10);
    /* Winsorised: 2 2 2 3 4 5 6 7 7 7, mean 4.5, squares 40.5 */
    (void)state;
    made_near("mean", got.mean, 4.5, 1e-12);
    made_near("se", got.se, sqrt(42.5 / 9) / (0.6 * sqrt(10)), 1e-12);
    made_near("df", got.df, 5, 0);
    assert_true(isnan(trimmed_mean(v, 1).mean) && isnan(trimmed_mean(v, 0).mean));
}

static void detectable_is_two_quantiles_of_the_error(void **state)
{
    CLEAN(frame) struct frame *frame = made_pairs(10, 0, 0.01, 3);
    CLEAN_DONE(measured) struct measured host = measure(frame, &usual);

    (void)state; /* t quantiles at .975 and .80 with 5 df */
    made_near("detectable", host.answer.detectable,
              (2.570581836 + 0.919543780) * host.answer.trimmed_se, 1e-9);
}

static void percent_keeps_the_sign_of_the_metric(void **state)
{
    (void)state;
    made_near("slower", effect_pct(log(1.05), false, false), 5, 1e-9);
    made_near("less throughput", effect_pct(log(1 / 0.95), true, false), -5, 1e-9);
    made_near("share", effect_pct(0.3, false, true), 30, 1e-12);
    assert_true(isnan(effect_pct(NAN, false, false)));
}

static void verdict_table(void **state)
{
    static const struct {
        const char *want;
        double effect, q;
        struct range ci, ci90;
        const char *reason;
    } rows[] = {
        {"regressed",       0.03,   0.01,   {0.01, 0.05},    {0.015, 0.045},    NULL        },
        {"improved",        -0.03,  0.01,   {-0.05, -0.01},  {-0.045, -0.015},  NULL        },
        {"regressed-small", 0.005,  0.05,   {0.001, 0.009},  {0.002, 0.008},    NULL        },
        {"improved-small",  -0.005, 0.04,   {-0.009, -.001}, {-0.008, -0.002},  NULL        },
        {"unchanged",       0.001,  0.6,    {-0.006, 0.008}, {-0.004, 0.006},   NULL        },
        {"unchanged",       0.005,  0.06,   {0.001, 0.0099}, {0.002, 0.009},    NULL        }, /* q decides */
        {"inconclusive",    0.001,  0.6,    {-0.012, 0.013}, {-0.0099505, .01}, "wider than"},
        {"inconclusive",    0.03,   0.0501, {0.001, 0.05},   {0.01, 0.04},      "wider than"},
        {"inconclusive",    0.03,   0.01,   {-0.01, 0.05},   {0.001, 0.04},     "wider than"},
        {"inconclusive",    0.001,  NAN,    {NAN, NAN},      {NAN, NAN},        "wider than"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct host_answer answer = {.effect = rows[i].effect,
                                     .ci = rows[i].ci,
                                     .q = rows[i].q,
                                     .rounds_used = 12,
                                     .rounds_needed = 40};
        const struct effect_numbers numbers = {.p = 0.01, .ci90 = rows[i].ci90};

        made_text("verdict", verdict_name(effect_verdict(&usual, &numbers, &answer)), rows[i].want);
        assert_int_equal(answer.reasons.n, rows[i].reason != NULL);
        if (rows[i].reason && !strstr(answer.reasons.v[0], rows[i].reason))
            fail_msg("want %s, got %s", rows[i].reason, answer.reasons.v[0]);
        strlist_done(&answer.reasons);
    }
}

static void the_reason_says_what_stands_in_the_way(void **state)
{
    const struct effect_numbers numbers = {
        .p = 0.5, .ci90 = {-0.02, 0.02}
    };
    struct host_answer answer = {
        .effect = 0.001, .ci = {-0.02, 0.02},
             .q = 0.5, .rounds_used = 12, .rounds_needed = 9
    };

    (void)state;
    effect_verdict(&usual, &numbers, &answer);
    answer.effect = 0.05;
    effect_verdict(&usual, &numbers, &answer);
    answer.rounds_used = 4;
    effect_verdict(&usual, &numbers, &answer);
    made_text("wide", answer.reasons.v[0],
              "the interval reaches past the smallest effect that matters");
    made_text("many hosts", answer.reasons.v[1],
              "the effect is not told apart from chance after correction over hosts");
    made_text("few", answer.reasons.v[2], "too few rounds (4; at least 9 are needed)");
    strlist_done(&answer.reasons);
}

static void too_few_rounds_have_an_estimate_and_the_least_number(void **state)
{
    static const struct {
        unsigned family;
        double least;
    } families[] = {
        {1,  6 },
        {16, 10},
        {0,  6 },
    };

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t n = 1; n <= 5; n++) {
            CLEAN(frame) struct frame *frame = made_pairs(n, 0.1, 0.001, 6);
            struct effect_options options = usual;

            options.family = families[i].family;
            CLEAN_DONE(measured) struct measured host = measure(frame, &options);

            made_near("effect", host.answer.effect, 0.1, 0.01);
            assert_true(isnan(host.answer.ci.lo));
            made_near("rounds needed", host.answer.rounds_needed, families[i].least, 0);
            assert_int_equal(isnan(host.numbers.p), n < EFFECT_LEAST_ROUNDS);
            assert_int_equal(isnan(host.answer.base_spread), n < 2);
            assert_int_equal(isnan(host.answer.mean_ci.lo), n < 2);
        }
}

static void rounds_needed_grow_with_the_square_of_the_width(void **state)
{
    CLEAN(frame) struct frame *frame = made_pairs(20, 0, 0.05, 17);
    CLEAN_DONE(measured) struct measured host = measure(frame, &usual);
    const double half = (host.answer.ci.hi - host.answer.ci.lo) / 2 / usual.theta;

    (void)state;
    made_near("rounds needed", host.answer.rounds_needed, ceil(20 * half * half), 0);
    assert_true(host.answer.rounds_needed > 20);
}

static void a_coarse_clock_widens_every_interval(void **state)
{
    static const struct {
        double tick;
        const char *want;
    } cases[] = {
        {0.004, "unchanged"   }, /* 0.4 % of the mean: below what matters */
        {0.02,  "inconclusive"},
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        CLEAN(frame) struct frame *frame = frame_new();

        for (uint32_t r = 0; r < 12; r++) /* levels differ between rounds, never inside one */
            for (uint32_t place = 0; place < 2; place++)
                made_row(frame, (place + r / 2) % 2, r, place, 1 + cases[i].tick * (r % 3));
        CLEAN_DONE(measured) struct measured host = measure(frame, &usual);
        const double tick = cases[i].tick / (1 + cases[i].tick);

        assert_true(strlist_has(&host.answer.notes, "coarse-clock"));
        made_near("effect", host.answer.effect, 0, 0);
        made_near("p", host.answer.p, 1, 0);
        made_near("ci", host.answer.ci.hi, tick, 1e-9);
        made_near("ci90", host.numbers.ci90.lo, -tick, 1e-9);
        made_near("mean ci", host.answer.mean_ci.lo, -tick, 1e-9);
        assert_true(host.answer.trimmed_se > 0 && host.answer.detectable > tick);
        host.answer.q = 1;
        made_text("verdict", verdict_name(effect_verdict(&usual, &host.numbers, &host.answer)),
                  cases[i].want);
    }
}

static void some_equal_rounds_are_no_coarse_clock(void **state)
{
    const double d[] = {0, 0, 0, 0, 0, 0, 0, 1e-6};
    CLEAN(frame) struct frame *frame = of_effects(d, 8);
    CLEAN_DONE(measured) struct measured host = measure(frame, &usual);

    (void)state;
    assert_false(strlist_has(&host.answer.notes, "coarse-clock"));
}

static void some_slow_runs_are_told_from_a_shift(void **state)
{
    double d[40];

    (void)state;
    for (size_t i = 0; i < 40; i++)
        d[i] = 0.0001 * ((double)(i * 7 % 40) - 20);
    CLEAN(frame) struct frame *even = of_effects(d, 40);
    CLEAN_DONE(measured) struct measured shift = measure(even, &usual);

    for (size_t i = 0; i < 40; i += 5)
        d[i] = 0.7;
    CLEAN(frame) struct frame *odd = of_effects(d, 40);
    CLEAN_DONE(measured) struct measured some = measure(odd, &usual);

    assert_false(strlist_has(&shift.answer.notes, "some-runs-differ"));
    assert_true(some.answer.mean_effect > 0.1 && fabs(some.answer.effect) < 0.01);
    assert_true(strlist_has(&some.answer.notes, "some-runs-differ"));
}

static void repeated_looks_have_wider_intervals(void **state)
{
    CLEAN(frame) struct frame *frame = made_pairs(20, 0.02, 0.02, 8);
    struct effect_options options = usual;
    CLEAN_DONE(measured) struct measured once = measure(frame, &options);

    (void)state;
    options.repeated_level = 1 - 0.008;
    CLEAN_DONE(measured) struct measured looks = measure(frame, &options);

    assert_true(looks.answer.ci.lo < once.answer.ci.lo && looks.answer.ci.hi > once.answer.ci.hi);
    assert_true(looks.numbers.ci90.lo < once.numbers.ci90.lo);
    assert_true(looks.answer.ci_level >= 0.992);
}

static void throughput_and_time_mirror_each_other(void **state)
{
    CLEAN(frame) struct frame *frame = made_pairs(12, 0.04, 0.03, 30);
    CLEAN(frame) struct frame *inverse = made_pairs(12, 0.04, 0.03, 30);
    struct effect_options options = usual;

    (void)state;
    for (size_t i = 0; i < inverse->n; i++)
        made_set(inverse, i, "elapsed_s", 1 / inverse->number[0].v[i]);
    CLEAN_DONE(measured) struct measured time = measure(frame, &options);

    options.higher_is_better = true;
    CLEAN_DONE(measured) struct measured rate = measure(inverse, &options);

    made_near("effect", rate.answer.effect, time.answer.effect, 1e-12);
    made_near("lo", rate.answer.ci.lo, time.answer.ci.lo, 1e-12);
    made_near("p", rate.answer.p, time.answer.p, 1e-12);
    assert_true(time.answer.pct > 0 && rate.answer.pct < 0);
}

static void blocked_data_get_the_estimate_of_their_order(void **state)
{
    CLEAN(frame) struct frame *frame = frame_new();
    struct effect_options options = usual;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 2);
    for (uint32_t i = 0; i < 40; i++)
        made_row(frame, i >= 20, i % 20, i, exp(0.01 * rng_normal(&rng) + (i >= 20 ? 0.05 : 0)));
    CLEAN_DONE(measured) struct measured time = measure(frame, &options);

    options.higher_is_better = true;
    CLEAN_DONE(measured) struct measured rate = measure(frame, &options);

    made_text("design", design_name(time.answer.design), "blocked");
    made_near("effect", time.answer.effect, 0.05, 0.01);
    made_near("level", time.answer.ci_level, 0.95, 0);
    assert_true(isnan(time.numbers.p) && time.answer.p < 0.001);
    made_near("mirrored", rate.answer.ci.lo, -time.answer.ci.hi, 1e-12);
    made_near("mirrored effect", rate.answer.effect, -time.answer.effect, 1e-12);
}

static void differences_have_a_mean_effect_with_an_interval(void **state)
{
    CLEAN(frame) struct frame *frame = frame_new();
    struct effect_options options = usual;

    (void)state;
    options.by_difference = true;
    for (uint32_t r = 0; r < 8; r++)
        for (uint32_t place = 0; place < 2; place++) {
            const uint32_t variant = (place + r) % 2;

            made_row(frame, variant, r, place, variant ? 2 + 0.1 * r : (r % 4) - 1.0);
        }
    CLEAN_DONE(measured) struct measured host = measure(frame, &options);
    /* base mean 0.5, candidate mean 2.35 */
    made_near("mean effect", host.answer.mean_effect, 1.85 / 0.5, 1e-9);
    assert_true(host.answer.mean_ci.lo < 3.7 && host.answer.mean_ci.hi > 3.7);
    made_near("pct", host.answer.pct, 100 * host.answer.effect, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_effect_is_a_jackknife),
        cmocka_unit_test(jackknife_of_a_mean_is_its_standard_error),
        cmocka_unit_test(trimmed_pair_by_hand),
        cmocka_unit_test(detectable_is_two_quantiles_of_the_error),
        cmocka_unit_test(percent_keeps_the_sign_of_the_metric),
        cmocka_unit_test(verdict_table),
        cmocka_unit_test(the_reason_says_what_stands_in_the_way),
        cmocka_unit_test(too_few_rounds_have_an_estimate_and_the_least_number),
        cmocka_unit_test(rounds_needed_grow_with_the_square_of_the_width),
        cmocka_unit_test(a_coarse_clock_widens_every_interval),
        cmocka_unit_test(some_equal_rounds_are_no_coarse_clock),
        cmocka_unit_test(some_slow_runs_are_told_from_a_shift),
        cmocka_unit_test(repeated_looks_have_wider_intervals),
        cmocka_unit_test(throughput_and_time_mirror_each_other),
        cmocka_unit_test(blocked_data_get_the_estimate_of_their_order),
        cmocka_unit_test(differences_have_a_mean_effect_with_an_interval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
