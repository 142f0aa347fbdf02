/* SPDX-License-Identifier: GPL-3.0-or-later
 * Reading numbers out of text that anyone may have written. */
#include "agent/output.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "model/limits.h"

#define RESULT_PREFIX "muster: "

void output_metrics_done(struct output_metrics *metrics)
{
    for (size_t i = 0; i < metrics->n; i++)
        mem_free(metrics->v[i].name);
    mem_free(metrics->v);
    str_done(&metrics->trouble);
    *metrics = (struct output_metrics){0};
}

static struct output_metric *find(struct output_metrics *metrics, const char *name)
{
    for (size_t i = 0; i < metrics->n; i++)
        if (strcmp(metrics->v[i].name, name) == 0)
            return &metrics->v[i];
    return NULL;
}

/* The last value counts: programs print their total at the end. */
static void set(struct output_metrics *metrics, const char *name, double value)
{
    struct output_metric *known = find(metrics, name);

    if (known) {
        known->value = value;
        return;
    }
    if (metrics->n == LIMIT_METRICS)
        return;
    metrics->v = mem_grow(metrics->v, &metrics->cap, metrics->n + 1, sizeof *metrics->v);
    metrics->v[metrics->n++] = (struct output_metric){mem_strdup(name), value};
}

static void take_number(struct output_metrics *metrics, const char *name, const char *text)
{
    struct err why;
    double value;

    if (str_to_double(text, &value, &why) == 0) {
        set(metrics, name, value);
        return;
    }
    CLEAN_MEM char *shown = str_visible(text, 64);
    str_clear(&metrics->trouble);
    str_addf(&metrics->trouble, "%.64s: found \"%s\", which is no finite number", name, shown);
}

/* A C string of the output: NUL bytes would hide what follows them. */
static char *as_text(const struct str *bytes)
{
    char *text = mem_alloc(bytes->length + 1, 1);

    if (bytes->length)
        memcpy(text, bytes->text, bytes->length);
    for (size_t i = 0; i < bytes->length; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    return text;
}

static void read_result_line(struct output_metrics *metrics, char *line)
{
    char *rest = NULL;
    const char *name = strtok_r(line, " \t\r", &rest);
    const char *value = strtok_r(NULL, " \t\r", &rest);

    if (name && value && str_is_name(name))
        take_number(metrics, name, value);
}

static void read_result_lines(struct output_metrics *metrics, const char *text)
{
    for (const char *line = text; line && *line;) {
        const char *next = strchr(line, '\n');
        const size_t length = next ? (size_t)(next - line) : strlen(line);

        if (str_starts(line, RESULT_PREFIX)) {
            CLEAN_MEM char *copy =
                mem_strndup(line + strlen(RESULT_PREFIX), length - strlen(RESULT_PREFIX));
            read_result_line(metrics, copy);
        }
        line = next ? next + 1 : NULL;
    }
}

/* Line by line: a pattern cannot reach over a line's end, and a long output costs no more than its
 * length. */
static bool match_lines(const regex_t *regex, const char *text, struct output_metrics *metrics,
                        const char *name)
{
    regmatch_t match[2];
    bool found = false;

    for (const char *line = text; line && *line;) {
        const char *next = strchr(line, '\n');
        CLEAN_MEM char *copy = mem_strndup(line, next ? (size_t)(next - line) : strlen(line));

        if (regexec(regex, copy, 2, match, 0) == 0 && match[1].rm_so >= 0) {
            CLEAN_MEM char *number =
                mem_strndup(copy + match[1].rm_so, (size_t)(match[1].rm_eo - match[1].rm_so));
            take_number(metrics, name, number);
            found = true;
        }
        line = next ? next + 1 : NULL;
    }
    return found;
}

static void match_metric(const struct metric_def *def, const char *output, const char *error,
                         struct output_metrics *metrics)
{
    regex_t regex;

    if (regcomp(&regex, def->match, REG_EXTENDED | REG_NEWLINE) != 0)
        return; /* experiment_check let it through: it compiles */
    const bool in_output = match_lines(&regex, output, metrics, def->name);
    const bool in_error = !in_output && match_lines(&regex, error, metrics, def->name);
    regfree(&regex);
    if (!in_output && !in_error) {
        str_clear(&metrics->trouble);
        str_addf(&metrics->trouble, "%.64s: nothing in the output matches %.200s", def->name,
                 def->match);
    }
}

void output_read(const struct experiment *experiment, const struct str *output,
                 const struct str *error, struct output_metrics *ret)
{
    CLEAN_MEM char *out_text = as_text(output);
    CLEAN_MEM char *err_text = as_text(error);

    read_result_lines(ret, err_text);
    read_result_lines(ret, out_text);
    for (size_t i = 0; i < experiment->n_metric_defs; i++)
        if (experiment->metric_def[i].match)
            match_metric(&experiment->metric_def[i], out_text, err_text, ret);
}

bool output_get(const struct output_metrics *metrics, const char *name, double *ret)
{
    for (size_t i = 0; i < metrics->n; i++)
        if (strcmp(metrics->v[i].name, name) == 0) {
            *ret = metrics->v[i].value;
            return true;
        }
    return false;
}

static void add_part(struct str *into, const struct str *part, size_t max)
{
    const size_t half = max / 2;

    if (part->length <= max) {
        str_add_bytes(into, str_get(part), part->length);
        return;
    }
    str_add_bytes(into, part->text, half);
    str_add(into, "\n[…]\n");
    str_add_bytes(into, part->text + part->length - half, half);
}

char *output_excerpt(const struct str *output, const struct str *error, size_t max)
{
    CLEAN_DONE(str) struct str all = {0};
    const size_t room = max > 64 ? max - 64 : 0;

    add_part(&all, output, error->length < room / 2 ? room - error->length : room / 2);
    if (all.length > 0 && all.text[all.length - 1] != '\n' && error->length > 0)
        str_addc(&all, '\n');
    add_part(&all, error, room > all.length ? room - all.length : 0);
    for (size_t i = 0; i < all.length; i++)
        if (all.text[i] == '\0')
            all.text[i] = ' ';
    return str_take(&all);
}
