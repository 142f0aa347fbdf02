/* SPDX-License-Identifier: GPL-3.0-or-later
 * The experiment: defaults, cells, ${factor}. What makes one consistent is in experiment_check.c.
 */
#include "model/experiment.h"

#include "base/clk.h"

#include <string.h>

struct experiment *experiment_new(void)
{
    static const char *const builtin[] = {"elapsed_s", "cpu_s", "wait_s"};
    const size_t n = sizeof builtin / sizeof *builtin;
    struct experiment *experiment = mem_new(struct experiment);

    *experiment = (struct experiment){
        .metric = mem_strdup(builtin[0]),
        .min_effect = 0.01,
        .alpha = 0.05,
        .metric_def = mem_array(struct metric_def, n),
        .n_metric_defs = n,
        .min_blocks = 10,
        .max_blocks = 100,
        .warmup = 1,
        .sessions = 1,
        .timeout_ns = 60 * CLK_NS_PER_S,
        .budget_ns = 30 * 60 * CLK_NS_PER_S,
        .quiet = QUIET_LABEL,
        .quiet_wait_ns = 60 * CLK_NS_PER_S,
        .randomize_env = true,
        .randomize_dir = true,
    };
    for (size_t i = 0; i < n; i++)
        experiment->metric_def[i] =
            (struct metric_def){.name = mem_strdup(builtin[i]), .unit = mem_strdup("s")};
    return experiment;
}

static void variant_done(struct variant *variant)
{
    mem_free(variant->name);
    mem_free(variant->run);
    mem_free(variant->setup);
    mem_free(variant->prepare);
    mem_free(variant->files);
    strmap_done(&variant->env);
}

void experiment_free(struct experiment *experiment)
{
    if (!experiment)
        return;
    for (size_t i = 0; i < experiment->n_variants; i++)
        variant_done(&experiment->variant[i]);
    for (size_t i = 0; i < experiment->n_factors; i++) {
        mem_free(experiment->factor[i].name);
        strlist_done(&experiment->factor[i].level);
    }
    for (size_t i = 0; i < experiment->n_metric_defs; i++) {
        mem_free(experiment->metric_def[i].name);
        mem_free(experiment->metric_def[i].match);
        mem_free(experiment->metric_def[i].unit);
    }
    mem_free(experiment->variant);
    mem_free(experiment->factor);
    mem_free(experiment->metric_def);
    mem_free(experiment->name);
    mem_free(experiment->description);
    mem_free(experiment->metric);
    mem_free(experiment->hosts);
    strlist_done(&experiment->suspect);
    strlist_done(&experiment->shuffle);
    strlist_done(&experiment->profile_with);
    mem_free(experiment->limit_user);
    mem_free(experiment->schedule_at);
    mem_free(experiment->schedule_missed);
    mem_free(experiment->confirms);
    mem_free(experiment->source);
    mem_free(experiment);
}

size_t experiment_cells(const struct experiment *experiment)
{
    size_t cells = 1;

    for (size_t f = 0; f < experiment->n_factors; f++) {
        const size_t levels = experiment->factor[f].level.n;

        if (levels && cells > SIZE_MAX / levels)
            return SIZE_MAX; /* far over every limit; experiment_check refuses it */
        cells *= levels;
    }
    return cells;
}

const char *experiment_level(const struct experiment *experiment, size_t cell, size_t f)
{
    for (size_t i = experiment->n_factors; i-- > f + 1;)
        cell /= experiment->factor[i].level.n;
    return experiment->factor[f].level.v[cell % experiment->factor[f].level.n];
}

static size_t find_factor(const struct experiment *experiment, const char *name, size_t length)
{
    size_t f = 0;

    for (; f < experiment->n_factors; f++)
        if (strlen(experiment->factor[f].name) == length &&
            memcmp(experiment->factor[f].name, name, length) == 0)
            break;
    return f;
}

static int unknown_factor(const struct experiment *experiment, const char *name, size_t length,
                          struct err *err)
{
    CLEAN_DONE(str) struct str known = {0};
    CLEAN_MEM char *copy = mem_strndup(name, length);
    CLEAN_MEM char *shown = str_visible(copy, 64);

    for (size_t f = 0; f < experiment->n_factors; f++)
        str_addf(&known, "%s${%s}", f ? ", " : "", experiment->factor[f].name);
    return err_set(err, ERR_INPUT,
                   "found ${%s}; allowed: %s (a shell variable is written without braces)", shown,
                   experiment->n_factors ? str_get(&known) : "none, there are no factors");
}

int experiment_substitute(const struct experiment *experiment, size_t cell, const char *text,
                          char **ret, struct err *err)
{
    CLEAN_DONE(str) struct str out = {0};

    for (const char *open; (open = strstr(text, "${"));) {
        const char *name = open + 2, *close = strchr(name, '}');

        if (!close)
            return err_set(err, ERR_INPUT, "found ${ without its }; allowed: ${factor}");
        const size_t length = (size_t)(close - name);
        const size_t f = find_factor(experiment, name, length);
        if (f == experiment->n_factors)
            return unknown_factor(experiment, name, length, err);
        str_add_bytes(&out, text, (size_t)(open - text));
        str_add(&out, experiment_level(experiment, cell, f));
        text = close + 1;
    }
    str_add(&out, text);
    *ret = str_take(&out);
    return 0;
}
