/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes JSON into growing text: members in the order they are given, numbers in their shortest
 * exact form, NaN and Inf as null, text as valid UTF-8 whatever came in. The outer levels get a
 * line each, the inner ones stay on one line.
 */
#pragma once
#include "base/str.h"

struct jot {
    struct str text;
    bool comma;     /* the next value needs a comma before it */
    unsigned depth; /* open objects and arrays */
};
void jot_done(struct jot *jot);
/* Every function takes the member's name, or NULL inside an array. kind is '{' or '['. */
void jot_open(struct jot *jot, const char *key, char kind);
void jot_close(struct jot *jot, char kind); /* the same kind that was opened */
void jot_text(struct jot *jot, const char *key, const char *text); /* NULL writes null */
void jot_number(struct jot *jot, const char *key, double value);   /* NaN and Inf write null */
void jot_count(struct jot *jot, const char *key, uint64_t value);
void jot_int(struct jot *jot, const char *key, int64_t value);
void jot_bool(struct jot *jot, const char *key, bool value);
void jot_null(struct jot *jot, const char *key);
void jot_texts(struct jot *jot, const char *key, const struct strlist *list);
void jot_map(struct jot *jot, const char *key, const struct strmap *map);
