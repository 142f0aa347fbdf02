/* SPDX-License-Identifier: GPL-3.0-or-later
 * Two modes: the mixture, what is not two modes, occupancy, the shift among the fast, the dip. */
#include "analysis/modes.h"

#include "analysis/modes_dip.h"
#include "analysis/signed_rank.h"
#include "unit/analysis/case_data.h"
#include "unit/analysis/made_frame.h"

static struct host_rounds build(const struct frame *frame, bool higher)
{
    const struct rounds_options options = {
        .metric = {.name = "elapsed_s", .higher_is_better = higher},
          .candidate = 1
    };
    struct host_rounds rounds;

    host_rounds_build(frame, &options, &rounds);
    return rounds;
}

/* Rounds in random order; a run is slow (twice the time) with the arm's share; among the fast the
 * candidate differs by shift. */
static struct frame *two_speeds(size_t rounds, const double share[2], double shift, bool blocked,
                                uint64_t seed)
{
    struct frame *frame = frame_new();
    struct rng rng;

    rng_seed(&rng, seed);
    for (uint32_t i = 0; i < 2 * rounds; i++) {
        const uint32_t round = blocked ? i % (uint32_t)rounds : i / 2,
                       variant = blocked ? i >= rounds : (i % 2 + round * 5 / 3) % 2;
        const double slow = rng_unit(&rng) < share[variant] ? log(2) : 0;

        made_row(frame, variant, round, blocked ? i : i % 2,
                 exp(slow + (variant ? shift : 0) + 0.01 * rng_normal(&rng)));
    }
    return frame;
}

static void the_mixture_finds_what_was_mixed(void **state)
{
    struct mixture got;
    double v[400];
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1);
    for (size_t i = 0; i < 400; i++)
        v[i] = rng_unit(&rng) < 0.3 ? 5 + 0.4 * rng_normal(&rng) : 1 + 0.2 * rng_normal(&rng);
    modes_fit(v, 400, &got);
    assert_true(got.two);
    made_near("low", got.mean[0], 1, 0.05);
    made_near("high", got.mean[1], 5, 0.12);
    made_near("low sd", got.sd[0], 0.2, 0.03);
    made_near("high sd", got.sd[1], 0.4, 0.08);
    made_near("weight", got.weight[1], 0.3, 0.06);
    assert_true(got.threshold > 1.8 && got.threshold < 4);
}

static void binning_many_values_changes_little(void **state)
{
    double *v = mem_array(double, 20000);
    struct mixture few, many;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 2);
    for (size_t i = 0; i < 20000; i++)
        v[i] = rng_unit(&rng) < 0.2 ? 2 + 0.1 * rng_normal(&rng) : 1 + 0.1 * rng_normal(&rng);
    modes_fit(v, 2000, &few); /* not binned */
    modes_fit(v, 20000, &many);
    assert_true(few.two && many.two);
    made_near("low", many.mean[0], 1, 0.01);
    made_near("high", many.mean[1], 2, 0.01);
    made_near("sd", many.sd[0], 0.1, 0.01);
    made_near("threshold", many.threshold, few.threshold, 0.05);
    mem_free(v);
}

static void one_normal_is_not_two_modes(void **state)
{
    unsigned found = 0;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 3);
    for (int repeat = 0; repeat < 300; repeat++) {
        struct mixture got;
        double v[40];

        for (size_t i = 0; i < 40; i++)
            v[i] = rng_normal(&rng);
        modes_fit(v, 40, &got);
        found += got.two;
    }
    if (found > 6)
        fail_msg("%u of 300 single normals were called two modes", found);
}

static void few_or_equal_values_have_no_modes(void **state)
{
    double v[20] = {1, 9, 1, 9, 1, 9, 1, 9, 1};
    struct mixture got;

    (void)state;
    modes_fit(v, MODES_LEAST - 1, &got);
    assert_true(!got.two && isnan(got.threshold));
    for (size_t i = 0; i < 20; i++)
        v[i] = 4;
    modes_fit(v, 20, &got);
    assert_true(!got.two && isnan(got.threshold));
}

