/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A page of terminal text: lines wrapped at the width, columns counted as the terminal counts them,
 * colours and Unicode signs only when the style allows. Everything that came from users or hosts
 * goes through page_name or page_para, which show control bytes instead of sending them to the
 * terminal.
 */
#pragma once
#include "base/str.h"
#include "coordinator/report/report.h"

enum page_paint { PAGE_PLAIN, PAGE_BOLD, PAGE_DIM, PAGE_RED, PAGE_GREEN, PAGE_YELLOW };
enum page_sign {               /* one column each */
                 SIGN_POINT,   /* an estimate */
                 SIGN_OPEN,    /* an estimate without an interval */
                 SIGN_DIAMOND, /* a pooled estimate */
                 SIGN_BAR,     /* part of an interval */
                 SIGN_LEFT,    /* ends of an interval */
                 SIGN_RIGHT,
                 SIGN_CUT_LEFT, /* the interval goes on beyond the plot */
                 SIGN_CUT_RIGHT,
                 SIGN_ZERO,  /* the line of no effect */
                 SIGN_LIMIT, /* the lines of the smallest effect that matters */
                 SIGN_DASH,  /* headings */
                 SIGN_COUNT
};
struct page {
    FILE *out;
    unsigned width;
    bool colour, ascii;
};
void page_init(struct page *page, const struct report_style *style, FILE *out);
const char *page_sign(const struct page *page, enum page_sign sign);
/* Starts and ends a colour; PAGE_PLAIN ends. Nothing without colour. */
void page_paint(const struct page *page, enum page_paint paint);
/* text in that colour. */
void page_put(const struct page *page, enum page_paint paint, const char *text);
/* An empty line and a heading in bold. */
void page_heading(const struct page *page, const char *text);
/* Wraps text; the first line begins with `head` (at column 0), the others are indented by `indent`
 * columns. */
void page_para(const struct page *page, const char *head, unsigned indent, enum page_paint paint,
               const char *text);
/* As page_para, text by a format. */
void page_line(const struct page *page, const char *head, unsigned indent, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* text with control bytes and marks that turn text around shown by their numbers. Owned by the
 * caller. */
char *page_safe(const char *text, size_t most);
/* A name, safe and at most `columns` wide ("very-long-na…"); padded to exactly that when pad. Owned
 * by the caller. */
char *page_name(const struct page *page, const char *name, size_t columns, bool pad);
/* "h1, h2 and 14 more": at most `most` names, each safe. Owned by the caller. */
char *page_names(const struct page *page, const struct strlist *names, size_t most);
/* "1 host", "4 hosts". Owned by the caller. */
char *page_count(size_t n, const char *noun);
