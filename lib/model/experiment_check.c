/* SPDX-License-Identifier: GPL-3.0-or-later
 * What must hold between the parts of an experiment, wherever it came from: a file, flags, an
 * import or the wire. */
#include "model/experiment.h"
#include "model/expr.h"
#include "model/limits.h"

#include <regex.h>
#include <string.h>

static int check_name(const char *what, const char *name, struct err *err)
{
    if (name && str_is_name(name))
        return 0;
    CLEAN_MEM char *shown = str_visible(name ? name : "", LIMIT_NAME);
    return err_set(
        err, ERR_INPUT,
        "%s: found \"%s\"; allowed: 1 to %d of A-Z a-z 0-9 . _ : @ -, not beginning with "
        "- or .",
        what, shown, LIMIT_NAME);
}

static int check_range(const char *what, size_t found, size_t least, size_t most, struct err *err)
{
    if (found >= least && found <= most)
        return 0;
    return err_set(err, found > most ? ERR_LIMIT : ERR_INPUT, "%s: found %zu; allowed: %zu to %zu",
                   what, found, least, most);
}

static int check_numbers(const struct experiment *e, struct err *err)
{
    if (!(e->min_effect > 0 && e->min_effect <= 1))
        return err_set(err, ERR_INPUT, "min_effect: found %g; allowed: above 0 up to 1 (100%%)",
                       e->min_effect);
    if (!(e->alpha > 0 && e->alpha <= 0.5))
        return err_set(err, ERR_INPUT, "alpha: found %g; allowed: above 0 up to 0.5", e->alpha);
    if (check_range("sampling.blocks.min", e->min_blocks, 1, LIMIT_BLOCKS, err) < 0 ||
        check_range("sampling.blocks.max", e->max_blocks, e->min_blocks, LIMIT_BLOCKS, err) < 0 ||
        check_range("sampling.warmup", e->warmup, 0, LIMIT_BLOCKS, err) < 0 ||
        check_range("sampling.sessions", e->sessions, 1, LIMIT_SESSIONS, err) < 0 ||
        check_range("profile.blocks", e->profile_blocks, 0, LIMIT_BLOCKS, err) < 0)
        return -1;
    if (e->timeout_ns <= 0)
        return err_set(err, ERR_INPUT, "sampling.timeout: found 0; allowed: a duration above 0");
    if (e->budget_ns < 0 || e->quiet_wait_ns < 0)
        return err_set(err, ERR_INPUT, "sampling: found a negative duration; allowed: from 0");
    return 0;
}

static int check_factor(const struct factor *factor, struct err *err)
{
    if (check_name("factors", factor->name, err) < 0)
        return -1;
    CLEAN_MEM char *path = mem_printf("factors.%s", factor->name);
    if (check_range(path, factor->level.n, 1, LIMIT_LEVELS, err) < 0)
        return -1;
    for (size_t i = 0; i < factor->level.n; i++) {
        const char *level = factor->level.v[i];

        for (size_t k = 0; k < i; k++)
            if (strcmp(level, factor->level.v[k]) == 0)
                return err_set(err, ERR_INPUT,
                               "factors.%s: found level \"%s\" twice; allowed: each once",
                               factor->name, level);
        if (strlen(level) > LIMIT_NAME || str_has_control(level, strlen(level)))
            return err_set(
                err, ERR_INPUT,
                "factors.%s: found a level over %d bytes or with control bytes; allowed: text",
                factor->name, LIMIT_NAME);
    }
    return 0;
}

static int check_builtin_factor(const struct factor *factor, struct err *err)
{
    static const char *const sinks[] = {"null", "file", "pipe", "socketpair", "pty"};

    for (size_t i = 0; i < factor->level.n; i++) {
        const char *level = factor->level.v[i];
        double share = 0;
        bool fits = true;

        if (strcmp(factor->name, "sink") == 0) {
            fits = false;
            for (size_t k = 0; k < sizeof sinks / sizeof *sinks; k++)
                fits = fits || strcmp(level, sinks[k]) == 0;
        } else if (strcmp(factor->name, "load") == 0) {
            fits = str_to_fraction(level, &share, NULL) == 0 && share >= 0 && share <= 1;
        }
        if (!fits)
            return err_set(
                err, ERR_INPUT, "factors.%s: found \"%s\"; allowed: %s", factor->name, level,
                factor->name[0] == 's' ? "null, file, pipe, socketpair, pty" : "0 to 100%");
    }
    return 0;
}

