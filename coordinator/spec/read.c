/* SPDX-License-Identifier: GPL-3.0-or-later
 * Typed readers of tree nodes, and maps read by a table. */
#include "coordinator/spec/read.h"

#include "model/limits.h"

#include <string.h>

enum { SHOWN = 64 };

int read_fail(struct reader *r, const struct tree_node *node, const char *found,
              const char *allowed)
{
    return tree_fail(r->file, node->line, node->column, &r->path, ERR_INPUT, found, allowed,
                     r->err);
}

int read_fail_found(struct reader *r, const struct tree_node *node, const char *allowed)
{
    if (node->kind != TREE_TEXT)
        return read_fail(r, node, node->kind == TREE_MAP ? "a map" : "a list", allowed);
    if (!node->text[0])
        return read_fail(r, node, "nothing", allowed);
    CLEAN_MEM char *shown = str_visible(node->text, SHOWN);
    CLEAN_MEM char *found = mem_printf("\"%s\"", shown);
    return read_fail(r, node, found, allowed);
}

static void list_names(const struct read_key *keys, size_t n_keys, const char *nearest,
                       struct str *ret)
{
    for (size_t i = 0; i < n_keys; i++)
        str_addf(ret, "%s%s", i ? ", " : "", keys[i].name);
    if (nearest)
        str_addf(ret, " (did you mean %s?)", nearest);
}

static int fail_unknown(struct reader *r, const struct tree_node *key, const struct read_key *keys,
                        size_t n_keys)
{
    CLEAN_MEM const char **names = mem_array(const char *, n_keys);
    CLEAN_DONE(str) struct str allowed = {0};

    for (size_t i = 0; i < n_keys; i++)
        names[i] = keys[i].name;
    list_names(keys, n_keys, str_nearest(key->text, names, n_keys), &allowed);
    return read_fail(r, key, "an unknown key", allowed.text);
}

static const struct read_key *find_key(const struct read_key *keys, size_t n_keys, const char *name)
{
    for (size_t i = 0; i < n_keys; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

int read_map(struct reader *r, const struct tree_node *node, const struct read_key *keys,
             size_t n_keys, void *into)
{
    if (node->kind != TREE_MAP) {
        CLEAN_DONE(str) struct str allowed = {0};
        str_add(&allowed, "a map with the keys ");
        list_names(keys, n_keys, NULL, &allowed);
        return read_fail_found(r, node, allowed.text);
    }
    for (size_t i = 0; i < node->n; i++) {
        const struct read_key *key = find_key(keys, n_keys, node->key[i]->text);
        const size_t length = tree_path_push(&r->path, node->key[i]->text);

        if (!key)
            return fail_unknown(r, node->key[i], keys, n_keys);
        if (key->read(r, node->child[i], into) < 0)
            return -1;
        tree_path_pop(&r->path, length);
    }
    for (size_t i = 0; i < n_keys; i++) {
        if (!keys[i].is_required || tree_get(node, keys[i].name))
            continue;
        tree_path_push(&r->path, keys[i].name);
        return read_fail(r, node, "nothing", "a value; this key is needed");
    }
    return 0;
}

int read_named(struct reader *r, const struct tree_node *node, const char *allowed,
               int (*one)(struct reader *r, const struct tree_node *key,
                          const struct tree_node *value))
{
    if (node->kind != TREE_MAP || node->n == 0)
        return node->kind == TREE_MAP ? read_fail(r, node, "an empty map", allowed)
                                      : read_fail_found(r, node, allowed);
    for (size_t i = 0; i < node->n; i++) {
        const size_t length = tree_path_push(&r->path, node->key[i]->text);

        if (one(r, node->key[i], node->child[i]) < 0)
            return -1;
        tree_path_pop(&r->path, length);
    }
    return 0;
}

int read_text(struct reader *r, const struct tree_node *node, const char *allowed, char **ret)
{
    if (node->kind != TREE_TEXT || !node->text[0])
        return read_fail_found(r, node, allowed);
    mem_free(*ret);
    *ret = mem_strdup(node->text);
    return 0;
}

int read_name(struct reader *r, const struct tree_node *node, char **ret)
{
    static const char allowed[] = "1 to 128 of A-Z a-z 0-9 . _ : @ -, not beginning with - or .";

    if (node->kind != TREE_TEXT || !str_is_name(node->text))
        return read_fail_found(r, node, allowed);
    return read_text(r, node, allowed, ret);
}

int read_count(struct reader *r, const struct tree_node *node, uint32_t least, uint32_t most,
               uint32_t *ret)
{
    CLEAN_MEM char *allowed =
        mem_printf("a whole number from %lu to %lu", (unsigned long)least, (unsigned long)most);
    uint64_t value = 0;

    if (node->kind != TREE_TEXT || str_to_u64(node->text, &value, NULL) < 0 || value < least ||
        value > most)
        return read_fail_found(r, node, allowed);
    *ret = (uint32_t)value;
    return 0;
}

int read_fraction(struct reader *r, const struct tree_node *node, double most, double *ret)
{
    CLEAN_MEM char *allowed = mem_printf("a percentage or fraction above 0 up to %g%%", 100 * most);
    double value = 0;

    if (node->kind != TREE_TEXT || str_to_fraction(node->text, &value, NULL) < 0 ||
        !(value > 0 && value <= most))
        return read_fail_found(r, node, allowed);
    *ret = value;
    return 0;
}

int read_duration(struct reader *r, const struct tree_node *node, int64_t *ret_ns)
{
    if (node->kind != TREE_TEXT || str_to_duration(node->text, ret_ns, NULL) < 0)
        return read_fail_found(r, node, "a duration like 250ms, 60s, 30m or 4h");
    return 0;
}

int read_bool(struct reader *r, const struct tree_node *node, bool *ret)
{
    static const char *const words[] = {"false", "true"};
    size_t index = 0;

    if (read_choice(r, node, words, 2, &index) < 0)
        return -1;
    *ret = index == 1;
    return 0;
}

int read_choice(struct reader *r, const struct tree_node *node, const char *const *words,
                size_t n_words, size_t *ret)
{
    CLEAN_DONE(str) struct str allowed = {0};

    for (size_t i = 0; i < n_words; i++) {
        if (node->kind == TREE_TEXT && strcmp(node->text, words[i]) == 0) {
            *ret = i;
            return 0;
        }
        str_addf(&allowed, "%s%s", i ? ", " : "", words[i]);
    }
    const char *nearest = node->kind == TREE_TEXT ? str_nearest(node->text, words, n_words) : NULL;
    if (nearest)
        str_addf(&allowed, " (did you mean %s?)", nearest);
    return read_fail_found(r, node, allowed.text);
}

int read_names(struct reader *r, const struct tree_node *node, struct strlist *ret)
{
    CLEAN_MEM char *name = NULL;

    if (node->kind == TREE_MAP)
        return read_fail_found(r, node, "a list of names");
    const size_t n = node->kind == TREE_LIST ? node->n : 1;
    for (size_t i = 0; i < n; i++) {
        const struct tree_node *item = node->kind == TREE_LIST ? node->child[i] : node;

        if (read_name(r, item, &name) < 0)
            return -1;
        if (strlist_has(ret, name)) {
            CLEAN_MEM char *found = mem_printf("\"%s\" twice", name);
            return read_fail(r, item, found, "each name once");
        }
        strlist_add(ret, name);
    }
    return 0;
}
