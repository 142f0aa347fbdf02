/* SPDX-License-Identifier: GPL-3.0-or-later
 * Log lines: one line each whatever the text, levels, the fields of an error. */
#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

/* What stderr got while this was open. */
struct capture {
    int kept, fds[2];
    char text[8192];
};

static void begin(struct capture *capture)
{
    assert_int_equal(pipe(capture->fds), 0);
    capture->kept = dup(STDERR_FILENO);
    dup2(capture->fds[1], STDERR_FILENO);
    close(capture->fds[1]);
}

static void end(struct capture *capture)
{
    dup2(capture->kept, STDERR_FILENO);
    close(capture->kept);
    const ssize_t n = read(capture->fds[0], capture->text, sizeof capture->text - 1);
    capture->text[n > 0 ? n : 0] = '\0';
    close(capture->fds[0]);
}

static void line_has_time_level_name_and_text(void **state)
{
    (void)state;
    struct capture capture;

    log_set_name("agent n1");
    log_set_level(LOG_INFO);
    begin(&capture);
    errno = 5;
    log_info("host=%s up\nfake line\033[1m", "a");
    assert_int_equal(errno, 5);
    end(&capture);
    /* 2026-01-31T12:00:00Z */
    assert_int_equal(capture.text[19], 'Z');
    assert_string_equal(capture.text + 20, " info  agent n1: host=a up\\x0afake line\\x1b[1m\n");
}

static void lower_levels_are_silent(void **state)
{
    (void)state;
    struct capture capture;

    log_set_level(LOG_WARN);
    begin(&capture);
    log_debug("d");
    log_info("i");
    log_warn("w");
    log_error("e");
    end(&capture);
    assert_null(strstr(capture.text, ": d\n"));
    assert_null(strstr(capture.text, ": i\n"));
    assert_non_null(strstr(capture.text, " warn  agent n1: w\n"));
    assert_non_null(strstr(capture.text, " error agent n1: e\n"));
}

static void error_is_shown_with_code_and_origin(void **state)
{
    (void)state;
    struct capture capture;
    struct err err = {0};

    err_set(&err, ERR_LIMIT, "too many");
    begin(&capture);
    log_err(LOG_ERROR, &err, "trial %d", 3);
    end(&capture);
    assert_non_null(strstr(capture.text, ": trial 3: too many code=\"limit\" at="));
    assert_non_null(strstr(capture.text, "test_log.c:"));
    assert_true(str_ends(capture.text, "\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_has_time_level_name_and_text),
        cmocka_unit_test(lower_levels_are_silent),
        cmocka_unit_test(error_is_shown_with_code_and_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
