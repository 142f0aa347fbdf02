/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles from files: both orders of columns, perf's text in its forms, the old report's ranking,
 * and wrong files, which are named with their line.
 */
#include "coordinator/offline/offline.h"
#include "coordinator/offline/profile_read.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#define CASES TEST_SOURCE_DIR "/tests/cases/"

static double ticks_of(const struct profile_ticks *ticks, const char *symbol)
{
    for (size_t i = 0; i < ticks->n; i++)
        if (strcmp(ticks->v[i].symbol, symbol) == 0)
            return ticks->v[i].ticks;
    return NAN;
}

static void expect_ticks(const char *text, const char *symbol, double want)
{
    CLEAN_DONE(profile_ticks) struct profile_ticks ticks = {0};
    struct err err = {0};

    if (profile_parse("f", text, 0, &ticks, &err) < 0)
        fail_msg("%s", err.text);

    double got = ticks_of(&ticks, symbol);

    if (!(fabs(got - want) <= 1e-9 * want))
        fail_msg("%s: want %g, got %g, of\n%s", symbol, want, got, text);
}

static void either_column_may_hold_the_ticks(void **state)
{
    (void)state;
    expect_ticks("12 __down\n", "__down", 12);
    expect_ticks("__down\t12\n", "__down", 12);
    expect_ticks("# ticks\n\n  1466 __down   842.5000\n", "__down", 1466);
    expect_ticks("7 operator new(unsigned long)\n", "operator new(unsigned long)", 7);
    expect_ticks("operator new(unsigned long) 7\r\n", "operator new(unsigned long)", 7);
    expect_ticks("3 a", "a", 3);
}

#define PERF_HEAD "# Samples: 2K of event 'cycles'\n#\n"

static void perf_report_is_read(void **state)
{
    (void)state;
    expect_ticks(PERF_HEAD "# Overhead  Command  Shared Object  Symbol\n# ........\n#\n"
                           "    50.00%  sort  libc.so.6  [.] memcpy   \n"
                           "    25.00%  sort  [kernel.kallsyms]  [k] copy_page\n",
                 "memcpy", 1000);
    expect_ticks(PERF_HEAD "# Children      Self  Command  Shared Object  Symbol\n"
                           "    80.00%    12.50%  sort  sort  [.] compare\n"
                           "            |\n            --67.50%--main\n               start\n\n",
                 "compare", 250);
    expect_ticks("# Samples: 9  of event 'cycles'\n"
                 "# Overhead       Samples  Command  Shared Object  Symbol\n"
                 "    33.00%             3  sort  sort  [.] std::sort<int>(int*, int*)  -  -\n",
                 "std::sort<int>(int*, int*)", 3);
}

static void expect_wrong(const char *text, const char *want)
{
    CLEAN_DONE(profile_ticks) struct profile_ticks ticks = {0};
    struct err err = {0};

    if (profile_parse("f", text, 0, &ticks, &err) == 0)
        fail_msg("read without complaint:\n%s", text);
    if (!str_starts(err.text, want) || err.code != ERR_INPUT)
        fail_msg("want %s…, got %s", want, err.text);
}

static void wrong_files_are_named_with_their_line(void **state)
{
    struct offline_profile_options options = {
        .exposure_from = 1, .exposure_to = 1, .diff = "/nowhere/at/all"};
    const struct report_style style = {0};
    struct err err = {0};

    (void)state;
    expect_wrong("", "f: no symbols");
    expect_wrong("# nothing\n", "f: no symbols");
    expect_wrong("1 a\nb c\n", "f:2: found \"b c\"");
    expect_wrong("5\n", "f:1: ");
    expect_wrong("-5 a\n", "f:1: ");
    expect_wrong("nan a\n", "f:1: ");
    expect_wrong("1 \xff\n", "f:1: ");
    expect_wrong("# Overhead  Symbol\n    50.00%  [.] a\n", "f:2: ");
    expect_wrong(PERF_HEAD "# Overhead  Command\n", "f:3: ");
    expect_wrong(PERF_HEAD "# Overhead  Symbol\nrubbish\n", "f:4: found \"rubbish\"");
    expect_wrong(PERF_HEAD "# Overhead  Symbol\n    10.00%  a\n", "f:4: ");
    expect_wrong(PERF_HEAD "# Samples: 2K of event 'faults'\n# Overhead  Symbol\n", "f:3: ");
    expect_wrong(PERF_HEAD "# Overhead  Symbol\n", "f: no symbols");
    assert_int_equal(-1, offline_profile(&options, &style, stdout, &err));
    assert_int_equal(ERR_INPUT, err.code);
}

