/* SPDX-License-Identifier: GPL-3.0-or-later
 * Stopping early: looks, levels, sequential p, e-values, what the stop rule decides. */
#include "analysis/sequential.h"

#include "analysis/signed_rank.h"
#include "analysis/stop.h"
#include "unit/analysis/made_frame.h"

static void looks_grow_by_the_fifth_root_of_six(void **state)
{
    static const uint32_t want[] = {10, 14, 20, 29, 42, 60, 86, 100};
    CLEAN_MEM uint32_t *look = NULL;
    struct sequential_plan plan;

    (void)state;
    assert_int_equal(sequential_looks(10, 100, &look), 8);
    assert_memory_equal(look, want, sizeof want);
    sequential_plan_build(10, 100, 0.05, &plan);
    assert_int_equal(plan.n, 8);
    assert_memory_equal(plan.look, want, sizeof want);
    sequential_plan_build(6, 12, 0.05, &plan);
    assert_int_equal(plan.n, 3); /* 6, 10, 12 */
    assert_int_equal(plan.look[0], 6);
    assert_int_equal(plan.look[2], 12);
    sequential_plan_build(8, 8, 0.05, &plan);
    assert_int_equal(plan.n, 1);
    made_near("one look is no correction", plan.level[0], 0.05, 1e-9);
    sequential_plan_build(1, 100000, 0.05, &plan);
    assert_true(plan.n < SEQUENTIAL_LOOKS && plan.look[plan.n - 1] == 100000);
}

static void levels_by_recursive_integration(void **state)
{
    static const double n60[] = {0.00833, 0.00605, 0.00814, 0.0119, 0.0176, 0.0256},
                        n100[] = {0.005, 0.00349, 0.00467, 0.00684, 0.0101, 0.0146, 0.0216, 0.0212};
    struct sequential_plan plan;

    (void)state;
    sequential_plan_build(10, 60, 0.05, &plan);
    assert_int_equal(plan.n, 6);
    for (size_t i = 0; i < 6; i++)
        made_near("N = 60", plan.level[i], n60[i], 0.005 * n60[i]);
    sequential_plan_build(10, 100, 0.05, &plan);
    assert_int_equal(plan.n, 8);
    for (size_t i = 0; i < 8; i++)
        made_near("N = 100", plan.level[i], n100[i], 0.005 * n100[i]);
}

/* A Brownian path is looked at with the levels: the whole error must be alpha. */
static void levels_spend_alpha_and_no_more(void **state)
{
    struct sequential_plan plan;
    struct rng rng;
    unsigned crossed = 0;
    const unsigned paths = 20000;

    (void)state;
    sequential_plan_build(10, 60, 0.05, &plan);
    rng_seed(&rng, 17);
    for (unsigned path = 0; path < paths; path++) {
        double sum = 0;
        uint32_t at = 0;

        for (size_t k = 0; k < plan.n; k++) {
            sum += sqrt(plan.look[k] - at) * rng_normal(&rng);
            at = plan.look[k];
            if (erfc(fabs(sum) / sqrt(2.0 * at)) <= plan.level[k]) {
                crossed++;
                break;
            }
        }
    }
    made_near("error", (double)crossed / paths, 0.05, 3 * sqrt(0.05 * 0.95 / paths));
}

static void a_cut_plan_ends_where_the_host_did(void **state)
{
    struct sequential_plan plan, cut;

    (void)state;
    sequential_plan_build(10, 60, 0.05, &plan);
    sequential_plan_cut(&plan, 25, 0.05, &cut);
    assert_int_equal(cut.n, 4); /* 10, 14, 20, 25 */
    assert_int_equal(cut.look[3], 25);
    for (size_t i = 0; i < 3; i++)
        made_near("planned level", cut.level[i], plan.level[i], 1e-12);
    assert_true(cut.level[3] > plan.level[2] * 0.5 && cut.level[3] < plan.level[3]);
    sequential_plan_cut(&plan, 20, 0.05, &cut);
    assert_int_equal(cut.n, 3);
    sequential_plan_cut(&plan, 7, 0.05, &cut);
    assert_int_equal(cut.n, 1);
    made_near("alpha n/N", cut.level[0], 0.05 * 7 / 60, 1e-9);
}

