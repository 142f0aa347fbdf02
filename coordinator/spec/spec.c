/* SPDX-License-Identifier: GPL-3.0-or-later
 * The experiment file from its top: the table of keys, then what hangs on several of them at once
 * (base, metric, control), then experiment_check with its complaint put where it belongs in the
 * file. */
#include "coordinator/spec/spec.h"

#include "coordinator/spec/read.h"
#include "model/expr.h"
#include "model/limits.h"

#include <string.h>

static int read_experiment_name(struct reader *r, const struct tree_node *node, void *into)
{
    return read_name(r, node, &((struct experiment *)into)->name);
}

static int read_description(struct reader *r, const struct tree_node *node, void *into)
{
    return read_text(r, node, "text", &((struct experiment *)into)->description);
}

/* Checked after `metrics`, wherever in the file the two stand. */
static int read_metric_name(struct reader *r, const struct tree_node *node, void *into)
{
    return read_name(r, node, &((struct experiment *)into)->metric);
}

static int read_min_effect(struct reader *r, const struct tree_node *node, void *into)
{
    return read_fraction(r, node, 1, &((struct experiment *)into)->min_effect);
}

static int read_alpha(struct reader *r, const struct tree_node *node, void *into)
{
    return read_fraction(r, node, 0.5, &((struct experiment *)into)->alpha);
}

static int read_base(struct reader *r, const struct tree_node *node, void *into)
{
    (void)into;
    if (node->kind != TREE_TEXT || !node->text[0])
        return read_fail_found(r, node, "the name of a variant");
    return 0;
}

static int read_hosts(struct reader *r, const struct tree_node *node, void *into)
{
    CLEAN(expr) struct expr *expr = NULL;
    struct err why = {0};

    if (node->kind != TREE_TEXT || !node->text[0])
        return read_fail_found(r, node, "all, or an expression like cpu.vendor == \"AMD\"");
    if (strcmp(node->text, "all") == 0)
        return 0;
    if (expr_parse(node->text, &expr, &why) < 0) {
        CLEAN_MEM char *shown = str_visible(node->text, 64);
        CLEAN_MEM char *found = mem_printf("\"%s\" (%s)", shown, why.text);
        return read_fail(r, node, found, "all, or an expression like cpu.vendor == \"AMD\"");
    }
    return read_text(r, node, "an expression", &((struct experiment *)into)->hosts);
}

static int read_profile_blocks(struct reader *r, const struct tree_node *node, void *into)
{
    return read_count(r, node, 0, LIMIT_BLOCKS, &((struct experiment *)into)->profile_blocks);
}

static int read_profile_with(struct reader *r, const struct tree_node *node, void *into)
{
    static const char *const words[] = {"perf", "strace"};
    struct experiment *e = into;

    if (node->kind != TREE_LIST)
        return read_fail_found(r, node, "a list of perf, strace");
    for (size_t i = 0; i < node->n; i++) {
        size_t index = 0;

        if (read_choice(r, node->child[i], words, 2, &index) < 0)
            return -1;
        if (!strlist_has(&e->profile_with, words[index]))
            strlist_add(&e->profile_with, words[index]);
    }
    return 0;
}

static int read_profile(struct reader *r, const struct tree_node *node, void *into)
{
    static const struct read_key keys[] = {
        {"blocks", read_profile_blocks, false},
        {"with",   read_profile_with,   false},
    };

    return read_map(r, node, keys, 2, into);
}

static int read_user(struct reader *r, const struct tree_node *node, void *into)
{
    return read_name(r, node, &((struct experiment *)into)->limit_user);
}

static int read_memory(struct reader *r, const struct tree_node *node, void *into)
{
    uint64_t bytes = 0;

    if (node->kind != TREE_TEXT || str_to_bytes(node->text, &bytes, NULL) < 0 || bytes == 0)
        return read_fail_found(r, node, "a number of bytes above 0 like 512M or 2G");
    ((struct experiment *)into)->limit_memory_bytes = bytes;
    return 0;
}

static int read_network(struct reader *r, const struct tree_node *node, void *into)
{
    static const char *const words[] = {"none", "host"};
    size_t index = 0;

    if (read_choice(r, node, words, 2, &index) < 0)
        return -1;
    ((struct experiment *)into)->limit_no_network = index == 0;
    return 0;
}

static int read_limits(struct reader *r, const struct tree_node *node, void *into)
{
    static const struct read_key keys[] = {
        {"user",    read_user,    false},
        {"memory",  read_memory,  false},
        {"network", read_network, false},
    };

    return read_map(r, node, keys, 3, into);
}

