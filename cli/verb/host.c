/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster host`: one table of sub-verbs out of the two files that hold them.
 */
#include "cli/host_verbs.h"

#include <stdio.h>
#include <string.h>

enum { VERBS_MOST = 32 };

static const struct host_verb *at(size_t i)
{
    return i < host_read_verbs_n ? &host_read_verbs[i] : &host_change_verbs[i - host_read_verbs_n];
}

static size_t count(void)
{
    return host_read_verbs_n + host_change_verbs_n;
}

static void help(FILE *out)
{
    fputs("usage: muster host VERB [OPTION]… [HOST]…\nThe pool: which hosts there are, what is "
          "known of them, what they may do.\n\n",
          out);
    for (size_t i = 0; i < count(); i++) {
        fprintf(out, "  %-10s %s\n", at(i)->name, at(i)->help);
    }
    fputs("\nmuster host VERB --help says more.\n", out);
}

static int unknown(const char *word)
{
    const char *names[VERBS_MOST];
    size_t n = 0;
    for (size_t i = 0; i < count() && n < VERBS_MOST; i++) {
        names[n++] = at(i)->name;
    }
    const char *near = str_nearest(word, names, n);
    CLEAN_MEM char *shown = str_visible(word, 64);
    struct err err = {0};
    (void)err_set(&err, ERR_USAGE, "muster host has no verb %s%s%s%s", shown,
                  near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                  near != NULL ? "?" : "; see muster host --help");
    return cli_fail(&err);
}

static int host(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help(stdout);
        return 0;
    }
    for (size_t i = 0; i < count(); i++) {
        if (strcmp(argv[1], at(i)->name) == 0) {
            return at(i)->run(argc - 1, argv + 1);
        }
    }
    return unknown(argv[1]);
}

static const struct opt_spec SPEC = {
    .usage = "muster host VERB [OPTION]… [HOST]…",
    .about = "The pool: which hosts there are, what is known of them, what they may do."};
static const struct opt_spec *const SPECS[] = {&SPEC,
                                               &host_ls_spec,
                                               &host_show_spec,
                                               &host_facts_spec,
                                               &host_diff_spec,
                                               &host_add_spec,
                                               &host_approve_spec,
                                               &host_drain_spec,
                                               &host_hold_spec,
                                               &host_rm_spec,
                                               NULL};
const struct verb_ops verb_host = {
    .name = "host", .help = "the pool: ls, show, facts, diff, add, …", .spec = SPECS, .run = host};