static void a_small_mode_is_no_mode(void **state)
{
    double v[100];
    struct mixture got;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 4);
    for (size_t i = 0; i < 100; i++)
        v[i] = (i < 3 ? 10 : 1) + 0.1 * rng_normal(&rng);
    modes_fit(v, 100, &got);
    assert_false(got.two); /* 3 %: outliers */
    for (size_t i = 0; i < 8; i++)
        v[i] = 10 + 0.1 * rng_normal(&rng);
    modes_fit(v, 100, &got);
    assert_true(got.two);
}

static void a_plain_shift_is_not_two_modes(void **state)
{
    const double none[2] = {0, 0};
    CLEAN(frame) struct frame *frame = two_speeds(40, none, 0.1, false, 5);
    CLEAN_DONE(host_rounds) struct host_rounds rounds = build(frame, false);
    struct modes_finding got;

    (void)state;
    modes_host(&rounds, 0.05, false, &got);
    assert_false(got.found);
    assert_true(isnan(got.threshold) && isnan(got.share[0]) && isnan(got.occupancy_p) &&
                isnan(got.fast_effect) && isnan(got.dip) && isnan(got.dip_p));
}

static void occupancy_and_shift_are_two_findings(void **state)
{
    const double often[2] = {0.1, 0.6}, same[2] = {0.3, 0.3};
    struct modes_finding got;

    (void)state;
    CLEAN(frame) struct frame *a = two_speeds(60, often, 0, false, 6);
    CLEAN_DONE(host_rounds) struct host_rounds more_slow = build(a, false);
    modes_host(&more_slow, 0.05, false, &got);
    assert_true(got.found && got.threshold > 1.1 && got.threshold < 1.9);
    made_near("share A", got.share[0], 0.1, 0.1);
    made_near("share B", got.share[1], 0.6, 0.15);
    assert_true(got.occupancy_p < 0.001);
    assert_true(got.fast_ci.lo < 0 && got.fast_ci.hi > 0);
    assert_true(got.dip_p < 0.01);

    CLEAN(frame) struct frame *b = two_speeds(60, same, 0.05, false, 7);
    CLEAN_DONE(host_rounds) struct host_rounds shifted = build(b, false);
    modes_host(&shifted, 0.05, false, &got);
    assert_true(got.found && got.occupancy_p > 0.05);
    made_near("fast effect", got.fast_effect, 0.05, 0.01);
    assert_true(got.fast_ci.lo > 0.03 && got.fast_ci.hi < 0.07);
}

static void mcnemar_counts_the_rounds_that_differ(void **state)
{
    const double often[2] = {0.2, 0.5};
    CLEAN(frame) struct frame *frame = two_speeds(30, often, 0, false, 8);
    CLEAN_DONE(host_rounds) struct host_rounds rounds = build(frame, false);
    struct modes_finding got;
    unsigned b = 0, c = 0;
    double p = 0, ways = 1;

    (void)state;
    modes_host(&rounds, 0.05, false, &got);
    assert_true(got.found);
    for (size_t i = 0; i < rounds.n; i++) {
        b += rounds.candidate[i] > got.threshold && !(rounds.base[i] > got.threshold);
        c += rounds.base[i] > got.threshold && !(rounds.candidate[i] > got.threshold);
    }
    for (unsigned k = 0; k <= (b < c ? b : c); k++) { /* 2 P(X <= min(b, c)), X ~ B(b + c, 1/2) */
        p += 2 * ways / pow(2, b + c);
        ways = ways * (b + c - k) / (k + 1);
    }
    made_near("occupancy p", got.occupancy_p, p < 1 ? p : 1, 1e-9);
}

