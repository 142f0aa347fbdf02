/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One table from the kind of question to the arguments it takes and the function that answers it.
 */
#include "coordinator/report/query.h"

#include "coordinator/report/query_call.h"
#include "coordinator/study/study.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { ARGS_MOST = 12, WIDTH_MOST = 1000 };
static const uint64_t SEED_MOST = (UINT64_C(1) << 53) - 1;

struct question {
    enum wire_request_kind kind;
    int (*answer)(struct query_call *call, struct err *err);
    const char *arg[ARGS_MOST]; /* besides those of every kind; NULL-ended */
};
static const char *const EVERYWHERE[] = {"json", "quiet", "width", "colour", "ascii"};
static const struct question QUESTIONS[] = {
    {WIRE_REQUEST_EXPLAIN,
     query_explain,                             {"run", "gate", "alpha", "min_effect", "metric", "suspect", "seed", "hosts", "draws"}},
    {WIRE_REQUEST_SHOW,       query_show,       {"run", "as", "by", "metric", "host"}                                                },
    {WIRE_REQUEST_RUNS,       query_runs,       {"experiment", "limit"}                                                              },
    {WIRE_REQUEST_HOSTS,      query_hosts,      {"hosts"}                                                                            },
    {WIRE_REQUEST_HOST_SHOW,  query_host_show,  {"host"}                                                                             },
    {WIRE_REQUEST_HOST_FACTS, query_host_facts, {"host"}                                                                             },
    {WIRE_REQUEST_HOST_DIFF,  query_host_diff,  {"a", "b"}                                                                           },
    {WIRE_REQUEST_EXPORT,     query_export,     {"run", "format", "what"}                                                            },
    {WIRE_REQUEST_CONFIRM,    query_confirm,    {"run", "switch", "factor"}                                                          },
};

/* ---- arguments ---- */

const char *query_text(const struct query_call *call, const char *name)
{
    const char *text = strmap_get(call->arg, name);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

bool query_flag(const struct query_call *call, const char *name)
{
    return str_eq(strmap_get(call->arg, name), "1");
}

int query_fraction(const struct query_call *call, const char *name, double *ret, struct err *err)
{
    const char *text = query_text(call, name);
    double value = 0.0;
    if (text == NULL) {
        return 0;
    }
    if (str_to_fraction(text, &value, err) != 0) {
        return err_wrap(err, "%s", name);
    }
    if (!(value > 0.0 && value < 1.0)) {
        return err_set(err, ERR_USAGE, "%s: found %s, allowed: more than 0 and less than 100 %%",
                       name, text);
    }
    *ret = value;
    return 0;
}

int query_count(const struct query_call *call, const char *name, uint64_t most, uint64_t *ret,
                struct err *err)
{
    const char *text = query_text(call, name);
    uint64_t value = 0;
    if (text == NULL) {
        return 0;
    }
    if (str_to_u64(text, &value, err) != 0) {
        return err_wrap(err, "%s", name);
    }
    if (value > most) {
        return err_set(err, ERR_USAGE, "%s: found %s, allowed: at most %llu", name, text,
                       (unsigned long long)most);
    }
    *ret = value;
    return 0;
}

int query_run(const struct query_call *call, struct run **ret, struct err *err)
{
    const char *reference = query_text(call, "run");
    if (reference == NULL) {
        (void)err_set(err, ERR_USAGE, "which run? Name an experiment, NAME@3 or #17");
        return -1; /* said plainly for the static analyser */
    }
    return store_run_find(call->store, reference, ret, err);
}

int query_host(const struct query_call *call, const char *name, struct host **ret, struct err *err)
{
    const char *host = query_text(call, name);
    if (host == NULL) {
        return err_set(err, ERR_USAGE, "which host?");
    }
    return store_host_get(call->store, host, ret, err);
}

void query_lines(const struct query_call *call, const char *name, struct strlist *ret)
{
    const char *text = query_text(call, name);
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, "\n");
        if (length > 0) {
            CLEAN_MEM char *line = mem_strndup(text, length);
            strlist_add(ret, line);
        }
        text += length;
        text += *text == '\n' ? 1 : 0;
    }
}

