/* SPDX-License-Identifier: GPL-3.0-or-later
 * Reads a command line by its option table. getopt_long does the splitting; it keeps its place in
 * globals, so command lines are read by one thread, at start. Help and man page text are in
 * opt_help.c. */
#include "base/opt.h"

#include <getopt.h>
#include <string.h>

enum { FIRST_LONG = 256, HELP_VALUE = 1000000 };

static const struct opt *by_letter(const struct opt_spec *spec, int letter)
{
    for (size_t i = 0; i < spec->n; i++)
        if (spec->v[i].letter && spec->v[i].letter == letter)
            return &spec->v[i];
    return NULL;
}

static const struct opt *by_value(const struct opt_spec *spec, int value)
{
    if (value >= FIRST_LONG && (size_t)(value - FIRST_LONG) < spec->n)
        return &spec->v[value - FIRST_LONG];
    return by_letter(spec, value);
}

static bool is_choice(const char *choices, const char *word)
{
    for (const char *p = choices; *p;) {
        const size_t n = strcspn(p, "|");

        if (strlen(word) == n && memcmp(p, word, n) == 0)
            return true;
        p += n + (p[n] == '|');
    }
    return false;
}

static int check_choice(const struct opt *opt, const char *word, struct err *err)
{
    if (!opt->choices || is_choice(opt->choices, word))
        return 0;
    CLEAN_DONE(str) struct str list = {0};
    CLEAN_MEM char *shown = str_visible(word, 64);
    for (const char *p = opt->choices; *p; p++) {
        if (*p == '|')
            str_add(&list, ", ");
        else
            str_addc(&list, *p);
    }
    return err_set(err, ERR_USAGE, "found \"%s\"; allowed: %s", shown, str_get(&list));
}

static int store_count(const char *word, int64_t *ret, struct err *err)
{
    uint64_t value = 0;

    if (str_to_u64(word, &value, err) < 0)
        return -1;
    if (value > INT64_MAX)
        return err_set(err, ERR_LIMIT, "found \"%s\"; allowed: up to 9223372036854775807", word);
    *ret = (int64_t)value;
    return 0;
}

static int store(const struct opt *opt, const char *word, void *into, struct err *err)
{
    void *slot = (char *)into + opt->offset;

    switch (opt->kind) {
    case OPT_FLAG:
        *(bool *)slot = true;
        return 0;
    case OPT_TEXT:
        if (check_choice(opt, word, err) < 0)
            return -1;
        *(const char **)slot = word;
        return 0;
    case OPT_LIST:
        if (check_choice(opt, word, err) < 0)
            return -1;
        strlist_add(slot, word);
        return 0;
    case OPT_COUNT:
        return store_count(word, slot, err);
    case OPT_NUMBER:
        return str_to_double(word, slot, err);
    case OPT_FRACTION:
        return str_to_fraction(word, slot, err);
    case OPT_DURATION:
        return str_to_duration(word, slot, err);
    }
    return err_set(err, ERR_INTERNAL, "option --%s has no kind", opt->name);
}

static int unknown_option(const struct opt_spec *spec, const char *word, struct err *err)
{
    CLEAN_MEM const char **names = mem_array(const char *, spec->n + 1);
    CLEAN_MEM char *shown = str_visible(word, 64);
    const size_t name_length = strcspn(word, "=");
    CLEAN_MEM char *name = mem_strndup(word, name_length);

    for (size_t i = 0; i < spec->n; i++)
        names[i] = spec->v[i].name;
    names[spec->n] = "help";
    const char *bare = name + strspn(name, "-");
    const char *nearest = str_nearest(bare, names, spec->n + 1);
    if (nearest)
        return err_set(err, ERR_USAGE, "unknown option \"%s\"; did you mean --%s?", shown, nearest);
    return err_set(err, ERR_USAGE, "unknown option \"%s\"; --help lists the options", shown);
}

/* What getopt_long answered '?': an unknown option, an ambiguous one, or a flag that was given a
 * value. */
static int refuse_option(const struct opt_spec *spec, const char *word, struct err *err)
{
    const struct opt *flag = optopt ? by_value(spec, optopt) : NULL;

    if (flag || optopt == HELP_VALUE)
        return err_set(err, ERR_USAGE, "option --%s takes no value", flag ? flag->name : "help");
    if (optopt) {
        const char letter[3] = {'-', (char)optopt, '\0'};
        return unknown_option(spec, letter, err);
    }
    return unknown_option(spec, word, err);
}

static void add_letter(struct str *letters, const struct opt *opt)
{
    if (!opt->letter)
        return;
    str_addc(letters, opt->letter);
    if (opt->kind != OPT_FLAG)
        str_addc(letters, ':');
}

int opt_parse(const struct opt_spec *spec, void *into, int argc, char **argv, bool stop_at_word,
              struct strlist *rest, struct err *err)
{
    CLEAN_MEM struct option *longs = mem_array(struct option, spec->n + 2);
    CLEAN_DONE(str) struct str letters = {0};

    str_add(&letters, stop_at_word ? "+:" : "-:");
    for (size_t i = 0; i < spec->n; i++) {
        const struct opt *opt = &spec->v[i];

        longs[i] = (struct option){
            .name = opt->name,
            .has_arg = opt->kind == OPT_FLAG ? no_argument : required_argument,
            .val = FIRST_LONG + (int)i,
        };
        add_letter(&letters, opt);
    }
    longs[spec->n] = (struct option){.name = "help", .has_arg = no_argument, .val = HELP_VALUE};
    if (!by_letter(spec, 'h'))
        str_addc(&letters, 'h');

    optind = 0; /* glibc: begin anew */
    opterr = 0;
    for (;;) {
        const int value = getopt_long(argc, argv, letters.text, longs, NULL);

        if (value == -1)
            break;
        if (value == 1) { /* a word in its place, because of the leading '-' */
            strlist_add(rest, optarg);
            continue;
        }
        if (value == '?')
            return refuse_option(spec, argv[optind - 1], err);
        if (value == ':') {
            const struct opt *opt = by_value(spec, optopt);
            return err_set(err, ERR_USAGE, "option --%s needs a value: %s", opt ? opt->name : "?",
                           opt && opt->arg ? opt->arg : "VALUE");
        }
        const struct opt *opt = by_value(spec, value);
        if (!opt) /* only --help and -h are in the letters and not in the table */
            return OPT_HELP;
        if (store(opt, optarg, into, err) < 0) {
            if (err)
                err->code = ERR_USAGE;
            return err_wrap(err, "option --%s", opt->name);
        }
    }
    for (int i = optind; i < argc; i++)
        strlist_add(rest, argv[i]);
    return 0;
}
