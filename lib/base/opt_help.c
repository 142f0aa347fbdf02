/* SPDX-License-Identifier: GPL-3.0-or-later
 * An option table as --help text and as the OPTIONS section of a man page. */
#include "base/opt.h"

#include <string.h>

static const struct opt help_option = {.letter = 'h', .name = "help", .help = "show this help"};

static bool letter_is_taken(const struct opt_spec *spec, char letter)
{
    for (size_t i = 0; i < spec->n; i++)
        if (spec->v[i].letter == letter)
            return true;
    return false;
}

static void add_left(struct str *left, const struct opt *opt, bool with_letter)
{
    if (opt->letter && with_letter)
        str_addf(left, "  -%c, --%s", opt->letter, opt->name);
    else
        str_addf(left, "      --%s", opt->name);
    if (opt->arg)
        str_addf(left, " %s", opt->arg);
}

static void add_choices(struct str *into, const struct opt *opt)
{
    if (!opt->choices)
        return;
    str_add(into, " (");
    for (const char *p = opt->choices; *p; p++) {
        if (*p == '|')
            str_add(into, ", ");
        else
            str_addc(into, *p);
    }
    str_addc(into, ')');
}

void opt_help(const struct opt_spec *spec, FILE *out)
{
    const bool h_free = !letter_is_taken(spec, 'h');
    size_t width = 0;

    fprintf(out, "Usage: %s\n%s\n\nOptions:\n", spec->usage, spec->about);
    for (size_t i = 0; i <= spec->n; i++) {
        CLEAN_DONE(str) struct str left = {0};

        add_left(&left, i < spec->n ? &spec->v[i] : &help_option, i < spec->n || h_free);
        const size_t columns = str_columns(left.text);
        width = columns > width ? columns : width;
    }
    for (size_t i = 0; i <= spec->n; i++) {
        const struct opt *opt = i < spec->n ? &spec->v[i] : &help_option;
        CLEAN_DONE(str) struct str line = {0};

        add_left(&line, opt, i < spec->n || h_free);
        for (size_t k = str_columns(line.text); k < width + 2; k++)
            str_addc(&line, ' ');
        str_add(&line, opt->help);
        add_choices(&line, opt);
        fprintf(out, "%s\n", line.text);
    }
}

static void add_escaped(struct str *into, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (strchr("_*\\#~", *p))
            str_addc(into, '\\');
        str_addc(into, *p);
    }
}

static void scdoc_option(const struct opt *opt, bool with_letter, FILE *out)
{
    CLEAN_DONE(str) struct str text = {0};

    if (opt->letter && with_letter)
        str_addf(&text, "*-%c*, ", opt->letter);
    str_add(&text, "*--");
    add_escaped(&text, opt->name);
    str_addc(&text, '*');
    if (opt->arg) {
        str_add(&text, " _");
        add_escaped(&text, opt->arg);
        str_addc(&text, '_');
    }
    str_add(&text, "\n\t");
    add_escaped(&text, opt->help);
    add_choices(&text, opt);
    fprintf(out, "%s\n\n", text.text);
}

void opt_scdoc(const struct opt_spec *spec, FILE *out)
{
    fprintf(out, "# OPTIONS\n\n");
    for (size_t i = 0; i < spec->n; i++)
        scdoc_option(&spec->v[i], true, out);
    scdoc_option(&help_option, !letter_is_taken(spec, 'h'), out);
}
