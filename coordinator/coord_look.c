/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks of the stop rule: a desk reads one host's samples and asks analysis/stop.h; the answer is a
 * step of the trial. The budget and the number of sittings have their say here too.
 */
#include "coordinator/hall.h"

#include <stdint.h>
#include <string.h>

#include "analysis/stop.h"
#include "base/log.h"

struct look {
    struct desk_job job;
    struct coord *coord;
    struct coord_trial *trial; /* not touched by the desk */
    int64_t run;
    char *host;
    uint32_t rounds, session;
    enum sequential_decision decision;
    struct err err;
};

static int decide(struct look *look, struct store *store)
{
    CLEAN(run) struct run *run = NULL;
    CLEAN(frame) struct frame *frame = NULL;
    CLEAN_MEM const char **variant = NULL;
    CLEAN_MEM const char **factor = NULL;
    struct judge_options options = {.control = SIZE_MAX};
    const struct experiment *spec;

    if (store_run_get(store, look->run, &run, &look->err) < 0 ||
        store_frame_get(store, look->run, look->host, &frame, &look->err) < 0)
        return -1;
    spec = run->spec;
    variant = mem_array(const char *, spec->n_variants);
    factor = mem_array(const char *, spec->n_factors);
    for (size_t i = 0; i < spec->n_variants; i++) {
        variant[i] = spec->variant[i].name;
        if (spec->variant[i].is_control)
            options.control = i;
    }
    for (size_t i = 0; i < spec->n_factors; i++)
        factor[i] = spec->factor[i].name;
    for (size_t i = 0; i < spec->n_metric_defs; i++) {
        if (str_eq(spec->metric_def[i].name, spec->metric))
            options.higher_is_better = spec->metric_def[i].higher_is_better;
    }
    options.experiment = run->experiment;
    options.alpha = spec->alpha;
    options.min_effect = spec->min_effect;
    options.metric = spec->metric;
    options.variant = variant;
    options.n_variants = spec->n_variants;
    options.factor = factor;
    options.n_factors = spec->n_factors;
    options.aa = run->aa;
    options.look_min = run->look_min;
    options.look_max = run->look_max;
    look->decision = stop_rule(frame, &options);
    return 0;
}

static void work(struct desk_job *job, struct store *store)
{
    struct look *look = (struct look *)job;

    if (decide(look, store) < 0)
        look->decision = SEQUENTIAL_CONTINUE;
}

static void look_free(struct look *look)
{
    mem_free(look->host);
    mem_free(look);
}

static void drop(struct desk_job *job)
{
    look_free((struct look *)job);
}

static void enough(struct coord *coord, struct coord_trial *trial)
{
    if (trial->life.session + 1 < trial->life.n_sessions)
        coord_step(coord, trial, TRIAL_EV_NEXT_SITTING, NULL);
    else
        coord_step(coord, trial, TRIAL_EV_ENOUGH, &(struct trial_news){.reason = ""});
}

static void done(struct desk_job *job)
{
    struct look *look = (struct look *)job;
    struct coord *coord = look->coord;
    struct coord_trial *trial = look->trial;
    const struct coord_run *run = trial->run;
    uint32_t next = plan_next_look(run->look, run->n_looks, look->rounds);

    trial->look_asked = false;
    if (look->err.code != ERR_NONE)
        log_err(LOG_ERROR, &look->err, "no look, going on run=%lld host=%s", (long long)look->run,
                trial->host);
    if (trial->life.session == look->session && trial->life.rounds_done == look->rounds) {
        trial->looked_rounds = look->rounds;
        if (look->decision != SEQUENTIAL_CONTINUE || next == 0)
            enough(coord, trial);
        else
            coord_step(coord, trial, TRIAL_EV_GO_ON, &(struct trial_news){.upto = next});
    }
    coord_trial_review(coord, trial, clk_mono_ns());
    coord_grant_all(coord);
    look_free(look);
}

void coord_look(struct coord *coord, struct coord_trial *trial)
{
    struct look *look;

    if (trial->look_asked || coord->ending)
        return;
    look = mem_new(struct look);
    look->job = (struct desk_job){.work = work, .done = done, .drop = drop};
    look->coord = coord;
    look->trial = trial;
    look->run = trial->run->run->id;
    look->host = mem_strdup(trial->host);
    look->rounds = trial->life.rounds_done;
    look->session = trial->life.session;
    trial->look_asked = true;
    desk_post(coord->looks, &look->job);
}
