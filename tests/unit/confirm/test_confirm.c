/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Confirming experiments: what can be switched within hosts is crossed, on hosts of both sides;
 * else the hosts the answer asks for run again; else words say why not.
 */
#include "coordinator/confirm/confirm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/answer_confirms.h"

struct scene { /* two hosts, the effect on the first alone */
    struct answer *answer;
    struct comparison_answer *c;
    struct fact_set *facts[2];
    struct confirm_host host[2];
    struct confirm_request request;
    struct experiment *experiment;
    char *words;
    struct err err;
};

static int set_up(void **state)
{
    static const char *const names[] = {"n1", "n2"};
    struct scene *s = mem_new(struct scene);

    s->answer = mem_new(struct answer);
    s->answer->alpha = 0.05;
    s->answer->comparison = mem_array(struct comparison_answer, 1);
    s->answer->n_comparisons = 1;
    s->c = &s->answer->comparison[0];
    s->c->candidate = mem_strdup("new");
    s->c->host = mem_array(struct host_answer, 2);
    s->c->n_hosts = 2;
    for (size_t i = 0; i < 2; i++) {
        s->c->host[i].host = mem_strdup(names[i]);
        s->c->host[i].rounds_used = 20;
        s->facts[i] = fact_set_new();
        s->host[i] = (struct confirm_host){.name = names[i], .facts = s->facts[i], .can_run = true};
    }
    strlist_add(&s->c->fleet.reproduces_on, "n1");
    strlist_add(&s->c->fleet.absent_on, "n2");
    s->request = (struct confirm_request){
        .run = "nap@3", .answer = s->answer, .host = s->host, .n_hosts = 2};
    s->experiment = experiment_new();
    s->experiment->name = mem_strdup("nap");
    s->experiment->source = mem_strdup("experiment: nap");
    s->experiment->variant = mem_array(struct variant, 2);
    s->experiment->n_variants = 2;
    for (size_t i = 0; i < 2; i++) {
        s->experiment->variant[i].name = mem_strdup(i == 0 ? "old" : "new");
        s->experiment->variant[i].run = mem_printf("./nap-%zu", i);
    }
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *s = *state;

    answer_free(s->answer);
    experiment_free(s->experiment);
    for (size_t i = 0; i < 2; i++)
        fact_set_free(s->facts[i]);
    strlist_done(&s->request.switches);
    strlist_done(&s->request.factors);
    mem_free(s->words);
    mem_free(s);
    return 0;
}

static void put_fact(struct scene *s, size_t host, const char *name, const char *value)
{
    if (fact_set_put(s->facts[host], name, value, FACT_IDENTITY, "test", &s->err) < 0)
        fail_msg("%s", s->err.text);
}

static int build(struct scene *s)
{
    return confirm_build(&s->request, s->experiment, &s->words, &s->err);
}

static void expect_built(struct scene *s)
{
    int result = build(s);

    if (result != 0)
        fail_msg("want an experiment, got %d: %s%s", result, s->words ? s->words : "", s->err.text);
}

static void variable_of_one_side_is_crossed(void **state)
{
    struct scene *s = *state;
    const struct experiment *e = s->experiment;

    put_fact(s, 0, "env.SLOWDOWN", "1");
    put_fact(s, 0, "env.SAME", "x");
    put_fact(s, 1, "env.SAME", "x");
    expect_built(s);
    assert_string_equal(e->name, "nap-confirm");
    assert_string_equal(e->confirms, "nap@3");
    assert_null(e->source);
    assert_int_equal(e->n_factors, 1);
    assert_string_equal(e->factor[0].name, "env.SLOWDOWN");
    assert_int_equal(e->factor[0].level.n, 2);
    assert_string_equal(e->factor[0].level.v[0], "1");
    assert_string_equal(e->factor[0].level.v[1], EXPERIMENT_UNSET);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(strmap_get(&e->variant[i].env, "SLOWDOWN"), "${env.SLOWDOWN}");
        assert_null(strmap_get(&e->variant[i].env, "SAME"));
    }
    assert_string_equal(e->hosts, "host == \"n1\" or host == \"n2\"");
    assert_non_null(strstr(s->words, "env.SLOWDOWN is switched between 1 and (unset)"));
}