static void throughput_is_slow_below_the_threshold(void **state)
{
    const double often[2] = {0.1, 0.5};
    CLEAN(frame) struct frame *frame = two_speeds(60, often, 0, false, 9);
    struct modes_finding got;

    (void)state;
    for (size_t i = 0; i < frame->n; i++)
        made_set(frame, i, "elapsed_s", 1 / frame->number[0].v[i]);
    CLEAN_DONE(host_rounds) struct host_rounds rounds = build(frame, true);
    modes_host(&rounds, 0.05, true, &got);
    assert_true(got.found && got.threshold < 1);
    made_near("slow share of B", got.share[1], 0.5, 0.15);
    made_near("slow share of A", got.share[0], 0.1, 0.1);
}

static void blocked_data_count_episodes_over_the_time_exposed(void **state)
{
    CLEAN(frame) struct frame *frame = frame_new();
    struct modes_finding got;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 10);
    for (uint32_t i = 0; i < 60; i++) { /* A: one streak; B: two, the same number of slow runs */
        const bool slow = i < 30 ? i >= 10 && i < 20 : (i >= 33 && i < 38) || (i >= 45 && i < 50);

        made_row(frame, i >= 30, i % 30, i,
                 (slow ? 2 : 1) * exp((i >= 30 ? -0.02 : 0) + 0.005 * rng_normal(&rng)));
    }
    CLEAN_DONE(host_rounds) struct host_rounds rounds = build(frame, false);
    modes_host(&rounds, 0.05, false, &got);
    assert_true(got.found);
    assert_int_equal(got.streaks[0], 1);
    assert_int_equal(got.streaks[1], 2);
    /* 2 of 3 episodes, half of the runs each: C(3,2)/8 + … = 1 by minimum likelihood */
    made_near("episodes p", got.episodes_p, 1, 1e-9);
    assert_true(isnan(got.occupancy_p));
    made_near("fast effect", got.fast_effect, -0.02, 0.004);
    assert_true(got.fast_ci.lo < got.fast_effect && got.fast_effect < got.fast_ci.hi &&
                got.fast_ci.hi < 0);
    /* the unpaired estimate is the median of all differences */
    double d[400];
    size_t n = 0;

    for (size_t i = 0; i < rounds.n_run[0]; i++)
        for (size_t k = 0; k < rounds.n_run[1]; k++)
            if (rounds.run[0][i] < got.threshold && rounds.run[1][k] < got.threshold)
                d[n++] = log(rounds.run[1][k]) - log(rounds.run[0][i]);
    assert_int_equal(n, 400);
    qsort(d, n, sizeof *d, case_rising);
    made_near("Hodges-Lehmann", got.fast_effect, (d[199] + d[200]) / 2, 1e-12);
}

static void exact_binomial_by_minimum_likelihood(void **state)
{
    (void)state;
    made_near("4 of 5 at .5819", modes_binomial_p(4, 5, 7.899441 / 13.575016), 0.4081, 2e-4);
    made_near("0 of 8", modes_binomial_p(0, 8, 0.5), 2.0 / 256, 1e-12);
    made_near("4 of 8", modes_binomial_p(4, 8, 0.5), 1, 1e-12);
    made_near("nothing", modes_binomial_p(0, 0, 0.5), 1, 0);
}

static size_t read_seed1(const char *variant, double *v)
{
    FILE *in = case_open(".", "seed1-samples.csv");
    struct case_table *table = mem_new(struct case_table);
    size_t n = 0;

    assert_true(case_line(in, table->name, &table->columns));
    while (case_line(in, table->field, &table->columns))
        if (!variant || strcmp(case_get(table, "variant"), variant) == 0)
            v[n++] = log(case_number(table, "elapsed_s"));
    fclose(in);
    mem_free(table);
    qsort(v, n, sizeof *v, case_rising);
    return n;
}

