/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs in memory: read from the store when they are open or spoken of, ended when every host has
 * ended.
 */
#include "coordinator/hall.h"

#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP_CLOSED_NS                                                                             \
    (600 * CLK_NS_PER_S) /* a closed run stays in memory so long: late samples, counts */

static void run_memory_free(struct coord_run *run)
{
    for (size_t i = 0; i < run->n_trials; i++)
        mem_free(run->trial[i].host);
    mem_free(run->trial);
    mem_free(run->look);
    run_free(run->run);
    mem_free(run);
}

void coord_runs_done(struct coord *coord)
{
    for (size_t i = 0; i < coord->n_runs; i++)
        run_memory_free(coord->run[i]);
    mem_free(coord->run);
}

/* A state with a lease under it goes on as RUNNING: the agent says hello with its epoch, or is lost
 * after a while. */
static void load_trial(struct coord *coord, struct coord_run *run, const struct trial *row,
                       struct coord_trial *ret)
{
    *ret = (struct coord_trial){
        .run = run,
        .host = mem_strdup(row->host),
        .since_wall_us = row->since_wall_us,
        .since_ns = clk_mono_ns(),
        .life = {.state = row->state,
                 .epoch = row->epoch,
                 .session = row->session,
                 .n_sessions = run->run->spec->sessions,
                 .rounds_done = row->rounds_done,
                 .granted_upto = row->granted_upto,
                 .stored_seq = row->stored_seq,
                 .taken_seq = row->stored_seq},
        .account = {
                 .epoch = row->epoch, .stored_seq = row->stored_seq, .posted_seq = row->stored_seq}
    };
    (void)snprintf(ret->life.reason, sizeof(ret->life.reason), "%s",
                   row->reason ? row->reason : "");
    memcpy(ret->facts, row->facts, sizeof(ret->facts));
    if (ret->life.state == TRIAL_LOOKING)
        ret->life.state = TRIAL_RUNNING;
    if (ret->life.epoch > 0)
        ret->first_lease_ns = clk_mono_ns();
    (void)coord;
}

/* NULL with err when it cannot be read. */
static struct coord_run *load_run(struct coord *coord, int64_t id, struct err *err)
{
    CLEAN_DONE(trial_list) struct trial_list trials = {0};
    CLEAN(run) struct run *row = NULL;
    struct coord_run *run;

    if (store_run_get(coord->store, id, &row, err) < 0 ||
        store_trials(coord->store, id, &trials, err) < 0) {
        (void)err_wrap(err, "run %lld", (long long)id);
        return NULL;
    }
    run = mem_new(struct coord_run);
    run->run = mem_steal(&row);
    run->open = run->run->state == RUN_RUNNING;
    run->opened_ns = run->closed_ns = clk_mono_ns();
    run->wait_hosts_ns = coord->options.wait_hosts_ns;
    run->n_looks = plan_looks(run->run->spec, &run->look);
    run->trial = mem_array(struct coord_trial, trials.n);
    run->n_trials = trials.n;
    for (size_t i = 0; i < trials.n; i++)
        load_trial(coord, run, trials.v[i], &run->trial[i]);
    coord->run =
        mem_grow(coord->run, &coord->runs_cap, coord->n_runs + 1, sizeof(struct coord_run *));
    coord->run[coord->n_runs++] = run;
    return run;
}

static struct coord_run *in_memory(struct coord *coord, int64_t id)
{
    for (size_t i = 0; i < coord->n_runs; i++) {
        if (coord->run[i]->run->id == id)
            return coord->run[i];
    }
    return NULL;
}

struct coord_run *coord_run_get(struct coord *coord, int64_t id, struct err *err)
{
    struct coord_run *run = in_memory(coord, id);

    return run ? run : load_run(coord, id, err);
}

int coord_run_open(struct coord *coord, int64_t id, struct coord_run **ret, struct err *err)
{
    struct coord_run *run = coord_run_get(coord, id, err);

    if (!run)
        return -1;
    run->open = true;
    run->cancelling = run->closing = false;
    run->opened_ns = clk_mono_ns();
    run->run->state = RUN_RUNNING;
    *ret = run;
    return 0;
}

static bool is_cancelled(const struct coord_run *run)
{
    for (size_t i = 0; i < run->n_trials; i++) {
        if (run->trial[i].life.state == TRIAL_CANCELLED)
            return true;
    }
    return false;
}

int coord_runs_load(struct coord *coord, struct err *err)
{
    CLEAN_DONE(run_list) struct run_list list = {0};

    if (store_runs(coord->store, &list, err) < 0)
        return err_wrap(err, "runs");
    for (size_t i = list.n; i-- > 0;) { /* newest first: the oldest gets its hosts first */
        struct coord_run *run;

        if (list.v[i]->state != RUN_RUNNING)
            continue;
        run = load_run(coord, list.v[i]->id, err);
        if (!run)
            return -1;
        if (is_cancelled(run)) /* a restart in the middle of it */
            coord_run_cancel(coord, run, "a user");
        log_info("run goes on experiment=%s run=%lld", run->run->experiment,
                 (long long)run->run->number);
    }
    return 0;
}

static int by_host(const void *key, const void *element)
{
    return strcmp(key, ((const struct coord_trial *)element)->host);
}

struct coord_trial *coord_run_trial(struct coord_run *run, const char *host)
{
    return bsearch(host, run->trial, run->n_trials, sizeof(*run->trial), by_host);
}

void coord_run_reference(const struct coord_run *run, struct str *ret)
{
    str_addf(ret, "%s@%lld", run->run->experiment, (long long)run->run->number);
}

