/* SPDX-License-Identifier: GPL-3.0-or-later
 * Experiments: defaults, cells, ${factor}, and each thing that makes one inconsistent. */
#include "model/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "model/limits.h"
#include "unit/model/example.h"

static const char digest_a[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static const char digest_b[] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

static void assert_fine(const struct experiment *e)
{
    struct err err = {0};

    if (experiment_check(e, &err) < 0)
        fail_msg("want no complaint, got: %s", err.text);
}

static void assert_refused(const struct experiment *e, const char *want)
{
    struct err err = {0};

    if (experiment_check(e, &err) == 0)
        fail_msg("got no complaint, want: %s", want);
    assert_string_equal(err.text, want);
}

static void defaults_are_those_of_the_contract(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = experiment_new();

    assert_string_equal(e->metric, "elapsed_s");
    assert_true(e->min_effect == 0.01 && e->alpha == 0.05);
    assert_int_equal(e->min_blocks, 10);
    assert_int_equal(e->max_blocks, 100);
    assert_int_equal(e->n_metric_defs, 3);
    assert_int_equal(experiment_cells(e), 1);
    experiment_free(NULL);
}

static void last_factor_runs_fastest(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    assert_int_equal(experiment_cells(e), 4);
    assert_string_equal(experiment_level(e, 0, 0), "1");
    assert_string_equal(experiment_level(e, 0, 1), "pipe");
    assert_string_equal(experiment_level(e, 1, 0), "1");
    assert_string_equal(experiment_level(e, 1, 1), "null");
    assert_string_equal(experiment_level(e, 2, 0), "4");
    assert_string_equal(experiment_level(e, 3, 1), "null");
}

static void names_in_braces_become_levels(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();
    CLEAN_MEM char *got = NULL;
    struct err err = {0};

    assert_int_equal(
        experiment_substitute(e, 2, "./x ${threads}${sink} $HOME $ {} ${threads}", &got, &err), 0);
    assert_string_equal(got, "./x 4pipe $HOME $ {} 4");
    char *kept = got;
    assert_int_equal(experiment_substitute(e, 0, "${thread}", &got, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_string_equal(err.text,
                        "found ${thread}; allowed: ${threads}, ${sink} (a shell variable is "
                        "written without braces)");
    assert_int_equal(experiment_substitute(e, 0, "${threads", &got, &err), -1);
    assert_string_equal(err.text, "found ${ without its }; allowed: ${factor}");
    assert_ptr_equal(got, kept);
}

static void example_is_consistent(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    assert_fine(e);
}

static void names_must_be_safe_and_unique(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    example_set(&e->name, "a/b");
    assert_refused(
        e, "experiment: found \"a/b\"; allowed: 1 to 128 of A-Z a-z 0-9 . _ : @ -, not beginning "
           "with - or .");
    example_set(&e->name, "a");
    example_set(&e->variant[1].name, "old");
    assert_refused(e, "variants: found \"old\" twice; allowed: each once");
    example_set(&e->variant[1].name, "new");
    example_set(&e->factor[1].name, "threads");
    assert_refused(e, "factors: found \"threads\" twice; allowed: each once");
}

static void numbers_must_be_in_range(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    e->min_effect = 0;
    assert_refused(e, "min_effect: found 0; allowed: above 0 up to 1 (100%)");
    e->min_effect = 0.02;
    e->alpha = 0.6;
    assert_refused(e, "alpha: found 0.6; allowed: above 0 up to 0.5");
    e->alpha = 0.05;
    e->max_blocks = 9;
    assert_refused(e, "sampling.blocks.max: found 9; allowed: 10 to 100000");
    e->max_blocks = LIMIT_BLOCKS + 1;
    assert_refused(e, "sampling.blocks.max: found 100001; allowed: 10 to 100000");
    e->max_blocks = 10;
    e->min_blocks = 0;
    assert_refused(e, "sampling.blocks.min: found 0; allowed: 1 to 100000");
    e->min_blocks = 10;
    e->sessions = 0;
    assert_refused(e, "sampling.sessions: found 0; allowed: 1 to 64");
    e->sessions = 1;
    e->timeout_ns = 0;
    assert_refused(e, "sampling.timeout: found 0; allowed: a duration above 0");
}

static void one_variant_compares_nothing(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = experiment_new();

    e->name = mem_strdup("x");
    example_variant(e, "only", "./a");
    assert_refused(e, "variants: found 1; allowed: 2 to 16");
    for (int i = 0; i < 16; i++) {
        CLEAN_MEM char *name = mem_printf("v%d", i);
        example_variant(e, name, name);
    }
    assert_refused(e, "variants: found 17; allowed: 2 to 16");
}

static void factors_have_distinct_levels_and_bounded_cells(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    example_factor(e, "x", "1", "1");
    assert_refused(e, "factors.x: found level \"1\" twice; allowed: each once");
    example_set(&e->factor[2].level.v[1], "2");
    assert_fine(e);
    for (int i = 3; i < 600; i++) {
        CLEAN_MEM char *level = mem_printf("%d", i);
        strlist_add(&e->factor[2].level, level);
    }
    assert_refused(e, "factors.x: found 599; allowed: 1 to 64");
    while (e->factor[2].level.n > 64)
        mem_free(e->factor[2].level.v[--e->factor[2].level.n]);
    assert_fine(e); /* 2 variants x 2 x 2 x 64 = 512 */
    example_factor(e, "y", "1", "2");
    assert_fine(e);
    example_factor(e, "z", "1", "2");
    assert_refused(e, "factors: found over 1024 cells; allowed: up to 1024 (variants times the "
                      "levels of all factors)");
}

static void built_in_factors_have_known_levels(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    example_set(&e->factor[1].level.v[0], "pipes");
    assert_refused(e, "factors.sink: found \"pipes\"; allowed: null, file, pipe, socketpair, pty");
    example_set(&e->factor[1].level.v[0], "pty");
    example_factor(e, "load", "0", "50%");
    assert_fine(e);
    example_set(&e->factor[2].level.v[1], "150%");
    assert_refused(e, "factors.load: found \"150%\"; allowed: 0 to 100%");
}

static void commands_are_checked_in_every_cell(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    example_set(&e->variant[1].run, "./new '${threads}");
    assert_refused(e,
                   "variants.new.run: found an opening ' in column 7 that is not closed; allowed: "
                   "quotes in pairs");
    example_set(&e->variant[1].run, "./new ${nothing}");
    assert_refused(
        e, "variants.new.run: found ${nothing}; allowed: ${threads}, ${sink} (a shell variable is "
           "written without braces)");
    example_set(&e->variant[1].run, "./new ${threads}");
    e->variant[1].prepare = mem_strdup(" ");
    assert_refused(
        e, "variants.new.prepare: found an empty command; allowed: a program and its words");
    example_set(&e->variant[1].prepare, "sync");
    strmap_set(&e->variant[1].env, "A=B", "x");
    assert_refused(e, "variants.new.env: found \"A=B\"; allowed: a variable's name without =");
    strmap_done(&e->variant[1].env);
    strmap_set(&e->variant[1].env, "A", "${none}");
    assert_refused(
        e, "variants.new.env.A: found ${none}; allowed: ${threads}, ${sink} (a shell variable is "
           "written without braces)");
    mem_free(mem_steal(&e->variant[1].run));
    assert_refused(e, "variants.new.run: found nothing; allowed: a command");
}

static const char same[] = "variants: found old and new with the same bits and command; allowed: "
                           "arms that differ (use --aa if that is meant)";

static void equal_arms_need_a_word_for_it(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    example_set(&e->variant[1].run, "./old ${threads}");
    assert_refused(e, same);
    e->is_aa = true;
    assert_fine(e);
    e->is_aa = false;
    strmap_set(&e->variant[1].env, "A", "1");
    assert_fine(e);
    strmap_set(&e->variant[0].env, "A", "1");
    assert_refused(e, same);
    e->variant[1].prepare = mem_strdup("sync");
    assert_fine(e);
    e->variant[0].prepare = mem_strdup("sync");
    assert_refused(e, same);
}

static void equal_after_substitution_is_equal(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = experiment_new();

    e->name = mem_strdup("x");
    example_variant(e, "old", "./a ${x}");
    example_variant(e, "new", "./a 1");
    e->factor = mem_array(struct factor, 1);
    e->n_factors = 1;
    e->factor[0].name = mem_strdup("x");
    strlist_add(&e->factor[0].level, "1");
    assert_refused(e, same);
    strlist_add(&e->factor[0].level, "2");
    assert_fine(e);
}

static void bits_are_told_apart_by_digest_or_path(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    example_set(&e->variant[1].run, "./old ${threads}");
    e->variant[0].files = mem_strdup("build/a");
    e->variant[1].files = mem_strdup("build/b");
    assert_fine(e); /* not packed yet: paths tell them apart */
    snprintf(e->variant[0].artefact, DIGEST_SIZE, "%s", digest_a);
    snprintf(e->variant[1].artefact, DIGEST_SIZE, "%s", digest_b);
    assert_fine(e);
    snprintf(e->variant[1].artefact, DIGEST_SIZE, "%s", digest_a);
    assert_refused(e, same); /* other paths, same bits */
    snprintf(e->variant[1].artefact, DIGEST_SIZE, "%s", "short");
    assert_refused(e, "variants.new: found an artefact \"short\"; allowed: a SHA-256 in hex");
}

static void control_is_a_copy_by_right(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    example_variant(e, "control", "./old ${threads}");
    e->variant[2].is_control = true;
    assert_fine(e);
    e->variant[2].is_control = false;
    assert_refused(e, "variants: found old and control with the same bits and command; allowed: "
                      "arms that differ (use --aa if that is meant)");
    e->variant[0].is_control = true;
    assert_refused(e, "variants.old: found the base as a control; allowed: a copy of it");
}

static void metrics_are_defined_once_and_match_one_number(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    example_set(&e->metric, "ops");
    assert_refused(e, "metric: found \"ops\"; allowed: elapsed_s, cpu_s, wait_s");
    e->metric_def = mem_resize(e->metric_def, 4, sizeof *e->metric_def);
    e->metric_def[3] =
        (struct metric_def){.name = mem_strdup("ops"), .match = mem_strdup("ops ([0-9]+)")};
    e->n_metric_defs = 4;
    assert_fine(e);
    example_set(&e->metric_def[3].match, "ops [0-9]+");
    assert_refused(
        e,
        "metrics.ops.match: found 0 groups in parentheses; allowed: exactly 1, around the number");
    example_set(&e->metric_def[3].match, "ops (([0-9]+))");
    assert_refused(
        e,
        "metrics.ops.match: found 2 groups in parentheses; allowed: exactly 1, around the number");
    example_set(&e->metric_def[3].match, "ops ([0-9]+");
    struct err err = {0};
    assert_int_equal(experiment_check(e, &err), -1);
    assert_non_null(strstr(err.text, "metrics.ops.match: found \"ops ([0-9]+\" ("));
    example_set(&e->metric_def[3].match, "ops ([0-9]+)");
    example_set(&e->metric_def[3].name, "cpu_s");
    assert_refused(e, "metrics: found \"cpu_s\" twice; allowed: each once");
}

static void host_expression_and_suspects_are_checked(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = example_experiment();

    e->hosts = mem_strdup("os.id == fedora");
    assert_refused(e, "hosts: column 10: found fedora; expected a number or \"text\" in quotes");
    example_set(&e->hosts, "os.id == \"fedora\"");
    strlist_add(&e->suspect, "cpu vendor");
    assert_refused(
        e,
        "suspect: found \"cpu vendor\"; allowed: 1 to 128 of A-Z a-z 0-9 . _ : @ -, not beginning "
        "with - or .");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_contract),
        cmocka_unit_test(last_factor_runs_fastest),
        cmocka_unit_test(names_in_braces_become_levels),
        cmocka_unit_test(example_is_consistent),
        cmocka_unit_test(names_must_be_safe_and_unique),
        cmocka_unit_test(numbers_must_be_in_range),
        cmocka_unit_test(one_variant_compares_nothing),
        cmocka_unit_test(factors_have_distinct_levels_and_bounded_cells),
        cmocka_unit_test(built_in_factors_have_known_levels),
        cmocka_unit_test(commands_are_checked_in_every_cell),
        cmocka_unit_test(equal_arms_need_a_word_for_it),
        cmocka_unit_test(equal_after_substitution_is_equal),
        cmocka_unit_test(bits_are_told_apart_by_digest_or_path),
        cmocka_unit_test(control_is_a_copy_by_right),
        cmocka_unit_test(metrics_are_defined_once_and_match_one_number),
        cmocka_unit_test(host_expression_and_suspects_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
