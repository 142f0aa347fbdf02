/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles as files: lines of ticks and symbol (either first; a third column of numbers is passed
 * over, as readprofile prints it), text of `perf report --stdio` with or without children and
 * sample columns, and the old report of differences.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

struct profile_tick {
    char *symbol;
    double ticks;
    size_t profile; /* which file */
};
struct profile_ticks {
    struct profile_tick *v;
    size_t n, cap;
};
void profile_ticks_done(struct profile_ticks *ticks);
/* Adds the file's ticks as those of `profile`. Percents of perf become samples. ERR_INPUT with
 * FILE:LINE. */
MUST_CHECK int profile_read(const char *path, size_t profile, struct profile_ticks *ret,
                            struct err *err);
/* Columns symbol, delta_ticks, pct (0: absent before): as profile 0 before and 1 after. */
MUST_CHECK int profile_read_diff(const char *path, struct profile_ticks *ret, struct err *err);
/* The same, from text; file is only shown. */
MUST_CHECK int profile_parse(const char *file, const char *text, size_t profile,
                             struct profile_ticks *ret, struct err *err);
MUST_CHECK int profile_parse_diff(const char *file, const char *text, struct profile_ticks *ret,
                                  struct err *err);
