/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts a run's settings and hosts before the judge and streams their samples, one host at a time.
 */
#include "coordinator/study/study.h"

#include "analysis/answer_confirms.h"
#include "base/clk.h"
#include "model/expr.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A seed must survive every JSON reader: integers up to 2^53 are exact in a double. */
static const uint64_t SEED_MASK = (UINT64_C(1) << 53) - 1;

struct party { /* who is judged; index i of `host` is trial_of[i] of the run, or SIZE_MAX for a host
                  that did not run */
    struct judge_host *host;
    struct fact_set **facts;
    char **label; /* NAME or NAME@EPOCH */
    size_t *trial_of;
    size_t n;
};

static void party_done(struct party *party)
{
    for (size_t i = 0; i < party->n; i++) {
        fact_set_free(party->facts[i]);
        mem_free(party->label[i]);
    }
    mem_free(party->host);
    mem_free(party->facts);
    mem_free(party->label);
    mem_free(party->trial_of);
}

static void party_add(struct party *party, char *label, struct fact_set *facts, size_t trial)
{
    size_t i = party->n++;
    const char *machine = fact_set_get(facts, "machine");
    party->label[i] = label;
    party->facts[i] = facts;
    party->trial_of[i] = trial;
    party->host[i] = (struct judge_host){
        .name = label, .facts = facts, .machine = machine, .measured = trial != SIZE_MAX};
}

static int trial_facts(struct store *store, const struct trial *trial, struct fact_set **ret,
                       struct err *err)
{
    if (trial->facts[0] == '\0') {
        *ret = fact_set_new();
        return 0;
    }
    return store_facts_get(store, trial->facts, ret, err);
}

static bool selected(const struct expr *expr, const char *name, const struct fact_set *facts)
{
    return expr == NULL || expr_eval(expr, name, facts, NULL) == EXPR_TRUE;
}

/* An imported host has no key: nothing can be run on it from here. */
static bool can_run(const struct host *host)
{
    return host->key != NULL && host->approved && !host->drained && !host->held;
}

/* The trials' hosts in their order, then the pool's other hosts. Only those the selection takes. */
static int gather(struct store *store, const struct trial_list *trials, const struct expr *expr,
                  struct party *party, struct err *err)
{
    struct host_list pool CLEAN_DONE(host_list) = {0};
    if (store_hosts(store, &pool, err) != 0) {
        return -1;
    }
    size_t most = trials->n + pool.n;
    party->host = mem_array(struct judge_host, most);
    party->facts = mem_array(struct fact_set *, most);
    party->label = mem_array(char *, most);
    party->trial_of = mem_array(size_t, most);
    for (size_t i = 0; i < trials->n; i++) {
        const struct trial *trial = trials->v[i];
        CLEAN(fact_set) struct fact_set *facts = NULL;
        if (trial_facts(store, trial, &facts, err) != 0) {
            return err_wrap(err, "facts of %s", trial->host);
        }
        if (selected(expr, trial->host, facts)) {
            party_add(party, mem_strdup(trial->host), mem_steal(&facts), i);
        }
    }
    size_t at = 0; /* both lists are sorted by name */
    for (size_t i = 0; i < pool.n; i++) {
        const struct host *host = pool.v[i];
        while (at < trials->n && strcmp(trials->v[at]->host, host->name) < 0) {
            at++;
        }
        bool ran = at < trials->n && str_eq(trials->v[at]->host, host->name);
        if (!ran && can_run(host) && selected(expr, host->name, host->facts)) {
            party_add(party, mem_strdup(host->name), fact_set_copy(host->facts), SIZE_MAX);
        }
    }
    return 0;
}

