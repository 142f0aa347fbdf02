/* SPDX-License-Identifier: GPL-3.0-or-later
 * Trials: the state of each host of a run. What a restart resumes from. */
#include "coordinator/store/backend/sqlite.h"

#include <string.h>

void trial_free(struct trial *trial)
{
    if (!trial)
        return;
    mem_free(trial->host);
    mem_free(trial->reason);
    mem_free(trial->epoch_name);
    mem_free(trial);
}

void trial_list_done(struct trial_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        trial_free(list->v[i]);
    mem_free(list->v);
    *list = (struct trial_list){0};
}

int store_trial_put(struct store *store, const struct trial *trial, struct err *err)
{
    CLEAN_DONE(sq) struct sq q = {0};

    if (sq_open(store,
                "UPDATE trial SET state = ?, reason = ?, since_us = ?, epoch = ?, session = ?, "
                "rounds_done = ?,"
                " granted_upto = ?, facts = ?, epoch_name = ? WHERE run = ? AND host_id = (SELECT "
                "id FROM host WHERE name = ?)",
                &q, err) < 0)
        return -1;
    sq_int(&q, (int64_t)trial->state);
    sq_text(&q, trial->reason ? trial->reason : "");
    sq_int(&q, trial->since_wall_us);
    sq_u64(&q, trial->epoch);
    sq_int(&q, trial->session);
    sq_int(&q, trial->rounds_done);
    sq_int(&q, trial->granted_upto);
    sq_text(&q, trial->facts[0] ? trial->facts : NULL);
    sq_text(&q, trial->epoch_name);
    sq_int(&q, trial->run);
    sq_text(&q, trial->host);
    if (sq_run(&q, err) < 0)
        return err_wrap(err, "trial of %s in run #%lld", trial->host, (long long)trial->run);
    if (sqlite3_changes(store->db) == 0)
        return err_set(err, ERR_NOT_FOUND, "no trial of host %s in run #%lld", trial->host,
                       (long long)trial->run);
    return 0;
}

static struct trial *read_row(const struct sq *q)
{
    struct trial *trial = mem_new(struct trial);
    const char *facts = sq_get_text(q, 9);

    trial->run = sq_get_int(q, 0);
    trial->host = mem_strdup(sq_get_text(q, 1));
    trial->state = (enum trial_state)sq_get_int(q, 2);
    trial->reason = mem_strdup(sq_get_text(q, 3));
    trial->since_wall_us = sq_get_int(q, 4);
    trial->epoch = sq_get_u64(q, 5);
    trial->stored_seq = sq_get_u64(q, 6);
    trial->session = (uint32_t)sq_get_int(q, 7);
    trial->rounds_done = (uint32_t)sq_get_int(q, 8);
    if (facts && strlen(facts) < sizeof trial->facts)
        memcpy(trial->facts, facts, strlen(facts) + 1);
    trial->granted_upto = (uint32_t)sq_get_int(q, 10);
    trial->epoch_name = mem_strdup(sq_get_text(q, 11));
    return trial;
}

int store_trials(struct store *store, int64_t run, struct trial_list *ret, struct err *err)
{
    CLEAN_DONE(trial_list) struct trial_list list = {0};
    CLEAN_DONE(sq) struct sq q = {0};
    int rc = 0;

    if (sq_open(store,
                "SELECT t.run, h.name, t.state, t.reason, t.since_us, t.epoch, t.stored_seq, "
                "t.session, t.rounds_done, t.facts,"
                " t.granted_upto, t.epoch_name FROM trial t JOIN host h ON h.id = t.host_id WHERE "
                "t.run = ? ORDER BY h.name",
                &q, err) < 0)
        return -1;
    sq_int(&q, run);
    while ((rc = sq_step(&q, err)) > 0) {
        list.v = mem_grow(list.v, &list.cap, list.n + 1, sizeof *list.v);
        list.v[list.n++] = read_row(&q);
    }
    if (rc < 0)
        return -1;
    *ret = list;
    memset(&list, 0, sizeof list);
    return 0;
}
