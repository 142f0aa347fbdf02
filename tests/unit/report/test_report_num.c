/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers and names as the terminal shows them.
 */
#include "coordinator/report/num.h"
#include "coordinator/report/page.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void decimals_follow_the_interval(void **state)
{
    (void)state;
    static const struct {
        double value, lo, hi;
        const char *want;
    } rows[] = {
        {4.9,      4.1,    5.7,      "+4.9 % [4.1, 5.7]"       },
        {39.2,     5.9,    72.0,     "+39 % [6, 72]"           },
        {0.0,      -0.004, 0.004,    "+0.000 % [-0.004, 0.004]"},
        {-4.3356,  -4.81,  -3.86,    "-4.34 % [-4.81, -3.86]"  },
        {-4.3356,  -4.44,  -4.20,    "-4.34 % [-4.44, -4.20]"  },
        {-0.0001,  -0.9,   0.9,      "+0.0 % [-0.9, 0.9]"      },
        {1.5,      NAN,    NAN,      "+1.5 % [n/a]"            },
        {NAN,      1.0,    2.0,      "n/a"                     },
        {INFINITY, 1.0,    2.0,      "n/a"                     },
        {0.0,      0.0,    0.0,      "+0 % [0, 0]"             },
        {1.5,      1.0,    INFINITY, "+1.5 % [n/a]"            },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char got[NUM_SIZE];
        num_percent_range(rows[i].value, (struct range){rows[i].lo, rows[i].hi}, got);
        assert_string_equal(got, rows[i].want);
    }
}

static void percent_has_the_sign_of_the_metric(void **state)
{
    (void)state;
    char got[NUM_SIZE];
    struct range ci = {0.0394, 0.0493};
    num_effect(0.0443, ci, (struct num_scale){.higher_is_better = true}, got);
    assert_string_equal(got, "-4.33 % [-4.81, -3.86]");
    num_effect(0.0443, ci, (struct num_scale){0}, got);
    assert_string_equal(got, "+4.5 % [4.0, 5.1]");
    struct range pct = num_pct_range(ci, (struct num_scale){.higher_is_better = true});
    assert_true(pct.lo < pct.hi);
    num_effect(0.25, (struct range){0.2, 0.3}, (struct num_scale){.by_difference = true}, got);
    assert_string_equal(got, "+25 % [20, 30]");
    struct answer waits = {.metric = (char[]){"wait_s"}}, times = {.metric = (char[]){"elapsed_s"}};
    assert_true(num_scale_of(&waits).by_difference);
    assert_false(num_scale_of(&times).by_difference);
}

static void times_take_a_unit_that_suits(void **state)
{
    (void)state;
    static const struct {
        double value, lo, hi;
        const char *want;
    } rows[] = {
        {0.055597, 0.011475,  0.099718, "+56 ms [11, 100]"   },
        {-0.00245, -0.005383, 0.000484, "-2.4 ms [-5.4, 0.5]"},
        {2.5,      2.0,       3.0,      "+2.5 s [2.0, 3.0]"  },
        {3e-6,     1e-6,      5e-6,     "+3.0 us [1.0, 5.0]" },
        {0.0,      0.0,       0.0,      "+0 us [0, 0]"       },
        {NAN,      0.0,       1.0,      "n/a"                }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char got[NUM_SIZE];
        num_delta(rows[i].value, (struct range){rows[i].lo, rows[i].hi}, true, got);
        assert_string_equal(got, rows[i].want);
    }
}

static void small_p_values_are_bounded_not_rounded_to_zero(void **state)
{
    (void)state;
    char got[NUM_SIZE];
    num_p(0.0, got);
    assert_string_equal(got, "p < 0.0001");
    num_p(0.00049, got);
    assert_string_equal(got, "p 0.00049");
    num_p(0.031, got);
    assert_string_equal(got, "p 0.031");
    num_p(NAN, got);
    assert_string_equal(got, "p n/a");
}

static void moments_are_shown_in_utc(void **state)
{
    (void)state;
    char got[NUM_SIZE];
    num_when(INT64_C(1769860800000000), got);
    assert_string_equal(got, "2026-01-31 12:00");
    num_when(0, got);
    assert_string_equal(got, "-");
}

static void names_are_cut_by_columns_and_made_safe(void **state)
{
    (void)state;
    struct page page;
    page_init(&page, &(struct report_style){0}, stdout);
    static const struct {
        const char *name, *want;
        size_t columns;
        bool pad;
    } rows[] = {
        {"short",              "short     ",   10, true },
        {"a-rather-long-name", "a-rather-…", 10, true },
        {"日本語日本語", "日本… ",   6,  true },
        {"x\x1b[2J",           "x\\x1b[2J",    20, false},
        {"ab\xe2\x80\xae"
         "cd",        "ab\\u202ecd",  20, false},
        {"",                   "   ",          3,  true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEAN_MEM char *got = page_name(&page, rows[i].name, rows[i].columns, rows[i].pad);
        assert_string_equal(got, rows[i].want);
    }
}

static void paragraphs_wrap_and_keep_units_with_their_numbers(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    struct page page;
    page_init(&page, &(struct report_style){.width = 40}, out);
    page_para(&page, "- ", 2, PAGE_PLAIN,
              "it is slower on all the hosts, by 4.9 % (p 0.001) or so, and that is all there is");
    fclose(out);
    assert_string_equal(text, "- it is slower on all the hosts, by\n  4.9 % (p 0.001) or so, and "
                              "that is all\n  there is\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_follow_the_interval),
        cmocka_unit_test(percent_has_the_sign_of_the_metric),
        cmocka_unit_test(times_take_a_unit_that_suits),
        cmocka_unit_test(small_p_values_are_bounded_not_rounded_to_zero),
        cmocka_unit_test(moments_are_shown_in_utc),
        cmocka_unit_test(names_are_cut_by_columns_and_made_safe),
        cmocka_unit_test(paragraphs_wrap_and_keep_units_with_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
