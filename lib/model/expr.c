/* SPDX-License-Identifier: GPL-3.0-or-later
 * Reads a selection expression: a lexer and a recursive descent with a cap on depth.
 *
 *   or      = and { "or" and }
 *   and     = not { "and" not }
 *   not     = "not" not | "(" or ")" | test
 *   test    = name [ op literal | [ "not" ] "in" "(" literal { "," literal } ")" ]
 *   literal = quoted text | number
 */
#include "model/expr.h"

#include "model/expr_node.h"
#include "model/limits.h"

#include <string.h>

enum { DEPTH_MAX = 64, NODES_MAX = 4096 };
enum token {
    T_END,
    T_NAME,
    T_TEXT,
    T_NUMBER,
    T_OP,
    T_OPEN,
    T_CLOSE,
    T_COMMA,
    T_OR,
    T_AND,
    T_NOT,
    T_IN
};

const char *const expr_op_text[] = {"==", "!=", "<", "<=", ">", ">=", "~"};

struct parser {
    const char *text;
    const char *at;   /* start of the current token */
    const char *next; /* first byte after it */
    enum token token;
    enum expr_op op; /* of T_OP */
    struct str word; /* of T_NAME, T_TEXT, T_NUMBER */
    size_t depth, nodes;
    struct err *err;
};

void expr_free(struct expr *expr)
{
    if (!expr)
        return;
    for (size_t i = 0; i < expr->n_children; i++)
        expr_free(expr->child[i]);
    for (size_t i = 0; i < expr->n_literals; i++)
        mem_free(expr->literal[i].text);
    if (expr->regex)
        regfree(expr->regex);
    mem_free(expr->regex);
    mem_free(expr->child);
    mem_free(expr->literal);
    mem_free(expr->name);
    mem_free(expr);
}

/* Columns count characters from 1. */
static size_t column_of(const struct parser *p, const char *at)
{
    size_t column = 1;

    for (const char *c = p->text; c < at; c++)
        column += ((unsigned char)*c & 0xc0) != 0x80;
    return column;
}

static int expected(struct parser *p, const char *what)
{
    CLEAN_MEM char *raw = mem_strndup(p->at, (size_t)(p->next - p->at));
    CLEAN_MEM char *shown = str_visible(raw, 64);

    if (p->token == T_END)
        return err_set(p->err, ERR_INPUT, "column %zu: found the end; expected %s",
                       column_of(p, p->at), what);
    return err_set(p->err, ERR_INPUT, "column %zu: found %s; expected %s", column_of(p, p->at),
                   shown, what);
}

static int lex_quoted(struct parser *p)
{
    const char quote = *p->at;
    const char *c = p->at + 1;

    for (; *c && *c != quote; c++) {
        if (*c == '\\' && (c[1] == quote || c[1] == '\\'))
            c++;
        str_addc(&p->word, *c);
    }
    if (!*c)
        return err_set(p->err, ERR_INPUT, "column %zu: found an opening %c that is not closed",
                       column_of(p, p->at), quote);
    p->token = T_TEXT;
    p->next = c + 1;
    return 0;
}

static int lex_word(struct parser *p)
{
    static const struct {
        const char *word;
        enum token token;
    } keywords[] = {
        {"or",  T_OR },
        {"and", T_AND},
        {"not", T_NOT},
        {"in",  T_IN }
    };
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char more[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@-+";
    const size_t n = strspn(p->at, more);
    double number;

    p->next = p->at + (n ? n : 1);
    str_add_bytes(&p->word, p->at, n);
    if (n && strchr(first, *p->at)) {
        p->token = T_NAME;
        for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
            if (strcmp(p->word.text, keywords[i].word) == 0)
                p->token = keywords[i].token;
        return 0;
    }
    if (n && str_to_double(p->word.text, &number, NULL) == 0) {
        p->token = T_NUMBER;
        return 0;
    }
    p->token = T_NAME; /* only for the message */
    return expected(p, "a fact's name, a number, \"text\", and, or, not, in or ( )");
}

static int lex_op(struct parser *p)
{
    /* Longer ones first. */
    static const enum expr_op order[] = {EXPR_EQ, EXPR_NE, EXPR_LE,   EXPR_GE,
                                         EXPR_LT, EXPR_GT, EXPR_MATCH};

    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const char *text = expr_op_text[order[i]];

        if (!str_starts(p->at, text))
            continue;
        p->token = T_OP;
        p->op = order[i];
        p->next = p->at + strlen(text);
        return 0;
    }
    p->token = T_OP;
    p->next = p->at + 1;
    return expected(p, "== != < <= > >= or ~");
}

