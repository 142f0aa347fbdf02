/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Wrapping, colours and signs. No locale, no terminal queries: the style was decided by the caller.
 */
#include "coordinator/report/page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_WIDTH = 80, LEAST_WIDTH = 40, LONGEST_TEXT = 1 << 20, LONGEST_NAME = 512 };

static const char *const SIGNS[SIGN_COUNT][2] = {
    [SIGN_POINT] = {"●", "o"},
      [SIGN_OPEN] = {"○", "."},
      [SIGN_DIAMOND] = {"◆", "#"},
    [SIGN_BAR] = {"─", "-"},
      [SIGN_LEFT] = {"├", "["},
      [SIGN_RIGHT] = {"┤", "]"},
    [SIGN_CUT_LEFT] = {"◀", "<"},
      [SIGN_CUT_RIGHT] = {"▶", ">"},
      [SIGN_ZERO] = {"│", "|"},
    [SIGN_LIMIT] = {"┊", ":"},
      [SIGN_DASH] = {"─", "-"},
};
static const char *const PAINTS[] = {
    [PAGE_PLAIN] = "\033[0m", [PAGE_BOLD] = "\033[1m",   [PAGE_DIM] = "\033[2m",
    [PAGE_RED] = "\033[31m",  [PAGE_GREEN] = "\033[32m", [PAGE_YELLOW] = "\033[33m",
};

void page_init(struct page *page, const struct report_style *style, FILE *out)
{
    unsigned width = style->width == 0 ? DEFAULT_WIDTH : style->width;
    *page = (struct page){
        .out = out,
        .width = width < LEAST_WIDTH ? LEAST_WIDTH : width,
        .colour = style->colour,
        .ascii = style->ascii,
    };
}

const char *page_sign(const struct page *page, enum page_sign sign)
{
    return SIGNS[sign][page->ascii ? 1 : 0];
}

void page_paint(const struct page *page, enum page_paint paint)
{
    if (page->colour) {
        fputs(PAINTS[paint], page->out);
    }
}

void page_put(const struct page *page, enum page_paint paint, const char *text)
{
    if (paint != PAGE_PLAIN) {
        page_paint(page, paint);
    }
    fputs(text, page->out);
    if (paint != PAGE_PLAIN) {
        page_paint(page, PAGE_PLAIN);
    }
}

void page_heading(const struct page *page, const char *text)
{
    fputc('\n', page->out);
    page_put(page, PAGE_BOLD, text);
    fputc('\n', page->out);
}

static void spaces(FILE *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fputc(' ', out);
    }
}

/* Marks that turn the direction of text around: U+200E, 200F, 202A to 202E, 2066 to 2069. They send
 * no control byte but can make a name read as another. */
static bool turns_text(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    return c[0] == 0xe2 &&
           ((c[1] == 0x80 && (c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xaa && c[2] <= 0xae))) ||
            (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

char *page_safe(const char *text, size_t most)
{
    CLEAN_MEM char *visible = str_visible(text, most);
    struct str out = {0};
    for (const char *c = visible; *c != '\0'; c++) {
        if (turns_text(c)) {
            unsigned code =
                0x2000u + (((unsigned char)c[1] & 0x3fu) << 6) + ((unsigned char)c[2] & 0x3fu);
            str_addf(&out, "\\u%04x", code);
            c += 2;
        } else {
            str_addc(&out, *c);
        }
    }
    return str_take(&out);
}

/* Bytes up to the next place where a line may break: "4.9 %" and "p 0.01" stay together. */
static size_t word_length(const char *text)
{
    size_t n = strcspn(text, " ");
    while (text[n] == ' ' && (text[n + 1] == '%' ||
                              (n > 0 && text[n - 1] == 'p' && (n == 1 || text[n - 2] == '(')))) {
        n += 1 + strcspn(text + n + 1, " ");
    }
    return n;
}

void page_para(const struct page *page, const char *head, unsigned indent, enum page_paint paint,
               const char *text)
{
    CLEAN_MEM char *safe = page_safe(text, LONGEST_TEXT);
    size_t head_columns = str_columns(head);
    fputs(head, page->out);
    size_t at = head_columns;
    if (at < indent) {
        spaces(page->out, indent - at);
        at = indent;
    }
    size_t start = at;
    if (paint != PAGE_PLAIN) {
        page_paint(page, paint);
    }
    for (char *word = safe; *word != '\0';) {
        size_t length = word_length(word);
        char after = word[length];
        word[length] = '\0';
        size_t columns = str_columns(word);
        if (at > start && at + 1 + columns > page->width) {
            fputc('\n', page->out);
            spaces(page->out, indent);
            at = start = indent;
        } else if (at > start) {
            fputc(' ', page->out);
            at++;
        }
        fputs(word, page->out);
        at += columns;
        word += length;
        if (after != '\0') {
            *word++ = after;
        }
    }
    if (paint != PAGE_PLAIN) {
        page_paint(page, PAGE_PLAIN);
    }
    fputc('\n', page->out);
}

void page_line(const struct page *page, const char *head, unsigned indent, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory != NULL) {
        vfprintf(memory, fmt, args);
        fclose(memory);
        page_para(page, head, indent, PAGE_PLAIN, text);
    }
    va_end(args);
    free(text);
}

/* Bytes of the longest start of text that takes at most `columns`, never cutting a character. */
static size_t fitting(const char *text, size_t columns)
{
    CLEAN_MEM char *part = mem_strdup(text);
    size_t best = 0;
    for (size_t i = 1; i <= strlen(text); i++) {
        if (((unsigned char)text[i] & 0xc0) == 0x80) {
            continue; /* inside a character */
        }
        part[i] = '\0';
        bool fits = str_columns(part) <= columns;
        part[i] = text[i];
        if (!fits) {
            break;
        }
        best = i;
    }
    return best;
}

char *page_name(const struct page *page, const char *name, size_t columns, bool pad)
{
    CLEAN_MEM char *safe = page_safe(name, LONGEST_NAME);
    struct str out = {0};
    if (str_columns(safe) <= columns) {
        str_add(&out, safe);
    } else {
        const char *more = page->ascii ? "~" : "…";
        str_add_bytes(&out, safe, fitting(safe, columns - 1));
        str_add(&out, more);
    }
    for (size_t at = str_columns(str_get(&out)); pad && at < columns; at++) {
        str_addc(&out, ' ');
    }
    return str_take(&out);
}

char *page_names(const struct page *page, const struct strlist *names, size_t most)
{
    struct str out = {0};
    for (size_t i = 0; i < names->n; i++) {
        if (i == most) {
            str_addf(&out, " and %zu more", names->n - most);
            break;
        }
        CLEAN_MEM char *name = page_name(page, names->v[i], 64, false);
        str_add(&out, i == 0 ? "" : ", ");
        str_add(&out, name);
    }
    return str_take(&out);
}

char *page_count(size_t n, const char *noun)
{
    return mem_printf("%zu %s%s", n, noun, n == 1 ? "" : "s");
}
