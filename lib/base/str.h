/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Growing text, lists and ordered maps of text, and what muster asks of a piece of text (is it
 * UTF-8, is it a safe name, which known name is nearest). No locale is ever consulted.
 */
#pragma once
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
    char *text; /* NUL-terminated once anything was added; NULL before */
    size_t length, cap;
};
void str_done(struct str *s);
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const void *bytes, size_t length);
void str_addc(struct str *s, char c);
void str_addf(struct str *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void str_clear(struct str *s);
/* The text (never NULL), owned by the caller; s is empty afterwards. */
char *str_take(struct str *s);
const char *str_get(const struct str *s); /* the text, "" when empty */

struct strlist {
    char **v;
    size_t n, cap;
};
void strlist_done(struct strlist *list);
void strlist_add(struct strlist *list, const char *text);
bool strlist_has(const struct strlist *list, const char *text);
void strlist_sort(struct strlist *list); /* by bytes */
void strlist_copy(struct strlist *into, const struct strlist *from);

/* Text to text, in order of insertion; a key stands once. */
struct strmap {
    char **key, **value;
    size_t n, cap;
};
void strmap_done(struct strmap *map);
void strmap_set(struct strmap *map, const char *key, const char *value); /* replaces */
const char *strmap_get(const struct strmap *map, const char *key);       /* NULL when absent */
void strmap_copy(struct strmap *into, const struct strmap *from);

bool str_eq(const char *a, const char *b); /* NULL equals only NULL */
bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);
/* Valid UTF-8 (no surrogates, no overlong forms, at most U+10FFFF). */
bool str_is_utf8(const void *bytes, size_t length);
/* Any byte below 0x20 or 0x7f, or a C1 control as UTF-8. */
bool str_has_control(const char *text, size_t length);
/* Host, user, variant, experiment names that go on a wire or into a file name: [A-Za-z0-9._:@-]+,
 * no leading '-' or '.', at most LIMIT_NAME bytes. */
bool str_is_name(const char *text);
/* text with control bytes as \xNN, safe for a terminal; at most max bytes of text are shown, then
 * "…". */
char *str_visible(const char *text, size_t max);
/* The nearest of `known` by edit distance, or NULL when none is near enough to be meant. */
const char *str_nearest(const char *text, const char *const *known, size_t n_known);
/* Display columns of UTF-8 text, combining marks 0, wide characters 2. */
size_t str_columns(const char *text);

/* Strict decimal readers: the whole text, no spaces, no hex, no locale. 0 done; -1 with ERR_INPUT
 * or ERR_LIMIT. */
MUST_CHECK int str_to_u64(const char *text, uint64_t *ret, struct err *err);
MUST_CHECK int str_to_i64(const char *text, int64_t *ret, struct err *err);
/* Finite decimal number ("1.5", "-2e3"). NaN, Inf and hex are ERR_INPUT; overflow is ERR_LIMIT. */
MUST_CHECK int str_to_double(const char *text, double *ret, struct err *err);
/* "250ms", "60s", "30m", "4h", "1.5s"; a bare number is seconds. Not negative. */
MUST_CHECK int str_to_duration(const char *text, int64_t *ret_ns, struct err *err);
/* "2%" -> 0.02, "0.02" -> 0.02. */
MUST_CHECK int str_to_fraction(const char *text, double *ret, struct err *err);
/* "2G", "512M", "64k", "100": bytes, powers of 1024. */
MUST_CHECK int str_to_bytes(const char *text, uint64_t *ret, struct err *err);
/* Shortest decimal that reads back as the same double ("0.1"); never NaN or Inf (writes "null").
 * Locale-free. */
void str_from_double(double value, char ret[32]);
