/* SPDX-License-Identifier: GPL-3.0-or-later
 * The lines of Go benchmark text. A result is: name, iterations, then pairs of a number and a unit;
 * a configuration line is a key that begins with a lower case letter and has no upper case or space
 * in it, a colon, and a value (none: unset). All other lines are words for people. */
#include "coordinator/import/gotext.h"

#include <ctype.h>
#include <string.h>

#include "coordinator/import/number.h"

void go_text_done(struct go_text *text)
{
    for (size_t i = 0; i < text->n; i++) {
        mem_free(text->v[i].benchmark);
        strmap_done(&text->v[i].part);
        strmap_done(&text->v[i].config);
        strmap_done(&text->v[i].value);
    }
    mem_free(text->v);
    *text = (struct go_text){0};
}

static void split_words(const char *line, struct strlist *ret)
{
    while (*line) {
        size_t length = strcspn(line, " \t\r");

        if (length) {
            CLEAN_MEM char *word = mem_strndup(line, length);

            strlist_add(ret, word);
        }
        line += length + (line[length] != '\0');
    }
}

/* Length of the key when the line is `key: value`, else 0. */
static size_t config_key(const char *line)
{
    size_t length = 0;

    if (!islower((unsigned char)line[0]))
        return 0;
    while (line[length] && line[length] != ':' && !isupper((unsigned char)line[length]) &&
           !isspace((unsigned char)line[length]))
        length++;
    return line[length] == ':' &&
                   (line[length + 1] == '\0' || isspace((unsigned char)line[length + 1]))
               ? length
               : 0;
}

static void set_config(struct strmap *config, const char *line, size_t key_length)
{
    CLEAN_MEM char *key = mem_strndup(line, key_length);
    const char *from = line + key_length + 1;
    size_t length = 0;

    while (isspace((unsigned char)*from))
        from++;
    length = strlen(from);
    while (length && isspace((unsigned char)from[length - 1]))
        length--;
    CLEAN_MEM char *value = mem_strndup(from, length);

    strmap_set(config, key, value);
}

/* "X/size=4/plain-8" is benchmark X/plain, part size=4, procs 8. */
static void take_name(struct go_result *result, const char *name)
{
    CLEAN_DONE(str) struct str benchmark = {0};
    size_t length = strlen(name), digits = length;

    while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
        digits--;
    if (digits > 1 && digits < length && name[digits - 1] == '-') {
        strmap_set(&result->part, "procs", name + digits);
        length = digits - 1;
    }
    for (size_t at = 0; at < length;) {
        size_t n = strcspn(name + at, "/");
        CLEAN_MEM char *part = mem_strndup(name + at, at + n < length ? n : length - at);
        char *equals = strchr(part, '=');

        if (at > 0 && equals && equals > part) {
            *equals = '\0';
            strmap_set(&result->part, part, equals + 1);
        } else
            str_addf(&benchmark, "%s%s", at ? "/" : "", part);
        at += n + 1;
    }
    result->benchmark = str_take(&benchmark);
}

static int take_result(const char *file, size_t line, const struct strlist *word,
                       const struct strmap *config, struct go_text *text, struct err *err)
{
    struct go_result *result = NULL;
    double number = 0;

    if (word->n < 4 || word->n % 2 != 0)
        return err_set(
            err, ERR_INPUT,
            "%s:%zu: %s: want iterations and pairs of a number and a unit behind the name", file,
            line, word->v[0]);
    text->v = mem_grow(text->v, &text->cap, text->n + 1, sizeof *text->v);
    result = &text->v[text->n++];
    *result = (struct go_result){.line = line};
    take_name(result, word->v[0] + strlen("Benchmark"));
    strmap_copy(&result->config, config);
    for (size_t i = 2; i < word->n; i += 2) {
        enum number_kind kind = number_read(word->v[i], strlen(word->v[i]), &number);

        if (kind != NUMBER_OK)
            return err_set(err, ERR_INPUT, "%s:%zu: %s %s: %s", file, line, word->v[i],
                           word->v[i + 1], number_complaint(kind));
        strmap_set(&result->value, word->v[i + 1], word->v[i]);
    }
    return 0;
}

static int take_line(const char *file, size_t number, const char *line, struct strmap *config,
                     struct go_text *text, struct err *err)
{
    size_t key = config_key(line);
    CLEAN_DONE(strlist) struct strlist word = {0};

    if (key) {
        set_config(config, line, key);
        return 0;
    }
    if (!str_starts(line, "Benchmark"))
        return 0;
    split_words(line, &word);
    if (word.n < 2) /* `go test -v` announces each benchmark by its name alone */
        return 0;
    return take_result(file, number, &word, config, text, err);
}

int go_text_parse(const char *name, const char *bytes, struct go_text *ret, struct err *err)
{
    CLEAN_DONE(go_text) struct go_text text = {0};
    CLEAN_DONE(strmap) struct strmap config = {0};
    size_t number = 0;

    while (*bytes) {
        size_t length = strcspn(bytes, "\n");
        CLEAN_MEM char *line = mem_strndup(bytes, length);

        if (take_line(name, ++number, line, &config, &text, err) < 0)
            return -1;
        bytes += length + (bytes[length] == '\n');
    }
    if (text.n == 0)
        return err_set(err, ERR_INPUT, "%s: no benchmark results in it", name);
    *ret = text;
    memset(&text, 0, sizeof text); /* given away */
    return 0;
}