static void tunables_are_one_switch_under_both_names(void **state)
{
    struct scene *s = *state;

    put_fact(s, 0, "env.GLIBC_TUNABLES", "glibc.malloc.tcache_count=0");
    put_fact(s, 0, "libc.tunables", "glibc.malloc.tcache_count=0");
    s->c->facts.class = mem_array(struct class_answer, 1);
    s->c->facts.n_classes = 1;
    s->c->facts.class[0].survives = true;
    s->c->facts.class[0].member = mem_array(struct class_member, 1);
    s->c->facts.class[0].n_members = 1;
    s->c->facts.class[0].member[0].fact = mem_strdup("libc.tunables");
    s->c->facts.class[0].member[0].level = mem_strdup("glibc.malloc.tcache_count=0");
    expect_built(s);
    assert_int_equal(s->experiment->n_factors, 1);
    assert_string_equal(s->experiment->factor[0].name, "env.GLIBC_TUNABLES");
    assert_string_equal(strmap_get(&s->experiment->variant[1].env, "GLIBC_TUNABLES"),
                        "${env.GLIBC_TUNABLES}");
}

static void sink_that_mattered_is_crossed(void **state)
{
    struct scene *s = *state;

    s->c->harness = mem_array(struct factor_answer, 1);
    s->c->n_harness = 1;
    s->c->harness[0] = (struct factor_answer){.factor = mem_strdup("stdout_kind"),
                                              .p_adjusted = 0.01,
                                              .level = mem_array(struct level_answer, 2),
                                              .n_levels = 2};
    s->c->harness[0].level[0].level = mem_strdup("pipe");
    s->c->harness[0].level[1].level = mem_strdup("socketpair");
    expect_built(s);
    assert_int_equal(s->experiment->n_factors, 1);
    assert_string_equal(s->experiment->factor[0].name, "sink");
    assert_string_equal(s->experiment->factor[0].level.v[1], "socketpair");
}

static void variable_of_the_variants_is_left_alone(void **state)
{
    struct scene *s = *state;

    put_fact(s, 0, "env.MODE", "1");
    strmap_set(&s->experiment->variant[1].env, "MODE", "fast");
    assert_int_equal(build(s), CONFIRM_NOTHING);
    assert_string_equal(strmap_get(&s->experiment->variant[1].env, "MODE"), "fast");
}

static void user_may_ask_for_switches_and_factors(void **state)
{
    struct scene *s = *state;

    put_fact(s, 1, "env.MODE", "b");
    strlist_add(&s->request.switches, "env.MODE=");
    strlist_add(&s->request.switches, "sink=socketpair");
    strlist_add(&s->request.factors, "threads=1,4");
    s->experiment->variant[0].run[0] = '.';
    expect_built(s);
    assert_int_equal(s->experiment->n_factors, 3);
    assert_int_equal(s->experiment->factor[0].level.n, 2);
    assert_true(strlist_has(&s->experiment->factor[0].level, "b"));
    assert_true(strlist_has(&s->experiment->factor[0].level, EXPERIMENT_UNSET));
    assert_string_equal(s->experiment->factor[1].level.v[0], "pipe");
    assert_string_equal(s->experiment->factor[2].level.v[1], "4");
}

static void switches_that_cannot_be_are_named(void **state)
{
    static const char *const wrong[] = {"cpu.vendor=AMD", "env.X", "env.=1", "env.SAME=x"};
    struct scene *s = *state;

    put_fact(s, 0, "env.SAME", "x");
    put_fact(s, 1, "env.SAME", "x");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        strlist_done(&s->request.switches);
        strlist_add(&s->request.switches, wrong[i]);
        s->err = (struct err){0};
        assert_int_equal(build(s), -1);
        if (s->err.code != ERR_USAGE || !str_starts(s->err.text, "--switch "))
            fail_msg("%s: got %s", wrong[i], s->err.text);
    }
    strlist_done(&s->request.switches);
    strlist_add(&s->request.factors, "threads=1");
    assert_int_equal(build(s), -1);
    assert_int_equal(s->err.code, ERR_USAGE);
}

