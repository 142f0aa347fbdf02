/* SPDX-License-Identifier: GPL-3.0-or-later
 * Go benchmark text as results: names taken apart, `key: value` lines as they were in force. */
#pragma once
#include "base/str.h"

struct go_result {
    size_t line;
    char *benchmark;      /* without "Benchmark", parts and processors */
    struct strmap part;   /* /key=value of the name; "procs" for the -8 behind it */
    struct strmap config; /* in force at this line */
    struct strmap value;  /* unit -> number, as written */
};
struct go_text {
    struct go_result *v;
    size_t n, cap;
};
void go_text_done(struct go_text *text);
/* name: what messages call the file. ERR_INPUT names the line. */
MUST_CHECK int go_text_parse(const char *name, const char *bytes, struct go_text *ret,
                             struct err *err);
