/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster confirm`: asks for the experiment that separates what a run leaves open, shows it, runs
 * it, and sets both answers side by side.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "cli/cli.h"
#include "cli/go.h"
#include "cli/view.h"
#include "coordinator/spec/spec.h"

struct confirm {
    struct view view;
    struct strlist switches, factors;
    bool dry_run, detach, gate;
};
#define AT(field) offsetof(struct confirm, field)
/* clang-format off */
static const struct opt options[] = {
    {'n', "dry-run", NULL,               "show the experiment; do not run it",                                                  OPT_FLAG, AT(dry_run),  NULL},
    {0,   "switch",  "FACT=VALUE",       "switch this within the hosts: env.NAME, libc.tunables, sink; may be repeated",        OPT_LIST, AT(switches), NULL},
    {0,   "factor",  "NAME=LEVEL,LEVEL", "cross this factor with the variants; may be repeated",                                OPT_LIST, AT(factors),  NULL},
    {'d', "detach",  NULL,               "submit and print the run's name; do not follow it",                                   OPT_FLAG, AT(detach),   NULL},
    {0,   "gate",    NULL,               "exit with 3 when it regressed, 5 when hosts are missing, 4 when it is inconclusive",  OPT_FLAG, AT(gate),     NULL},
    VIEW_OPTS(struct confirm),
};
/* clang-format on */
static const struct opt_spec spec = {
    .usage = "muster confirm [OPTION]… RUN",
    .about = "Run the experiment that separates what survives of a run's explanations.\n\n"
             "What can be switched within a host is crossed with the variants inside the blocks "
             "of hosts of both sides; else the hosts that would settle it run again.",
    .v = options,
    .n = sizeof(options) / sizeof(options[0]),
};

/* The coordinator's proposal; proposal->experiment NULL: nothing to run. */
struct proposal {
    json_t *root;
    const char *run, *words;
    struct experiment *experiment;
};

static void proposal_done(struct proposal *proposal)
{
    experiment_free(proposal->experiment);
    json_decref(proposal->root);
}

static int read_proposal(const char *text, struct proposal *ret, struct err *err)
{
    const char *yaml;

    ret->root = json_loads(text, 0, NULL);
    ret->run = json_string_value(json_object_get(ret->root, "confirms"));
    ret->words = json_string_value(json_object_get(ret->root, "words"));
    if (!ret->run || !ret->words)
        return err_set(err, ERR_PROTO, "the coordinator's proposal cannot be read");
    yaml = json_string_value(json_object_get(ret->root, "experiment"));
    if (!yaml)
        return 0;
    if (spec_from_yaml("proposal", yaml, strlen(yaml), false, &ret->experiment, err) < 0)
        return -1;
    for (size_t i = 0; i < ret->experiment->n_variants; i++) {
        struct variant *variant = &ret->experiment->variant[i];
        const char *digest = json_string_value(
            json_object_get(json_object_get(ret->root, "artefacts"), variant->name));

        if (digest && strlen(digest) < sizeof(variant->artefact))
            memcpy(variant->artefact, digest, strlen(digest) + 1);
    }
    return 0;
}

static int ask_proposal(struct go *go, const struct confirm *o, const char *run,
                        struct str *ret_text, int *ret_exit, struct err *err)
{
    CLEAN_DONE(strmap) struct strmap words = {0};
    struct wire_request request = {.kind = WIRE_REQUEST_CONFIRM};
    const struct link_sink sink = {.text = ret_text};

    strmap_set(&words, "run", run);
    view_set_list(&words, "switch", &o->switches);
    view_set_list(&words, "factor", &o->factors);
    request.arg = words;
    return link_ask(go->link, &request, &sink, ret_exit, err);
}

/* Words for people go to stderr once the payload is the run's answer. */
static void show(const struct proposal *proposal, const struct confirm *o)
{
    FILE *out = o->dry_run || !proposal->experiment ? stdout : stderr;
    const char *yaml = json_string_value(json_object_get(proposal->root, "experiment"));

    if (o->view.quiet && proposal->experiment && !o->dry_run)
        return;
    if (!o->dry_run || !proposal->experiment) {
        (void)fprintf(out, "%s\n", proposal->words);
        if (yaml)
            (void)fprintf(out, "\n%s\n", yaml);
        return;
    }
    (void)fprintf(out, "# %s\n%s", proposal->words, yaml);
}

static int submit(struct go *go, struct experiment *experiment, struct str *ret_reference,
                  int *ret_exit, struct err *err)
{
    struct wire_request request = {.kind = WIRE_REQUEST_SUBMIT, .experiment = experiment};
    const struct link_sink sink = {.text = ret_reference};

    id_new(request.token); /* a repeated submit is the same run */
    if (link_ask(go->link, &request, &sink, ret_exit, err) < 0)
        return -1;
    if (ret_reference->length > 0)
        ret_reference->text[strcspn(ret_reference->text, "\n")] = '\0';
    return 0;
}

static int sentence_of(struct go *go, const char *run, struct err *err)
{
    CLEAN_DONE(strmap) struct strmap words = {0};
    struct wire_request request = {.kind = WIRE_REQUEST_EXPLAIN};
    const struct link_sink sink = {.out = stdout};
    int ignored;

    strmap_set(&words, "run", run);
    cli_add_terminal(&words);
    strmap_set(&words, "quiet", "1");
    request.arg = words;
    (void)printf("\n%s:\n", run);
    return link_ask(go->link, &request, &sink, &ignored, err);
}

static int run_it(struct go *go, const struct confirm *o, const struct proposal *proposal,
                  int *ret_exit, struct err *err)
{
    CLEAN_DONE(str) struct str reference = {0};

    if (o->detach && go->embed)
        return err_set(err, ERR_USAGE,
                       "--detach needs a coordinator of its own (MUSTER_COORDINATOR)");
    if (submit(go, proposal->experiment, &reference, ret_exit, err) < 0)
        return -1;
    if (*ret_exit != 0)
        return 0;
    if (o->detach) {
        (void)printf("%s%s%s\n", o->view.json ? "{\"run\": \"" : "", str_get(&reference),
                     o->view.json ? "\"}" : "");
        return 0;
    }
    if (go_to_the_end(go, str_get(&reference), &o->view, o->gate, ret_exit, err) < 0)
        return -1;
    if (o->view.json || o->view.quiet)
        return 0;
    (void)printf("\nBefore and now");
    return sentence_of(go, proposal->run, err) < 0 || sentence_of(go, str_get(&reference), err) < 0
               ? -1
               : 0;
}

static int go_through(struct go *go, const struct confirm *o, const char *run, int *ret_exit,
                      struct err *err)
{
    CLEAN_DONE(str) struct str text = {0};
    CLEAN_DONE(proposal) struct proposal proposal = {0};

    if (ask_proposal(go, o, run, &text, ret_exit, err) < 0)
        return -1;
    if (*ret_exit != 0)
        return 0;
    if (read_proposal(str_get(&text), &proposal, err) < 0)
        return -1;
    if (o->view.json && (o->dry_run || !proposal.experiment)) {
        (void)fputs(str_get(&text), stdout);
        return 0;
    }
    show(&proposal, o);
    return o->dry_run || !proposal.experiment ? 0 : run_it(go, o, &proposal, ret_exit, err);
}

static int confirm(int argc, char **argv)
{
    struct confirm o = {.detach = false};
    CLEAN_DONE(strlist) struct strlist rest = {0};
    struct go go = {.link = NULL};
    struct err err = {0};
    int code = view_parse(&spec, &o, argc, argv, &rest), result = 0;

    if (code == VIEW_GO_ON)
        code = view_no_more(&spec, &rest, 1);
    if (code == VIEW_GO_ON && rest.n == 0) {
        (void)err_set(&err, ERR_USAGE, "which run? usage: %s", spec.usage);
        code = cli_fail(&err);
    }
    if (code == VIEW_GO_ON) {
        result = go_open(&go, &err);
        if (result == 0)
            result = go_through(&go, &o, rest.v[0], &code, &err);
        go_done(&go);
    }
    strlist_done(&o.switches);
    strlist_done(&o.factors);
    return result < 0 ? cli_fail(&err) : code;
}

static const struct opt_spec *const specs[] = {&spec, NULL};
const struct verb_ops verb_confirm = {.name = "confirm",
                                      .help = "run what separates the explanations of a run",
                                      .spec = specs,
                                      .run = confirm};
