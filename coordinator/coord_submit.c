/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting, trying out, cancelling and continuing runs for users.
 */
#include "coordinator/hall.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/rng.h"

struct submit {
    struct coord *coord;
    struct coord_asker asker;
    struct run *run;
    struct strlist hosts;
    int64_t wait_hosts_ns;
    bool same; /* this token was submitted before */
};

static int make_plan(struct coord *coord, const struct experiment *experiment, struct plan **ret,
                     struct err *err)
{
    CLEAN_MEM const struct host **hosts = mem_array(const struct host *, coord->n_members);

    for (size_t i = 0; i < coord->n_members; i++)
        hosts[i] = coord->member[i]->host;
    return plan_make(experiment, hosts, coord->n_members, ret, err);
}

static int check(struct coord *coord, const struct experiment *experiment, struct err *err)
{
    if (!experiment)
        return err_set(err, ERR_USAGE, "no experiment was sent");
    if (experiment_check(experiment, err) < 0)
        return -1;
    for (size_t i = 0; i < experiment->n_variants; i++) {
        const struct variant *variant = &experiment->variant[i];

        if (variant->artefact[0] && !coord_artefact_held(coord, variant->artefact))
            return err_set(err, ERR_NOT_FOUND, "the files of variant %s were not sent",
                           variant->name);
    }
    return 0;
}

static void submit_free(struct submit *submit)
{
    run_free(submit->run);
    strlist_done(&submit->hosts);
    mem_free(submit);
}

static int add_run(struct store *store, void *arg, struct err *err)
{
    struct submit *submit = arg;
    int result = store_run_add(store, submit->run, &submit->hosts, err);

    submit->same = result == STORE_SAME;
    if (result < 0)
        return -1;
    return submit->same
               ? 0
               : store_audit(store, submit->asker.who, "submit", submit->run->experiment, err);
}

static void run_added(void *arg, int result, const struct err *err)
{
    struct submit *submit = arg;
    struct coord *coord = submit->coord;
    struct coord_run *run = NULL;
    struct err own = {0};
    CLEAN_DONE(str) struct str text = {0};

    coord->pending_submits--;
    if (result < 0) {
        coord_reply_error(coord, &submit->asker, err);
    } else if (!(run = coord_run_get(coord, submit->run->id, &own))) {
        coord_reply_error(coord, &submit->asker, &own);
    } else {
        if (!submit->same) {
            run->wait_hosts_ns = submit->wait_hosts_ns;
            log_info("run submitted experiment=%s run=%lld hosts=%zu by=%s", run->run->experiment,
                     (long long)run->run->number, run->n_trials, submit->asker.who);
        }
        coord_run_reference(run, &text);
        str_addc(&text, '\n');
        coord_reply_text(coord, &submit->asker, 0, text.text);
        coord_grant_all(coord);
    }
    submit_free(submit);
}

static int parse_arguments(const struct coord *coord, const struct wire_request *request,
                           struct submit *submit, struct err *err)
{
    const char *seed = strmap_get(&request->arg, "seed"),
               *wait = strmap_get(&request->arg, "wait_hosts");

    submit->run->seed = rng_fresh_seed();
    submit->wait_hosts_ns = coord->options.wait_hosts_ns;
    if (seed && str_to_u64(seed, &submit->run->seed, err) < 0)
        return err_wrap(err, "seed");
    if (wait && str_to_duration(wait, &submit->wait_hosts_ns, err) < 0)
        return err_wrap(err, "wait_hosts");
    return 0;
}

static int no_target(const struct plan *plan, struct err *err)
{
    CLEAN_DONE(str) struct str why = {0};

    for (size_t i = 0; i < plan->n_hosts && i < 8; i++)
        str_addf(&why, "%s%s: %s", i ? "; " : " (", plan->host[i].name, plan->host[i].why);
    if (plan->n_hosts > 8)
        str_addf(&why, "; and %zu more", plan->n_hosts - 8);
    str_add(&why, plan->n_hosts ? ")" : ": no host is enrolled");
    return err_set(err, ERR_NOT_FOUND, "no host to run on%s", why.text);
}

/* Fills submit with the run as it will be stored; takes the experiment out of the request. */
static int prepare(struct coord *coord, struct wire_request *request, struct submit *submit,
                   struct err *err)
{
    CLEAN(plan) struct plan *plan = NULL;
    struct run *run = submit->run;

    if (check(coord, request->experiment, err) < 0 ||
        parse_arguments(coord, request, submit, err) < 0 ||
        make_plan(coord, request->experiment, &plan, err) < 0)
        return -1;
    if (plan->n_targets == 0)
        return no_target(plan, err);
    plan_targets(plan, &submit->hosts);
    run->spec = mem_steal(&request->experiment);
    run->experiment = mem_strdup(run->spec->name);
    run->state = RUN_RUNNING;
    run->created_wall_us = clk_wall_us();
    run->token = mem_strdup(request->token);
    run->aa = run->spec->is_aa;
    if (run->spec->sessions <= 1) { /* several sittings have a fixed number of blocks: no looks */
        run->look_min = run->spec->min_blocks;
        run->look_max = run->spec->max_blocks;
    }
    strlist_copy(&run->suspect, &run->spec->suspect);
    return 0;
}

