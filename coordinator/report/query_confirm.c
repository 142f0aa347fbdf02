/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The experiment that would confirm a run, as JSON: words, the experiment as YAML, and which
 * artefacts its variants have (the coordinator keeps them).
 */
#include "coordinator/confirm/confirm.h"
#include "coordinator/report/jot.h"
#include "coordinator/report/query_call.h"
#include "coordinator/spec/spec.h"
#include "coordinator/study/study.h"
#include "proto/wire.h"

#include <inttypes.h>
#include <math.h>

struct cast { /* the hosts of the run, and the rest of the pool */
    struct host_list pool;
    struct trial_list trials;
    struct fact_set **facts; /* of each trial */
    struct confirm_host *host;
    size_t n;
};

static void cast_done(struct cast *cast)
{
    for (size_t i = 0; cast->facts && i < cast->trials.n; i++)
        fact_set_free(cast->facts[i]);
    mem_free(cast->facts);
    mem_free(cast->host);
    trial_list_done(&cast->trials);
    host_list_done(&cast->pool);
}

static const struct host *in_pool(const struct cast *cast, const char *name)
{
    for (size_t i = 0; i < cast->pool.n; i++)
        if (str_eq(cast->pool.v[i]->name, name))
            return cast->pool.v[i];
    return NULL;
}

static bool can_run(const struct host *host)
{
    return host && host->key && host->approved && !host->drained && !host->held;
}

static bool ran(const struct cast *cast, const char *name)
{
    for (size_t i = 0; i < cast->trials.n; i++)
        if (str_eq(cast->trials.v[i]->host, name))
            return true;
    return false;
}

static int gather(struct store *store, const struct run *run, struct cast *ret, struct err *err)
{
    if (store_hosts(store, &ret->pool, err) != 0 ||
        store_trials(store, run->id, &ret->trials, err) != 0)
        return -1;
    ret->facts = mem_array(struct fact_set *, ret->trials.n);
    ret->host = mem_array(struct confirm_host, ret->trials.n + ret->pool.n);
    for (size_t i = 0; i < ret->trials.n; i++) {
        const struct trial *trial = ret->trials.v[i];

        if (trial->facts[0] && store_facts_get(store, trial->facts, &ret->facts[i], err) != 0)
            return err_wrap(err, "facts of %s", trial->host);
        ret->host[ret->n++] = (struct confirm_host){.name = trial->host,
                                                    .facts = ret->facts[i],
                                                    .can_run = can_run(in_pool(ret, trial->host))};
    }
    for (size_t i = 0; i < ret->pool.n; i++)
        if (can_run(ret->pool.v[i]) && !ran(ret, ret->pool.v[i]->name))
            ret->host[ret->n++] = (struct confirm_host){
                .name = ret->pool.v[i]->name, .facts = ret->pool.v[i]->facts, .can_run = true};
    return 0;
}

static void print(FILE *out, const char *run, const char *words,
                  const struct experiment *experiment)
{
    CLEAN_DONE(jot) struct jot jot = {0};
    CLEAN_DONE(str) struct str yaml = {0};

    jot_open(&jot, NULL, '{');
    jot_text(&jot, "confirms", run);
    jot_text(&jot, "words", words);
    if (experiment)
        spec_to_yaml(experiment, &yaml);
    jot_text(&jot, "experiment", experiment ? str_get(&yaml) : NULL);
    jot_open(&jot, "artefacts", '{');
    for (size_t i = 0; experiment && i < experiment->n_variants; i++)
        if (experiment->variant[i].artefact[0])
            jot_text(&jot, experiment->variant[i].name, experiment->variant[i].artefact);
    jot_close(&jot, '{');
    jot_close(&jot, '{');
    fprintf(out, "%s\n", str_get(&jot.text));
}

static int build(struct query_call *call, const struct run *run, const struct answer *answer,
                 const struct cast *cast, struct err *err)
{
    CLEAN_MEM char *name = mem_printf("%s@%" PRId64, run->experiment, run->number);
    CLEAN_MEM char *words = NULL;
    CLEAN_DONE(str) struct str packed = {0};
    CLEAN(experiment) struct experiment *experiment = NULL;
    struct confirm_request request = {
        .run = name, .answer = answer, .host = cast->host, .n_hosts = cast->n};
    int result;

    wire_experiment_pack(run->spec, &packed);
    if (wire_experiment_unpack(packed.text, packed.length, &experiment, err) != 0)
        return -1;
    query_lines(call, "switch", &request.switches);
    query_lines(call, "factor", &request.factors);
    result = confirm_build(&request, experiment, &words, err);
    strlist_done(&request.switches);
    strlist_done(&request.factors);
    if (result < 0)
        return -1;
    print(call->out, name, words, result == CONFIRM_NOTHING ? NULL : experiment);
    return 0;
}

int query_confirm(struct query_call *call, struct err *err)
{
    const struct study_options options = {.alpha = NAN, .min_effect = NAN};
    CLEAN(run) struct run *run = NULL;
    CLEAN(answer) struct answer *answer = NULL;
    struct cast cast = {.n = 0};
    int result;

    if (query_run(call, &run, err) != 0 ||
        study_explain(call->store, run, &options, &answer, err) != 0)
        return -1;
    result = gather(call->store, run, &cast, err);
    if (result == 0)
        result = build(call, run, answer, &cast, err);
    cast_done(&cast);
    return result;
}
