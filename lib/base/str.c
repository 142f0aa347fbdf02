/* SPDX-License-Identifier: GPL-3.0-or-later
 * Growing text, lists and maps of text. Questions about text are in str_text.c, numbers in
 * str_number.c. */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void str_done(struct str *s)
{
    mem_free(s->text);
    *s = (struct str){0};
}

void str_add(struct str *s, const char *text)
{
    str_add_bytes(s, text, strlen(text));
}

void str_add_bytes(struct str *s, const void *bytes, size_t length)
{
    s->text = mem_grow(s->text, &s->cap, s->length + length + 1, 1);
    if (length)
        memcpy(s->text + s->length, bytes, length);
    s->length += length;
    s->text[s->length] = '\0';
}

void str_addc(struct str *s, char c)
{
    str_add_bytes(s, &c, 1);
}

void str_addf(struct str *s, const char *fmt, ...)
{
    va_list args, again;

    va_start(args, fmt);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n >= 0) {
        s->text = mem_grow(s->text, &s->cap, s->length + (size_t)n + 1, 1);
        vsnprintf(s->text + s->length, (size_t)n + 1, fmt, again);
        s->length += (size_t)n;
    }
    va_end(again);
}

void str_clear(struct str *s)
{
    s->length = 0;
    if (s->text)
        s->text[0] = '\0';
}

char *str_take(struct str *s)
{
    char *text = s->text ? s->text : mem_strdup("");

    *s = (struct str){0};
    return text;
}

const char *str_get(const struct str *s)
{
    return s->text ? s->text : "";
}

void strlist_done(struct strlist *list)
{
    for (size_t i = 0; i < list->n; i++)
        mem_free(list->v[i]);
    mem_free(list->v);
    *list = (struct strlist){0};
}

void strlist_add(struct strlist *list, const char *text)
{
    list->v = mem_grow(list->v, &list->cap, list->n + 1, sizeof *list->v);
    list->v[list->n++] = mem_strdup(text);
}

bool strlist_has(const struct strlist *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->v[i], text) == 0)
            return true;
    return false;
}

static int compare_texts(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;

    return strcmp(*left, *right);
}

void strlist_sort(struct strlist *list)
{
    if (list->n > 1)
        qsort(list->v, list->n, sizeof *list->v, compare_texts);
}

void strlist_copy(struct strlist *into, const struct strlist *from)
{
    struct strlist copy = {0};

    for (size_t i = 0; i < from->n; i++)
        strlist_add(&copy, from->v[i]);
    strlist_done(into);
    *into = copy;
}

void strmap_done(struct strmap *map)
{
    for (size_t i = 0; i < map->n; i++) {
        mem_free(map->key[i]);
        mem_free(map->value[i]);
    }
    mem_free(map->key);
    mem_free(map->value);
    *map = (struct strmap){0};
}

void strmap_set(struct strmap *map, const char *key, const char *value)
{
    char *copy = mem_strdup(value);

    for (size_t i = 0; i < map->n; i++)
        if (strcmp(map->key[i], key) == 0) {
            mem_free(map->value[i]);
            map->value[i] = copy;
            return;
        }
    size_t cap = map->cap;
    map->key = mem_grow(map->key, &cap, map->n + 1, sizeof *map->key);
    map->value = mem_grow(map->value, &map->cap, map->n + 1, sizeof *map->value);
    map->key[map->n] = mem_strdup(key);
    map->value[map->n++] = copy;
}

const char *strmap_get(const struct strmap *map, const char *key)
{
    for (size_t i = 0; i < map->n; i++)
        if (strcmp(map->key[i], key) == 0)
            return map->value[i];
    return NULL;
}

void strmap_copy(struct strmap *into, const struct strmap *from)
{
    struct strmap copy = {0};

    for (size_t i = 0; i < from->n; i++)
        strmap_set(&copy, from->key[i], from->value[i]);
    strmap_done(into);
    *into = copy;
}
