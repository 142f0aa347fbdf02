/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Host selection: `cpu.vendor == "AMD" or os.id in ("fedora", "debian") and not host == "n3"`.
 * Operators == != < <= > >= ~ (POSIX extended regex), in (…), and, or, not, parentheses; a bare
 * fact name means "known and not no/0/false". A comparison with an unknown fact is unknown
 * (three-valued logic); only true selects. `host` is the host's name. A number without quotes
 * compares as a number, "text" as text, and < <= > >= on text in the order of versions ("5.9" <
 * "5.10").
 */
#pragma once
#include "base/err.h"
#include "base/str.h"
#include "model/host.h"

struct expr;
void expr_free(struct expr *expr);
MEM_CLEANUP(expr)
/* Errors give column and what was expected. */
MUST_CHECK int expr_parse(const char *text, struct expr **ret, struct err *err);
enum expr_value { EXPR_FALSE, EXPR_TRUE, EXPR_UNKNOWN };
/* why (may be NULL) receives the deciding comparison when not true: `cpu.vendor is "Intel", not
 * "AMD"`. */
enum expr_value expr_eval(const struct expr *expr, const char *host_name,
                          const struct fact_set *facts, struct str *why);
