/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Command lines from one table: parsing (getopt_long), --help text, man page options, shell
 * completion.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

#include <stddef.h>
#include <stdio.h>

enum opt_kind {
    OPT_FLAG,     /* bool */
    OPT_TEXT,     /* const char *, borrowed from argv */
    OPT_LIST,     /* struct strlist, may be repeated; caller calls strlist_done */
    OPT_COUNT,    /* int64_t, >= 0 */
    OPT_NUMBER,   /* double */
    OPT_FRACTION, /* double: "2%" is 0.02 */
    OPT_DURATION  /* int64_t ns */
};
struct opt {
    char letter;      /* 0: none */
    const char *name; /* long name without dashes */
    const char *arg;  /* name of the argument in help; NULL for a flag */
    const char *help; /* one line */
    enum opt_kind kind;
    size_t offset;       /* into the struct filled by opt_parse */
    const char *choices; /* "table|compare|csv": allowed values of an OPT_TEXT, NULL any */
};
struct opt_spec {
    const char *usage;   /* "muster run [OPTION]… FILE" */
    const char *about;   /* one sentence, then optional paragraphs */
    const struct opt *v; /* n of them */
    size_t n;
};
enum { OPT_HELP = 1 };
/* Fills *into; words that are no options (and all after --) go to rest. Outcomes: 0; OPT_HELP when
 * --help or -h was given; -1 with ERR_USAGE that names the option and what was expected, and the
 * nearest name for an unknown one. With stop_at_word, parsing ends at the first word (for `lock --
 * CMD`). */
MUST_CHECK int opt_parse(const struct opt_spec *spec, void *into, int argc, char **argv,
                         bool stop_at_word, struct strlist *rest, struct err *err);
void opt_help(const struct opt_spec *spec, FILE *out);
/* scdoc "OPTIONS" section of the same table. */
void opt_scdoc(const struct opt_spec *spec, FILE *out);
