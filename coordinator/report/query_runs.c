/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `muster ls`: runs with the states of their hosts, newest first. What they mean is explain's to
 * say: no outcome is computed here.
 */
#include "coordinator/report/jot.h"
#include "coordinator/report/num.h"
#include "coordinator/report/query_call.h"

#include "base/clk.h"
#include "coordinator/study/study.h"

#include <inttypes.h>

enum { N_STATES = TRIAL_CANCELLED + 1, NAME_LEAST = 12, NAME_MOST = 40 };

struct tally { /* of one run */
    size_t state[N_STATES], hosts;
    uint64_t samples;
};

static int count(struct store *store, const struct run *run, struct tally *ret, struct err *err)
{
    struct trial_list trials CLEAN_DONE(trial_list) = {0};
    if (store_trials(store, run->id, &trials, err) != 0) {
        return -1;
    }
    *ret = (struct tally){.hosts = trials.n};
    for (size_t i = 0; i < trials.n; i++) {
        ret->state[trials.v[i]->state]++;
        ret->samples += trials.v[i]->stored_seq;
    }
    return 0;
}

static void put_json(struct jot *jot, const struct run *run, const struct tally *tally)
{
    char created[32], ended[32];
    clk_iso(run->created_wall_us, created);
    clk_iso(run->ended_wall_us, ended);
    jot_open(jot, NULL, '{');
    jot_text(jot, "experiment", run->experiment);
    jot_int(jot, "run", run->number);
    jot_int(jot, "id", run->id);
    jot_text(jot, "state", run_state_name(run->state));
    jot_count(jot, "seed", study_seed(run));
    jot_text(jot, "created", created);
    jot_text(jot, "ended", run->ended_wall_us != 0 ? ended : NULL);
    jot_open(jot, "hosts", '{');
    for (int state = 0; state < N_STATES; state++) {
        jot_count(jot, trial_state_name((enum trial_state)state), tally->state[state]);
    }
    jot_close(jot, '{');
    jot_count(jot, "samples", tally->samples);
    jot_close(jot, '{');
}

/* "5 done, 1 lost" */
static char *states(const struct tally *tally)
{
    struct str out = {0};
    for (int state = 0; state < N_STATES; state++) {
        if (tally->state[state] > 0) {
            str_addf(&out, "%s%zu %s", out.length == 0 ? "" : ", ", tally->state[state],
                     trial_state_name((enum trial_state)state));
        }
    }
    if (out.length == 0) {
        str_add(&out, "no hosts");
    }
    return str_take(&out);
}

static char *full_name(const struct run *run)
{
    return mem_printf("%s@%" PRId64, run->experiment, run->number);
}

static void put_row(const struct page *page, const struct run *run, const struct tally *tally,
                    size_t columns)
{
    char when[NUM_SIZE];
    num_when(run->created_wall_us, when);
    CLEAN_MEM char *name = full_name(run);
    CLEAN_MEM char *shown = page_name(page, name, columns, true);
    CLEAN_MEM char *hosts = states(tally);
    fprintf(page->out, "%s  %-9s  %10" PRIu64 "  %-16s  %s\n", shown, run_state_name(run->state),
            tally->samples, when, hosts);
}

int query_runs(struct query_call *call, struct err *err)
{
    struct run_list runs CLEAN_DONE(run_list) = {0};
    uint64_t limit = UINT64_MAX;
    if (query_count(call, "limit", 1000000, &limit, err) != 0 ||
        store_runs(call->store, &runs, err) != 0) {
        return -1;
    }
    const char *only = query_text(call, "experiment");
    struct page page;
    page_init(&page, &call->style, call->out);
    struct jot jot CLEAN_DONE(jot) = {0};
    size_t columns = NAME_LEAST;
    for (size_t i = 0; i < runs.n; i++) {
        CLEAN_MEM char *name = full_name(runs.v[i]);
        size_t n = str_columns(name);
        columns = n > columns ? n : columns;
    }
    columns = columns > NAME_MOST ? NAME_MOST : columns;
    if (call->json) {
        jot_open(&jot, NULL, '{');
        jot_int(&jot, "schema", 1);
        jot_open(&jot, "runs", '[');
    } else if (!call->style.quiet) {
        fprintf(call->out, "%-*s  %-9s  %10s  %-16s  %s\n", (int)columns, "RUN", "STATE", "SAMPLES",
                "WHEN (UTC)", "HOSTS");
    }
    uint64_t shown = 0;
    for (size_t i = 0; i < runs.n && shown < limit; i++) {
        struct tally tally;
        if (only != NULL && !str_eq(only, runs.v[i]->experiment)) {
            continue;
        }
        shown++;
        if (count(call->store, runs.v[i], &tally, err) != 0) {
            return -1;
        }
        if (call->json) {
            put_json(&jot, runs.v[i], &tally);
        } else {
            put_row(&page, runs.v[i], &tally, columns);
        }
    }
    if (call->json) {
        jot_close(&jot, '[');
        jot_close(&jot, '{');
        fputs(str_get(&jot.text), call->out);
    }
    return 0;
}
