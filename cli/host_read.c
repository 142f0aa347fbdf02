/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster host ls`, `show`, `facts`, `diff`: the pool, read only.
 */
#include "cli/host_verbs.h"
#include "cli/view.h"

struct host_options {
    struct view view;
    const char *hosts; /* of ls */
};

static const struct opt VIEW_ONLY[] = {VIEW_OPTS(struct host_options)};
static const struct opt LS_OPTIONS[] = {
    {.name = "hosts",
     .arg = "EXPR",
     .help = "only hosts for which this holds, as in an experiment file",
     .kind = OPT_TEXT,
     .offset = offsetof(struct host_options, hosts)},
    VIEW_OPTS(struct host_options),
};
enum {
    N_VIEW = sizeof VIEW_ONLY / sizeof *VIEW_ONLY,
    N_LS = sizeof LS_OPTIONS / sizeof *LS_OPTIONS
};
const struct opt_spec host_ls_spec = {
    .usage = "muster host ls [OPTION]…",
    .about = "List the hosts of the pool: state, last sign of life, processor, system.",
    .v = LS_OPTIONS,
    .n = N_LS};
const struct opt_spec host_show_spec = {.usage = "muster host show [OPTION]… HOST",
                                        .about = "Show all that is known of a host.",
                                        .v = VIEW_ONLY,
                                        .n = N_VIEW};
const struct opt_spec host_facts_spec = {
    .usage = "muster host facts [OPTION]… [HOST]",
    .about = "List the facts of a host, or of the whole pool: on how many hosts each is "
             "known and which levels it has.",
    .v = VIEW_ONLY,
    .n = N_VIEW};
const struct opt_spec host_diff_spec = {
    .usage = "muster host diff [OPTION]… HOST HOST",
    .about = "Show the facts in which two hosts differ: identity first, then state; facts "
             "known on one of them alone come last.",
    .v = VIEW_ONLY,
    .n = N_VIEW};

/* Parses, takes the words named by `words` (NULL-ended; at least `needed` of them), asks. */
static int ask(const struct opt_spec *spec, enum wire_request_kind kind, const char *const *words,
               size_t needed, int argc, char **argv)
{
    struct host_options o = {0};
    struct strlist rest CLEAN_DONE(strlist) = {0};
    struct strmap arg CLEAN_DONE(strmap) = {0};
    size_t n = 0;
    while (words[n] != NULL) {
        n++;
    }
    int code = view_parse(spec, &o, argc, argv, &rest);
    if (code == VIEW_GO_ON) {
        code = view_no_more(spec, &rest, n);
    }
    if (code != VIEW_GO_ON) {
        return code;
    }
    for (size_t i = 0; i < n && (i < needed || i < rest.n); i++) {
        if (!view_word(spec, &rest, i, words[i], &arg)) {
            return EXIT_USAGE;
        }
    }
    view_set(&arg, "hosts", o.hosts);
    return view_ask(kind, &arg, &o.view);
}

static int host_ls(int argc, char **argv)
{
    static const char *const words[] = {NULL};
    return ask(&host_ls_spec, WIRE_REQUEST_HOSTS, words, 0, argc, argv);
}

static int host_show(int argc, char **argv)
{
    static const char *const words[] = {"host", NULL};
    return ask(&host_show_spec, WIRE_REQUEST_HOST_SHOW, words, 1, argc, argv);
}

static int host_facts(int argc, char **argv)
{
    static const char *const words[] = {"host", NULL};
    return ask(&host_facts_spec, WIRE_REQUEST_HOST_FACTS, words, 0, argc, argv);
}

static int host_diff(int argc, char **argv)
{
    static const char *const words[] = {"a", "b", NULL};
    return ask(&host_diff_spec, WIRE_REQUEST_HOST_DIFF, words, 2, argc, argv);
}

const struct host_verb host_read_verbs[] = {
    {"ls",    "list the pool",                       &host_ls_spec,    host_ls   },
    {"show",  "show all that is known of a host",    &host_show_spec,  host_show },
    {"facts", "list facts of a host or of the pool", &host_facts_spec, host_facts},
    {"diff",  "show what two hosts differ in",       &host_diff_spec,  host_diff },
};
const size_t host_read_verbs_n = sizeof host_read_verbs / sizeof *host_read_verbs;