static void sequential_p_is_the_alpha_that_would_have_rejected(void **state)
{
    struct sequential_plan plan;
    struct sequential_table table;

    (void)state;
    sequential_plan_build(10, 60, 0.05, &plan);
    sequential_table_build(plan.look, plan.n, 60, &table);
    for (double alpha = 0.001; alpha < 0.9; alpha *= 1.7) {
        double level[SEQUENTIAL_LOOKS], p[SEQUENTIAL_LOOKS];

        sequential_levels(plan.look, plan.n, 60, alpha, level);
        for (size_t k = 0; k < plan.n; k++) {
            for (size_t i = 0; i < k; i++)
                p[i] = 1;
            p[k] = level[k];
            made_near("p", sequential_p(&table, p, k + 1), alpha, 0.002 * alpha);
            if (k > 0)
                made_near("not planned", sequential_p_between(&table, p, k, plan.look[k], p[k]),
                          alpha, 0.002 * alpha);
        }
    }
    sequential_table_done(&table);
}

static void sequential_p_rises_with_every_p(void **state)
{
    struct sequential_plan plan;
    struct sequential_table table;
    double last[2] = {0, 0};

    (void)state;
    sequential_plan_build(10, 60, 0.05, &plan);
    sequential_table_build(plan.look, plan.n, 60, &table);
    for (double at = 1e-12; at <= 1; at *= 1.3) {
        const double p[] = {1, at, 1}, got = sequential_p(&table, p, 3),
                     between = sequential_p_between(&table, p, 1, 12, at);

        if (got < last[0] || got < at || got > 1 || between < last[1] * (1 - 1e-5) || between < at)
            fail_msg("p %g: sequential %g after %g, between looks %g after %g", at, got, last[0],
                     between, last[1]);
        last[0] = got;
        last[1] = between;
    }
    sequential_table_done(&table);
}

/* Peeking with the sequential p keeps the level; peeking with the naive p does not. */
static void sequential_p_is_valid_under_peeking(void **state)
{
    struct sequential_plan plan;
    struct sequential_table table;
    struct rng rng;
    unsigned naive = 0, valid = 0, ended = 0;

    (void)state;
    sequential_plan_build(10, 60, 0.05, &plan);
    sequential_table_build(plan.look, plan.n, 60, &table);
    rng_seed(&rng, 23);
    for (unsigned study = 0; study < 3000; study++) {
        double d[60], p[8], least = 1;

        for (size_t i = 0; i < 60; i++) {
            const double noise = rng_normal(&rng);

            d[i] = noise * noise * noise; /* heavy tails, symmetric */
        }
        for (size_t k = 0; k < plan.n; k++) {
            p[k] = signed_rank_p(d, plan.look[k]);
            least = p[k] < least ? p[k] : least;
        }
        naive += least <= 0.05;
        valid += sequential_p(&table, p, plan.n) <= 0.05;
        ended += sequential_p_between(&table, p, 2, 17, signed_rank_p(d, 17)) <= 0.05;
    }
    if (valid > 186 || naive < 300 || ended > 186) /* 150 expected, three standard errors 36 */
        fail_msg("of 3000: naive %u, sequential %u, ended at 17 %u", naive, valid, ended);
    sequential_table_done(&table);
}

static void e_values_are_valid_at_every_round(void **state)
{
    struct rng rng;
    unsigned called = 0;

    (void)state;
    rng_seed(&rng, 29);
    for (unsigned study = 0; study < 2000; study++) {
        double d[200], scale = 1;

        for (size_t i = 0; i < 200; i++) { /* wandering noise level: only the sign is fair */
            scale *= exp(0.1 * rng_normal(&rng));
            d[i] = scale * rng_normal(&rng);
        }
        called += sequential_e_p(d, 200, 0.05) <= 0.05;
    }
    if (called > 129) /* 100 at most, three standard errors 29 */
        fail_msg("%u of 2000 studies without effect", called);
}

