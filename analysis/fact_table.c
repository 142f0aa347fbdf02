/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Columns of facts: read, filled, judged. Filling looks only at the hosts of the table and only at
 * values that were there from the start, so its outcome does not depend on the order in which holes
 * are met.
 */
#include "analysis/fact_table.h"

#include "analysis/fact_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_KNOWN 3
#define LEAST_SHARE 0.6
#define LEAST_NUMBERS 4
#define LEAST_WITNESSES 2
#define UNCLEAR (UINT32_MAX - 1) /* in a map from level to level: two different values met */

static const char *const joined_codes[FACT_TABLE_CODES] = {"cpu.vendor", "cpu.family", "cpu.model",
                                                           "cpu.stepping", "cpu.microcode"};

char *fact_table_value(const struct fact_table *table, const struct fact_set *facts,
                       const char *name)
{
    const char *own = fact_set_get(facts, name);
    size_t depth = 0;

    if (!own)
        return NULL;
    while (depth < FACT_TABLE_CODES && strcmp(joined_codes[depth], name) != 0)
        depth++;
    if (depth == FACT_TABLE_CODES)
        return mem_strdup(own);

    struct str joined = {0};

    for (size_t i = 0; i < depth; i++) {
        const char *parent = fact_set_get(facts, joined_codes[i]);

        if (!table->joined[i])
            continue;
        if (!parent) {
            str_done(&joined);
            return NULL;
        }
        str_addf(&joined, "%s/", parent);
    }
    str_add(&joined, own);
    return str_take(&joined);
}

void fact_table_note_joined(struct fact_table *table, const struct fact_set *const *facts, size_t k)
{
    for (size_t i = 0; i < FACT_TABLE_CODES; i++)
        for (size_t h = 0; h < k && !table->joined[i]; h++)
            table->joined[i] = fact_set_get(facts[h], joined_codes[i]) != NULL;
}

struct valued { /* a host's value while levels are made */
    char *text;
    size_t host;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct valued *)a)->text, ((const struct valued *)b)->text);
}

struct numbered {
    double value;
    char *text;
    size_t code;
};

static int by_value(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;

    return x->value != y->value ? (x->value < y->value ? -1 : 1) : strcmp(x->text, y->text);
}

static void column_read(const struct fact_table *table, const char *name,
                        const struct fact_set *const *facts, size_t k, struct fact_column *ret)
{
    struct valued *known = mem_array(struct valued, k);
    size_t n = 0;

    *ret = (struct fact_column){
        .name = name, .level = mem_array(char *, k), .code = mem_array(uint32_t, k)};
    for (size_t h = 0; h < k; h++) {
        char *text = fact_table_value(table, facts[h], name);

        ret->code[h] = FACT_MISSING;
        if (text)
            known[n++] = (struct valued){text, h};
    }
    qsort(known, n, sizeof *known, by_text);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || strcmp(known[i].text, ret->level[ret->n_levels - 1]) != 0)
            ret->level[ret->n_levels++] = known[i].text;
        else
            mem_free(known[i].text);
        ret->code[known[i].host] = (uint32_t)(ret->n_levels - 1);
    }
    mem_free(known);
}

static void column_done(struct fact_column *column)
{
    for (size_t i = 0; i < column->n_levels; i++)
        mem_free(column->level[i]);
    mem_free(column->level);
    mem_free(column->code);
    mem_free(column->value);
    mem_free(column->trend);
}

static void column_scale(struct fact_column *column)
{
    size_t last = column->n_levels - 1;
    double least = column->value[0], most = column->value[last];
    bool logs = most > 50.0 * fmax(1.0, least);
    double shift = fmax(1.0, 0.01 * most);
    double from = logs ? log(least + shift) : least, upto = logs ? log(most + shift) : most;

    column->trend = mem_array(double, column->n_levels);
    for (size_t i = 0; i <= last; i++) {
        double at = logs ? log(column->value[i] + shift) : column->value[i];

        column->trend[i] = (at - from) / (upto - from);
    }
}

/* Finds out whether the column is numeric; if so puts its levels in order of value. */
static void column_number(struct fact_column *column, size_t k)
{
    struct numbered *level = mem_array(struct numbered, column->n_levels);
    uint32_t *moved = mem_array(uint32_t, column->n_levels);
    bool numeric = column->n_levels >= LEAST_NUMBERS && !fact_names_is_code(column->name);

    for (size_t i = 0; i < column->n_levels && numeric; i++) {
        level[i] = (struct numbered){.text = column->level[i], .code = i};
        numeric = str_to_double(column->level[i], &level[i].value, NULL) == 0;
    }
    if (numeric) {
        qsort(level, column->n_levels, sizeof *level, by_value);
        numeric = level[0].value < level[column->n_levels - 1].value;
    }
    if (numeric) {
        column->numeric = true;
        column->value = mem_array(double, column->n_levels);
        for (size_t i = 0; i < column->n_levels; i++) {
            column->value[i] = level[i].value;
            column->level[i] = level[i].text;
            moved[level[i].code] = (uint32_t)i;
        }
        for (size_t h = 0; h < k; h++)
            if (column->code[h] != FACT_MISSING)
                column->code[h] = moved[column->code[h]];
        column_scale(column);
    }
    mem_free(level);
    mem_free(moved);
}

/* Does g determine f? Then map[level of g] is the level of f it stands for, with count[…] hosts
 * that show it. */