static size_t control_of(const struct experiment *spec)
{
    for (size_t i = 0; i < spec->n_variants; i++) {
        if (spec->variant[i].is_control) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* The metric asked for, or the primary one. A name that is no declared metric may still be a
 * recorded column. */
static const struct metric_def *metric_of(const struct experiment *spec, const char *name)
{
    for (size_t i = 0; i < spec->n_metric_defs; i++) {
        if (str_eq(spec->metric_def[i].name, name)) {
            return &spec->metric_def[i];
        }
    }
    return NULL;
}

/* The judge makes these of the times that were recorded. */
static bool is_made_of(const char *name, const struct strlist *numbers)
{
    bool cpu = strlist_has(numbers, "user_s") && strlist_has(numbers, "sys_s");
    return cpu &&
           (str_eq(name, "cpu_s") || (str_eq(name, "wait_s") && strlist_has(numbers, "elapsed_s")));
}

/* "wait" and "wait_s" are one metric. */
static const char *full_name(const char *name)
{
    static const char *const times[] = {"elapsed_s", "user_s", "sys_s", "cpu_s", "wait_s"};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        size_t length = strlen(times[i]) - strlen("_s");
        if (strlen(name) == length && strncmp(name, times[i], length) == 0) {
            return times[i];
        }
    }
    return name;
}

static int check_metric(struct store *store, const struct run *run, const char *name,
                        struct err *err)
{
    if (metric_of(run->spec, name) != NULL) {
        return 0;
    }
    struct strlist numbers CLEAN_DONE(strlist) = {0};
    struct strlist texts CLEAN_DONE(strlist) = {0};
    if (store_columns(store, run->id, &numbers, &texts, err) != 0) {
        return -1;
    }
    if (strlist_has(&numbers, name) || is_made_of(name, &numbers)) {
        return 0;
    }
    const char *near = str_nearest(name, (const char *const *)numbers.v, numbers.n);
    return err_set(err, ERR_USAGE, "%s has no metric %s%s%s%s", run->experiment, name,
                   near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                   near != NULL ? "?" : "");
}

struct names { /* the arrays the judge borrows while it is made */
    const char **variant, **digest, **factor, **suspect;
    size_t n_suspects;
};

static void names_done(struct names *names)
{
    mem_free(names->variant);
    mem_free(names->digest);
    mem_free(names->factor);
    mem_free(names->suspect);
}

static void names_fill(struct names *names, const struct run *run,
                       const struct study_options *options)
{
    const struct experiment *spec = run->spec;
    names->variant = mem_array(const char *, spec->n_variants);
    names->digest = mem_array(const char *, spec->n_variants);
    for (size_t i = 0; i < spec->n_variants; i++) {
        names->variant[i] = spec->variant[i].name;
        names->digest[i] = spec->variant[i].artefact;
    }
    names->factor = mem_array(const char *, spec->n_factors);
    for (size_t i = 0; i < spec->n_factors; i++) {
        names->factor[i] = spec->factor[i].name;
    }
    struct strlist all CLEAN_DONE(strlist) = {0};
    names->suspect = mem_array(const char *, run->suspect.n + options->suspect.n);
    for (size_t i = 0; i < run->suspect.n; i++) {
        names->suspect[names->n_suspects++] = run->suspect.v[i];
    }
    for (size_t i = 0; i < options->suspect.n; i++) {
        if (!strlist_has(&run->suspect, options->suspect.v[i])) {
            names->suspect[names->n_suspects++] = options->suspect.v[i];
        }
    }
}

/* Judges the frames of every trial in the party; an epoch's samples are those of the trial's own
 * stored name. */
static int stream(struct store *store, const struct run *run, const struct trial_list *trials,
                  const struct party *party, struct judge *judge, struct err *err)
{
    for (size_t i = 0; i < party->n; i++) {
        if (party->trial_of[i] == SIZE_MAX) {
            continue;
        }
        const struct trial *trial = trials->v[party->trial_of[i]];
        CLEAN(frame) struct frame *frame = NULL;
        if (store_frame_get(store, run->id, trial->host, &frame, err) != 0 ||
            judge_add(judge, i, frame, err) != 0) {
            return err_wrap(err, "samples of %s", trial->host);
        }
    }
    return 0;
}

uint64_t study_seed(const struct run *run)
{
    return run->seed & SEED_MASK;
}

void study_options_done(struct study_options *options)
{
    strlist_done(&options->suspect);
}

/* What of the run is not in the numbers: hosts that ended badly, and why; a run that is not over.
 */
static void warn(const struct run *run, const struct trial_list *trials, struct strlist *warnings)
{
    size_t ended = 0;
    for (size_t i = 0; i < trials->n; i++) {
        const struct trial *trial = trials->v[i];
        ended += trial_state_is_end(trial->state) ? 1 : 0;
        if (trial->state == TRIAL_FAILED || trial->state == TRIAL_LOST ||
            trial->state == TRIAL_NEVER) {
            char since[32];
            clk_iso(trial->since_wall_us, since);
            CLEAN_MEM char *text =
                mem_printf("%s: %s%s%s%s%s", trial->host, trial_state_name(trial->state),
                           trial->state == TRIAL_LOST ? " since " : "",
                           trial->state == TRIAL_LOST ? since : "",
                           trial->reason[0] != '\0' ? ": " : "", trial->reason);
            strlist_add(warnings, text);
        }
    }
    if (run->state == RUN_RUNNING) {
        CLEAN_MEM char *text =
            mem_printf("the run still goes on: %zu of %zu hosts have ended", ended, trials->n);
        strlist_add(warnings, text);
    }
}

int study_explain(struct store *store, const struct run *run, const struct study_options *options,
                  struct answer **ret, struct err *err)
{
    const struct experiment *spec = run->spec;
    const char *name = options->metric != NULL ? options->metric : spec->metric;
    if (metric_of(spec, name) == NULL) {
        name = full_name(name);
    }
    if (check_metric(store, run, name, err) != 0) {
        return -1;
    }
    CLEAN(expr) struct expr *expr = NULL;
    if (options->hosts != NULL && expr_parse(options->hosts, &expr, err) != 0) {
        return err_wrap(err, "host selection");
    }
    struct trial_list trials CLEAN_DONE(trial_list) = {0};
    struct party party CLEAN_DONE(party) = {0};
    if (store_trials(store, run->id, &trials, err) != 0 ||
        gather(store, &trials, expr, &party, err) != 0) {
        return -1;
    }
    const struct metric_def *metric = metric_of(spec, name);
    struct names names CLEAN_DONE(names) = {0};
    names_fill(&names, run, options);
    struct judge_options judged = {
        .experiment = run->experiment,
        .run = run->number,
        .seed = options->seed != 0 ? options->seed : study_seed(run),
        .alpha = isnan(options->alpha) ? spec->alpha : options->alpha,
        .min_effect = isnan(options->min_effect) ? spec->min_effect : options->min_effect,
        .metric = name,
        .unit = metric != NULL && metric->unit != NULL ? metric->unit
                : str_ends(name, "_s")                 ? "s"
                                                       : "",
        .higher_is_better = metric != NULL && metric->higher_is_better,
        .variant = names.variant,
        .digest = names.digest,
        .n_variants = spec->n_variants,
        .control = control_of(spec),
        .factor = names.factor,
        .n_factors = spec->n_factors,
        .part_of_variant = (const char *const *)run->part_of_variant.v,
        .n_part_of_variant = run->part_of_variant.n,
        .suspect = names.suspect,
        .n_suspects = names.n_suspects,
        .design_unknown = run->design_unknown,
        .aa = run->aa,
        .look_min = run->look_min,
        .look_max = run->look_max,
        .draws = options->draws,
    };
    CLEAN(judge) struct judge *judge = NULL;
    if (judge_new(&judged, party.host, party.n, &judge, err) != 0 ||
        stream(store, run, &trials, &party, judge, err) != 0 ||
        judge_finish(judge, ret, err) != 0) {
        return err_wrap(err, "%s@%" PRId64, run->experiment, run->number);
    }
    if (spec->confirms != NULL) {
        answer_confirms(*ret, spec->confirms);
    }
    warn(run, &trials, &(*ret)->warnings);
    return 0;
}
