/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps of trials: changed in memory, stored, and only then told to the agent. What an order says
 * is taken from the trial when it leaves, so a step that overtook it makes it void.
 */
#include "coordinator/hall.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>

struct save {
    struct coord *coord;
    struct coord_trial *trial;
    struct trial row;
    enum trial_order order;
};

static void send_lease(struct coord *coord, struct coord_trial *trial)
{
    struct lease lease = {.run = trial->run->run->id,
                          .host = trial->host,
                          .epoch = trial->life.epoch,
                          .seed = trial->run->run->seed,
                          .next_seq = trial->account.stored_seq + 1,
                          .session = trial->life.session,
                          .first_round = trial->life.rounds_done,
                          .upto_round = trial->life.granted_upto,
                          .ttl_ns = lease_ttl(coord->leases),
                          .experiment = trial->run->run->spec};

    trial->lease_sent_ns = clk_mono_ns();
    if (!trial->first_lease_ns)
        trial->first_lease_ns = trial->lease_sent_ns;
    coord_send_agent(coord, trial->host, WIRE_LEASE, &lease);
}

static void send_extend(struct coord *coord, const struct coord_trial *trial)
{
    struct wire_extend extend = {.run = trial->run->run->id,
                                 .epoch = trial->life.epoch,
                                 .session = trial->life.session,
                                 .upto_round = trial->life.granted_upto};

    coord_send_agent(coord, trial->host, WIRE_EXTEND, &extend);
}

void coord_send_stop(struct coord *coord, const struct coord_trial *trial, bool now)
{
    struct wire_stop stop = {.run = trial->run->run->id,
                             .epoch = trial->life.epoch,
                             .kill_now = now,
                             .reason = (char *)trial->life.reason};

    coord_send_agent(coord, trial->host, WIRE_STOP, &stop);
}

static void carry_out(struct coord *coord, struct coord_trial *trial, const struct save *save)
{
    bool same = trial->life.epoch == save->row.epoch;

    if (coord->ending)
        return;
    switch (save->order) {
    case TRIAL_ORDER_LEASE:
        if (same && trial->life.state == TRIAL_STAGING)
            send_lease(coord, trial);
        break;
    case TRIAL_ORDER_EXTEND:
        if (same && !trial_state_is_end((enum trial_state)trial->life.state))
            send_extend(coord, trial);
        break;
    case TRIAL_ORDER_STOP:
    case TRIAL_ORDER_KILL:
        if (same)
            coord_send_stop(coord, trial, save->order == TRIAL_ORDER_KILL);
        lease_end(coord->leases, trial->host, trial->run->run->id);
        break;
    case TRIAL_ORDER_LOOK:
        coord_look(coord, trial);
        break;
    case TRIAL_ORDER_NOTHING:
        break;
    }
}

static int put_trial(struct store *store, void *arg, struct err *err)
{
    return store_trial_put(store, &((struct save *)arg)->row, err);
}

static void trial_put(void *arg, int result, const struct err *err)
{
    struct save *save = arg;

    if (result < 0) {
        log_err(LOG_ERROR, err, "step not stored, tried again run=%lld host=%s",
                (long long)save->row.run, save->row.host);
        save->trial->unsaved = true;
        if (save->order != TRIAL_ORDER_NOTHING)
            save->trial->owed = save->order;
    } else {
        carry_out(save->coord, save->trial, save);
    }
    mem_free(save->row.host);
    mem_free(save->row.reason);
    mem_free(save);
}

void coord_trial_row(const struct coord_trial *trial, struct trial *ret)
{
    *ret = (struct trial){.run = trial->run->run->id,
                          .host = mem_strdup(trial->host),
                          .state = (enum trial_state)trial->life.state,
                          .reason = mem_strdup(trial->life.reason),
                          .since_wall_us = trial->since_wall_us,
                          .epoch = trial->life.epoch,
                          .session = trial->life.session,
                          .rounds_done = trial->life.rounds_done,
                          .granted_upto = trial->life.granted_upto};
    memcpy(ret->facts, trial->facts, sizeof(ret->facts));
}