static int read_at(struct reader *r, const struct tree_node *node, void *into)
{
    return read_text(r, node, "a calendar time like Mon..Fri 02:00",
                     &((struct experiment *)into)->schedule_at);
}

static int read_missed(struct reader *r, const struct tree_node *node, void *into)
{
    static const char allowed[] = "skip, late, or expire and a duration like expire 4h";
    struct experiment *e = into;
    int64_t ns = 0;

    if (node->kind != TREE_TEXT)
        return read_fail_found(r, node, allowed);
    const bool expires = str_starts(node->text, "expire ");
    if (expires ? str_to_duration(node->text + strlen("expire "), &ns, NULL) < 0
                : strcmp(node->text, "skip") != 0 && strcmp(node->text, "late") != 0)
        return read_fail_found(r, node, allowed);
    return read_text(r, node, allowed, &e->schedule_missed);
}

static int read_schedule(struct reader *r, const struct tree_node *node, void *into)
{
    static const struct read_key keys[] = {
        {"at",     read_at,     true },
        {"missed", read_missed, false},
    };

    return read_map(r, node, keys, 2, into);
}

static int read_suspect(struct reader *r, const struct tree_node *node, void *into)
{
    return read_names(r, node, &((struct experiment *)into)->suspect);
}

static int read_aa(struct reader *r, const struct tree_node *node, void *into)
{
    bool is_aa = false;

    if (read_bool(r, node, &is_aa) < 0)
        return -1;
    ((struct experiment *)into)->is_aa |= is_aa;
    return 0;
}

static int read_confirms(struct reader *r, const struct tree_node *node, void *into)
{
    return read_name(r, node, &((struct experiment *)into)->confirms);
}

static const struct read_key top_keys[] = {
    {"experiment",  read_experiment_name, true },
    {"description", read_description,     false},
    {"metric",      read_metric_name,     false},
    {"min_effect",  read_min_effect,      false},
    {"alpha",       read_alpha,           false},
    {"variants",    read_variants,        true },
    {"base",        read_base,            false},
    {"factors",     read_factors,         false},
    {"metrics",     read_metrics,         false},
    {"hosts",       read_hosts,           false},
    {"sampling",    read_sampling,        false},
    {"profile",     read_profile,         false},
    {"limits",      read_limits,          false},
    {"schedule",    read_schedule,        false},
    {"suspect",     read_suspect,         false},
    {"aa",          read_aa,              false},
    {"confirms",    read_confirms,        false},
};

/* The base comes first, whatever the order in the file. */
static int move_base(struct reader *r, const struct tree_node *root)
{
    const struct tree_node *node = tree_get(root, "base");
    struct experiment *e = r->experiment;
    CLEAN_DONE(str) struct str allowed = {0};

    if (!node)
        return 0;
    for (size_t i = 0; i < e->n_variants; i++) {
        const struct variant base = e->variant[i];

        str_addf(&allowed, "%s%s", i ? ", " : "", base.name);
        if (strcmp(base.name, node->text) != 0)
            continue;
        memmove(&e->variant[1], &e->variant[0], i * sizeof *e->variant);
        e->variant[0] = base;
        return 0;
    }
    tree_path_push(&r->path, "base");
    return read_fail_found(r, node, allowed.text);
}

/* `elapsed`, `cpu` and `wait` are the file's words for elapsed_s, cpu_s and wait_s. */
static int settle_metric(struct reader *r, const struct tree_node *root)
{
    const struct tree_node *node = tree_get(root, "metric");
    struct experiment *e = r->experiment;
    CLEAN_MEM const char **words = mem_array(const char *, e->n_metric_defs);
    CLEAN_DONE(str) struct str allowed = {0};

    if (!node)
        return 0;
    words[0] = "elapsed";
    words[1] = "cpu";
    words[2] = "wait";
    for (size_t i = 3; i < e->n_metric_defs; i++)
        words[i] = e->metric_def[i].name;
    for (size_t i = 0; i < e->n_metric_defs; i++) {
        if (strcmp(words[i], node->text) == 0) {
            mem_free(e->metric);
            e->metric = mem_strdup(e->metric_def[i].name);
            return 0;
        }
        str_addf(&allowed, "%s%s", i ? ", " : "", words[i]);
    }
    const char *nearest = str_nearest(node->text, words, e->n_metric_defs);
    if (nearest)
        str_addf(&allowed, " (did you mean %s?)", nearest);
    str_add(&allowed, "; others are defined under metrics");
    tree_path_push(&r->path, "metric");
    return read_fail_found(r, node, allowed.text);
}

