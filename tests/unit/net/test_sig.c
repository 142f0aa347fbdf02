/* SPDX-License-Identifier: GPL-3.0-or-later
 * Signals arrive at the descriptor, and nowhere else. */
#include "net/sig.h"

#include "base/fdio.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static void signals_become_readable(void **state)
{
    CLEAN_FD int fd = -1;
    struct err err = {0};

    (void)state;
    assert_int_equal(sig_open(&fd, &err), 0);
    assert_int_equal(sig_read(fd), 0);
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(kill(getpid(), SIGTERM), 0);
    struct pollfd item = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&item, 1, 10000), 1);
    assert_int_equal(sig_read(fd), SIGTERM);
    assert_int_equal(sig_read(fd), 0);
}

static void writing_to_a_closed_pipe_is_an_error_not_an_end(void **state)
{
    CLEAN_FD int fd = -1;
    int ends[2];
    struct err err = {0};

    (void)state;
    assert_int_equal(sig_open(&fd, &err), 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(write(ends[1], "x", 1), -1);
    assert_int_equal(close(ends[1]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_become_readable),
        cmocka_unit_test(writing_to_a_closed_pipe_is_an_error_not_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