/* Values of another implementation on the same runs (seed-expected.json, dip_test). */
static void the_dip_of_the_first_report(void **state)
{
    static const struct {
        const char *variant;
        double dip, p, tol;
    } want[] = {
        {"r11088", 0.041868, 0.8932, 0.025 },
        {"r11089", 0.16612,  0,      0.0006},
        {NULL,     0.097836, 2e-6,   0.0006},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        double v[80];
        const size_t n = read_seed1(want[i].variant, v);
        const double dip = modes_dip(v, n);

        made_near("dip", dip, want[i].dip, 1e-5);
        made_near("p", modes_dip_p(dip, n, 1999), want[i].p, want[i].tol);
    }
}

static void the_dip_of_small_samples(void **state)
{
    const double even[] = {1, 2, 3, 4, 5}, two[] = {1, 1, 9, 9}, same[] = {3, 3, 3},
                 groups[] = {0, 0.1, 0.2, 0.3, 5, 5.1, 5.2, 5.3};

    (void)state;
    made_near("evenly spaced", modes_dip(even, 5), 0.1, 1e-12);
    made_near("two places", modes_dip(two, 4), 0.25, 1e-12);
    made_near("all equal", modes_dip(same, 3), 0, 0);
    made_near("one", modes_dip(even, 1), 0, 0);
    assert_true(modes_dip(groups, 8) > 0.15 && modes_dip(groups, 8) <= 0.25);
    made_near("few", modes_dip_p(0.25, 3, 99), 1, 0);
}

static void the_dip_ignores_scale_and_mirror(void **state)
{
    double v[50], w[50], m[50];
    struct rng rng;

    (void)state;
    rng_seed(&rng, 12);
    for (int repeat = 0; repeat < 20; repeat++) {
        for (size_t i = 0; i < 50; i++)
            v[i] = rng_normal(&rng) + (i % 3 == 0 ? 3 : 0);
        qsort(v, 50, sizeof *v, case_rising);
        for (size_t i = 0; i < 50; i++) {
            w[i] = 1000 * v[i] + 7;
            m[49 - i] = -v[i];
        }
        made_near("scaled", modes_dip(w, 50), modes_dip(v, 50), 1e-9);
        made_near("mirrored", modes_dip(m, 50), modes_dip(v, 50), 1e-9);
    }
}

static void the_dip_p_is_uniform_for_uniform_samples(void **state)
{
    unsigned below = 0;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 13);
    for (int repeat = 0; repeat < 400; repeat++) {
        double v[300];

        for (size_t i = 0; i < 300; i++) /* beyond the largest simulated sample */
            v[i] = rng_unit(&rng);
        qsort(v, 300, sizeof *v, case_rising);
        below += modes_dip_p(modes_dip(v, 300), 300, 99) <= 0.1;
    }
    if (below < 15 || below > 70)
        fail_msg("%u of 400 uniform samples have p <= 0.1", below);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mixture_finds_what_was_mixed),
        cmocka_unit_test(binning_many_values_changes_little),
        cmocka_unit_test(one_normal_is_not_two_modes),
        cmocka_unit_test(few_or_equal_values_have_no_modes),
        cmocka_unit_test(a_small_mode_is_no_mode),
        cmocka_unit_test(a_plain_shift_is_not_two_modes),
        cmocka_unit_test(occupancy_and_shift_are_two_findings),
        cmocka_unit_test(mcnemar_counts_the_rounds_that_differ),
        cmocka_unit_test(throughput_is_slow_below_the_threshold),
        cmocka_unit_test(blocked_data_count_episodes_over_the_time_exposed),
        cmocka_unit_test(exact_binomial_by_minimum_likelihood),
        cmocka_unit_test(the_dip_of_the_first_report),
        cmocka_unit_test(the_dip_of_small_samples),
        cmocka_unit_test(the_dip_ignores_scale_and_mirror),
        cmocka_unit_test(the_dip_p_is_uniform_for_uniform_samples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
