/* SPDX-License-Identifier: GPL-3.0-or-later
 * `variants:`, `factors:` and `metrics:`, the maps whose keys are the user's own names. */
#include "coordinator/spec/read.h"
#include "model/limits.h"

#include <string.h>

static int read_command(struct reader *r, const struct tree_node *node, char **ret)
{
    return read_text(r, node, "a command", ret);
}

static int read_run(struct reader *r, const struct tree_node *node, void *into)
{
    return read_command(r, node, &((struct variant *)into)->run);
}

static int read_setup(struct reader *r, const struct tree_node *node, void *into)
{
    return read_command(r, node, &((struct variant *)into)->setup);
}

static int read_prepare(struct reader *r, const struct tree_node *node, void *into)
{
    return read_command(r, node, &((struct variant *)into)->prepare);
}

static int read_files(struct reader *r, const struct tree_node *node, void *into)
{
    char **slot = &((struct variant *)into)->files;

    if (node->kind == TREE_TEXT && strlen(node->text) > LIMIT_PATH)
        return read_fail(r, node, "a path over 4096 bytes", "a path of a file or directory");
    return read_text(r, node, "a path of a file or directory", slot);
}

static int read_env(struct reader *r, const struct tree_node *node, void *into)
{
    struct strmap *env = &((struct variant *)into)->env;

    if (node->kind != TREE_MAP)
        return read_fail_found(r, node, "a map of variables to text");
    for (size_t i = 0; i < node->n; i++) {
        const struct tree_node *key = node->key[i], *value = node->child[i];
        const size_t length = tree_path_push(&r->path, key->text);

        if (!key->text[0] || strchr(key->text, '=') || strpbrk(key->text, "\n\t"))
            return read_fail_found(r, key, "a variable's name without =");
        if (value->kind != TREE_TEXT)
            return read_fail_found(r, value, "text");
        strmap_set(env, key->text, value->text);
        tree_path_pop(&r->path, length);
    }
    return 0;
}

/* One more slot in the array at *v, zeroed. */
static void *add_slot(void *v, size_t *n, size_t size)
{
    char *grown = mem_resize(v, *n + 1, size);

    memset(grown + *n * size, 0, size);
    (*n)++;
    return grown;
}

static int read_variant(struct reader *r, const struct tree_node *key,
                        const struct tree_node *value)
{
    static const struct read_key keys[] = {
        {"run",     read_run,     true },
        {"files",   read_files,   false},
        {"env",     read_env,     false},
        {"setup",   read_setup,   false},
        {"prepare", read_prepare, false},
    };
    struct experiment *e = r->experiment;

    e->variant = add_slot(e->variant, &e->n_variants, sizeof *e->variant);
    struct variant *variant = &e->variant[e->n_variants - 1];
    if (read_name(r, key, &variant->name) < 0)
        return -1;
    if (value->kind == TREE_TEXT)
        return read_command(r, value, &variant->run);
    return read_map(r, value, keys, sizeof keys / sizeof *keys, variant);
}

int read_variants(struct reader *r, const struct tree_node *node, void *into)
{
    static const char allowed[] = "a map of 2 to 16 names to commands, or to maps with run";

    (void)into;
    if (node->kind == TREE_MAP && (node->n < 2 || node->n > LIMIT_VARIANTS)) {
        CLEAN_MEM char *found = mem_printf("%zu of them", node->n);
        return read_fail(r, node, found, allowed);
    }
    return read_named(r, node, allowed, read_variant);
}

