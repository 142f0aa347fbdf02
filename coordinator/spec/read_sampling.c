/* SPDX-License-Identifier: GPL-3.0-or-later
 * `sampling:` how many blocks, how long, on which hosts in which state, what is randomised. */
#include "coordinator/spec/read.h"
#include "model/limits.h"

#include <string.h>

struct blocks {
    uint32_t min, max; /* 0: not said */
};

static int read_min(struct reader *r, const struct tree_node *node, void *into)
{
    return read_count(r, node, 1, LIMIT_BLOCKS, &((struct blocks *)into)->min);
}

static int read_max(struct reader *r, const struct tree_node *node, void *into)
{
    return read_count(r, node, 1, LIMIT_BLOCKS, &((struct blocks *)into)->max);
}

/* `blocks: 20` is exactly so many; of {min, max} the one left out gives way to the other. */
static int read_blocks(struct reader *r, const struct tree_node *node, void *into)
{
    static const struct read_key keys[] = {
        {"min", read_min, false},
        {"max", read_max, false},
    };
    struct experiment *e = into;
    struct blocks blocks = {0};

    if (node->kind == TREE_TEXT) {
        if (read_count(r, node, 1, LIMIT_BLOCKS, &e->min_blocks) < 0)
            return -1;
        e->max_blocks = e->min_blocks;
        return 0;
    }
    if (read_map(r, node, keys, 2, &blocks) < 0)
        return -1;
    if (blocks.min && blocks.max && blocks.max < blocks.min) {
        tree_path_push(&r->path, "max");
        CLEAN_MEM char *allowed =
            mem_printf("at least min, which is %lu", (unsigned long)blocks.min);
        return read_fail_found(r, tree_get(node, "max"), allowed);
    }
    if (blocks.min)
        e->min_blocks = blocks.min;
    if (blocks.max)
        e->max_blocks = blocks.max;
    if (e->max_blocks < e->min_blocks) {
        if (blocks.min)
            e->max_blocks = e->min_blocks;
        else
            e->min_blocks = e->max_blocks;
    }
    return 0;
}

static int read_warmup(struct reader *r, const struct tree_node *node, void *into)
{
    return read_count(r, node, 0, LIMIT_BLOCKS, &((struct experiment *)into)->warmup);
}

static int read_timeout(struct reader *r, const struct tree_node *node, void *into)
{
    struct experiment *e = into;
    int64_t ns = 0;

    if (read_duration(r, node, &ns) < 0)
        return -1;
    if (ns == 0)
        return read_fail_found(r, node, "a duration above 0");
    e->timeout_ns = ns;
    return 0;
}

static int read_budget(struct reader *r, const struct tree_node *node, void *into)
{
    struct experiment *e = into;

    if (node->kind == TREE_TEXT && strcmp(node->text, "none") == 0) {
        e->budget_ns = 0;
        return 0;
    }
    return read_duration(r, node, &e->budget_ns);
}

static int read_sessions(struct reader *r, const struct tree_node *node, void *into)
{
    return read_count(r, node, 1, LIMIT_SESSIONS, &((struct experiment *)into)->sessions);
}

static int read_control(struct reader *r, const struct tree_node *node, void *into)
{
    return read_bool(r, node, &((struct experiment *)into)->control);
}

static int read_interleave(struct reader *r, const struct tree_node *node, void *into)
{
    bool interleave = true;

    if (read_bool(r, node, &interleave) < 0)
        return -1;
    ((struct experiment *)into)->not_interleaved = !interleave;
    return 0;
}

static int read_policy(struct reader *r, const struct tree_node *node, void *into)
{
    static const char *const words[] = {
        [QUIET_LABEL] = "label", [QUIET_WAIT] = "wait", [QUIET_REFUSE] = "refuse"};
    size_t index = 0;

    if (read_choice(r, node, words, 3, &index) < 0)
        return -1;
    ((struct experiment *)into)->quiet = (enum quiet_policy)index;
    return 0;
}

static int read_wait(struct reader *r, const struct tree_node *node, void *into)
{
    return read_duration(r, node, &((struct experiment *)into)->quiet_wait_ns);
}

static int read_quiet(struct reader *r, const struct tree_node *node, void *into)
{
    static const struct read_key keys[] = {
        {"policy", read_policy, false},
        {"wait",   read_wait,   false},
    };

    if (node->kind == TREE_TEXT)
        return read_policy(r, node, into);
    return read_map(r, node, keys, 2, into);
}

static int read_randomize(struct reader *r, const struct tree_node *node, void *into)
{
    static const char *const words[] = {"environment_size", "directory_length", "aslr",
                                        "first_cpu"};
    struct experiment *e = into;
    bool *const slots[] = {&e->randomize_env, &e->randomize_dir, &e->randomize_aslr,
                           &e->randomize_cpu};

    if (node->kind != TREE_LIST)
        return read_fail_found(
            r, node, "a list of environment_size, directory_length, aslr, first_cpu ([] for none)");
    for (size_t i = 0; i < 4; i++)
        *slots[i] = false;
    for (size_t i = 0; i < node->n; i++) {
        size_t index = 0;

        if (read_choice(r, node->child[i], words, 4, &index) < 0)
            return -1;
        *slots[index] = true;
    }
    return 0;
}

int read_sampling(struct reader *r, const struct tree_node *node, void *into)
{
    static const struct read_key keys[] = {
        {"blocks",     read_blocks,     false},
        {"warmup",     read_warmup,     false},
        {"timeout",    read_timeout,    false},
        {"budget",     read_budget,     false},
        {"sessions",   read_sessions,   false},
        {"control",    read_control,    false},
        {"quiet",      read_quiet,      false},
        {"randomize",  read_randomize,  false},
        {"interleave", read_interleave, false},
    };

    return read_map(r, node, keys, sizeof keys / sizeof *keys, into);
}
