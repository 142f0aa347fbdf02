/* SPDX-License-Identifier: GPL-3.0-or-later
 * An experiment as a file. Text is quoted unless it is plainly safe; what has a default is written
 * all the same, so that the file means the same to a later version. */
#include "base/clk.h"
#include "coordinator/spec/spec.h"

#include <string.h>

static bool is_plain(const char *text)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-";
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./";

    return text[0] && strchr(first, text[0]) && strspn(text, safe) == strlen(text);
}

static void add_text(struct str *out, const char *text)
{
    if (is_plain(text)) {
        str_add(out, text);
        return;
    }
    str_addc(out, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\')
            str_addf(out, "\\%c", *p);
        else if (*p == '\n')
            str_add(out, "\\n");
        else if (*p == '\t')
            str_add(out, "\\t");
        else
            str_addc(out, *p);
    }
    str_addc(out, '"');
}

/* indent, key, value, line end; nothing for a NULL value. */
static void add_entry(struct str *out, const char *indent, const char *key, const char *value)
{
    if (!value)
        return;
    str_add(out, indent);
    add_text(out, key);
    str_add(out, ": ");
    add_text(out, value);
    str_addc(out, '\n');
}

static void add_list(struct str *out, const char *indent, const char *key,
                     const struct strlist *list)
{
    str_add(out, indent);
    add_text(out, key);
    str_add(out, ": [");
    for (size_t i = 0; i < list->n; i++) {
        str_add(out, i ? ", " : "");
        add_text(out, list->v[i]);
    }
    str_add(out, "]\n");
}

static void add_number(struct str *out, const char *key, double value)
{
    char text[32];

    str_from_double(value, text);
    str_addf(out, "%s: %s\n", key, text);
}

static void add_duration(struct str *out, const char *key, int64_t ns)
{
    static const struct {
        int64_t ns;
        const char *unit;
    } units[] = {
        {3600 * CLK_NS_PER_S, "h" },
        {60 * CLK_NS_PER_S,   "m" },
        {CLK_NS_PER_S,        "s" },
        {CLK_NS_PER_MS,       "ms"},
        {1,                   "ns"},
    };

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (ns % units[i].ns != 0)
            continue;
        str_addf(out, "%s: %lld%s\n", key, (long long)(ns / units[i].ns), units[i].unit);
        return;
    }
}

static void add_variants(struct str *out, const struct experiment *e)
{
    str_add(out, "variants:\n");
    for (size_t i = 0; i < e->n_variants; i++) {
        const struct variant *variant = &e->variant[i];

        if (variant->is_control) /* sampling.control makes it again */
            continue;
        str_add(out, "  ");
        add_text(out, variant->name);
        str_add(out, ":\n");
        add_entry(out, "    ", "run", variant->run);
        add_entry(out, "    ", "files", variant->files);
        if (variant->env.n)
            str_add(out, "    env:\n");
        for (size_t k = 0; k < variant->env.n; k++)
            add_entry(out, "      ", variant->env.key[k], variant->env.value[k]);
        add_entry(out, "    ", "setup", variant->setup);
        add_entry(out, "    ", "prepare", variant->prepare);
    }
}

static void add_metrics(struct str *out, const struct experiment *e)
{
    bool begun = false;

    for (size_t i = 0; i < e->n_metric_defs; i++) {
        const struct metric_def *def = &e->metric_def[i];

        if (strcmp(def->name, "elapsed_s") == 0 || strcmp(def->name, "cpu_s") == 0 ||
            strcmp(def->name, "wait_s") == 0)
            continue;
        if (!begun)
            str_add(out, "metrics:\n");
        begun = true;
        str_add(out, "  ");
        add_text(out, def->name);
        str_add(out, ":\n");
        add_entry(out, "    ", "match", def->match);
        if (def->unit && def->unit[0])
            add_entry(out, "    ", "unit", def->unit);
        add_entry(out, "    ", "better", def->higher_is_better ? "higher" : "lower");
    }
}

static void add_sampling(struct str *out, const struct experiment *e)
{
    static const char *const policies[] = {
        [QUIET_LABEL] = "label", [QUIET_WAIT] = "wait", [QUIET_REFUSE] = "refuse"};
    CLEAN_DONE(strlist) struct strlist randomize = {0};
    bool control = e->control;

    for (size_t i = 0; i < e->n_variants; i++)
        control = control || e->variant[i].is_control;
    str_addf(out, "sampling:\n  blocks: {min: %lu, max: %lu}\n  warmup: %lu\n",
             (unsigned long)e->min_blocks, (unsigned long)e->max_blocks, (unsigned long)e->warmup);
    add_duration(out, "  timeout", e->timeout_ns);
    if (e->budget_ns)
        add_duration(out, "  budget", e->budget_ns);
    else
        str_add(out, "  budget: none\n");
    str_addf(out, "  sessions: %lu\n  control: %s\n  quiet:\n    policy: %s\n",
             (unsigned long)e->sessions, control ? "true" : "false", policies[e->quiet]);
    add_duration(out, "    wait", e->quiet_wait_ns);
    if (e->randomize_env)
        strlist_add(&randomize, "environment_size");
    if (e->randomize_dir)
        strlist_add(&randomize, "directory_length");
    if (e->randomize_aslr)
        strlist_add(&randomize, "aslr");
    if (e->randomize_cpu)
        strlist_add(&randomize, "first_cpu");
    add_list(out, "  ", "randomize", &randomize);
    if (e->not_interleaved)
        str_add(out, "  interleave: false\n");
}

static void add_limits(struct str *out, const struct experiment *e)
{
    if (!e->limit_user && !e->limit_memory_bytes && !e->limit_no_network)
        return;
    str_add(out, "limits:\n");
    add_entry(out, "  ", "user", e->limit_user);
    if (e->limit_memory_bytes)
        str_addf(out, "  memory: %llu\n", (unsigned long long)e->limit_memory_bytes);
    if (e->limit_no_network)
        str_add(out, "  network: none\n");
}

static const char *metric_word(const char *metric)
{
    if (strcmp(metric, "elapsed_s") == 0)
        return "elapsed";
    if (strcmp(metric, "cpu_s") == 0)
        return "cpu";
    return strcmp(metric, "wait_s") == 0 ? "wait" : metric;
}

void spec_to_yaml(const struct experiment *e, struct str *ret)
{
    add_entry(ret, "", "experiment", e->name);
    add_entry(ret, "", "description", e->description);
    add_entry(ret, "", "metric", metric_word(e->metric));
    add_number(ret, "min_effect", e->min_effect);
    add_number(ret, "alpha", e->alpha);
    add_variants(ret, e);
    if (e->n_factors)
        str_add(ret, "factors:\n");
    for (size_t f = 0; f < e->n_factors; f++)
        add_list(ret, "  ", e->factor[f].name, &e->factor[f].level);
    add_metrics(ret, e);
    add_entry(ret, "", "hosts", e->hosts);
    add_sampling(ret, e);
    if (e->profile_blocks || e->profile_with.n) {
        str_addf(ret, "profile:\n  blocks: %lu\n", (unsigned long)e->profile_blocks);
        add_list(ret, "  ", "with", &e->profile_with);
    }
    add_limits(ret, e);
    if (e->schedule_at) {
        str_add(ret, "schedule:\n");
        add_entry(ret, "  ", "at", e->schedule_at);
        add_entry(ret, "  ", "missed", e->schedule_missed);
    }
    if (e->suspect.n)
        add_list(ret, "", "suspect", &e->suspect);
    if (e->is_aa)
        str_add(ret, "aa: true\n");
    add_entry(ret, "", "confirms", e->confirms);
}
