/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * explain --json: every situation validates against the shipped schema, numbers come back bit for
 * bit, nothing that does not apply is absent or NaN, whatever names hosts have.
 */
#include "coordinator/report/jot.h"
#include "coordinator/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/report/answers.h"
#include "unit/report/schema.h"

static char *rendered(const struct answer *answer)
{
    char *text = NULL;
    size_t size = 0;
    struct err err;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (report_json(answer, out, &err) != 0) {
        fail_msg("%s", err.text);
    }
    fclose(out);
    return text;
}

static void every_situation_validates(void **state)
{
    (void)state;
    for (size_t i = 0; i < ANSWERS_N; i++) {
        CLEAN(answer) struct answer *answer = ANSWERS_CASES[i].make();
        char *text = rendered(answer);
        schema_assert(text);
        assert_true(str_is_utf8(text, strlen(text)));
        free(text);
    }
}

static void no_nan_is_ever_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < ANSWERS_N; i++) {
        CLEAN(answer) struct answer *answer = ANSWERS_CASES[i].make();
        answer->comparison->host[0].effect = INFINITY;
        answer->comparison->host[0].ci.lo = -INFINITY;
        answer->comparison->host[0].p = NAN;
        char *text = rendered(answer);
        schema_assert(text);
        static const char *const words[] = {"nan", "NaN", "inf,", "Inf", "-inf"};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            if (strstr(text, words[k]) != NULL) {
                fail_msg("%s: found %s", ANSWERS_CASES[i].name, words[k]);
            }
        }
        free(text);
    }
}

static void numbers_come_back_bit_for_bit(void **state)
{
    (void)state;
    CLEAN(answer) struct answer *answer = answers_fact();
    static const double values[] = {
        0.1, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, -0.020037421355125156, 0.00048828125};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        answer->comparison->host[0].effect = values[i];
        char *text = rendered(answer);
        json_t *json = json_loads(text, 0, NULL);
        assert_non_null(json);
        json_t *host = json_array_get(
            json_object_get(json_array_get(json_object_get(json, "comparisons"), 0), "hosts"), 0);
        double got = json_number_value(json_object_get(host, "effect"));
        if (got != values[i]) {
            fail_msg("want %.17g got %.17g", values[i], got);
        }
        json_decref(json);
        free(text);
    }
}

static void the_same_answer_gives_the_same_bytes(void **state)
{
    (void)state;
    CLEAN(answer) struct answer *one = answers_fact();
    CLEAN(answer) struct answer *two = answers_fact();
    char *a = rendered(one), *b = rendered(two);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static void a_host_without_samples_has_design_null(void **state)
{
    (void)state;
    CLEAN(answer) struct answer *answer = answers_fact();
    char *text = rendered(answer);
    json_t *json = json_loads(text, 0, NULL);
    json_t *host = json_array_get(
        json_object_get(json_array_get(json_object_get(json, "comparisons"), 0), "hosts"), 8);
    assert_string_equal(json_string_value(json_object_get(host, "host")), "arm-a");
    assert_true(json_is_null(json_object_get(host, "design")));
    assert_true(json_is_null(json_object_get(host, "ci")));
    assert_true(json_is_null(json_object_get(host, "where")));
    json_decref(json);
    free(text);
}

static void text_is_escaped(void **state)
{
    (void)state;
    struct jot jot CLEAN_DONE(jot) = {0};
    jot_open(&jot, NULL, '[');
    jot_text(&jot, NULL, "a\"b\\c\n\x01\x7f\xc3\xa9\xff");
    jot_text(&jot, NULL, NULL);
    jot_number(&jot, NULL, NAN);
    jot_close(&jot, '[');
    assert_string_equal(str_get(&jot.text),
                        "[\n \"a\\\"b\\\\c\\n\\u0001\\u007fé\xef\xbf\xbd\",\n null,\n null\n]\n");
}

static void the_gate_puts_regressed_before_partial_before_inconclusive(void **state)
{
    (void)state;
    static const struct {
        enum answer_outcome outcome;
        bool partial;
        int want;
    } rows[] = {
        {ANSWER_REGRESSED,         true,  3},
        {ANSWER_REGRESSED_ON_SOME, false, 3},
        {ANSWER_MIXED,             false, 3},
        {ANSWER_INCONCLUSIVE,      true,  5},
        {ANSWER_INCONCLUSIVE,      false, 4},
        {ANSWER_UNCHANGED,         true,  5},
        {ANSWER_UNCHANGED,         false, 0},
        {ANSWER_REGRESSED_SMALL,   false, 0},
        {ANSWER_IMPROVED,          false, 0},
        {ANSWER_IMPROVED_ON_SOME,  false, 0},
        {ANSWER_IMPROVED_SMALL,    false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEAN(answer) struct answer *answer = answers_new("x", 0);
        answer->comparison->outcome = rows[i].outcome;
        int got = report_gate(answer, rows[i].partial);
        if (got != rows[i].want) {
            fail_msg("row %zu: want %d got %d", i, rows[i].want, got);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_situation_validates),
        cmocka_unit_test(no_nan_is_ever_written),
        cmocka_unit_test(numbers_come_back_bit_for_bit),
        cmocka_unit_test(the_same_answer_gives_the_same_bytes),
        cmocka_unit_test(a_host_without_samples_has_design_null),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(the_gate_puts_regressed_before_partial_before_inconclusive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