static int check_factors(const struct experiment *e, struct err *err)
{
    if (check_range("factors", e->n_factors, 0, LIMIT_FACTORS, err) < 0)
        return -1;
    for (size_t f = 0; f < e->n_factors; f++) {
        if (check_factor(&e->factor[f], err) < 0 || check_builtin_factor(&e->factor[f], err) < 0)
            return -1;
        for (size_t k = 0; k < f; k++)
            if (strcmp(e->factor[f].name, e->factor[k].name) == 0)
                return err_set(err, ERR_INPUT, "factors: found \"%s\" twice; allowed: each once",
                               e->factor[f].name);
    }
    const size_t cells = experiment_cells(e);
    if (cells > LIMIT_CELLS || cells * e->n_variants > LIMIT_CELLS)
        return err_set(err, ERR_LIMIT,
                       "factors: found over %d cells; allowed: up to %d (variants times the levels "
                       "of all factors)",
                       LIMIT_CELLS, LIMIT_CELLS);
    return 0;
}

static int check_metric(const struct metric_def *def, struct err *err)
{
    regex_t regex;

    if (check_name("metrics", def->name, err) < 0)
        return -1;
    if (def->unit &&
        (strlen(def->unit) > LIMIT_NAME || str_has_control(def->unit, strlen(def->unit))))
        return err_set(err, ERR_INPUT,
                       "metrics.%s.unit: found over %d bytes or control bytes; allowed: text",
                       def->name, LIMIT_NAME);
    if (!def->match)
        return 0;
    if (strlen(def->match) > LIMIT_FACT_VALUE)
        return err_set(err, ERR_LIMIT, "metrics.%s.match: found over %d bytes; allowed: fewer",
                       def->name, LIMIT_FACT_VALUE);
    const int failed = regcomp(&regex, def->match, REG_EXTENDED | REG_NEWLINE);
    if (failed) {
        char words[128];
        regerror(failed, &regex, words, sizeof words);
        return err_set(err, ERR_INPUT,
                       "metrics.%s.match: found \"%.200s\" (%s); allowed: a POSIX extended regex",
                       def->name, def->match, words);
    }
    const size_t groups = regex.re_nsub;
    regfree(&regex);
    if (groups != 1)
        return err_set(err, ERR_INPUT,
                       "metrics.%s.match: found %zu groups in parentheses; allowed: exactly 1, "
                       "around the number",
                       def->name, groups);
    return 0;
}

static int check_metrics(const struct experiment *e, struct err *err)
{
    bool defined = false;

    if (check_range("metrics", e->n_metric_defs, 1, LIMIT_METRICS, err) < 0)
        return -1;
    for (size_t i = 0; i < e->n_metric_defs; i++) {
        if (check_metric(&e->metric_def[i], err) < 0)
            return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(e->metric_def[i].name, e->metric_def[k].name) == 0)
                return err_set(err, ERR_INPUT, "metrics: found \"%s\" twice; allowed: each once",
                               e->metric_def[i].name);
        defined = defined || str_eq(e->metric, e->metric_def[i].name);
    }
    if (defined)
        return 0;
    CLEAN_DONE(str) struct str known = {0};
    for (size_t i = 0; i < e->n_metric_defs; i++)
        str_addf(&known, "%s%s", i ? ", " : "", e->metric_def[i].name);
    return err_set(err, ERR_INPUT, "metric: found \"%s\"; allowed: %s", e->metric ? e->metric : "",
                   str_get(&known));
}

static int check_command(const struct experiment *e, const char *text, struct err *err)
{
    CLEAN_DONE(strlist) struct strlist words = {0};
    CLEAN_MEM char *command = NULL;
    const size_t cells = experiment_cells(e);

    if (!text)
        return 0;
    for (size_t cell = 0; cell < cells; cell++) {
        mem_free(mem_steal(&command));
        if (experiment_substitute(e, cell, text, &command, err) < 0)
            return -1;
        if (strlen(command) > LIMIT_COMMAND)
            return err_set(err, ERR_LIMIT, "found over %d bytes; allowed: fewer", LIMIT_COMMAND);
        if (words_split(command, &words, err) < 0)
            return -1;
    }
    return 0;
}

static int check_env(const struct experiment *e, const struct variant *variant, struct err *err)
{
    const struct strmap *env = &variant->env;
    CLEAN_MEM char *value = NULL;

    for (size_t i = 0; i < env->n; i++) {
        const char *key = env->key[i];

        if (!key[0] || strchr(key, '=') || str_has_control(key, strlen(key)))
            return err_set(err, ERR_INPUT,
                           "variants.%s.env: found \"%.64s\"; allowed: a variable's name without =",
                           variant->name, key);
        mem_free(mem_steal(&value));
        if (experiment_substitute(e, 0, env->value[i], &value, err) < 0)
            return err_wrap(err, "variants.%s.env.%s", variant->name, key);
        if (strlen(key) + strlen(value) > LIMIT_COMMAND)
            return err_set(err, ERR_LIMIT,
                           "variants.%s.env.%s: found over %d bytes; allowed: fewer", variant->name,
                           key, LIMIT_COMMAND);
    }
    return 0;
}

