/* SPDX-License-Identifier: GPL-3.0-or-later
 * Builds the tree from libyaml's events, one function a kind of node. */
#include "coordinator/spec/tree.h"

#include "model/limits.h"

#include <string.h>
#include <yaml.h>

struct builder {
    yaml_parser_t parser;
    const char *file, *text;
    size_t length;
    struct str path;
    size_t depth, nodes;
    struct err *err;
};

void tree_node_free(struct tree_node *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < node->n; i++) {
        if (node->kind == TREE_MAP)
            tree_node_free(node->key[i]);
        tree_node_free(node->child[i]);
    }
    mem_free(node->key);
    mem_free(node->child);
    mem_free(node->text);
    mem_free(node);
}

const struct tree_node *tree_get(const struct tree_node *map, const char *key)
{
    for (size_t i = 0; map && map->kind == TREE_MAP && i < map->n; i++)
        if (strcmp(map->key[i]->text, key) == 0)
            return map->child[i];
    return NULL;
}

size_t tree_path_push(struct str *path, const char *key)
{
    const size_t length = path->length;
    CLEAN_MEM char *shown = str_visible(key, LIMIT_NAME);

    str_addf(path, "%s%s", length ? "." : "", shown);
    return length;
}

void tree_path_pop(struct str *path, size_t length)
{
    path->length = length;
    path->text[length] = '\0';
}

int tree_fail(const char *file, size_t line, size_t column, const struct str *path,
              enum err_code code, const char *found, const char *allowed, struct err *err)
{
    return err_set(err, code, "%s:%zu:%zu: %s: found %s; allowed: %s", file, line, column,
                   path->length ? path->text : "experiment file", found, allowed);
}

static int fail_at(struct builder *b, const yaml_mark_t *mark, enum err_code code,
                   const char *found, const char *allowed)
{
    return tree_fail(b->file, mark->line + 1, mark->column + 1, &b->path, code, found, allowed,
                     b->err);
}

/* libyaml gives the byte offset of a wrong byte, and a mark for everything else. */
static yaml_mark_t mark_of_offset(const struct builder *b, size_t offset)
{
    yaml_mark_t mark = {0};

    for (size_t i = 0; i < offset && i < b->length; i++) {
        const unsigned char c = (unsigned char)b->text[i];

        if (c == '\n') {
            mark.line++;
            mark.column = 0;
        } else if ((c & 0xc0) != 0x80) {
            mark.column++;
        }
    }
    return mark;
}

static int fail_syntax(struct builder *b)
{
    const yaml_parser_t *parser = &b->parser;
    const char *problem = parser->problem ? parser->problem : "no memory";
    CLEAN_DONE(str) struct str found = {0};
    const bool is_byte = parser->error == YAML_READER_ERROR;
    const yaml_mark_t mark =
        is_byte ? mark_of_offset(b, parser->problem_offset) : parser->problem_mark;

    str_addf(&found, "wrong YAML (%s%s%s)", problem, parser->context ? ", " : "",
             parser->context ? parser->context : "");
    return fail_at(b, &mark, ERR_INPUT, found.text, "YAML 1.1 in UTF-8");
}

static int next_event(struct builder *b, yaml_event_t *event)
{
    return yaml_parser_parse(&b->parser, event) ? 0 : fail_syntax(b);
}

/* Refuses what makes YAML more than text, lists and maps. */
static int check_plainness(struct builder *b, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;

    if (event->type == YAML_ALIAS_EVENT)
        return fail_at(b, &event->start_mark, ERR_INPUT, "an alias (*name)",
                       "the value itself; there are no aliases");
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor)
        return fail_at(b, &event->start_mark, ERR_INPUT, "an anchor (&name)",
                       "values without anchors");
    if (tag)
        return fail_at(b, &event->start_mark, ERR_INPUT, "a tag (!name)",
                       "values without tags; the key says what a value is");
    return 0;
}

static int check_text(struct builder *b, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;

    for (size_t i = 0; i < length; i++) {
        const bool may_be_c1 = (unsigned char)text[i] == 0xc2 && i + 1 < length;

        if (text[i] == '\n' || text[i] == '\t' || !str_has_control(text + i, may_be_c1 ? 2 : 1))
            continue;
        return fail_at(b, &event->start_mark, ERR_INPUT, "a control byte in the text",
                       "text, tabs and line ends");
    }
    return 0;
}

static struct tree_node *node_at(enum tree_kind kind, const yaml_mark_t *mark)
{
    struct tree_node *node = mem_new(struct tree_node);

    node->kind = kind;
    node->line = mark->line + 1;
    node->column = mark->column + 1;
    return node;
}

static void add_child(struct tree_node *parent, struct tree_node **key, struct tree_node **child)
{
    if (parent->kind == TREE_MAP) {
        parent->key = mem_grow(parent->key, &parent->cap_keys, parent->n + 1, sizeof *parent->key);
        parent->key[parent->n] = mem_steal(key);
    }
    parent->child =
        mem_grow(parent->child, &parent->cap_children, parent->n + 1, sizeof *parent->child);
    parent->child[parent->n++] = mem_steal(child);
}

static int build(struct builder *b, const yaml_event_t *event, struct tree_node **ret);

static int check_key(struct builder *b, const struct tree_node *map, const yaml_event_t *event)
{
    if (event->type != YAML_SCALAR_EVENT)
        return check_plainness(b, event) < 0
                   ? -1
                   : fail_at(b, &event->start_mark, ERR_INPUT, "a key that is no text",
                             "keys of plain text");
    const char *text = (const char *)event->data.scalar.value;
    for (size_t i = 0; i < map->n; i++) {
        if (strcmp(map->key[i]->text, text) != 0)
            continue;
        CLEAN_MEM char *found =
            mem_printf("the key a second time (first in line %zu)", map->key[i]->line);
        tree_path_push(&b->path, text);
        return fail_at(b, &event->start_mark, ERR_INPUT, found, "each key once");
    }
    return 0;
}

