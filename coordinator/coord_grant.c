/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who gets to measure next: open runs in the order they came, every waiting host of them that is
 * here and free.
 */
#include "coordinator/hall.h"

#include "base/log.h"

/* A grant begins where the stop rule has answered: a host that fell silent at a look is looked at
 * first. */
static bool look_first(struct coord *coord, struct coord_trial *trial)
{
    const struct coord_run *run = trial->run;
    uint32_t rounds = trial->life.rounds_done;

    if (rounds == 0 || trial->looked_rounds == rounds)
        return false;
    if (!plan_is_look(run->look, run->n_looks, rounds) &&
        plan_next_look(run->look, run->n_looks, rounds) > 0)
        return false;
    coord_look(coord, trial);
    return true;
}

static void grant(struct coord *coord, struct coord_trial *trial, int64_t now_ns)
{
    struct coord_run *run = trial->run;
    uint64_t from, to;
    struct trial_news news = {.epoch = trial->life.epoch + 1,
                              .upto =
                                  plan_next_look(run->look, run->n_looks, trial->life.rounds_done)};
    struct err err = {0};
    int result;

    if (!ingest_settled(&trial->account) || trial_missing(&trial->life, &from, &to) ||
        trial->look_asked || trial->unsaved || look_first(coord, trial) || news.upto == 0)
        return;
    result = lease_grant(coord->leases, trial->host, run->run->id, news.epoch, now_ns, &err);
    if (result < 0)
        log_err(LOG_ERROR, &err, "no lease run=%lld host=%s", (long long)run->run->id, trial->host);
    if (result == 0)
        coord_step(coord, trial, TRIAL_EV_GRANT, &news);
}

void coord_grant_all(struct coord *coord)
{
    int64_t now_ns = clk_mono_ns();

    if (coord->space_low || coord->ending)
        return;
    for (size_t i = 0; i < coord->n_runs; i++) {
        struct coord_run *run = coord->run[i];

        if (!run->open || run->closing || run->cancelling)
            continue;
        for (size_t j = 0; j < run->n_trials; j++) {
            struct coord_trial *trial = &run->trial[j];
            const struct coord_member *member;

            if (trial->life.state != TRIAL_WAITING)
                continue;
            member = coord_member(coord, trial->host);
            if (member && member->host->connected && !plan_barred(member->host))
                grant(coord, trial, now_ns);
        }
    }
}
