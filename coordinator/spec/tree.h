/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * YAML as a tree of text, maps and lists with positions, nothing typed. Anchors, aliases, tags,
 * several documents, keys that are no text and keys that stand twice are refused; depth and size
 * are bounded, so no file can make more of itself than it is. The only user of libyaml.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

enum tree_kind { TREE_TEXT, TREE_LIST, TREE_MAP };
struct tree_node {
    enum tree_kind kind;
    size_t line, column;      /* from 1, columns in characters */
    char *text;               /* of TREE_TEXT: valid UTF-8 without control bytes but \n and \t */
    struct tree_node **key;   /* of TREE_MAP: n text nodes */
    struct tree_node **child; /* of TREE_MAP and TREE_LIST: n values */
    size_t n, cap_keys, cap_children;
};
void tree_node_free(struct tree_node *node);
MEM_CLEANUP(tree_node)
MUST_CHECK int tree_load(const char *file, const char *text, size_t length, struct tree_node **ret,
                         struct err *err);
/* The value of key in a map, or NULL. */
const struct tree_node *tree_get(const struct tree_node *map, const char *key);

/* `threads` below `factors` is the path factors.threads; the file itself is "experiment file". */
size_t tree_path_push(struct str *path, const char *key); /* what tree_path_pop wants back */
void tree_path_pop(struct str *path, size_t length);
/* Fills err with `FILE:LINE:COLUMN: path: found X; allowed: Y` and returns -1. */
int tree_fail(const char *file, size_t line, size_t column, const struct str *path,
              enum err_code code, const char *found, const char *allowed, struct err *err);