/* One key and its value; *event is the key's. */
static int build_entry(struct builder *b, struct tree_node *map, const yaml_event_t *event)
{
    CLEAN(tree_node) struct tree_node *key = NULL;
    CLEAN(tree_node) struct tree_node *child = NULL;
    yaml_event_t value;

    if (check_key(b, map, event) < 0 || build(b, event, &key) < 0)
        return -1;
    const size_t length = tree_path_push(&b->path, key->text);
    if (next_event(b, &value) < 0)
        return -1;
    const int result = build(b, &value, &child);
    yaml_event_delete(&value);
    if (result < 0)
        return -1;
    tree_path_pop(&b->path, length);
    add_child(map, &key, &child);
    return 0;
}

static int build_item(struct builder *b, struct tree_node *list, const yaml_event_t *event)
{
    CLEAN(tree_node) struct tree_node *child = NULL;

    if (build(b, event, &child) < 0)
        return -1;
    add_child(list, NULL, &child);
    return 0;
}

static int build_children(struct builder *b, struct tree_node *node)
{
    const yaml_event_type_t end =
        node->kind == TREE_MAP ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;

    for (;;) {
        yaml_event_t event;

        if (next_event(b, &event) < 0)
            return -1;
        if (event.type == end) {
            yaml_event_delete(&event);
            return 0;
        }
        const int result =
            node->kind == TREE_MAP ? build_entry(b, node, &event) : build_item(b, node, &event);
        yaml_event_delete(&event);
        if (result < 0)
            return -1;
    }
}

static int check_bounds(struct builder *b, const yaml_mark_t *mark)
{
    CLEAN_DONE(str) struct str allowed = {0};

    if (++b->nodes > LIMIT_YAML_NODES) {
        str_addf(&allowed, "up to %d", LIMIT_YAML_NODES);
        return fail_at(b, mark, ERR_LIMIT, "too many values", allowed.text);
    }
    if (b->depth > LIMIT_YAML_DEPTH) {
        str_addf(&allowed, "up to %d levels", LIMIT_YAML_DEPTH);
        return fail_at(b, mark, ERR_LIMIT, "too many levels", allowed.text);
    }
    return 0;
}

static int build(struct builder *b, const yaml_event_t *event, struct tree_node **ret)
{
    CLEAN(tree_node) struct tree_node *node = NULL;

    if (check_plainness(b, event) < 0 || check_bounds(b, &event->start_mark) < 0)
        return -1;
    if (event->type == YAML_SCALAR_EVENT) {
        if (check_text(b, event) < 0)
            return -1;
        node = node_at(TREE_TEXT, &event->start_mark);
        node->text = mem_strdup((const char *)event->data.scalar.value);
    } else {
        node = node_at(event->type == YAML_MAPPING_START_EVENT ? TREE_MAP : TREE_LIST,
                       &event->start_mark);
        b->depth++;
        if (build_children(b, node) < 0)
            return -1;
        b->depth--;
    }
    *ret = mem_steal(&node);
    return 0;
}

/* Stream and document starts, then the one root, then their ends. */
static int build_document(struct builder *b, struct tree_node **ret)
{
    CLEAN(tree_node) struct tree_node *root = NULL;
    bool at_end = false;

    while (!at_end) {
        yaml_event_t event;
        int result = 0;

        if (next_event(b, &event) < 0)
            return -1;
        switch ((int)event.type) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
            break;
        case YAML_DOCUMENT_START_EVENT:
            if (root)
                result = fail_at(b, &event.start_mark, ERR_INPUT, "a second document",
                                 "one experiment a file");
            break;
        case YAML_STREAM_END_EVENT:
            at_end = true;
            break;
        default:
            result = build(b, &event, &root);
        }
        yaml_event_delete(&event);
        if (result < 0)
            return -1;
    }
    if (!root)
        return fail_at(b, &(yaml_mark_t){0}, ERR_INPUT, "nothing", "an experiment");
    *ret = mem_steal(&root);
    return 0;
}

/* libyaml would also read UTF-16; the text is kept and sent as it is, so it must be UTF-8. */
static int check_encoding(struct builder *b)
{
    size_t good = 0;

    if (b->length > LIMIT_EXPERIMENT_FILE) {
        CLEAN_MEM char *allowed = mem_printf("up to %d bytes", LIMIT_EXPERIMENT_FILE);
        return fail_at(b, &(yaml_mark_t){0}, ERR_LIMIT, "a larger file", allowed);
    }
    while (good < b->length) {
        size_t n = 1; /* bytes of the character at good */

        while (n <= 4 && (n > b->length - good || !str_is_utf8(b->text + good, n)))
            n++;
        if (n > 4)
            break;
        good += n;
    }
    if (good == b->length)
        return 0;
    const yaml_mark_t mark = mark_of_offset(b, good);
    return fail_at(b, &mark, ERR_INPUT, "bytes that are no UTF-8", "YAML 1.1 in UTF-8");
}

int tree_load(const char *file, const char *text, size_t length, struct tree_node **ret,
              struct err *err)
{
    struct builder b = {.file = file, .text = text, .length = length, .err = err};

    if (check_encoding(&b) < 0)
        return -1;
    if (!yaml_parser_initialize(&b.parser))
        return err_set(err, ERR_INTERNAL, "no YAML parser");
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, length);
    const int result = build_document(&b, ret);
    yaml_parser_delete(&b.parser);
    str_done(&b.path);
    return result;
}
