/* SPDX-License-Identifier: GPL-3.0-or-later
 * Questions about text: UTF-8, control bytes, names, what a terminal may see, the nearest known
 * word. */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void prefixes_suffixes_and_equality(void **state)
{
    (void)state;
    assert_true(str_eq(NULL, NULL));
    assert_false(str_eq(NULL, ""));
    assert_false(str_eq("a", NULL));
    assert_true(str_eq("a", "a"));
    assert_true(str_starts("abc", "ab"));
    assert_false(str_starts("a", "ab"));
    assert_true(str_ends("abc", "bc"));
    assert_true(str_ends("abc", ""));
    assert_false(str_ends("c", "bc"));
}

struct bytes_case {
    const char *bytes;
    size_t length;
    int want;
};
static void utf8_is_told_from_what_is_not(void **state)
{
    (void)state;
    static const struct bytes_case cases[] = {
        {"",                     0, 1},
        {"abc",                  3, 1},
        {"\0",                   1, 1},
        {"é€😀",            9, 1},
        {"\xef\xbf\xbf",         3, 1},
        {"\xf4\x8f\xbf\xbf",     4, 1},
        {"\xf4\x90\x80\x80",     4, 0}, /* above U+10FFFF */
        {"\xed\x9f\xbf",         3, 1},
        {"\xed\xa0\x80",         3, 0}, /* a surrogate */
        {"\xc0\x80",             2, 0}, /* overlong */
        {"\xc1\xbf",             2, 0},
        {"\xe0\x80\x80",         3, 0},
        {"\xe0\x9f\xbf",         3, 0},
        {"\xf0\x80\x80\x80",     4, 0},
        {"\xf8\x88\x80\x80\x80", 5, 0},
        {"\x80",                 1, 0},
        {"\xff",                 1, 0},
        {"\xe2\x82",             2, 0}, /* cut */
        {"\xe2\x82\xac",         2, 0},
        {"a\xc3",                2, 0},
        {"\xc3(",                2, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (str_is_utf8(cases[i].bytes, cases[i].length) != (bool)cases[i].want)
            fail_msg("case %zu: want %d", i, cases[i].want);
}

static void control_bytes_are_found(void **state)
{
    (void)state;
    assert_false(str_has_control("plain é", strlen("plain é")));
    assert_true(str_has_control("a\tb", 3));
    assert_true(str_has_control("a\0b", 3));
    assert_true(str_has_control("\x7f", 1));
    assert_true(str_has_control("\xc2\x9b"
                                "2J",
                                4));              /* CSI as one C1 character */
    assert_false(str_has_control("\xc2\xa0", 2)); /* a no-break space is none */
    assert_false(str_has_control("\xc2", 1));
}

static void names_are_safe_for_wires_and_files(void **state)
{
    (void)state;
    static const char *const good[] = {"a",       "n1", "cpu.vendor", "user@host:22",
                                       "A_b-c.9", "_x", "9"};
    static const char *const bad[] = {"",  "-a",  ".a",   "..",  "a/b",  "a b",
                                      "é", "a\n", "a\\b", "a%b", "a\"b", "a=b"};
    char longest[130];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!str_is_name(good[i]))
            fail_msg("\"%s\": want a name", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (str_is_name(bad[i]))
            fail_msg("\"%s\": want no name", bad[i]);
    memset(longest, 'x', sizeof longest);
    longest[128] = '\0';
    assert_true(str_is_name(longest));
    longest[128] = 'x';
    longest[129] = '\0';
    assert_false(str_is_name(longest));
}

static void assert_visible(const char *text, size_t max, const char *want)
{
    CLEAN_MEM char *got = str_visible(text, max);

    assert_string_equal(got, want);
}

static void visible_text_cannot_move_a_cursor(void **state)
{
    (void)state;
    assert_visible("plain é", 100, "plain é");
    assert_visible("\033[31m", 100, "\\x1b[31m");
    assert_visible("a\nb\x7f", 100, "a\\x0ab\\x7f");
    assert_visible("\xc2\x9b", 100, "\\xc2\\x9b");
    assert_visible("bad\xff", 100, "bad\\xff");
    assert_visible("abcdef", 3, "abc…");
    assert_visible("abc", 3, "abc");
    assert_visible("aé", 2, "a…"); /* never half a character */
    assert_visible("", 0, "");
    assert_visible("x", 0, "…");
}

static void nearest_word_is_one_that_may_be_meant(void **state)
{
    (void)state;
    static const char *const known[] = {"experiment", "metric", "metrics", "min_effect",
                                        "hosts",      "alpha",  "aa"};
    static const char *const pairs[][2] = {
        {"experimnet", "experiment"},
        {"metirc",     "metric"    },
        {"Metric",     "metric"    },
        {"metricss",   "metrics"   },
        {"min-effect", "min_effect"},
        {"host",       "hosts"     },
        {"alhpa",      "alpha"     },
        {"mineffect",  "min_effect"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *got = str_nearest(pairs[i][0], known, 7);
        assert_non_null(got);
        assert_string_equal(got, pairs[i][1]);
    }
    assert_null(str_nearest("", known, 7));
    assert_null(str_nearest("zzzzzz", known, 7));
    assert_null(str_nearest("q", known, 7));
    assert_null(str_nearest("metric", known, 0));
}

static void nearest_word_of_a_very_long_text_is_none(void **state)
{
    (void)state;
    static const char *const known[] = {"x"};
    char text[5000];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_null(str_nearest(text, known, 1));
    const char *const long_known[] = {text};
    assert_null(str_nearest("xxx", long_known, 1));
}

static void columns_count_what_a_terminal_shows(void **state)
{
    (void)state;
    assert_int_equal(str_columns(""), 0);
    assert_int_equal(str_columns("abc"), 3);
    assert_int_equal(str_columns("é─▏"), 3);
    assert_int_equal(str_columns("e\xcc\x81"), 1); /* combining acute */
    assert_int_equal(str_columns("漢字"), 4);
    assert_int_equal(str_columns("😀"), 2);
    assert_int_equal(str_columns("\xff\xff"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes_suffixes_and_equality),
        cmocka_unit_test(utf8_is_told_from_what_is_not),
        cmocka_unit_test(control_bytes_are_found),
        cmocka_unit_test(names_are_safe_for_wires_and_files),
        cmocka_unit_test(visible_text_cannot_move_a_cursor),
        cmocka_unit_test(nearest_word_is_one_that_may_be_meant),
        cmocka_unit_test(nearest_word_of_a_very_long_text_is_none),
        cmocka_unit_test(columns_count_what_a_terminal_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