static struct next_step *add_step(struct scene *s, enum next_do what, const char *host,
                                  int64_t blocks)
{
    struct next_step *step;

    s->c->next = mem_resize(s->c->next, s->c->n_next + 1, sizeof *s->c->next);
    step = &s->c->next[s->c->n_next++];
    *step = (struct next_step){
        .what = what, .host = mem_strdup(host), .blocks = blocks, .why = mem_strdup("it helps")};
    return step;
}

static void undecided_hosts_run_again_with_more_blocks(void **state)
{
    struct scene *s = *state;

    add_step(s, NEXT_MORE_BLOCKS, "n2", 150);
    add_step(s, NEXT_ADD_HOST, NULL, -1);
    expect_built(s);
    assert_int_equal(s->experiment->n_factors, 0);
    assert_string_equal(s->experiment->hosts, "host == \"n2\"");
    assert_int_equal(s->experiment->max_blocks, 170); /* those it had, and 150 more */
    assert_non_null(strstr(s->words, "it helps"));
}

static void nothing_to_do_is_said(void **state)
{
    struct scene *s = *state;

    assert_int_equal(build(s), CONFIRM_NOTHING);
    assert_non_null(strstr(s->words, "nap@3 leaves no explanations"));
    mem_free(mem_steal(&s->words));
    add_step(s, NEXT_MORE_BUILDS, NULL, -1);
    assert_int_equal(build(s), CONFIRM_NOTHING);
    assert_non_null(strstr(s->words, "it helps"));
    mem_free(mem_steal(&s->words));
    put_fact(s, 0, "env.X", "1");
    s->host[0].can_run = s->host[1].can_run = false;
    assert_int_equal(build(s), CONFIRM_NOTHING);
}

static void imported_runs_cannot_be_run(void **state)
{
    struct scene *s = *state;

    mem_free(s->experiment->variant[0].run);
    s->experiment->variant[0].run = NULL;
    assert_int_equal(build(s), CONFIRM_NOTHING);
    assert_non_null(strstr(s->words, "was imported"));
}

static void sentence_says_what_the_switch_did(void **state)
{
    struct scene *s = *state;

    s->c->sentence = mem_strdup("2 of 2 hosts regressed.");
    s->c->factor = mem_array(struct factor_answer, 1);
    s->c->n_factors = 1;
    s->c->factor[0] = (struct factor_answer){.factor = mem_strdup("env.X"),
                                             .p = 0.001,
                                             .p_adjusted = 0.001,
                                             .level = mem_array(struct level_answer, 2),
                                             .n_levels = 2};
    s->c->factor[0].level[0] = (struct level_answer){.level = mem_strdup("1"), .pct = 155.2};
    s->c->factor[0].level[1] = (struct level_answer){.level = mem_strdup("(unset)"), .pct = 0.12};
    answer_confirms(s->answer, "nap@3");
    assert_string_equal(
        s->c->sentence,
        "2 of 2 hosts regressed. Switching env.X on these hosts makes the difference: +155 % at 1, "
        "+0.1 % at (unset) (p 0.001, by randomisation within 2 hosts). This run was made to settle "
        "nap@3.");
    mem_free(s->c->sentence);
    s->c->sentence = mem_strdup("x.");
    s->c->factor[0].p = s->c->factor[0].p_adjusted = 0.4;
    answer_confirms(s->answer, "nap@3");
    assert_string_equal(s->c->sentence,
                        "x. Switching env.X within the same host shows no difference in the effect "
                        "(p 0.4). This run was made to settle nap@3.");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(variable_of_one_side_is_crossed),
        TEST(tunables_are_one_switch_under_both_names),
        TEST(sink_that_mattered_is_crossed),
        TEST(variable_of_the_variants_is_left_alone),
        TEST(user_may_ask_for_switches_and_factors),
        TEST(switches_that_cannot_be_are_named),
        TEST(undecided_hosts_run_again_with_more_blocks),
        TEST(nothing_to_do_is_said),
        TEST(imported_runs_cannot_be_run),
        TEST(sentence_says_what_the_switch_did),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
