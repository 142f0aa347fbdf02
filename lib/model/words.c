/* SPDX-License-Identifier: GPL-3.0-or-later
 * Splits a command as a POSIX shell would (quotes and backslashes, XCU 2.2), and sees when only a
 * shell can run it. */
#include "model/experiment.h"

#include <ctype.h>
#include <string.h>

struct splitter {
    const char *text;
    const char *p;
    struct strlist words;
    struct str word;
    bool in_word;    /* a word has begun, maybe an empty quoted one */
    bool was_quoted; /* some part of the word was quoted */
    bool shell;      /* shell syntax was met */
};

static void end_word(struct splitter *s)
{
    if (s->in_word)
        strlist_add(&s->words, str_get(&s->word));
    str_clear(&s->word);
    s->in_word = s->was_quoted = false;
}

static int unclosed(const struct splitter *s, const char *at, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "found an opening %c in column %zu that is not closed; allowed: quotes in pairs",
                   *at, (size_t)(at - s->text) + 1);
}

/* p stands on the opening quote; afterwards on the closing one. */
static int take_single(struct splitter *s, struct err *err)
{
    const char *end = strchr(s->p + 1, '\'');

    if (!end)
        return unclosed(s, s->p, err);
    str_add_bytes(&s->word, s->p + 1, (size_t)(end - s->p - 1));
    s->p = end;
    return 0;
}

static int take_double(struct splitter *s, struct err *err)
{
    const char *open = s->p;

    for (s->p++; *s->p != '"'; s->p++) {
        if (*s->p == '\0')
            return unclosed(s, open, err);
        if (*s->p == '\\' && s->p[1] && strchr("$`\"\\\n", s->p[1])) {
            s->p++;
            if (*s->p != '\n')
                str_addc(&s->word, *s->p);
            continue;
        }
        if (*s->p == '$' || *s->p == '`')
            s->shell = true;
        str_addc(&s->word, *s->p);
    }
    return 0;
}

/* NAME= at the start of the command sets a variable in a shell. */
static bool begins_assignment(const struct splitter *s)
{
    const char *name = str_get(&s->word);

    if (s->words.n > 0 || s->was_quoted || !name[0] || isdigit((unsigned char)name[0]))
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return true;
}

static int take_one(struct splitter *s, struct err *err)
{
    const char c = *s->p;

    if (c == ' ' || c == '\t') {
        end_word(s);
        return 0;
    }
    if (c == '#' && !s->in_word) { /* a comment up to the end of the line: quotes in it are none */
        s->shell = true;
        while (s->p[1] && s->p[1] != '\n')
            s->p++;
        return 0;
    }
    if (c == '\\') {
        if (!s->p[1])
            return err_set(
                err, ERR_INPUT,
                "found a backslash at the end (column %zu); allowed: a character after it",
                (size_t)(s->p - s->text) + 1);
        s->p++;
        if (*s->p == '\n')
            return 0;
        s->in_word = s->was_quoted = true;
        str_addc(&s->word, *s->p);
        return 0;
    }
    if (strchr("|&;<>()$`*?[\n", c) || (c == '=' && begins_assignment(s)) ||
        (c == '~' && !s->in_word))
        s->shell = true;
    s->in_word = true;
    if (c == '\'' || c == '"') {
        s->was_quoted = true;
        return c == '"' ? take_double(s, err) : take_single(s, err);
    }
    str_addc(&s->word, c);
    return 0;
}

int words_split(const char *text, struct strlist *ret, struct err *err)
{
    struct splitter s = {.text = text, .p = text};
    int result = 0;

    for (; result == 0 && *s.p; s.p++) /* a failure may leave p on the final NUL */
        result = take_one(&s, err);
    end_word(&s);
    if (result == 0 && s.shell) {
        strlist_done(&s.words);
        strlist_add(&s.words, "/bin/sh");
        strlist_add(&s.words, "-c");
        strlist_add(&s.words, text);
    }
    if (result == 0 && (s.words.n == 0 || !s.words.v[0][0]))
        result =
            err_set(err, ERR_INPUT, "found an empty command; allowed: a program and its words");
    str_done(&s.word);
    if (result < 0) {
        strlist_done(&s.words);
        return -1;
    }
    strlist_done(ret);
    *ret = s.words;
    return 0;
}
