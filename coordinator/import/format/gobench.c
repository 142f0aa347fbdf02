/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Go benchmark text. The variant is `/variant=NAME` in a benchmark's name or the `variant: NAME`
 * line in force; `host: NAME` names the host. Other `key: value` lines are facts where every host
 * has one value of them, and columns otherwise; other /key=value parts are columns; several
 * benchmarks are crossed. The text tells no order of measuring: unpaired.
 */
#include <string.h>

#include "coordinator/import/convert.h"
#include "coordinator/import/gotext.h"

extern const struct importer_ops importer_gobench;

struct columns {
    struct strlist unit, part, fact, varying; /* varying: configuration that is no fact */
    bool many_benchmarks;
};

static void columns_done(struct columns *c)
{
    strlist_done(&c->unit);
    strlist_done(&c->part);
    strlist_done(&c->fact);
    strlist_done(&c->varying);
}

static void add_once(struct strlist *list, const char *name)
{
    if (!strlist_has(list, name))
        strlist_add(list, name);
}

static const char *host_of(const struct go_result *result)
{
    const char *host = strmap_get(&result->config, "host");

    return host && *host ? host : CONVERT_HOST;
}

static const char *variant_of(const struct go_result *result)
{
    const char *variant = strmap_get(&result->part, "variant");

    return variant ? variant : strmap_get(&result->config, "variant");
}

/* One value on each host: then it is a fact. */
static bool is_constant(const struct go_text *text, const char *key)
{
    CLEAN_DONE(strmap) struct strmap seen = {0};

    for (size_t i = 0; i < text->n; i++) {
        const char *value = strmap_get(&text->v[i].config, key);
        const char *before = strmap_get(&seen, host_of(&text->v[i]));

        value = value ? value : "";
        if (before && !str_eq(before, value))
            return false;
        if (!before)
            strmap_set(&seen, host_of(&text->v[i]), value);
    }
    return true;
}

static void find_columns(const struct go_text *text, struct columns *ret)
{
    CLEAN_DONE(strlist) struct strlist config = {0};

    for (size_t i = 0; i < text->n; i++) {
        const struct go_result *result = &text->v[i];

        for (size_t k = 0; k < result->value.n; k++)
            add_once(&ret->unit, result->value.key[k]);
        for (size_t k = 0; k < result->part.n; k++)
            add_once(&ret->part, result->part.key[k]);
        for (size_t k = 0; k < result->config.n; k++)
            add_once(&config, result->config.key[k]);
        ret->many_benchmarks =
            ret->many_benchmarks || !str_eq(result->benchmark, text->v[0].benchmark);
    }
    for (size_t k = 0; k < config.n; k++) {
        const char *key = config.v[k];

        if (str_eq(key, "host") || str_eq(key, "variant"))
            continue;
        strlist_add(is_constant(text, key) && str_is_name(key) ? &ret->fact : &ret->varying, key);
    }
}

static void put_column(FILE *out, const char *name)
{
    fputc(',', out);
    convert_text(out, name);
}

static void put_header(FILE *out, const struct columns *c)
{
    fputs("host,variant,benchmark", out);
    for (size_t i = 0; i < c->unit.n; i++)
        put_column(out, str_eq(c->unit.v[i], "ns/op") ? "elapsed_s" : c->unit.v[i]);
    for (size_t i = 0; i < c->part.n; i++) {
        if (!str_eq(c->part.v[i], "variant"))
            put_column(out, c->part.v[i]);
    }
    for (size_t i = 0; i < c->varying.n; i++)
        put_column(out, c->varying.v[i]);
    fputc('\n', out);
}

/* Nanoseconds to seconds by their exponent, so that no digit is lost. */
static void put_number(FILE *out, const char *unit, const char *number)
{
    fputc(',', out);
    if (!number)
        return;
    if (!str_eq(unit, "ns/op")) {
        fputs(number, out);
    } else if (!strpbrk(number, "eE")) {
        fprintf(out, "%se-9", number);
    } else {
        double value = 0;
        char text[32];

        if (str_to_double(number, &value, NULL) < 0)
            return;
        str_from_double(value / 1e9, text);
        fputs(text, out);
    }
}

static int put_result(const char *file, FILE *out, const struct columns *c,
                      const struct go_result *result, struct err *err)
{
    if (!variant_of(result) || !*variant_of(result))
        return err_set(
            err, ERR_INPUT,
            "%s:%zu: no variant: write a line \"variant: NAME\" before the results of each", file,
            result->line);
    convert_text(out, host_of(result));
    put_column(out, variant_of(result));
    put_column(out, result->benchmark);
    for (size_t i = 0; i < c->unit.n; i++)
        put_number(out, c->unit.v[i], strmap_get(&result->value, c->unit.v[i]));
    for (size_t i = 0; i < c->part.n; i++) {
        const char *value = strmap_get(&result->part, c->part.v[i]);

        if (!str_eq(c->part.v[i], "variant"))
            put_column(out, value ? value : "");
    }
    for (size_t i = 0; i < c->varying.n; i++) {
        const char *value = strmap_get(&result->config, c->varying.v[i]);

        put_column(out, value ? value : "");
    }
    fputc('\n', out);
    return 0;
}

static void put_hosts(FILE *out, const struct go_text *text, const struct columns *c)
{
    CLEAN_DONE(strlist) struct strlist done = {0};

    fputs("host", out);
    for (size_t k = 0; k < c->fact.n; k++)
        put_column(out, c->fact.v[k]);
    fputc('\n', out);
    for (size_t i = 0; i < text->n; i++) {
        const char *host = host_of(&text->v[i]);

        if (strlist_has(&done, host))
            continue;
        strlist_add(&done, host);
        convert_text(out, host);
        for (size_t k = 0; k < c->fact.n; k++) {
            const char *value = strmap_get(&text->v[i].config, c->fact.v[k]);

            put_column(out, value ? value : "");
        }
        fputc('\n', out);
    }
}

static int convert_all(const struct import_options *options, const struct go_text *text,
                       const struct columns *c, struct convert *convert, struct err *err)
{
    put_header(convert->samples, c);
    for (size_t i = 0; i < text->n; i++) {
        if (put_result(convert_name(options), convert->samples, c, &text->v[i], err) < 0)
            return -1;
    }
    if (!options->hosts)
        put_hosts(convert->hosts, text, c);
    return 0;
}

static int read_gobench(struct store *store, const struct import_options *options,
                        struct import_result *ret, struct err *err)
{
    CLEAN_DONE(convert) struct convert convert = {0};
    CLEAN_DONE(str) struct str bytes = {0};
    CLEAN_DONE(go_text) struct go_text text = {0};
    CLEAN_DONE(columns) struct columns c = {0};
    CLEAN_DONE(strlist) struct strlist factor = {0};
    struct import_options crossed = *options;

    if (convert_read(options, &bytes, err) < 0 ||
        go_text_parse(convert_name(options), str_get(&bytes), &text, err) < 0 ||
        convert_open(&convert, err) < 0)
        return -1;
    find_columns(&text, &c);
    if (convert_all(options, &text, &c, &convert, err) < 0)
        return -1;
    strlist_copy(&factor, &options->factor);
    if (c.many_benchmarks)
        add_once(&factor, "benchmark");
    crossed.factor = factor;
    return convert_import(&convert, store, &crossed, ret, err);
}

const struct importer_ops importer_gobench = {
    .name = "gobench",
    .help = "Go benchmark text with a variant in each name or before each part",
    .read = read_gobench,
};
