/* SPDX-License-Identifier: GPL-3.0-or-later
 * Fact sets: sorted, bounded, unknown means absent, digests of content; copies of hosts; names of
 * states and verdicts. */
#include "model/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/effect.h"
#include "model/limits.h"
#include "model/trial.h"

static void put(struct fact_set *set, const char *name, const char *value)
{
    struct err err = {0};

    if (fact_set_put(set, name, value, FACT_IDENTITY, "test", &err) < 0)
        fail_msg("%s", err.text);
}

static void facts_are_sorted_and_replaced(void **state)
{
    (void)state;
    CLEAN(fact_set) struct fact_set *set = fact_set_new();
    static const char *const names[] = {"os.id", "cpu.vendor", "zfs", "cpu.model", "a"};

    assert_null(fact_set_get(set, "a"));
    for (size_t i = 0; i < 5; i++)
        put(set, names[i], names[i]);
    put(set, "zfs", "yes");
    assert_int_equal(set->n, 5);
    for (size_t i = 1; i < set->n; i++)
        assert_true(strcmp(set->v[i - 1].name, set->v[i].name) < 0);
    assert_string_equal(fact_set_get(set, "zfs"), "yes");
    assert_string_equal(fact_set_get(set, "cpu.model"), "cpu.model");
    assert_null(fact_set_get(set, "cpu"));
    /* A value may be put from the set itself. */
    put(set, "zfs", fact_set_get(set, "zfs"));
    assert_string_equal(fact_set_get(set, "zfs"), "yes");
}

static void unknown_facts_are_absent(void **state)
{
    (void)state;
    CLEAN(fact_set) struct fact_set *set = fact_set_new();

    put(set, "a", "1");
    put(set, "b", "2");
    put(set, "a", "");
    put(set, "b", NULL);
    put(set, "c", NULL);
    assert_int_equal(set->n, 0);
    assert_null(fact_set_get(set, "a"));
}

static void wrong_facts_are_refused(void **state)
{
    (void)state;
    CLEAN(fact_set) struct fact_set *set = fact_set_new();
    struct err err = {0};
    char value[LIMIT_FACT_VALUE + 2];

    assert_int_equal(fact_set_put(set, "a b", "1", FACT_STATE, "t", &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_int_equal(fact_set_put(set, "", "1", FACT_STATE, "t", &err), -1);
    assert_int_equal(fact_set_put(set, "a", "x\033[0m", FACT_STATE, "t", &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_int_equal(fact_set_put(set, "a", "\xff", FACT_STATE, "t", &err), -1);
    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    assert_int_equal(fact_set_put(set, "a", value, FACT_STATE, "t", &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    value[LIMIT_FACT_VALUE] = '\0';
    assert_int_equal(fact_set_put(set, "a", value, FACT_STATE, "t", &err), 0);
    assert_int_equal(set->n, 1);
}

static void number_of_facts_is_bounded(void **state)
{
    (void)state;
    CLEAN(fact_set) struct fact_set *set = fact_set_new();
    struct err err = {0};

    for (int i = 0; i < LIMIT_FACTS; i++) {
        CLEAN_MEM char *name = mem_printf("f%d", i);
        put(set, name, "x");
    }
    assert_int_equal(fact_set_put(set, "one.more", "x", FACT_STATE, "t", &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    put(set, "f7", "replaced");
    assert_int_equal(set->n, LIMIT_FACTS);
}

static void digest_is_of_content_not_of_order(void **state)
{
    (void)state;
    CLEAN(fact_set) struct fact_set *a = fact_set_new(), *b = fact_set_new();
    char left[DIGEST_SIZE], right[DIGEST_SIZE], identity[DIGEST_SIZE];

    put(a, "x", "1");
    put(a, "y", "2");
    put(b, "y", "2");
    put(b, "x", "1");
    fact_set_digest(a, false, left);
    fact_set_digest(b, false, right);
    assert_string_equal(left, right);
    digest_bytes("x=1\ny=2\n", 8, right);
    assert_string_equal(left, right);
    assert_int_equal(fact_set_put(b, "load", "0.5", FACT_STATE, "t", NULL), 0);
    fact_set_digest(b, false, right);
    assert_string_not_equal(left, right);
    fact_set_digest(b, true, identity);
    assert_string_equal(left, identity);
}

static void copies_are_deep(void **state)
{
    (void)state;
    CLEAN(host) struct host *host = mem_new(struct host);

    host->name = mem_strdup("n1");
    host->boot_id = mem_strdup("b");
    host->facts = fact_set_new();
    host->approved = true;
    put(host->facts, "x", "1");
    CLEAN(host) struct host *copy = host_copy(host);
    put(host->facts, "x", "2");
    assert_string_equal(copy->name, "n1");
    assert_null(copy->key);
    assert_true(copy->approved);
    assert_string_equal(fact_set_get(copy->facts, "x"), "1");
    assert_string_equal(copy->facts->v[0].from, "test");
    host_free(NULL);
    fact_set_free(NULL);
    lease_free(NULL);
}

static void states_and_verdicts_have_words(void **state)
{
    (void)state;
    assert_string_equal(run_state_name(RUN_PARTIAL), "partial");
    assert_null(run_state_name((enum run_state)77));
    assert_string_equal(trial_state_name(TRIAL_NEVER), "never started");
    assert_null(trial_state_name((enum trial_state)77));
    assert_true(trial_state_is_end(TRIAL_LOST));
    assert_false(trial_state_is_end(TRIAL_LOOKING));
    assert_string_equal(verdict_name(VERDICT_REGRESSED_SMALL), "regressed-small");
    assert_string_equal(answer_outcome_name(ANSWER_REGRESSED_ON_SOME), "regressed-on-some");
    assert_null(design_name(DESIGN_NONE));
    assert_string_equal(design_name(DESIGN_RANDOMISED), "randomised");
    assert_string_equal(heterogeneity_name(HETEROGENEITY_NONE_SEEN), "none-seen");
    assert_string_equal(time_class_name(TIME_CLASS_CPU_SYS), "cpu-sys");
    assert_string_equal(class_kind_name(CLASS_KIND_CUT), "cut");
    assert_null(verdict_name((enum verdict)99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_sorted_and_replaced),
        cmocka_unit_test(unknown_facts_are_absent),
        cmocka_unit_test(wrong_facts_are_refused),
        cmocka_unit_test(number_of_facts_is_bounded),
        cmocka_unit_test(digest_is_of_content_not_of_order),
        cmocka_unit_test(copies_are_deep),
        cmocka_unit_test(states_and_verdicts_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