void coord_trial_save(struct coord *coord, struct coord_trial *trial, enum trial_order order)
{
    struct save *save = mem_new(struct save);

    save->coord = coord;
    save->trial = trial;
    save->order = order;
    coord_trial_row(trial, &save->row);
    trial->saves++;
    trial->unsaved = false;
    trial->owed = TRIAL_ORDER_NOTHING;
    writer_post(coord->writer, put_trial, save, trial_put);
}

void coord_step(struct coord *coord, struct coord_trial *trial, enum trial_event event,
                const struct trial_news *news)
{
    enum trial_state before = (enum trial_state)trial->life.state, after;
    enum trial_order order = TRIAL_ORDER_NOTHING;
    struct err err = {0};
    int result = trial_step(&trial->life, event, news, &order, &err);

    if (result < 0) {
        log_err(LOG_ERROR, &err, "step refused run=%lld host=%s", (long long)trial->run->run->id,
                trial->host);
        return;
    }
    if (result == TRIAL_IGNORED) {
        log_debug("ignored: %s run=%lld host=%s state=%s", trial_event_name(event),
                  (long long)trial->run->run->id, trial->host, trial_state_name(before));
        return;
    }
    after = (enum trial_state)trial->life.state;
    trial->account.epoch = trial->life.epoch;
    if (after != before) {
        trial->since_wall_us = clk_wall_us();
        trial->since_ns = clk_mono_ns();
        log_info("trial %s%s%s experiment=%s run=%lld host=%s", trial_state_name(after),
                 trial->life.reason[0] ? ": " : "", trial->life.reason, trial->run->run->experiment,
                 (long long)trial->run->run->number, trial->host);
    }
    /* counters of stored samples are the store's own, written with the samples */
    if (after != before || order != TRIAL_ORDER_NOTHING)
        coord_trial_save(coord, trial, order);
    if (after != before && (after == TRIAL_WAITING || after == TRIAL_FAILED) &&
        order == TRIAL_ORDER_NOTHING)
        lease_end(coord->leases, trial->host, trial->run->run->id);
}

static void check_counts(struct coord *coord, struct coord_trial *trial, int64_t now_ns)
{
    uint64_t from, to;

    if (!trial_missing(&trial->life, &from, &to) || !ingest_settled(&trial->account)) {
        trial->missing_since_ns = 0;
        return;
    }
    if (!trial->missing_since_ns)
        trial->missing_since_ns = now_ns;
    if (now_ns - trial->missing_since_ns > coord->options.lost_grace_ns) {
        CLEAN_MEM char *reason = mem_printf("samples %llu to %llu were taken and never arrived",
                                            (unsigned long long)from, (unsigned long long)to);

        coord_step(coord, trial, TRIAL_EV_MISSING, &(struct trial_news){.reason = reason});
    }
}

/* The agent's word that it is done was lost: all that was granted is stored, and nothing comes any
 * more. */
static void make_up_for_silence(struct coord *coord, struct coord_trial *trial, int64_t now_ns)
{
    bool idle = trial->life.state == TRIAL_RUNNING && !trial->life.taken_known &&
                trial->life.rounds_done >= trial->life.granted_upto &&
                ingest_settled(&trial->account);

    if (!idle)
        trial->idle_since_ns = 0;
    else if (!trial->idle_since_ns)
        trial->idle_since_ns = now_ns;
    else if (now_ns - trial->idle_since_ns > 3 * coord->options.heartbeat_ns)
        coord_step(coord, trial, TRIAL_EV_TAKEN,
                   &(struct trial_news){.seq = trial->life.stored_seq});
}

void coord_trial_review(struct coord *coord, struct coord_trial *trial, int64_t now_ns)
{
    const struct experiment *spec = trial->run->run->spec;

    if (trial->unsaved)
        coord_trial_save(coord, trial, trial->owed);
    make_up_for_silence(coord, trial, now_ns);
    if (trial_wants_look(&trial->life) && ingest_settled(&trial->account))
        coord_step(coord, trial, TRIAL_EV_LOOK, NULL);
    check_counts(coord, trial, now_ns);
    if (spec->budget_ns > 0 && trial->first_lease_ns && trial->life.state == TRIAL_RUNNING &&
        now_ns - trial->first_lease_ns > spec->budget_ns)
        coord_step(coord, trial, TRIAL_EV_ENOUGH,
                   &(struct trial_news){.reason = "its budget is used up"});
}
