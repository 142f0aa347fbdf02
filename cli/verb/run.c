/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster run`: submits an experiment, follows it, reports.
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fdio.h"
#include "base/id.h"
#include "cli/cli.h"
#include "cli/go.h"
#include "cli/run_input.h"
#include "cli/view.h"

struct run_options {
    struct view view;
    struct run_input input;
    const char *seed, *wait_hosts;
    bool dry_run, detach, gate;
};
#define AT(field) offsetof(struct run_options, field)
/* clang-format off */
static const struct opt options[] = {
    {'a', "base",       "COMMAND",      "the base, where there is no file",                                                   OPT_TEXT,     AT(input.a),          NULL},
    {'b', "candidate",  "COMMAND",      "the candidate, where there is no file",                                              OPT_TEXT,     AT(input.b),          NULL},
    {'v', "variant",    "NAME=COMMAND", "a variant, where there is no file; the first is the base",                           OPT_LIST,     AT(input.variant),    NULL},
    {0,   "aa",         NULL,           "both arms may be the same: a test of the test",                                      OPT_FLAG,     AT(input.aa),         NULL},
    {0,   "name",       "NAME",         "name of the experiment (default: the file's, else quick)",                           OPT_TEXT,     AT(input.name),       NULL},
    {0,   "hosts",      "EXPR",         "only hosts for which this holds",                                                    OPT_TEXT,     AT(input.hosts),      NULL},
    {0,   "metric",     "NAME",         "the primary metric",                                                                 OPT_TEXT,     AT(input.metric),     NULL},
    {0,   "min-effect", "PERCENT",      "the smallest change that matters",                                                   OPT_FRACTION, AT(input.min_effect), NULL},
    {0,   "alpha",      "FRACTION",     "rate of false alarms accepted",                                                      OPT_FRACTION, AT(input.alpha),      NULL},
    {0,   "min-blocks", "NUMBER",       "blocks before the stop rule looks for the first time",                               OPT_COUNT,    AT(input.min_blocks), NULL},
    {0,   "max-blocks", "NUMBER",       "blocks at most",                                                                     OPT_COUNT,    AT(input.max_blocks), NULL},
    {0,   "warmup",     "NUMBER",       "blocks kept apart at the start",                                                     OPT_COUNT,    AT(input.warmup),     NULL},
    {0,   "timeout",    "TIME",         "longest time of a sample",                                                           OPT_DURATION, AT(input.timeout_ns), NULL},
    {0,   "budget",     "TIME",         "longest time of a host",                                                             OPT_DURATION, AT(input.budget_ns),  NULL},
    {0,   "suspect",    "FACT",         "a fact to be tested first; may be repeated",                                         OPT_LIST,     AT(input.suspect),    NULL},
    {0,   "seed",       "NUMBER",       "seed of the order of samples (default: drawn)",                                      OPT_TEXT,     AT(seed),             NULL},
    {0,   "wait-hosts", "TIME",         "how long to wait for hosts that are not connected (default: 60s)",                   OPT_TEXT,     AT(wait_hosts),       NULL},
    {'n', "dry-run",    NULL,           "show the plan: matching hosts, why others do not match, cost",                       OPT_FLAG,     AT(dry_run),          NULL},
    {'d', "detach",     NULL,           "submit and print the run's name; do not follow it",                                  OPT_FLAG,     AT(detach),           NULL},
    {0,   "gate",       NULL,           "exit with 3 when it regressed, 5 when hosts are missing, 4 when it is inconclusive", OPT_FLAG,     AT(gate),             NULL},
    VIEW_OPTS(struct run_options),
};
/* clang-format on */
static const struct opt_spec spec = {
    .usage = "muster run [OPTION]… FILE | -a COMMAND -b COMMAND",
    .about = "Run an experiment on every host that matches, follow it, say what it shows.\n\n"
             "With no coordinator configured, this machine is the only host. ^C cancels the run; "
             "what was measured is kept.",
    .v = options,
    .n = sizeof(options) / sizeof(options[0]),
};

static int send_files(struct go *go, const struct experiment *experiment, char *const *paths,
                      struct err *err)
{
    for (size_t i = 0; i < experiment->n_variants; i++) {
        if (paths[i] && link_put(go->link, paths[i], experiment->variant[i].artefact, err) < 0)
            return -1;
    }
    return 0;
}

/* Packs, sends, removes what was packed. */
static int send_artefacts(struct go *go, struct experiment *experiment, struct err *err)
{
    const char *tmp = getenv("TMPDIR");
    CLEAN_MEM char *folder = mem_printf("%s/muster-XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
    char *paths[LIMIT_VARIANTS] = {NULL};
    int result;

    if (!mkdtemp(folder))
        return err_sys(err, "%s", folder);
    result = run_input_pack(experiment, folder, paths, err);
    if (result == 0)
        result = send_files(go, experiment, paths, err);
    for (size_t i = 0; i < LIMIT_VARIANTS; i++)
        mem_free(paths[i]);
    if (fdio_remove_tree(folder, result == 0 ? err : NULL) < 0)
        result = -1;
    return result;
}

static int dry_run(struct go *go, const struct run_options *o, struct experiment *experiment,
                   int *ret_exit, struct err *err)
{
    CLEAN_DONE(strmap) struct strmap words = {0};
    struct wire_request request = {.kind = WIRE_REQUEST_DRY_RUN, .experiment = experiment};
    const struct link_sink sink = {.out = stdout};

    view_set_flag(&words, "json", o->view.json);
    request.arg = words;
    return link_ask(go->link, &request, &sink, ret_exit, err);
}

static int submit(struct go *go, const struct run_options *o, struct experiment *experiment,
                  struct str *ret_reference, int *ret_exit, struct err *err)
{
    CLEAN_DONE(strmap) struct strmap words = {0};
    struct wire_request request = {.kind = WIRE_REQUEST_SUBMIT, .experiment = experiment};
    const struct link_sink sink = {.text = ret_reference};

    id_new(request.token); /* a repeated submit is the same run */
    view_set(&words, "seed", o->seed);
    view_set(&words, "wait_hosts", o->wait_hosts);
    request.arg = words;
    if (link_ask(go->link, &request, &sink, ret_exit, err) < 0)
        return -1;
    if (*ret_exit == 0 && ret_reference->length > 0)
        ret_reference->text[strcspn(ret_reference->text, "\n")] = '\0';
    return 0;
}

static int go_through(struct go *go, const struct run_options *o, struct experiment *experiment,
                      int *ret_exit, struct err *err)
{
    CLEAN_DONE(str) struct str reference = {0};

    if (o->detach && go->embed && !o->dry_run)
        return err_set(err, ERR_USAGE,
                       "--detach needs a coordinator of its own (MUSTER_COORDINATOR)");
    if (o->dry_run)
        return dry_run(go, o, experiment, ret_exit, err);
    if (send_artefacts(go, experiment, err) < 0 ||
        submit(go, o, experiment, &reference, ret_exit, err) < 0)
        return -1;
    if (*ret_exit != 0)
        return 0;
    if (o->detach) {
        (void)printf("%s%s%s\n", o->view.json ? "{\"run\": \"" : "", str_get(&reference),
                     o->view.json ? "\"}" : "");
        return 0;
    }
    return go_to_the_end(go, str_get(&reference), &o->view, o->gate, ret_exit, err);
}

static int run(int argc, char **argv)
{
    struct run_options o = {.dry_run = false};
    CLEAN_DONE(strlist) struct strlist rest = {0};
    CLEAN(experiment) struct experiment *experiment = NULL;
    struct go go = {.link = NULL};
    struct err err = {0};
    int code, result;

    run_input_init(&o.input);
    code = view_parse(&spec, &o, argc, argv, &rest);
    if (code == VIEW_GO_ON)
        code = view_no_more(&spec, &rest, 1);
    if (code == VIEW_GO_ON) {
        result = run_input_read(&o.input, rest.n > 0 ? rest.v[0] : NULL, &experiment, &err);
        if (result == 0)
            result = go_open(&go, &err);
        if (result == 0)
            result = go_through(&go, &o, experiment, &code, &err);
        go_done(&go);
        if (result < 0)
            code = cli_fail(&err);
    }
    run_input_done(&o.input);
    return code;
}

static const struct opt_spec *const specs[] = {&spec, NULL};
const struct verb_ops verb_run = {
    .name = "run", .help = "run an experiment and report", .spec = specs, .run = run};