static void e_values_find_effects_and_never_forget(void **state)
{
    struct rng rng;
    double d[120], last = 1;

    (void)state;
    rng_seed(&rng, 31);
    for (size_t i = 0; i < 120; i++)
        d[i] = 0.01 + 0.01 * rng_normal(&rng);
    for (size_t n = 0; n <= 120; n++) {
        const double p = sequential_e_p(d, n, 0.05);

        if (p > last || (n <= 6 && p != 1))
            fail_msg("at %zu: %g after %g", n, p, last);
        last = p;
    }
    assert_true(last < 0.001);
    for (size_t i = 0; i < 6; i++)
        d[i] = 0; /* no scale to be had */
    made_near("all zero at first", sequential_e_p(d, 120, 0.05), 1, 0);
}

static void decisions_at_looks(void **state)
{
    struct sequential_plan plan;
    double up[60], flat[60], wide[60];

    (void)state;
    sequential_plan_build(10, 60, 0.05, &plan);
    for (size_t i = 0; i < 60; i++) {
        flat[i] = 0.0002 * ((double)(i * 7 % 11) - 5);
        up[i] = 0.05 + flat[i];
        wide[i] = 0.04 * ((double)(i * 7 % 11) - 5);
    }
    assert_int_equal(sequential_decide(&plan, up, 9, 0.01), SEQUENTIAL_CONTINUE);
    assert_int_equal(sequential_decide(&plan, up, 10, 0.01), SEQUENTIAL_STOP_DECIDED);
    assert_int_equal(sequential_decide(&plan, flat, 10, 0.01), SEQUENTIAL_STOP_UNCHANGED);
    assert_int_equal(sequential_decide(&plan, wide, 30, 0.01), SEQUENTIAL_CONTINUE);
    assert_int_equal(sequential_decide(&plan, wide, 60, 0.01), SEQUENTIAL_STOP_MAX);
    /* sure at an earlier look: one round more takes nothing away */
    assert_int_equal(sequential_decide(&plan, up, 11, 0.01), SEQUENTIAL_STOP_DECIDED);
    for (size_t i = 0; i < 12; i++)
        up[i] = wide[i];
    assert_int_equal(sequential_decide(&plan, up, 13, 0.01), SEQUENTIAL_CONTINUE);
}

/* Rounds of A and the variants with these effects; cells times over. */
static struct frame *looked_at(size_t rounds, const double *effect, uint32_t variants,
                               uint32_t cells)
{
    struct frame *frame = frame_new();
    struct rng rng;

    rng_seed(&rng, 41);
    for (uint32_t r = 0; r < rounds; r++)
        for (uint32_t i = 0; i < variants * cells; i++) {
            const uint32_t variant = (i + r) % variants;
            const size_t row =
                made_row(frame, variant, r, i,
                         exp((variant ? effect[variant - 1] : 0) + 0.002 * rng_normal(&rng)));

            frame->cell[row] = i / variants;
        }
    return frame;
}

static enum sequential_decision stop(struct frame *frame, uint32_t variants, size_t control)
{
    struct judge_options options = made_options();

    options.n_variants = variants;
    options.control = control;
    options.look_min = 10;
    options.look_max = 60;
    const enum sequential_decision decision = stop_rule(frame, &options);

    frame_free(frame);
    return decision;
}

static void the_stop_rule_waits_for_every_comparison(void **state)
{
    const double shifted[] = {0.05, 0.05}, flat[] = {0, 0};

    (void)state;
    assert_int_equal(stop(looked_at(9, shifted, 3, 1), 3, SIZE_MAX), SEQUENTIAL_CONTINUE);
    assert_int_equal(stop(looked_at(10, shifted, 3, 1), 3, SIZE_MAX), SEQUENTIAL_STOP_DECIDED);
    assert_int_equal(stop(looked_at(10, flat, 3, 1), 3, SIZE_MAX), SEQUENTIAL_STOP_UNCHANGED);
    assert_int_equal(stop(looked_at(10, shifted, 2, 3), 2, SIZE_MAX), SEQUENTIAL_STOP_DECIDED);
    assert_int_equal(stop(frame_new(), 2, SIZE_MAX), SEQUENTIAL_CONTINUE);
}