/* Makes the next token current. */
static int advance(struct parser *p)
{
    static const struct {
        char c;
        enum token token;
    } single[] = {
        {'(', T_OPEN },
        {')', T_CLOSE},
        {',', T_COMMA}
    };

    p->at = p->next + strspn(p->next, " \t\r\n");
    p->next = p->at;
    str_clear(&p->word);
    if (!*p->at) {
        p->token = T_END;
        return 0;
    }
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        if (*p->at == single[i].c) {
            p->token = single[i].token;
            p->next = p->at + 1;
            return 0;
        }
    }
    if (*p->at == '"' || *p->at == '\'')
        return lex_quoted(p);
    return strchr("=!<>~", *p->at) ? lex_op(p) : lex_word(p);
}

/* NULL with the error filled when there are too many. */
static struct expr *new_node(struct parser *p, enum expr_kind kind)
{
    if (++p->nodes > NODES_MAX) {
        err_set(p->err, ERR_LIMIT, "over %d comparisons in an expression", NODES_MAX);
        return NULL;
    }
    struct expr *node = mem_new(struct expr);
    node->kind = kind;
    return node;
}

static void add_child(struct expr *parent, struct expr **child)
{
    parent->child = mem_grow(parent->child, &parent->cap_children, parent->n_children + 1,
                             sizeof *parent->child);
    parent->child[parent->n_children++] = mem_steal(child);
}

static int parse_literal(struct parser *p, struct expr *into)
{
    struct expr_literal literal = {.is_number = p->token == T_NUMBER};

    if (p->token != T_TEXT && p->token != T_NUMBER)
        return expected(p, "a number or \"text\" in quotes");
    if (literal.is_number && str_to_double(p->word.text, &literal.number, p->err) < 0)
        return -1;
    literal.text = mem_strdup(str_get(&p->word));
    into->literal =
        mem_grow(into->literal, &into->cap_literals, into->n_literals + 1, sizeof *into->literal);
    into->literal[into->n_literals++] = literal;
    return advance(p);
}

static int parse_list(struct parser *p, struct expr *into)
{
    if (p->token != T_OPEN)
        return expected(p, "( after in");
    do {
        if (advance(p) < 0 || parse_literal(p, into) < 0)
            return -1;
        if (into->n_literals > NODES_MAX)
            return err_set(p->err, ERR_LIMIT, "over %d values in a list", NODES_MAX);
    } while (p->token == T_COMMA);
    if (p->token != T_CLOSE)
        return expected(p, ", or )");
    return advance(p);
}

static int compile(struct parser *p, struct expr *node, size_t column)
{
    regex_t *regex = mem_new(regex_t);
    const int failed = regcomp(regex, node->literal[0].text, REG_EXTENDED | REG_NOSUB);

    if (failed) {
        char words[128];
        regerror(failed, regex, words, sizeof words);
        mem_free(regex);
        return err_set(p->err, ERR_INPUT, "column %zu: found a wrong regular expression: %s",
                       column, words);
    }
    node->regex = regex;
    return 0;
}

static int parse_compare(struct parser *p, struct expr *node)
{
    node->kind = EXPR_COMPARE;
    node->op = p->op;
    if (advance(p) < 0)
        return -1;
    const size_t column = column_of(p, p->at);
    if (node->op == EXPR_MATCH && p->token != T_TEXT)
        return expected(p, "a regular expression in quotes");
    if (parse_literal(p, node) < 0)
        return -1;
    return node->op == EXPR_MATCH ? compile(p, node, column) : 0;
}

