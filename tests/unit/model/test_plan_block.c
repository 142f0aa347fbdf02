/* SPDX-License-Identifier: GPL-3.0-or-later
 * Blocks: complete, repeatable from the seed, different by host, session and round, uniform over
 * orders. */
#include "model/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/limits.h"
#include "unit/model/example.h"

static bool same_order(const struct plan_block *a, const struct plan_block *b)
{
    if (a->n_steps != b->n_steps)
        return false;
    for (size_t i = 0; i < a->n_steps; i++)
        if (a->step[i].variant != b->step[i].variant || a->step[i].cell != b->step[i].cell)
            return false;
    return true;
}

static void block_is_every_cell_of_every_variant_once(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    for (uint32_t round = 0; round < 50; round++) {
        CLEAN_DONE(plan_block) struct plan_block block = {0};
        bool seen[2][4] = {{false}};

        plan_block_build(e, 1, "n1", 2, round, &block);
        assert_int_equal(block.n_steps, 8);
        assert_int_equal(block.round, round);
        assert_int_equal(block.session, 2);
        for (size_t i = 0; i < block.n_steps; i++) {
            const struct plan_step *step = &block.step[i];

            assert_int_equal(step->position, i);
            assert_true(step->variant < 2 && step->cell < 4);
            assert_false(seen[step->variant][step->cell]);
            seen[step->variant][step->cell] = true;
        }
    }
}

static void same_arguments_give_the_same_block(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();
    CLEAN_DONE(plan_block) struct plan_block a = {0}, b = {0};

    plan_block_build(e, 99, "n1", 0, 3, &a);
    plan_block_build(e, 99, "n1", 0, 3, &b);
    assert_true(same_order(&a, &b));
    assert_int_equal(a.env_bytes, b.env_bytes);
    assert_int_equal(a.dir_bytes, b.dir_bytes);
}

/* The order is part of a result: a rerun with its seed repeats it, also with a later version of
 * muster. */
static void order_of_a_seed_never_changes(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();
    CLEAN_DONE(plan_block) struct plan_block block = {0};
    CLEAN_DONE(str) struct str got = {0};

    plan_block_build(e, 42, "n1", 0, 0, &block);
    for (size_t i = 0; i < block.n_steps; i++)
        str_addf(&got, "%u%u ", (unsigned)block.step[i].variant, (unsigned)block.step[i].cell);
    str_addf(&got, "env %u dir %u", (unsigned)block.env_bytes, (unsigned)block.dir_bytes);
    assert_string_equal(got.text, "01 10 13 03 02 11 12 00 env 695 dir 167");
}

static void seed_host_session_and_round_each_matter(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();
    size_t same[4] = {0};

    for (uint32_t i = 0; i < 100; i++) {
        CLEAN_DONE(plan_block) struct plan_block a = {0}, b = {0}, c = {0}, d = {0}, f = {0};

        plan_block_build(e, 1, "n1", 0, i, &a);
        plan_block_build(e, 2, "n1", 0, i, &b);
        plan_block_build(e, 1, "n2", 0, i, &c);
        plan_block_build(e, 1, "n1", 1, i, &d);
        plan_block_build(e, 1, "n1", 0, i + 1, &f);
        same[0] += same_order(&a, &b);
        same[1] += same_order(&a, &c);
        same[2] += same_order(&a, &d);
        same[3] += same_order(&a, &f);
    }
    for (size_t i = 0; i < 4; i++)
        assert_in_range(same[i], 0, 2); /* 8! orders */
}

static void session_and_round_are_not_confused(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();
    size_t same = 0;

    for (uint32_t i = 1; i < 60; i++) {
        CLEAN_DONE(plan_block) struct plan_block a = {0}, b = {0};

        plan_block_build(e, 1, "n1", 1, 10 + i, &a);
        plan_block_build(e, 1, "n1", 11, i, &b);
        same += same_order(&a, &b);
    }
    assert_in_range(same, 0, 2);
}

/* Two variants without factors: the first of each block is a fair coin, and so is each pair of
 * neighbouring blocks. */
