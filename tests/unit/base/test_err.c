/* SPDX-License-Identifier: GPL-3.0-or-later
 * Errors: filled at their origin, given context, shown safely, never longer than their buffer. */
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/str.h"

static void set_fills_code_text_and_place(void **state)
{
    (void)state;
    struct err err = {0};

    assert_int_equal(err_set(&err, ERR_LIMIT, "found %d", 7), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(err.sys_errno, 0);
    assert_string_equal(err.text, "found 7");
    assert_true(err.line > 0);
    assert_non_null(strstr(err.file, "test_err.c"));
}

static void sys_keeps_errno_and_its_words(void **state)
{
    (void)state;
    struct err err = {0};

    errno = ENOENT;
    assert_int_equal(err_sys(&err, "open %s", "x"), -1);
    assert_int_equal(err.code, ERR_SYS);
    assert_int_equal(err.sys_errno, ENOENT);
    assert_string_equal(err.text, "open x: No such file or directory");
}

static void wrap_puts_context_first_and_keeps_the_origin(void **state)
{
    (void)state;
    struct err err = {0};

    err_set(&err, ERR_INPUT, "inner");
    const int line = err.line;
    assert_int_equal(err_wrap(&err, "outer %d", 1), -1);
    assert_string_equal(err.text, "outer 1: inner");
    assert_int_equal(err.code, ERR_INPUT);
    assert_int_equal(err.line, line);
}

static void wrap_may_quote_the_error_itself(void **state)
{
    (void)state;
    struct err err = {0};

    err_set(&err, ERR_INPUT, "a");
    err_wrap(&err, "%s", err.text);
    assert_string_equal(err.text, "a: a");
}

static void null_error_is_allowed(void **state)
{
    (void)state;
    assert_int_equal(err_set(NULL, ERR_INPUT, "x"), -1);
    assert_int_equal(err_wrap(NULL, "x"), -1);
}

static void control_bytes_are_shown_not_sent(void **state)
{
    (void)state;
    struct err err = {0};

    err_set(&err, ERR_INPUT, "a%sb", "\033[2J\n\x7f");
    assert_string_equal(err.text, "a\\x1b[2J\\x0a\\x7fb");
}

static void long_text_is_cut_at_a_whole_character(void **state)
{
    (void)state;
    struct err err = {0};
    char text[sizeof err.text + 100];

    for (size_t skip = 0; skip < 4; skip++) {
        size_t n = 0;
        for (size_t i = 0; i < skip; i++)
            text[n++] = 'x';
        while (n + 4 < sizeof text) {
            memcpy(text + n, "😀", 4);
            n += 4;
        }
        text[n] = '\0';
        err_set(&err, ERR_INPUT, "%s", text);
        assert_true(strlen(err.text) > sizeof err.text - 6);
        assert_true(str_is_utf8(err.text, strlen(err.text)));
    }
}

static void wrapping_without_end_stays_in_bounds(void **state)
{
    (void)state;
    struct err err = {0};

    err_set(&err, ERR_INPUT, "inner");
    for (int i = 0; i < 500; i++)
        err_wrap(&err, "context");
    assert_true(strlen(err.text) < sizeof err.text);
    assert_true(str_starts(err.text, "context: context: "));
}

static void every_code_has_its_own_word(void **state)
{
    (void)state;
    assert_string_equal(err_code_name(ERR_LIMIT), "limit");
    assert_string_equal(err_code_name(ERR_INPUT), "input");
    for (int a = 0; a <= ERR_INTERNAL; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(err_code_name((enum err_code)a),
                                    err_code_name((enum err_code)b));
    assert_string_equal(err_code_name((enum err_code)999), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_fills_code_text_and_place),
        cmocka_unit_test(sys_keeps_errno_and_its_words),
        cmocka_unit_test(wrap_puts_context_first_and_keeps_the_origin),
        cmocka_unit_test(wrap_may_quote_the_error_itself),
        cmocka_unit_test(null_error_is_allowed),
        cmocka_unit_test(control_bytes_are_shown_not_sent),
        cmocka_unit_test(long_text_is_cut_at_a_whole_character),
        cmocka_unit_test(wrapping_without_end_stays_in_bounds),
        cmocka_unit_test(every_code_has_its_own_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
