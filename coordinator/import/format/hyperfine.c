/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * hyperfine --export-json: each result is a variant named by its command (or hyperfine -n), each
 * time a sample. hyperfine runs one command after the other, so the design is blocked and position
 * runs on over the file. Runs that ended with an exit code other than 0 are left out.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "coordinator/import/convert.h"
#include "model/limits.h"

extern const struct importer_ops importer_hyperfine;

struct hyper {
    const char *name; /* of the file */
    FILE *out;
    struct strlist parameter; /* names in all results: columns */
    uint64_t position, failed;
};

static int wrong(const struct hyper *h, size_t result, struct err *err, const char *what)
{
    return err_set(err, ERR_INPUT, "%s: results[%zu]: %s", h->name, result, what);
}

static void take_parameters(struct hyper *h, const json_t *results)
{
    for (size_t i = 0; i < json_array_size(results); i++) {
        json_t *parameters = json_object_get(json_array_get(results, i), "parameters");
        const char *key = NULL;
        json_t *value = NULL;

        json_object_foreach(parameters, key, value)
        {
            if (!strlist_has(&h->parameter, key))
                strlist_add(&h->parameter, key);
        }
    }
    strlist_sort(&h->parameter);
}

static void put_header(const struct hyper *h)
{
    fputs("host,variant,round,position,elapsed_s,maxrss_kib", h->out);
    for (size_t i = 0; i < h->parameter.n; i++) {
        fputc(',', h->out);
        convert_text(h->out, h->parameter.v[i]);
    }
    fputc('\n', h->out);
}

static void put_number(FILE *out, const json_t *value, double scale)
{
    char text[32];

    fputc(',', out);
    if (!json_is_number(value))
        return;
    str_from_double(json_number_value(value) * scale, text);
    fputs(text, out);
}

static void put_sample(struct hyper *h, const char *command, size_t round, const json_t *result,
                       size_t run)
{
    json_t *parameters = json_object_get(result, "parameters");

    fputs(CONVERT_HOST ",", h->out);
    convert_text(h->out, command);
    fprintf(h->out, ",%zu,%llu", round, (unsigned long long)h->position++);
    put_number(h->out, json_array_get(json_object_get(result, "times"), run), 1);
    put_number(h->out, json_array_get(json_object_get(result, "memory_usage_byte"), run),
               1.0 / 1024);
    for (size_t i = 0; i < h->parameter.n; i++) {
        const char *value = json_string_value(json_object_get(parameters, h->parameter.v[i]));

        fputc(',', h->out);
        if (value)
            convert_text(h->out, value);
    }
    fputc('\n', h->out);
}

static int put_result(struct hyper *h, const json_t *result, size_t i, struct err *err)
{
    const char *command = json_string_value(json_object_get(result, "command"));
    json_t *times = json_object_get(result, "times");
    json_t *codes = json_object_get(result, "exit_codes");
    size_t round = 0;

    if (!command || !*command)
        return wrong(h, i, err, "no command");
    if (strlen(command) > LIMIT_NAME)
        return wrong(h, i, err,
                     "a command of more than 128 bytes: give it a name (hyperfine -n NAME)");
    if (!json_is_array(times))
        return wrong(h, i, err, "no times; export with --export-json");
    for (size_t run = 0; run < json_array_size(times); run++) {
        json_t *code = json_array_get(codes, run);

        if (!json_is_number(json_array_get(times, run)))
            return wrong(h, i, err, "a time that is no number");
        if (code && (!json_is_integer(code) || json_integer_value(code) != 0))
            h->failed++;
        else
            put_sample(h, command, round++, result, run);
    }
    return 0;
}

static int put_results(struct hyper *h, const json_t *root, struct err *err)
{
    json_t *results = json_object_get(root, "results");

    if (!json_is_array(results))
        return err_set(err, ERR_INPUT, "%s: no results: not written by hyperfine --export-json",
                       h->name);
    take_parameters(h, results);
    put_header(h);
    for (size_t i = 0; i < json_array_size(results); i++) {
        if (put_result(h, json_array_get(results, i), i, err) < 0)
            return -1;
    }
    return 0;
}

static int read_hyperfine(struct store *store, const struct import_options *options,
                          struct import_result *ret, struct err *err)
{
    CLEAN_DONE(convert) struct convert convert = {0};
    CLEAN_DONE(str) struct str text = {0};
    struct hyper h = {.name = convert_name(options)};
    json_error_t why;
    json_t *root = NULL;
    int rc = 0;

    if (convert_read(options, &text, err) < 0 || convert_open(&convert, err) < 0)
        return -1;
    root = json_loadb(str_get(&text), text.length, JSON_REJECT_DUPLICATES, &why);
    if (!root)
        return err_set(err, ERR_INPUT, "%s:%d:%d: %s", h.name, why.line, why.column, why.text);
    h.out = convert.samples;
    rc = put_results(&h, root, err);
    json_decref(root);
    if (rc == 0)
        rc = convert_import(&convert, store, options, ret, err);
    if (rc == 0 && h.failed) {
        CLEAN_MEM char *line = mem_printf("%s: %llu runs did not exit with 0: left out", h.name,
                                          (unsigned long long)h.failed);

        strlist_add(&ret->warnings, line);
    }
    strlist_done(&h.parameter);
    return rc;
}

const struct importer_ops importer_hyperfine = {
    .name = "hyperfine",
    .help = "hyperfine --export-json: a variant a command",
    .read = read_hyperfine,
};
