/* SPDX-License-Identifier: GPL-3.0-or-later
 * The tree between expr.c (which reads it from text) and expr_eval.c (which asks it). Private to
 * the two. */
#pragma once
#include "model/expr.h"

#include <regex.h>

enum expr_kind {
    EXPR_OR,      /* any child */
    EXPR_AND,     /* every child */
    EXPR_NOT,     /* its one child */
    EXPR_KNOWN,   /* a bare fact name */
    EXPR_COMPARE, /* name op literal[0] */
    EXPR_IN       /* name in (literal, …) */
};
enum expr_op { EXPR_EQ, EXPR_NE, EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE, EXPR_MATCH };

struct expr_literal {
    char *text;
    bool is_number; /* written without quotes: compared as a number */
    double number;
};
struct expr {
    enum expr_kind kind;
    struct expr **child;
    size_t n_children, cap_children;
    char *name;
    enum expr_op op;
    struct expr_literal *literal;
    size_t n_literals, cap_literals;
    regex_t *regex; /* of EXPR_MATCH */
};
extern const char *const expr_op_text[];
