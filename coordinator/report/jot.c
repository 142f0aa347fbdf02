/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The JSON writer of all --json outputs. It keeps no list of open brackets: callers open and close
 * in one function.
 */
#include "coordinator/report/jot.h"

#include <inttypes.h>
#include <string.h>

/* Values up to this depth stand on a line of their own: a host of `explain --json` is one line. */
enum { LINED_DEPTH = 4 };

void jot_done(struct jot *jot)
{
    str_done(&jot->text);
}

/* Length of the valid UTF-8 sequence at text, 0 when there is none. */
static size_t sequence(const char *text)
{
    size_t left = strnlen(text, 4);
    for (size_t n = 1; n <= left; n++) {
        if (str_is_utf8(text, n)) {
            return n;
        }
    }
    return 0;
}

static void put_quoted(struct str *out, const char *text)
{
    str_addc(out, '"');
    while (*text != '\0') {
        size_t n = sequence(text);
        unsigned char c = (unsigned char)*text;
        if (n == 0) {
            str_add(out, "\xef\xbf\xbd"); /* U+FFFD: JSON has no way to carry other bytes */
            n = 1;
        } else if (c == '"' || c == '\\') {
            str_addc(out, '\\');
            str_addc(out, (char)c);
        } else if (c == '\n') {
            str_add(out, "\\n");
        } else if (c == '\t') {
            str_add(out, "\\t");
        } else if (c < 0x20 || c == 0x7f) {
            str_addf(out, "\\u%04x", c);
        } else {
            str_add_bytes(out, text, n);
        }
        text += n;
    }
    str_addc(out, '"');
}

static void break_line(struct jot *jot)
{
    str_addc(&jot->text, '\n');
    for (unsigned i = 0; i < jot->depth; i++) {
        str_addc(&jot->text, ' ');
    }
}

/* Comma, line and name before a value. */
static void lead(struct jot *jot, const char *key)
{
    if (jot->comma) {
        str_addc(&jot->text, ',');
    }
    if (jot->depth > 0 && jot->depth <= LINED_DEPTH) {
        break_line(jot);
    } else if (jot->comma) {
        str_addc(&jot->text, ' ');
    }
    if (key != NULL) {
        put_quoted(&jot->text, key);
        str_add(&jot->text, ": ");
    }
    jot->comma = true;
}

void jot_open(struct jot *jot, const char *key, char kind)
{
    lead(jot, key);
    str_addc(&jot->text, kind);
    jot->depth++;
    jot->comma = false;
}

void jot_close(struct jot *jot, char kind)
{
    bool empty = !jot->comma;
    jot->depth--;
    if (!empty && jot->depth < LINED_DEPTH) {
        break_line(jot);
    }
    str_addc(&jot->text, kind == '{' ? '}' : ']');
    if (jot->depth == 0) {
        str_addc(&jot->text, '\n');
    }
    jot->comma = true;
}

void jot_text(struct jot *jot, const char *key, const char *text)
{
    lead(jot, key);
    if (text == NULL) {
        str_add(&jot->text, "null");
    } else {
        put_quoted(&jot->text, text);
    }
}

void jot_number(struct jot *jot, const char *key, double value)
{
    char text[32];
    str_from_double(value, text);
    lead(jot, key);
    str_add(&jot->text, text);
}

void jot_count(struct jot *jot, const char *key, uint64_t value)
{
    lead(jot, key);
    str_addf(&jot->text, "%" PRIu64, value);
}

void jot_int(struct jot *jot, const char *key, int64_t value)
{
    lead(jot, key);
    str_addf(&jot->text, "%" PRId64, value);
}

void jot_bool(struct jot *jot, const char *key, bool value)
{
    lead(jot, key);
    str_add(&jot->text, value ? "true" : "false");
}

void jot_null(struct jot *jot, const char *key)
{
    lead(jot, key);
    str_add(&jot->text, "null");
}

void jot_texts(struct jot *jot, const char *key, const struct strlist *list)
{
    jot_open(jot, key, '[');
    for (size_t i = 0; i < list->n; i++) {
        jot_text(jot, NULL, list->v[i]);
    }
    jot_close(jot, '[');
}

void jot_map(struct jot *jot, const char *key, const struct strmap *map)
{
    jot_open(jot, key, '{');
    for (size_t i = 0; i < map->n; i++) {
        jot_text(jot, map->key[i], map->value[i]);
    }
    jot_close(jot, '{');
}
