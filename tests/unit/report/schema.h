/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A validator for the part of JSON Schema (draft 2020-12) that docs/explain.schema.json uses. A
 * keyword it does not know is a failure, so that the schema cannot ask for more than is checked.
 */
#pragma once
#include "base/fdio.h"
#include "base/str.h"

#include <jansson.h>
#include <string.h>

struct schema_check {
    const json_t *root;
    struct str fault; /* the first fault, with its path */
};

static bool schema_valid(struct schema_check *check, const json_t *schema, const json_t *value,
                         const char *path);

static bool schema_fault(struct schema_check *check, const char *path, const char *what)
{
    if (check->fault.length == 0) {
        str_addf(&check->fault, "%s: %s", path, what);
    }
    return false;
}

static bool schema_is(const char *type, const json_t *value)
{
    return (str_eq(type, "null") && json_is_null(value)) ||
           (str_eq(type, "string") && json_is_string(value)) ||
           (str_eq(type, "number") && json_is_number(value)) ||
           (str_eq(type, "integer") && json_is_integer(value)) ||
           (str_eq(type, "boolean") && json_is_boolean(value)) ||
           (str_eq(type, "array") && json_is_array(value)) ||
           (str_eq(type, "object") && json_is_object(value));
}

static bool schema_type(struct schema_check *check, const json_t *type, const json_t *value,
                        const char *path)
{
    if (json_is_string(type)) {
        return schema_is(json_string_value(type), value) ||
               schema_fault(check, path, json_string_value(type));
    }
    for (size_t i = 0; i < json_array_size(type); i++) {
        if (schema_is(json_string_value(json_array_get(type, i)), value)) {
            return true;
        }
    }
    return schema_fault(check, path, "none of the types");
}

static bool schema_any(struct schema_check *check, const json_t *of, const json_t *value,
                       const char *path)
{
    for (size_t i = 0; i < json_array_size(of); i++) {
        struct schema_check one = {.root = check->root};
        bool valid = schema_valid(&one, json_array_get(of, i), value, path);
        str_done(&one.fault);
        if (valid) {
            return true;
        }
    }
    return schema_fault(check, path, "none of anyOf");
}

static bool schema_members(struct schema_check *check, const json_t *schema, const json_t *value,
                           const char *path)
{
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *more = json_object_get(schema, "additionalProperties");
    const json_t *required = json_object_get(schema, "required");
    bool valid = true;
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *name = json_string_value(json_array_get(required, i));
        if (json_object_get(value, name) == NULL) {
            valid = schema_fault(check, path, name);
        }
    }
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)value, name, member)
    {
        CLEAN_MEM char *at = mem_printf("%s.%s", path, name);
        const json_t *property = json_object_get(properties, name);
        if (property == NULL && json_is_false(more)) {
            valid = schema_fault(check, at, "not allowed");
        } else if (property != NULL || json_is_object(more)) {
            valid = schema_valid(check, property != NULL ? property : more, member, at) && valid;
        }
    }
    return valid;
}

static bool schema_items(struct schema_check *check, const json_t *items, const json_t *value,
                         const char *path)
{
    bool valid = true;
    for (size_t i = 0; i < json_array_size(value); i++) {
        CLEAN_MEM char *at = mem_printf("%s[%zu]", path, i);
        valid = schema_valid(check, items, json_array_get(value, i), at) && valid;
    }
    return valid;
}

static bool schema_one_of(const json_t *list, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (json_equal(json_array_get(list, i), value)) {
            return true;
        }
    }
    return false;
}

static bool schema_keyword(struct schema_check *check, const json_t *schema, const char *key,
                           const json_t *wanted, const json_t *value, const char *path)
{
    static const char *const silent[] = {"$schema",     "$defs",    "title",
                                         "description", "required", "additionalProperties"};
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        if (str_eq(key, silent[i])) {
            return !str_eq(key, "additionalProperties") || !json_is_object(value) ||
                   schema_members(check, schema, value, path);
        }
    }
    if (str_eq(key, "$ref")) {
        const char *name = json_string_value(wanted) + strlen("#/$defs/");
        const json_t *def = json_object_get(json_object_get(check->root, "$defs"), name);
        return def != NULL ? schema_valid(check, def, value, path)
                           : schema_fault(check, path, "broken $ref");
    }
    if (str_eq(
            key,
            "properties")) { /* checked with additionalProperties, which every object of ours has */
        return json_object_get(schema, "additionalProperties") != NULL ||
               schema_fault(check, path, "open object");
    }
    if (str_eq(key, "type")) {
        return schema_type(check, wanted, value, path);
    }
    if (str_eq(key, "enum")) {
        return schema_one_of(wanted, value) || schema_fault(check, path, "not in enum");
    }
    if (str_eq(key, "const")) {
        return json_equal(wanted, value) || schema_fault(check, path, "not the const");
    }
    if (str_eq(key, "anyOf")) {
        return schema_any(check, wanted, value, path);
    }
    if (str_eq(key, "items")) {
        return schema_items(check, wanted, value, path);
    }
    if (str_eq(key, "minItems") || str_eq(key, "maxItems")) {
        json_int_t n = (json_int_t)json_array_size(value), limit = json_integer_value(wanted);
        return !json_is_array(value) || (key[1] == 'i' ? n >= limit : n <= limit) ||
               schema_fault(check, path, key);
    }
    if (str_eq(key, "minimum")) {
        return !json_is_number(value) || json_number_value(value) >= json_number_value(wanted) ||
               schema_fault(check, path, key);
    }
    return schema_fault(check, path, key);
}

static bool schema_valid(struct schema_check *check, const json_t *schema, const json_t *value,
                         const char *path)
{
    bool valid = true;
    const char *key;
    json_t *wanted;
    json_object_foreach((json_t *)(uintptr_t)schema, key, wanted)
    {
        valid = schema_keyword(check, schema, key, wanted, value, path) && valid;
    }
    return valid;
}

/* Fails the test with the first fault when text is no JSON or does not validate. */
static void schema_assert(const char *text)
{
    json_error_t error;
    struct err err;
    struct str source CLEAN_DONE(str) = {0};
    if (fdio_read_file(TEST_SOURCE_DIR "/docs/explain.schema.json", 1 << 20, &source, &err) != 0) {
        fail_msg("%s", err.text);
    }
    json_t *schema = json_loads(source.text, JSON_REJECT_DUPLICATES, &error);
    if (schema == NULL) {
        fail_msg("the schema: line %d: %s", error.line, error.text);
    }
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (value == NULL) {
        fail_msg("the answer: line %d: %s\n%s", error.line, error.text, text);
    }
    struct schema_check check = {.root = schema};
    bool valid = schema_valid(&check, schema, value, "answer");
    if (!valid) {
        fail_msg("does not validate: %s", str_get(&check.fault));
    }
    str_done(&check.fault);
    json_decref(schema);
    json_decref(value);
}