static int parse_test(struct parser *p, struct expr **ret)
{
    if (p->token != T_NAME)
        return expected(p, "a fact's name, not or (");
    CLEAN(expr) struct expr *node = new_node(p, EXPR_KNOWN);
    if (!node)
        return -1;
    node->name = mem_strdup(str_get(&p->word));
    if (advance(p) < 0)
        return -1;
    if (p->token == T_OP) {
        if (parse_compare(p, node) < 0)
            return -1;
    } else if (p->token == T_IN || p->token == T_NOT) {
        const bool negated = p->token == T_NOT;

        node->kind = EXPR_IN;
        if (negated && advance(p) < 0)
            return -1;
        if (p->token != T_IN)
            return expected(p, "in");
        if (advance(p) < 0 || parse_list(p, node) < 0)
            return -1;
        if (negated) {
            CLEAN(expr) struct expr *outer = new_node(p, EXPR_NOT);
            if (!outer)
                return -1;
            add_child(outer, &node);
            node = mem_steal(&outer);
        }
    }
    *ret = mem_steal(&node);
    return 0;
}

static int parse_or(struct parser *p, struct expr **ret);
static int parse_not(struct parser *p, struct expr **ret);

static int parse_not_inside(struct parser *p, struct expr **ret)
{
    CLEAN(expr) struct expr *node = NULL;

    if (p->token == T_OPEN) {
        if (advance(p) < 0 || parse_or(p, &node) < 0)
            return -1;
        if (p->token != T_CLOSE)
            return expected(p, "and, or or )");
        if (advance(p) < 0)
            return -1;
    } else {
        CLEAN(expr) struct expr *inner = NULL;
        node = new_node(p, EXPR_NOT);
        if (!node || advance(p) < 0)
            return -1;
        if (parse_not(p, &inner) < 0)
            return -1;
        add_child(node, &inner);
    }
    *ret = mem_steal(&node);
    return 0;
}

static int parse_not(struct parser *p, struct expr **ret)
{
    if (p->token != T_NOT && p->token != T_OPEN)
        return parse_test(p, ret);
    if (++p->depth > DEPTH_MAX)
        return err_set(p->err, ERR_LIMIT, "nested more than %d deep", DEPTH_MAX);
    if (parse_not_inside(p, ret) < 0)
        return -1;
    p->depth--;
    return 0;
}

/* A chain of one operator becomes one node with many children, so depth grows with parentheses
 * only. */
static int parse_chain(struct parser *p, enum token joiner, enum expr_kind kind,
                       int (*part)(struct parser *, struct expr **), struct expr **ret)
{
    CLEAN(expr) struct expr *first = NULL;

    if (part(p, &first) < 0)
        return -1;
    if (p->token != joiner) {
        *ret = mem_steal(&first);
        return 0;
    }
    CLEAN(expr) struct expr *node = new_node(p, kind);
    if (!node)
        return -1;
    add_child(node, &first);
    while (p->token == joiner) {
        CLEAN(expr) struct expr *more = NULL;
        if (advance(p) < 0 || part(p, &more) < 0)
            return -1;
        add_child(node, &more);
    }
    *ret = mem_steal(&node);
    return 0;
}

static int parse_and(struct parser *p, struct expr **ret)
{
    return parse_chain(p, T_AND, EXPR_AND, parse_not, ret);
}

static int parse_or(struct parser *p, struct expr **ret)
{
    return parse_chain(p, T_OR, EXPR_OR, parse_and, ret);
}

int expr_parse(const char *text, struct expr **ret, struct err *err)
{
    CLEAN(expr) struct expr *expr = NULL;
    struct parser p = {.text = text, .at = text, .next = text, .err = err};

    if (strlen(text) > LIMIT_COMMAND)
        return err_set(err, ERR_LIMIT, "an expression of over %d bytes", LIMIT_COMMAND);
    int result = advance(&p) < 0 || parse_or(&p, &expr) < 0 ? -1 : 0;
    if (result == 0 && p.token != T_END)
        result = expected(&p, "and, or or the end");
    str_done(&p.word);
    if (result < 0)
        return -1;
    *ret = mem_steal(&expr);
    return 0;
}