static void the_control_does_not_keep_a_host_running(void **state)
{
    CLEAN(frame) struct frame *frame = frame_new();
    struct judge_options options = made_options();
    struct rng rng;

    (void)state;
    rng_seed(&rng, 43);
    for (uint32_t r = 0; r < 12; r++)
        for (uint32_t place = 0; place < 3; place++) {
            const uint32_t variant = (place + r) % 3;

            made_row(
                frame, variant, r, place, /* the control is very noisy */
                exp((variant == 1 ? 0.1 : 0) + (variant == 2 ? 0.5 : 0.002) * rng_normal(&rng)));
        }
    options.n_variants = 3;
    options.look_min = 10;
    options.look_max = 60;
    assert_int_equal(stop_rule(frame, &options), SEQUENTIAL_CONTINUE);
    options.control = 2;
    assert_int_equal(stop_rule(frame, &options), SEQUENTIAL_STOP_DECIDED);
}

static void a_dropped_round_does_not_keep_a_host_running(void **state)
{
    const double shifted[] = {0.05, 0.05};
    CLEAN(frame) struct frame *frame = looked_at(15, shifted, 3, 1);
    struct judge_options options = made_options();

    (void)state;
    for (size_t i = 0; i < frame->n; i++)
        if (frame->variant[i] == 2 && frame->round[i] == 3)
            frame->outcome[i] = OUTCOME_FAILED; /* B has 15 rounds, C 14 */
    options.n_variants = 3;
    options.look_min = 10;
    options.look_max = 60;
    assert_int_equal(stop_rule(frame, &options), SEQUENTIAL_STOP_DECIDED);
}

/* A study that stopped at a look, through the whole analysis. */
static void a_stopped_host_has_the_sequential_p(void **state)
{
    static const size_t rounds[] = {20, 22, 60, 70};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        CLEAN(frame) struct frame *frame = made_pairs(rounds[i], 0.004, 0.01, 3);
        struct judge_options options = made_options();
        CLEAN(answer) struct answer *fixed = made_answer_one(&options, frame);

        options.look_min = 10;
        options.look_max = 60;
        CLEAN(answer) struct answer *looked = made_answer_one(&options, frame);
        const struct host_answer *a = &fixed->comparison[0].host[0],
                                 *b = &looked->comparison[0].host[0];

        if (!(b->p > 0 && b->p <= 1 && b->ci.hi - b->ci.lo > a->ci.hi - a->ci.lo))
            fail_msg("%zu rounds: p %g, ci [%g, %g] after [%g, %g]", rounds[i], b->p, b->ci.lo,
                     b->ci.hi, a->ci.lo, a->ci.hi);
        made_near("estimate", b->effect, a->effect, 0);
        assert_true(a->notes.n == b->notes.n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_grow_by_the_fifth_root_of_six),
        cmocka_unit_test(levels_by_recursive_integration),
        cmocka_unit_test(levels_spend_alpha_and_no_more),
        cmocka_unit_test(a_cut_plan_ends_where_the_host_did),
        cmocka_unit_test(sequential_p_is_the_alpha_that_would_have_rejected),
        cmocka_unit_test(sequential_p_rises_with_every_p),
        cmocka_unit_test(sequential_p_is_valid_under_peeking),
        cmocka_unit_test(e_values_are_valid_at_every_round),
        cmocka_unit_test(e_values_find_effects_and_never_forget),
        cmocka_unit_test(decisions_at_looks),
        cmocka_unit_test(the_stop_rule_waits_for_every_comparison),
        cmocka_unit_test(the_control_does_not_keep_a_host_running),
        cmocka_unit_test(a_dropped_round_does_not_keep_a_host_running),
        cmocka_unit_test(a_stopped_host_has_the_sequential_p),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