static int check_variant(const struct experiment *e, const struct variant *variant, struct err *err)
{
    if (!variant->run)
        return err_set(err, ERR_INPUT, "variants.%s.run: found nothing; allowed: a command",
                       variant->name);
    if (check_command(e, variant->run, err) < 0)
        return err_wrap(err, "variants.%s.run", variant->name);
    if (check_command(e, variant->setup, err) < 0)
        return err_wrap(err, "variants.%s.setup", variant->name);
    if (check_command(e, variant->prepare, err) < 0)
        return err_wrap(err, "variants.%s.prepare", variant->name);
    if (variant->artefact[0] && !digest_is_valid(variant->artefact))
        return err_set(err, ERR_INPUT,
                       "variants.%s: found an artefact \"%.64s\"; allowed: a SHA-256 in hex",
                       variant->name, variant->artefact);
    return check_env(e, variant, err);
}

/* Equal in every cell. Commands have been checked, so substitution does not fail; if it did, they
 * are not equal. */
static bool same_text(const struct experiment *e, const char *a, const char *b)
{
    const size_t cells = experiment_cells(e);

    if (!a || !b || strcmp(a, b) == 0)
        return str_eq(a, b);
    for (size_t cell = 0; cell < cells; cell++) {
        CLEAN_MEM char *left = NULL, *right = NULL;

        if (experiment_substitute(e, cell, a, &left, NULL) < 0 ||
            experiment_substitute(e, cell, b, &right, NULL) < 0 || strcmp(left, right) != 0)
            return false;
    }
    return true;
}

static bool same_env(const struct experiment *e, const struct strmap *a, const struct strmap *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!same_text(e, a->value[i], strmap_get(b, a->key[i])))
            return false;
    return true;
}

static bool same_files(const struct variant *a, const struct variant *b)
{
    if (a->artefact[0] || b->artefact[0])
        return strcmp(a->artefact, b->artefact) == 0;
    return str_eq(a->files, b->files);
}

static bool same_arm(const struct experiment *e, const struct variant *a, const struct variant *b)
{
    return same_files(a, b) && same_text(e, a->run, b->run) && same_text(e, a->setup, b->setup) &&
           same_text(e, a->prepare, b->prepare) && same_env(e, &a->env, &b->env);
}

static int check_variants(const struct experiment *e, struct err *err)
{
    if (check_range("variants", e->n_variants, 2, LIMIT_VARIANTS, err) < 0)
        return -1;
    if (e->variant[0].is_control)
        return err_set(err, ERR_INPUT,
                       "variants.%s: found the base as a control; allowed: a copy of it",
                       e->variant[0].name);
    for (size_t i = 0; i < e->n_variants; i++) {
        if (check_name("variants", e->variant[i].name, err) < 0)
            return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(e->variant[i].name, e->variant[k].name) == 0)
                return err_set(err, ERR_INPUT, "variants: found \"%s\" twice; allowed: each once",
                               e->variant[i].name);
    }
    if (check_factors(e, err) < 0)
        return -1;
    for (size_t i = 0; i < e->n_variants; i++)
        if (check_variant(e, &e->variant[i], err) < 0)
            return -1;
    for (size_t i = 0; i < e->n_variants && !e->is_aa; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct variant *a = &e->variant[k], *b = &e->variant[i];

            if (!a->is_control && !b->is_control && same_arm(e, a, b))
                return err_set(err, ERR_INPUT,
                               "variants: found %s and %s with the same bits and command; allowed: "
                               "arms that differ (use --aa if that is meant)",
                               a->name, b->name);
        }
    }
    return 0;
}

int experiment_check(const struct experiment *e, struct err *err)
{
    if (check_name("experiment", e->name, err) < 0 || check_numbers(e, err) < 0 ||
        check_variants(e, err) < 0 || check_metrics(e, err) < 0)
        return -1;
    if (e->confirms && check_name("confirms", e->confirms, err) < 0)
        return -1;
    for (size_t i = 0; i < e->suspect.n; i++)
        if (check_name("suspect", e->suspect.v[i], err) < 0)
            return -1;
    if (e->hosts) {
        CLEAN(expr) struct expr *expr = NULL;
        if (expr_parse(e->hosts, &expr, err) < 0)
            return err_wrap(err, "hosts");
    }
    return 0;
}