void coord_run_cancel(struct coord *coord, struct coord_run *run, const char *who)
{
    CLEAN_MEM char *reason = mem_printf("cancelled by %s", who);

    if (!run->open || run->cancelling)
        return;
    run->cancelling = true;
    run->cancelled_ns = clk_mono_ns();
    for (size_t i = 0; i < run->n_trials; i++)
        coord_step(coord, &run->trial[i], TRIAL_EV_CANCEL, &(struct trial_news){.reason = reason});
}

/* ---- the end of a run ---- */

struct closing {
    struct coord *coord;
    struct coord_run *run;
    enum run_state state;
};

static int put_state(struct store *store, void *arg, struct err *err)
{
    const struct closing *closing = arg;

    return store_run_set_state(store, closing->run->run->id, closing->state, err);
}

static void state_put(void *arg, int result, const struct err *err)
{
    struct closing *closing = arg;
    struct coord_run *run = closing->run;

    run->closing = false;
    if (result < 0) {
        log_err(LOG_ERROR, err, "end of a run not stored, tried again run=%lld",
                (long long)run->run->id);
    } else {
        run->open = false;
        run->closed_ns = clk_mono_ns();
        run->run->state = closing->state;
        log_info("run %s experiment=%s run=%lld", run_state_name(closing->state),
                 run->run->experiment, (long long)run->run->number);
        coord_follow_end(closing->coord, run);
    }
    mem_free(closing);
}

static bool trial_is_over(const struct coord *coord, const struct coord_run *run,
                          const struct coord_trial *trial, int64_t now_ns)
{
    if (!trial_state_is_end((enum trial_state)trial->life.state) || trial->unsaved ||
        !ingest_settled(&trial->account))
        return false;
    if (trial->life.draining)
        return run->cancelling && now_ns - run->cancelled_ns > coord->options.lost_grace_ns;
    if (trial->life.state == TRIAL_LOST)
        return run->cancelling || now_ns - trial->since_ns > coord->options.lost_grace_ns;
    return true;
}

static void close_if_over(struct coord *coord, struct coord_run *run, int64_t now_ns)
{
    enum run_state state = RUN_DONE;
    struct closing *closing;

    for (size_t i = 0; i < run->n_trials; i++) {
        if (!trial_is_over(coord, run, &run->trial[i], now_ns))
            return;
        if (run->trial[i].life.state != TRIAL_DONE)
            state = RUN_PARTIAL;
    }
    if (run->cancelling)
        state = RUN_CANCELLED;
    run->closing = true;
    closing = mem_new(struct closing);
    *closing = (struct closing){.coord = coord, .run = run, .state = state};
    writer_post(coord->writer, put_state, closing, state_put);
}

/* A host that is not here, or may not measure now, is waited for, then left out. */
static void wait_for_host(struct coord *coord, struct coord_run *run, struct coord_trial *trial,
                          int64_t now_ns)
{
    const struct coord_member *member = coord_member(coord, trial->host);
    const char *barred = member ? plan_barred(member->host) : "removed";
    int64_t from = run->opened_ns;
    CLEAN_MEM char *reason = NULL;

    if (member && member->host->connected && !barred)
        return;
    if (trial->since_ns > from)
        from = trial->since_ns;
    if (member && member->away_since_ns > from && !member->host->connected)
        from = member->away_since_ns;
    if (now_ns - from <= run->wait_hosts_ns)
        return;
    reason = barred ? mem_strdup(barred)
                    : mem_printf("not connected within %lld s",
                                 (long long)(run->wait_hosts_ns / CLK_NS_PER_S));
    coord_step(coord, trial, trial->life.epoch > 0 ? TRIAL_EV_SILENT : TRIAL_EV_NEVER,
               &(struct trial_news){.reason = reason});
}

static void watch_silence(struct coord *coord, struct coord_trial *trial, int64_t now_ns)
{
    const struct coord_member *member = coord_member(coord, trial->host);
    /* after a restart of ours agents need a moment to notice and to say hello */
    int64_t patience_ns = 3 * coord->options.heartbeat_ns + coord->options.lost_grace_ns;

    if (member && (member->host->connected || now_ns - member->away_since_ns <= patience_ns))
        return;
    coord_step(coord, trial, TRIAL_EV_SILENT,
               &(struct trial_news){.reason = "not heard of since the coordinator started"});
}

static void forget_closed(struct coord *coord, struct coord_run *run, int64_t now_ns)
{
    if (run->open || run->closing || now_ns - run->closed_ns < KEEP_CLOSED_NS ||
        writer_backlog(coord->writer) > 0 || desk_backlog(coord->looks) > 0)
        return;
    for (size_t i = 0; i < coord->n_runs; i++) {
        if (coord->run[i] == run) {
            memmove(coord->run + i, coord->run + i + 1,
                    (coord->n_runs - i - 1) * sizeof(struct coord_run *));
            coord->n_runs--;
            run_memory_free(run);
            return;
        }
    }
}

/* May free the run: a caller that walks the list walks it from its end. */
void coord_run_tick(struct coord *coord, struct coord_run *run, int64_t now_ns)
{
    for (size_t i = 0; i < run->n_trials; i++) {
        struct coord_trial *trial = &run->trial[i];

        if (run->open || trial->life.draining || trial->unsaved)
            coord_trial_review(coord, trial, now_ns);
        if (!run->open)
            continue;
        if (trial->life.state == TRIAL_WAITING)
            wait_for_host(coord, run, trial, now_ns);
        else if (!trial_state_is_end((enum trial_state)trial->life.state))
            watch_silence(coord, trial, now_ns);
    }
    if (run->open && !run->closing)
        close_if_over(coord, run, now_ns);
    forget_closed(coord, run, now_ns);
}