static bool takes(const struct question *question, const char *name)
{
    for (size_t i = 0; i < sizeof EVERYWHERE / sizeof *EVERYWHERE; i++) {
        if (str_eq(EVERYWHERE[i], name)) {
            return true;
        }
    }
    for (size_t i = 0; i < ARGS_MOST && question->arg[i] != NULL; i++) {
        if (str_eq(question->arg[i], name)) {
            return true;
        }
    }
    return false;
}

static int check_args(const struct question *question, const struct strmap *arg, struct err *err)
{
    for (size_t i = 0; i < arg->n; i++) {
        if (!takes(question, arg->key[i])) {
            return err_set(err, ERR_USAGE, "argument %s does not belong to this question",
                           arg->key[i]);
        }
        if (!str_is_utf8(arg->value[i], strlen(arg->value[i]))) {
            return err_set(err, ERR_USAGE, "argument %s is not UTF-8", arg->key[i]);
        }
    }
    return 0;
}

/* ---- explain ---- */

/* Hosts of the run are missing from the answer: lost, failed or never started, or the run was
 * cancelled before them. */
static int is_partial(struct store *store, const struct run *run, bool *ret, struct err *err)
{
    *ret = run->state == RUN_PARTIAL;
    if (run->state != RUN_CANCELLED) {
        return 0;
    }
    struct trial_list trials CLEAN_DONE(trial_list) = {0};
    if (store_trials(store, run->id, &trials, err) != 0) {
        return -1;
    }
    for (size_t i = 0; i < trials.n; i++) {
        *ret = *ret || trials.v[i]->state != TRIAL_DONE;
    }
    return 0;
}

int query_explain(struct query_call *call, struct err *err)
{
    struct study_options options CLEAN_DONE(study_options) = {.alpha = NAN, .min_effect = NAN};
    uint64_t draws = 0;
    if (query_fraction(call, "alpha", &options.alpha, err) != 0 ||
        query_fraction(call, "min_effect", &options.min_effect, err) != 0 ||
        query_count(call, "seed", SEED_MOST, &options.seed, err) != 0 ||
        query_count(call, "draws", 1000000, &draws, err) != 0) {
        return -1;
    }
    options.draws = (unsigned)draws;
    options.metric = query_text(call, "metric");
    options.hosts = query_text(call, "hosts");
    query_lines(call, "suspect", &options.suspect);
    CLEAN(run) struct run *run = NULL;
    CLEAN(answer) struct answer *answer = NULL;
    if (query_run(call, &run, err) != 0 ||
        study_explain(call->store, run, &options, &answer, err) != 0) {
        return -1;
    }
    if (query_flag(call, "gate")) {
        bool partial = false;
        if (is_partial(call->store, run, &partial, err) != 0) {
            return -1;
        }
        call->exit = report_gate(answer, partial);
    }
    if (call->json) {
        return report_json(answer, call->out, err);
    }
    report_text(answer, &call->style, call->out);
    return 0;
}

/* ---- dispatch ---- */

int query_serve(struct store *store, enum wire_request_kind kind, const struct strmap *arg,
                FILE *out, int *ret_exit, struct err *err)
{
    const struct question *question = NULL;
    for (size_t i = 0; i < sizeof QUESTIONS / sizeof *QUESTIONS; i++) {
        if (QUESTIONS[i].kind == kind) {
            question = &QUESTIONS[i];
        }
    }
    if (question == NULL) {
        return err_set(err, ERR_USAGE, "request kind %d is no question to the store", (int)kind);
    }
    struct query_call call = {.store = store, .arg = arg, .out = out};
    uint64_t width = 0;
    if (check_args(question, arg, err) != 0 ||
        query_count(&call, "width", WIDTH_MOST, &width, err) != 0) {
        return -1;
    }
    call.json = query_flag(&call, "json");
    call.style = (struct report_style){.width = (unsigned)width,
                                       .colour = query_flag(&call, "colour"),
                                       .ascii = query_flag(&call, "ascii"),
                                       .quiet = query_flag(&call, "quiet")};
    if (question->answer(&call, err) != 0) {
        return -1;
    }
    if (fflush(out) != 0 || ferror(out)) {
        return err_sys(err, "cannot write the answer");
    }
    *ret_exit = call.exit;
    return 0;
}