static bool determines(const struct fact_column *g, const struct fact_column *f, size_t k,
                       uint32_t *map, size_t *count)
{
    for (size_t i = 0; i < g->n_levels; i++) {
        map[i] = FACT_MISSING;
        count[i] = 0;
    }
    for (size_t h = 0; h < k; h++) {
        if (g->code[h] == FACT_MISSING || f->code[h] == FACT_MISSING)
            continue;
        if (map[g->code[h]] != FACT_MISSING && map[g->code[h]] != f->code[h])
            return false;
        map[g->code[h]] = f->code[h];
        count[g->code[h]]++;
    }
    return true;
}

/* Fills the holes of column f into ret_code (a copy of its codes); from[h] is the column that
 * filled host h. */
static void column_fill(const struct fact_column *all, size_t n, size_t f, size_t k,
                        uint32_t *ret_code, size_t *from)
{
    uint32_t *map = mem_array(uint32_t, k);
    size_t *count = mem_array(size_t, k), *witnesses = mem_array(size_t, k);
    bool holes = false;

    for (size_t h = 0; h < k; h++) {
        ret_code[h] = all[f].code[h];
        from[h] = SIZE_MAX;
        holes = holes || ret_code[h] == FACT_MISSING;
    }
    for (size_t g = 0; g < n && holes; g++) {
        if (g == f || !determines(&all[g], &all[f], k, map, count))
            continue;
        for (size_t h = 0; h < k; h++) {
            uint32_t shared = all[g].code[h];

            if (all[f].code[h] != FACT_MISSING || shared == FACT_MISSING ||
                count[shared] < LEAST_WITNESSES || count[shared] <= witnesses[h])
                continue;
            witnesses[h] = count[shared];
            ret_code[h] = map[shared];
            from[h] = g;
        }
    }
    mem_free(map);
    mem_free(count);
    mem_free(witnesses);
}

static void note_filled(struct fact_table *table, size_t *cap, const char *host, const char *fact,
                        const char *from)
{
    table->filled = mem_grow(table->filled, cap, table->n_filled + 1, sizeof *table->filled);
    table->filled[table->n_filled++] = (struct filled_fact){
        .host = mem_strdup(host), .fact = mem_strdup(fact), .from = mem_strdup(from)};
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every fact's name, sorted, once; those that name a host left out. *ret_n of them, borrowed from
 * the facts. */
static const char **names_of(const struct fact_set *const *facts, size_t k, size_t *ret_n)
{
    const char **name = NULL;
    size_t n = 0, cap = 0, kept = 0;

    for (size_t h = 0; h < k; h++)
        for (size_t i = 0; i < facts[h]->n; i++)
            if (!fact_table_is_name(facts[h]->v[i].name)) {
                name = mem_grow(name, &cap, n + 1, sizeof *name);
                name[n++] = facts[h]->v[i].name;
            }
    if (n > 0)
        qsort(name, n, sizeof *name, by_bytes);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || strcmp(name[kept - 1], name[i]) != 0)
            name[kept++] = name[i];
    *ret_n = kept;
    return name;
}

static size_t known_on(const struct fact_column *column, size_t k)
{
    size_t known = 0;

    for (size_t h = 0; h < k; h++)
        known += column->code[h] != FACT_MISSING;
    return known;
}

void fact_table_build(const char *const *hosts, const struct fact_set *const *facts, size_t k,
                      struct fact_table *ret)
{
    size_t n, filled_cap = 0, *from = mem_array(size_t, k);
    const char **name = names_of(facts, k, &n);
    struct fact_column *all = mem_array(struct fact_column, n);
    uint32_t **code = mem_array(uint32_t *, n);

    *ret = (struct fact_table){.k = k, .column = mem_array(struct fact_column, n)};
    fact_table_note_joined(ret, facts, k);
    for (size_t f = 0; f < n; f++)
        column_read(ret, name[f], facts, k, &all[f]);
    for (size_t f = 0; f < n; f++) {
        size_t known = known_on(&all[f], k);

        if (known < LEAST_KNOWN || (double)known < LEAST_SHARE * (double)k) {
            strlist_add(&ret->not_judged, name[f]);
            continue;
        }
        if (all[f].n_levels < 2)
            continue;
        code[f] = mem_array(uint32_t, k);
        column_fill(all, n, f, k, code[f], from);
        for (size_t h = 0; h < k; h++)
            if (from[h] != SIZE_MAX)
                note_filled(ret, &filled_cap, hosts[h], name[f], name[from[h]]);
    }
    for (size_t f = 0; f < n; f++) { /* only now: filling saw original values alone */
        if (!code[f]) {
            column_done(&all[f]);
            continue;
        }
        mem_free(all[f].code);
        all[f].code = code[f];
        column_number(&all[f], k);
        ret->column[ret->n_columns++] = all[f];
    }
    mem_free(name);
    mem_free(all);
    mem_free(code);
    mem_free(from);
}

void fact_table_done(struct fact_table *table)
{
    for (size_t f = 0; f < table->n_columns; f++)
        column_done(&table->column[f]);
    mem_free(table->column);
    strlist_done(&table->not_judged);
    for (size_t i = 0; i < table->n_filled; i++) {
        mem_free(table->filled[i].host);
        mem_free(table->filled[i].fact);
        mem_free(table->filled[i].from);
    }
    mem_free(table->filled);
    *table = (struct fact_table){0};
}