void coord_submit(struct coord *coord, const struct coord_asker *asker,
                  struct wire_request *request)
{
    struct submit *submit = mem_new(struct submit);
    struct err err = {0};

    submit->coord = coord;
    submit->asker = *asker;
    submit->run = mem_new(struct run);
    if (prepare(coord, request, submit, &err) < 0) {
        coord_reply_error(coord, asker, &err);
        submit_free(submit);
        return;
    }
    coord->pending_submits++;
    writer_post(coord->writer, add_run, submit, run_added);
}

void coord_dry_run(struct coord *coord, const struct coord_asker *asker,
                   const struct wire_request *request)
{
    CLEAN(plan) struct plan *plan = NULL;
    CLEAN_DONE(str) struct str text = {0};
    struct err err = {0};

    if (!request->experiment)
        (void)err_set(&err, ERR_USAGE, "no experiment was sent");
    else if (experiment_check(request->experiment, &err) == 0)
        (void)make_plan(coord, request->experiment, &plan, &err);
    if (!plan) {
        coord_reply_error(coord, asker, &err);
        return;
    }
    if (strmap_get(&request->arg, "json"))
        plan_json(plan, request->experiment, &text);
    else
        plan_text(plan, request->experiment, &text);
    coord_reply_text(coord, asker, 0, str_get(&text));
}

static struct coord_run *find_run(struct coord *coord, const struct wire_request *request,
                                  struct err *err)
{
    const char *reference = strmap_get(&request->arg, "run");
    CLEAN(run) struct run *row = NULL;

    if (!reference) {
        (void)err_set(err, ERR_USAGE, "which run?");
        return NULL;
    }
    if (store_run_find(coord->store, reference, &row, err) < 0)
        return NULL;
    return coord_run_get(coord, row->id, err);
}

void coord_cancel(struct coord *coord, const struct coord_asker *asker,
                  const struct wire_request *request)
{
    struct err err = {0};
    struct coord_run *run = find_run(coord, request, &err);
    CLEAN_DONE(str) struct str text = {0};

    if (!run) {
        coord_reply_error(coord, asker, &err);
        return;
    }
    coord_run_reference(run, &text);
    if (!run->open) {
        (void)err_set(&err, ERR_STATE, "%s has ended (%s)", text.text,
                      run_state_name(run->run->state));
        coord_reply_error(coord, asker, &err);
        return;
    }
    coord_audit(coord, asker->who, "cancel", text.text);
    coord_run_cancel(coord, run, asker->who);
    str_add(&text, " cancelled; what was measured is kept\n");
    coord_reply_text(coord, asker, 0, text.text);
}

/* ---- rerun: hosts that did not get done get another chance, with the same seed, where they were
 * ---- */

struct reopen {
    struct coord *coord;
    struct coord_asker asker;
    int64_t run;
};

static int reopen_run(struct store *store, void *arg, struct err *err)
{
    const struct reopen *reopen = arg;

    if (store_run_set_state(store, reopen->run, RUN_RUNNING, err) < 0)
        return -1;
    return store_audit(store, reopen->asker.who, "rerun", "", err);
}

static void run_reopened(void *arg, int result, const struct err *err)
{
    struct reopen *reopen = arg;
    struct coord *coord = reopen->coord;
    struct coord_run *run = NULL;
    struct err own = {0};
    CLEAN_DONE(str) struct str text = {0};
    size_t again = 0;

    coord->pending_submits--;
    if (result < 0) {
        coord_reply_error(coord, &reopen->asker, err);
    } else if (coord_run_open(coord, reopen->run, &run, &own) < 0) {
        coord_reply_error(coord, &reopen->asker, &own);
    } else {
        for (size_t i = 0; i < run->n_trials; i++) {
            again += run->trial[i].life.state != TRIAL_DONE;
            run->trial[i].first_lease_ns = 0;
            coord_step(coord, &run->trial[i], TRIAL_EV_REOPEN, NULL);
        }
        coord_run_reference(run, &text);
        log_info("run continued experiment=%s run=%lld hosts=%zu by=%s", run->run->experiment,
                 (long long)run->run->number, again, reopen->asker.who);
        str_addc(&text, '\n');
        coord_reply_text(coord, &reopen->asker, 0, text.text);
        coord_grant_all(coord);
    }
    mem_free(reopen);
}

void coord_rerun(struct coord *coord, const struct coord_asker *asker,
                 const struct wire_request *request)
{
    struct err err = {0};
    struct coord_run *run = find_run(coord, request, &err);
    struct reopen *reopen;

    if (run && (run->open || run->run->state == RUN_IMPORTED || run->run->state == RUN_DONE)) {
        (void)err_set(&err, ERR_STATE, "%s@%lld is %s: nothing to continue", run->run->experiment,
                      (long long)run->run->number, run_state_name(run->run->state));
        run = NULL;
    }
    if (!run) {
        coord_reply_error(coord, asker, &err);
        return;
    }
    reopen = mem_new(struct reopen);
    *reopen = (struct reopen){.coord = coord, .asker = *asker, .run = run->run->id};
    coord->pending_submits++;
    writer_post(coord->writer, reopen_run, reopen, run_reopened);
}
