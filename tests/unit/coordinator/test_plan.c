/* SPDX-License-Identifier: GPL-3.0-or-later
 * Plans: who is a target and why others are not, what it costs, when the stop rule looks. */
#include "coordinator/plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clk.h"

enum { HOSTS = 6 };

static struct host *host(const char *name, const char *vendor)
{
    struct host *host = mem_new(struct host);

    host->name = mem_strdup(name);
    host->key = mem_strdup("k");
    host->facts = fact_set_new();
    host->approved = host->connected = true;
    if (vendor)
        assert_int_equal(
            fact_set_put(host->facts, "cpu.vendor", vendor, FACT_IDENTITY, "test", NULL), 0);
    return host;
}

struct pool {
    struct host *v[HOSTS];
};

static void pool_init(struct pool *pool)
{
    pool->v[0] = host("a", "AMD");
    pool->v[1] = host("b", "Intel");
    pool->v[2] = host("c", NULL);
    pool->v[3] = host("d", "AMD");
    pool->v[4] = host("e", "AMD");
    pool->v[5] = host("f", "AMD");
    pool->v[3]->drained = true;
    mem_free(pool->v[4]->key);
    pool->v[4]->key = NULL;
    pool->v[5]->connected = false;
}

static void pool_done(struct pool *pool)
{
    for (size_t i = 0; i < HOSTS; i++)
        host_free(pool->v[i]);
}

static struct experiment *experiment(const char *hosts)
{
    struct experiment *e = experiment_new();

    e->name = mem_strdup("e");
    e->variant = mem_array(struct variant, 2);
    e->n_variants = 2;
    for (size_t i = 0; i < 2; i++) {
        e->variant[i].name = mem_strdup(i ? "b" : "a");
        e->variant[i].run = mem_strdup(i ? "true b" : "true a");
    }
    e->hosts = mem_strdup(hosts);
    e->min_blocks = 10;
    e->max_blocks = 60;
    e->warmup = 1;
    return e;
}

static struct plan *make(const struct experiment *e, const struct pool *pool)
{
    struct plan *plan = NULL;
    struct err err = {0};

    if (plan_make(e, (const struct host *const *)pool->v, HOSTS, &plan, &err) < 0)
        fail_msg("%s", err.text);
    return plan;
}

static void every_host_is_a_target_or_has_a_reason(void **state)
{
    (void)state;
    struct pool pool;
    CLEAN(experiment) struct experiment *e = experiment("cpu.vendor == \"AMD\"");
    CLEAN(plan) struct plan *plan = NULL;
    CLEAN_DONE(strlist) struct strlist targets = {0};

    pool_init(&pool);
    plan = make(e, &pool);
    assert_int_equal(plan->n_hosts, HOSTS);
    plan_targets(plan, &targets);
    assert_int_equal(targets.n, 2);
    assert_string_equal(targets.v[0], "a");
    assert_string_equal(targets.v[1], "f");
    for (size_t i = 0; i < HOSTS; i++)
        assert_true(plan->host[i].target || plan->host[i].why[0]);
    assert_non_null(strstr(plan->host[1].why, "Intel"));
    assert_non_null(strstr(plan->host[2].why, "cpu.vendor"));
    assert_string_equal(plan->host[3].why, "drained");
    assert_non_null(strstr(plan->host[4].why, "imported"));
    assert_string_equal(plan->host[5].why, "not connected now");
    pool_done(&pool);
}

static void without_an_expression_all_that_may_are_targets(void **state)
{
    (void)state;
    struct pool pool;
    CLEAN(experiment) struct experiment *e = experiment(NULL);
    CLEAN(plan) struct plan *plan = NULL;

    pool_init(&pool);
    plan = make(e, &pool);
    assert_int_equal(plan->n_targets, 4); /* c too: nothing is asked of its facts */
    pool_done(&pool);
}

static void wrong_expression_is_named(void **state)
{
    (void)state;
    struct pool pool;
    CLEAN(experiment) struct experiment *e = experiment("cpu.vendor == ");
    struct plan *plan = NULL;
    struct err err = {0};

    pool_init(&pool);
    assert_int_equal(plan_make(e, (const struct host *const *)pool.v, HOSTS, &plan, &err), -1);
    assert_non_null(strstr(err.text, "hosts"));
    assert_null(plan);
    pool_done(&pool);
}

static void cost_is_counted_over_targets(void **state)
{
    (void)state;
    struct pool pool;
    CLEAN(experiment) struct experiment *e = experiment("host == \"a\"");
    CLEAN(plan) struct plan *plan = NULL;

    pool_init(&pool);
    e->timeout_ns = CLK_NS_PER_S;
    e->budget_ns = 0;
    plan = make(e, &pool);
    assert_int_equal(plan->samples_per_block, 2);
    assert_int_equal(plan->samples_min, (10 + 1) * 2);
    assert_int_equal(plan->samples_max, (60 + 1) * 2);
    assert_int_equal(plan->time_max_ns, (60 + 1) * 2 * CLK_NS_PER_S);
    pool_done(&pool);
}

static void looks_rise_from_the_least_to_the_greatest(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = experiment(NULL);
    CLEAN_MEM uint32_t *look = NULL;
    size_t n = plan_looks(e, &look);

    assert_true(n > 2);
    assert_int_equal(look[0], 10);
    assert_int_equal(look[n - 1], 60);
    for (size_t i = 1; i < n; i++)
        assert_true(look[i] > look[i - 1]);
    assert_int_equal(plan_next_look(look, n, 0), 10);
    assert_int_equal(plan_next_look(look, n, 10), 14);
    assert_int_equal(plan_next_look(look, n, 11), 14);
    assert_int_equal(plan_next_look(look, n, 60), 0);
    assert_true(plan_is_look(look, n, 14));
    assert_false(plan_is_look(look, n, 15));
}

static void several_sittings_have_no_looks_on_the_way(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = experiment(NULL);
    CLEAN_MEM uint32_t *look = NULL;

    e->sessions = 2;
    assert_int_equal(plan_looks(e, &look), 1);
    assert_int_equal(look[0], 60);
}

static void plan_is_shown_as_text_and_json(void **state)
{
    (void)state;
    struct pool pool;
    CLEAN(experiment) struct experiment *e = experiment("cpu.vendor == \"AMD\"");
    CLEAN(plan) struct plan *plan = NULL;
    CLEAN_DONE(str) struct str text = {0};
    CLEAN_DONE(str) struct str json = {0};

    pool_init(&pool);
    plan = make(e, &pool);
    plan_text(plan, e, &text);
    plan_json(plan, e, &json);
    assert_non_null(strstr(text.text, "2 of 6 hosts match"));
    assert_non_null(strstr(text.text, "d  (drained)"));
    assert_non_null(strstr(json.text, "\"samples_min\""));
    pool_done(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_host_is_a_target_or_has_a_reason),
        cmocka_unit_test(without_an_expression_all_that_may_are_targets),
        cmocka_unit_test(wrong_expression_is_named),
        cmocka_unit_test(cost_is_counted_over_targets),
        cmocka_unit_test(looks_rise_from_the_least_to_the_greatest),
        cmocka_unit_test(several_sittings_have_no_looks_on_the_way),
        cmocka_unit_test(plan_is_shown_as_text_and_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
