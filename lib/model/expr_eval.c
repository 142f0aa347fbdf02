/* SPDX-License-Identifier: GPL-3.0-or-later
 * Asks an expression about one host, in Kleene's three-valued logic: what hangs on an unknown fact
 * is unknown. */
#include "model/expr_node.h"

#include <ctype.h>
#include <string.h>

static enum expr_value of_bool(bool b)
{
    return b ? EXPR_TRUE : EXPR_FALSE;
}

/* Order of versions: runs of digits compare as numbers, everything else by bytes ("5.9" < "5.10").
 */
static int natural_order(const char *a, const char *b)
{
    while (*a && *b) {
        if (!isdigit((unsigned char)*a) || !isdigit((unsigned char)*b)) {
            if (*a != *b)
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
            continue;
        }
        a += strspn(a, "0");
        b += strspn(b, "0");
        const size_t n = strspn(a, "0123456789"), m = strspn(b, "0123456789");
        const int order = n == m ? strncmp(a, b, n) : n < m ? -1 : 1;
        if (order != 0)
            return order;
        a += n;
        b += m;
    }
    return (*a != '\0') - (*b != '\0');
}

/* Order of value against literal into *ret; false when they have none (a word against a number). */
static bool order_of(const char *value, const struct expr_literal *literal, int *ret)
{
    double number;

    if (!literal->is_number) {
        *ret = natural_order(value, literal->text);
        return true;
    }
    if (str_to_double(value, &number, NULL) < 0)
        return false;
    *ret = (number > literal->number) - (number < literal->number);
    return true;
}

static bool equals(const char *value, const struct expr_literal *literal)
{
    int order = 1;

    if (!literal->is_number)
        return strcmp(value, literal->text) == 0;
    return order_of(value, literal, &order) && order == 0;
}

static enum expr_value compare(const struct expr *node, const char *value)
{
    const struct expr_literal *literal = &node->literal[0];
    int order = 0;

    switch (node->op) {
    case EXPR_EQ:
        return of_bool(equals(value, literal));
    case EXPR_NE:
        return of_bool(!equals(value, literal));
    case EXPR_MATCH:
        return of_bool(regexec(node->regex, value, 0, NULL, 0) == 0);
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
        break;
    }
    if (!order_of(value, literal, &order))
        return EXPR_UNKNOWN;
    if (node->op == EXPR_LT || node->op == EXPR_GE)
        return of_bool((order < 0) == (node->op == EXPR_LT));
    return of_bool((order > 0) == (node->op == EXPR_GT));
}

static void add_literal(struct str *why, const struct expr_literal *literal)
{
    const char *quote = literal->is_number ? "" : "\"";

    str_addf(why, "%s%s%s", quote, literal->text, quote);
}

/* `cpu.vendor is "Intel", not "AMD"` */
static void explain(const struct expr *node, const char *value, struct str *why)
{
    str_add(why, node->name);
    if (!value) {
        str_add(why, " is unknown");
        return;
    }
    str_addf(why, " is \"%s\"", value);
    if (node->kind == EXPR_KNOWN)
        return;
    str_add(why, ", not ");
    if (node->kind == EXPR_COMPARE && node->op == EXPR_NE)
        str_add(why, "another");
    else if (node->kind == EXPR_COMPARE && node->op != EXPR_EQ)
        str_addf(why, "%s ", expr_op_text[node->op]);
    if (node->kind == EXPR_COMPARE && node->op == EXPR_NE)
        return;
    for (size_t i = 0; i < node->n_literals; i++) {
        str_add(why, i ? " or " : "");
        add_literal(why, &node->literal[i]);
    }
}

static enum expr_value test(const struct expr *node, const char *value)
{
    if (node->kind == EXPR_KNOWN)
        return of_bool(value && strcmp(value, "no") != 0 && strcmp(value, "0") != 0 &&
                       strcmp(value, "false") != 0);
    if (!value)
        return EXPR_UNKNOWN;
    if (node->kind == EXPR_COMPARE)
        return compare(node, value);
    for (size_t i = 0; i < node->n_literals; i++)
        if (equals(value, &node->literal[i]))
            return EXPR_TRUE;
    return EXPR_FALSE;
}

/* The value that decides at once, FALSE for and, TRUE for or; unknown when none decides and one is
 * unknown. why gets the first child that decided, or else each that kept the chain from being true.
 */
static enum expr_value eval_chain(const struct expr *node, const char *host,
                                  const struct fact_set *facts, struct str *why)
{
    const enum expr_value decides = node->kind == EXPR_AND ? EXPR_FALSE : EXPR_TRUE;
    enum expr_value value = node->kind == EXPR_AND ? EXPR_TRUE : EXPR_FALSE;
    CLEAN_DONE(str) struct str reasons = {0};

    for (size_t i = 0; i < node->n_children; i++) {
        CLEAN_DONE(str) struct str reason = {0};
        const enum expr_value one = expr_eval(node->child[i], host, facts, why ? &reason : NULL);

        if (one == decides) {
            if (why && one != EXPR_TRUE)
                str_add(why, str_get(&reason));
            return one;
        }
        if (one == EXPR_UNKNOWN)
            value = EXPR_UNKNOWN;
        if (one != EXPR_TRUE && reason.length)
            str_addf(&reasons, "%s%s", reasons.length ? "; " : "", reason.text);
    }
    if (why && value != EXPR_TRUE)
        str_add(why, str_get(&reasons));
    return value;
}

/* What is true of a negated part, for the reason: every test in it with its fact's value. */
static void explain_all(const struct expr *node, const char *host, const struct fact_set *facts,
                        struct str *why)
{
    for (size_t i = 0; i < node->n_children; i++)
        explain_all(node->child[i], host, facts, why);
    if (!node->name)
        return;
    const char *value = strcmp(node->name, "host") == 0 ? host : fact_set_get(facts, node->name);
    str_addf(why, "%s%s is ", why->length ? "; " : "", node->name);
    if (value)
        str_addf(why, "\"%s\"", value);
    else
        str_add(why, "unknown");
}

enum expr_value expr_eval(const struct expr *expr, const char *host_name,
                          const struct fact_set *facts, struct str *why)
{
    if (expr->kind == EXPR_OR || expr->kind == EXPR_AND)
        return eval_chain(expr, host_name, facts, why);
    if (expr->kind == EXPR_NOT) {
        const enum expr_value inner = expr_eval(expr->child[0], host_name, facts, NULL);
        const enum expr_value value = inner == EXPR_UNKNOWN ? inner : of_bool(inner == EXPR_FALSE);
        CLEAN_DONE(str) struct str all = {0};

        if (why && value != EXPR_TRUE) {
            explain_all(expr->child[0], host_name, facts, &all);
            str_add(why, str_get(&all));
        }
        return value;
    }
    const char *fact =
        strcmp(expr->name, "host") == 0 ? host_name : fact_set_get(facts, expr->name);
    const enum expr_value value = test(expr, fact);
    if (why && value != EXPR_TRUE)
        explain(expr, fact, why);
    return value;
}