static void orders_are_uniform_over_rounds_and_hosts(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = experiment_new();
    enum { HOSTS = 20, ROUNDS = 500 };
    size_t first = 0, changed = 0;

    e->name = mem_strdup("x");
    example_variant(e, "a", "./a");
    example_variant(e, "b", "./b");
    for (int h = 0; h < HOSTS; h++) {
        CLEAN_MEM char *host = mem_printf("host-%d", h);
        uint32_t last = 0;

        for (uint32_t round = 0; round < ROUNDS; round++) {
            CLEAN_DONE(plan_block) struct plan_block block = {0};

            plan_block_build(e, 7, host, 0, round, &block);
            first += block.step[0].variant;
            changed += block.step[0].variant != last;
            last = block.step[0].variant;
        }
    }
    /* 10,000 coins: 4 standard deviations are 200. */
    assert_in_range(first, 4800, 5200);
    assert_in_range(changed, 4800, 5200);
}

static void all_orders_of_three_come_equally_often(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = experiment_new();
    enum { ROUNDS = 12000 };
    size_t count[9] = {0};
    double chi2 = 0;

    e->name = mem_strdup("x");
    example_variant(e, "a", "./a");
    example_variant(e, "b", "./b");
    example_variant(e, "c", "./c");
    for (uint32_t round = 0; round < ROUNDS; round++) {
        CLEAN_DONE(plan_block) struct plan_block block = {0};

        plan_block_build(e, 8, "n1", 0, round, &block);
        count[block.step[0].variant * 3 + block.step[1].variant]++;
    }
    for (size_t i = 0; i < 9; i++) {
        const double d = (double)count[i] - ROUNDS / 6.0;
        if (i % 4 == 0)
            assert_int_equal(count[i], 0);
        else
            chi2 += d * d / (ROUNDS / 6.0);
    }
    assert_true(chi2 < 20.5); /* 5 degrees of freedom, p = .001 */
}

static void what_is_randomised_does_not_change_the_order(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    for (uint32_t round = 0; round < 20; round++) {
        CLEAN_DONE(plan_block) struct plan_block all = {0}, none = {0};

        e->randomize_env = e->randomize_dir = e->randomize_aslr = e->randomize_cpu = true;
        plan_block_build(e, 5, "n1", 0, round, &all);
        e->randomize_env = e->randomize_dir = e->randomize_aslr = e->randomize_cpu = false;
        plan_block_build(e, 5, "n1", 0, round, &none);
        assert_true(same_order(&all, &none));
        assert_int_equal(none.env_bytes, 0);
        assert_int_equal(none.dir_bytes, 0);
        assert_false(none.aslr_off);
        assert_true(none.cpu_draw == UINT32_MAX);
        assert_true(all.env_bytes <= LIMIT_ENV_PADDING);
        assert_true(all.dir_bytes <= LIMIT_DIR_PADDING);
        assert_true(all.cpu_draw != UINT32_MAX);
    }
}

static void paddings_cover_their_range(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();
    uint32_t env_most = 0, env_least = UINT32_MAX, dir_most = 0, dir_least = UINT32_MAX;

    for (uint32_t round = 0; round < 2000; round++) {
        CLEAN_DONE(plan_block) struct plan_block block = {0};

        plan_block_build(e, 5, "n1", 0, round, &block);
        env_most = block.env_bytes > env_most ? block.env_bytes : env_most;
        env_least = block.env_bytes < env_least ? block.env_bytes : env_least;
        dir_most = block.dir_bytes > dir_most ? block.dir_bytes : dir_most;
        dir_least = block.dir_bytes < dir_least ? block.dir_bytes : dir_least;
    }
    assert_true(env_most > LIMIT_ENV_PADDING - 20 && env_least < 20);
    assert_true(dir_most == LIMIT_DIR_PADDING && dir_least == 0);
}

static void separate_stretches_stand_in_the_order_of_the_file(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();
    CLEAN_DONE(plan_block) struct plan_block block = {0};

    e->not_interleaved = true;
    plan_block_build(e, 5, "n1", 0, 3, &block);
    for (size_t i = 0; i < block.n_steps; i++) {
        assert_int_equal(block.step[i].variant, i / 4);
        assert_int_equal(block.step[i].cell, i % 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_is_every_cell_of_every_variant_once),
        cmocka_unit_test(same_arguments_give_the_same_block),
        cmocka_unit_test(order_of_a_seed_never_changes),
        cmocka_unit_test(seed_host_session_and_round_each_matter),
        cmocka_unit_test(session_and_round_are_not_confused),
        cmocka_unit_test(orders_are_uniform_over_rounds_and_hosts),
        cmocka_unit_test(all_orders_of_three_come_equally_often),
        cmocka_unit_test(what_is_randomised_does_not_change_the_order),
        cmocka_unit_test(paddings_cover_their_range),
        cmocka_unit_test(separate_stretches_stand_in_the_order_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
