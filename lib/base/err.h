/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Errors as values: filled once where they begin, given context on the way up, shown once by
 * whoever stops them. Every fallible function returns 0 (done), a negative value (failed, err
 * filled) or a positive named outcome.
 */
#pragma once

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

enum err_code {
#define ERR_CODE(name, text) ERR_##name,
#include "base/err_codes.def"
#undef ERR_CODE
};

struct err {
    enum err_code code;
    int sys_errno;    /* errno at the origin, 0 when the system had no part in it */
    const char *file; /* where in muster's source the error began */
    int line;
    char text[1024]; /* one line, no newline, contexts first: "outer: inner" */
};

/* Fill err (may be NULL) and return -1. Text is cut at the buffer's size, control bytes are shown
 * as \xNN. */
int err_set_at(struct err *err, enum err_code code, int sys_errno, const char *file, int line,
               const char *fmt, ...) PRINTF_LIKE(6, 7);
/* Put "context: " before the text and return -1, so that `return err_wrap(err, …)` passes a failure
 * on. */
int err_wrap(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Short stable name of a code ("limit", "input"), for logs and JSON. */
const char *err_code_name(enum err_code code);

#define err_set(err, code, ...) err_set_at((err), (code), 0, __FILE__, __LINE__, __VA_ARGS__)
/* As err_set with ERR_SYS, errno and its message appended to the text. */
#define err_sys(err, ...) err_set_at((err), ERR_SYS, errno, __FILE__, __LINE__, __VA_ARGS__)