static bool has_variant(const struct experiment *e, const char *name)
{
    for (size_t i = 0; i < e->n_variants; i++)
        if (strcmp(e->variant[i].name, name) == 0)
            return true;
    return false;
}

static void add_control(struct experiment *e)
{
    CLEAN_MEM char *name = mem_strdup("control");

    for (int i = 2; has_variant(e, name); i++) {
        mem_free(name);
        name = mem_printf("control-%d", i);
    }
    e->variant = mem_resize(e->variant, e->n_variants + 1, sizeof *e->variant);
    const struct variant *base = &e->variant[0];
    struct variant *control = &e->variant[e->n_variants++];
    *control = (struct variant){
        .name = mem_steal(&name),
        .run = mem_strdup(base->run),
        .setup = mem_strdup(base->setup),
        .prepare = mem_strdup(base->prepare),
        .files = mem_strdup(base->files),
        .is_control = true,
    };
    strmap_copy(&control->env, &base->env);
}

/* The deepest node on the path that begins the complaint ("variants.new.run: …"); the root when it
 * names none. */
static const struct tree_node *node_of_complaint(const struct tree_node *root, const char *text)
{
    const struct tree_node *node = root;
    const char *key = text;

    for (;;) {
        const struct tree_node *below = NULL;
        size_t best = 0;

        /* Keys may hold dots: the longest key that fits is meant. */
        for (size_t i = 0; node->kind == TREE_MAP && i < node->n; i++) {
            const size_t n = strlen(node->key[i]->text);

            if (n > best && strncmp(key, node->key[i]->text, n) == 0 && strchr(".: ", key[n])) {
                below = node->child[i];
                best = n;
            }
        }
        if (!below)
            return node;
        node = below;
        key += best;
        if (key[0] != '.')
            return node;
        key++;
    }
}

static int check(struct reader *r, const struct tree_node *root)
{
    struct err why = {0};

    if (experiment_check(r->experiment, &why) == 0)
        return 0;
    const struct tree_node *node = node_of_complaint(root, why.text);
    return err_set(r->err, why.code, "%s:%zu:%zu: %s", r->file, node->line, node->column, why.text);
}

int spec_from_yaml(const char *file_name, const char *text, size_t length, bool is_aa,
                   struct experiment **ret, struct err *err)
{
    CLEAN(tree_node) struct tree_node *root = NULL;
    CLEAN(experiment) struct experiment *experiment = experiment_new();
    struct reader r = {.file = file_name, .experiment = experiment, .err = err};

    if (tree_load(file_name, text, length, &root, err) < 0)
        return -1;
    experiment->is_aa = is_aa;
    int result = read_map(&r, root, top_keys, sizeof top_keys / sizeof *top_keys, experiment);
    if (result == 0)
        result = move_base(&r, root);
    if (result == 0)
        result = settle_metric(&r, root);
    if (result == 0 && experiment->control)
        add_control(experiment);
    if (result == 0)
        result = check(&r, root);
    str_done(&r.path);
    if (result < 0)
        return -1;
    experiment->source = mem_strndup(text, length);
    *ret = mem_steal(&experiment);
    return 0;
}

int spec_from_commands(const char *experiment_name, const struct strlist *names,
                       const struct strlist *commands, bool is_aa, struct experiment **ret,
                       struct err *err)
{
    CLEAN(experiment) struct experiment *experiment = experiment_new();

    if (names->n != commands->n)
        return err_set(err, ERR_INTERNAL, "%zu names for %zu commands", names->n, commands->n);
    experiment->name = mem_strdup(experiment_name);
    experiment->is_aa = is_aa;
    experiment->n_variants = commands->n;
    experiment->variant = mem_array(struct variant, commands->n);
    for (size_t i = 0; i < commands->n; i++)
        experiment->variant[i] = (struct variant){
            .name = mem_strdup(names->v[i]),
            .run = mem_strdup(commands->v[i]),
        };
    if (experiment_check(experiment, err) < 0) {
        if (err)
            err->code = ERR_USAGE;
        return -1;
    }
    *ret = mem_steal(&experiment);
    return 0;
}

void spec_resolve_files(struct experiment *experiment, const char *directory)
{
    for (size_t i = 0; i < experiment->n_variants; i++) {
        struct variant *variant = &experiment->variant[i];

        if (!variant->files || variant->files[0] == '/')
            continue;
        char *resolved = mem_printf("%s/%s", directory, variant->files);
        mem_free(variant->files);
        variant->files = resolved;
    }
}