static int read_factor(struct reader *r, const struct tree_node *key, const struct tree_node *value)
{
    struct experiment *e = r->experiment;

    e->factor = add_slot(e->factor, &e->n_factors, sizeof *e->factor);
    struct factor *factor = &e->factor[e->n_factors - 1];
    if (read_name(r, key, &factor->name) < 0)
        return -1;
    if (value->kind != TREE_LIST || value->n == 0 || value->n > LIMIT_LEVELS)
        return value->kind == TREE_LIST
                   ? read_fail(r, value, value->n ? "a longer list" : "an empty list",
                               "a list of 1 to 64 levels")
                   : read_fail_found(r, value, "a list of 1 to 64 levels");
    for (size_t i = 0; i < value->n; i++) {
        const struct tree_node *level = value->child[i];

        if (level->kind != TREE_TEXT || !level->text[0] || strlen(level->text) > LIMIT_NAME ||
            strpbrk(level->text, "\n\t"))
            return read_fail_found(r, level, "a level of 1 to 128 bytes");
        if (strlist_has(&factor->level, level->text)) {
            CLEAN_MEM char *found = mem_printf("\"%s\" twice", level->text);
            return read_fail(r, level, found, "each level once");
        }
        strlist_add(&factor->level, level->text);
    }
    return 0;
}

int read_factors(struct reader *r, const struct tree_node *node, void *into)
{
    static const char allowed[] = "a map of 1 to 8 names to lists of levels";

    (void)into;
    if (node->kind == TREE_MAP && node->n > LIMIT_FACTORS) {
        CLEAN_MEM char *found = mem_printf("%zu of them", node->n);
        return read_fail(r, node, found, allowed);
    }
    return read_named(r, node, allowed, read_factor);
}

static int read_match(struct reader *r, const struct tree_node *node, void *into)
{
    return read_text(r, node, "a POSIX extended regex with one group around the number",
                     &((struct metric_def *)into)->match);
}

static int read_unit(struct reader *r, const struct tree_node *node, void *into)
{
    if (node->kind == TREE_TEXT && (strlen(node->text) > LIMIT_NAME || strpbrk(node->text, "\n\t")))
        return read_fail_found(r, node, "a unit of 1 to 128 bytes");
    return read_text(r, node, "a unit like s or ops/s", &((struct metric_def *)into)->unit);
}

static int read_better(struct reader *r, const struct tree_node *node, void *into)
{
    static const char *const words[] = {"lower", "higher"};
    size_t index = 0;

    if (read_choice(r, node, words, 2, &index) < 0)
        return -1;
    ((struct metric_def *)into)->higher_is_better = index == 1;
    return 0;
}

/* Names that samples.csv and the report give a meaning of their own. */
static bool is_reserved_metric(const char *name)
{
    static const char *const reserved[] = {
        "elapsed", "cpu",         "wait",    "elapsed_s", "cpu_s",    "wait_s", "user_s",
        "sys_s",   "host",        "variant", "round",     "position", "cell",   "session",
        "outcome", "stdout_kind", "sink",    "load",      "epoch",
    };

    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return false;
}

static int read_metric(struct reader *r, const struct tree_node *key, const struct tree_node *value)
{
    static const struct read_key keys[] = {
        {"match",  read_match,  false},
        {"unit",   read_unit,   false},
        {"better", read_better, false},
    };
    struct experiment *e = r->experiment;

    e->metric_def = add_slot(e->metric_def, &e->n_metric_defs, sizeof *e->metric_def);
    struct metric_def *def = &e->metric_def[e->n_metric_defs - 1];
    if (read_name(r, key, &def->name) < 0)
        return -1;
    if (is_reserved_metric(def->name))
        return read_fail_found(r, key, "a name that muster does not use itself");
    if (read_map(r, value, keys, sizeof keys / sizeof *keys, def) < 0)
        return -1;
    if (!def->unit)
        def->unit = mem_strdup("");
    return 0;
}

int read_metrics(struct reader *r, const struct tree_node *node, void *into)
{
    static const char allowed[] = "a map of names to maps with match, unit, better";

    (void)into;
    if (node->kind == TREE_MAP && node->n + 3 > LIMIT_METRICS) {
        CLEAN_MEM char *found = mem_printf("%zu of them", node->n);
        return read_fail(r, node, found, "up to 61 metrics");
    }
    return read_named(r, node, allowed, read_metric);
}