static void wrong_differences_are_named_with_their_line(void **state)
{
    static const struct {
        const char *text, *want;
    } wrong[] = {
        {"symbol,ticks\n",                      "f:1: "        },
        {"symbol,delta_ticks,pct\na,1\n",       "f:2: "        },
        {"symbol,delta_ticks,pct\na,x,3\n",     "f:2: "        },
        {"symbol,delta_ticks,pct\na,5,-10\n",   "f:2: "        },
        {"# c\nsymbol,delta_ticks,pct\n,1,1\n", "f:3: "        },
        {"symbol,delta_ticks,pct\n",            "f: no symbols"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CLEAN_DONE(profile_ticks) struct profile_ticks ticks = {0};
        struct err err = {0};

        assert_int_equal(-1, profile_parse_diff("f", wrong[i].text, &ticks, &err));
        if (!str_starts(err.text, wrong[i].want))
            fail_msg("want %s…, got %s", wrong[i].want, err.text);
    }
}

static char *printed(const struct offline_profile_options *options, size_t *ret_length)
{
    const struct report_style style = {.width = 80};
    struct err err = {0};
    char *text = NULL;
    FILE *out = open_memstream(&text, ret_length);

    assert_non_null(out);
    if (offline_profile(options, &style, out, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(0, fclose(out));
    return text;
}

static void old_report_ranks_as_expected(void **state)
{
    const struct offline_profile_options options = {
        .diff = CASES "seed4-diffprofile.csv", .exposure_from = 1, .exposure_to = 1, .json = true};
    size_t length, i;
    char *text = printed(&options, &length);
    json_t *got = json_loads(text, 0, NULL), *row;
    json_t *expected = json_load_file(CASES "seed-expected.json", 0, NULL);
    const json_t *symbols = json_object_get(got, "symbols");
    const json_t *rank = json_object_get(
        json_object_get(json_object_get(json_object_get(expected, "seed4"), "diffprofile"),
                        "rank_by_abs_z"),
        "value");

    (void)state;
    assert_non_null(got);
    assert_true(json_array_size(rank) >= 7);
    json_array_foreach((json_t *)rank, i, row)
    {
        const json_t *at = json_array_get(symbols, i);
        double want = json_number_value(json_array_get(row, 4));

        if (i >= 7) /* below, printed percents are too coarse to settle the order */
            break;
        assert_string_equal(json_string_value(json_array_get(row, 0)),
                            json_string_value(json_object_get(at, "symbol")));
        if (fabs(json_number_value(json_object_get(at, "z")) - want) > 0.03 * fabs(want))
            fail_msg("row %zu: want z %g, got %g", i, want,
                     json_number_value(json_object_get(at, "z")));
    }
    assert_true(json_is_true(json_object_get(json_array_get(symbols, 3), "new")));
    assert_true(json_is_null(json_object_get(json_array_get(symbols, 3), "pct")));
    assert_int_equal(json_array_size(symbols), 38); /* total and idle are no rows */
    json_decref(got);
    json_decref(expected);
    free(text);
}

static void text_says_new_and_sums_idle_apart(void **state)
{
    const struct offline_profile_options options = {
        .diff = CASES "seed4-diffprofile.csv", .exposure_from = 1, .exposure_to = 1, .top = 5};
    size_t length, lines = 0;
    char *text = printed(&options, &length);

    (void)state;
    assert_non_null(strstr(text, "new       0     251  move_vma_start"));
    assert_non_null(strstr(text, "  idle\n"));
    assert_non_null(strstr(text, "  total\n"));
    assert_non_null(strstr(text, "and 33 more"));
    assert_null(strstr(text, "default_idle"));
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_in_range(lines, 12, 15);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(either_column_may_hold_the_ticks),
        cmocka_unit_test(perf_report_is_read),
        cmocka_unit_test(wrong_files_are_named_with_their_line),
        cmocka_unit_test(wrong_differences_are_named_with_their_line),
        cmocka_unit_test(old_report_ranks_as_expected),
        cmocka_unit_test(text_says_new_and_sums_idle_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
