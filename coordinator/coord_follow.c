/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Followers of runs: a line of progress a second, the end when it comes. A follower that takes no
 * message is dropped; what it missed is in the store.
 */
#include "coordinator/hall.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/log.h"

#define PERIOD_NS (CLK_NS_PER_S / 2)

/* Blocks that a host may still need: up to the maximum while it runs, what it did once it ended. */
static void count_blocks(const struct coord_run *run, double *ret_done, double *ret_total)
{
    const struct experiment *spec = run->run->spec;

    *ret_done = *ret_total = 0;
    for (size_t i = 0; i < run->n_trials; i++) {
        const struct trial_life *life = &run->trial[i].life;
        double done = (double)life->session * spec->max_blocks + life->rounds_done;

        *ret_done += done;
        *ret_total += trial_state_is_end((enum trial_state)life->state)
                          ? done
                          : (double)spec->sessions * spec->max_blocks;
    }
}

static char *progress(const struct coord_run *run, int64_t now_ns)
{
    json_t *states = json_object(), *root;
    double done, total, seconds = (double)(now_ns - run->opened_ns) / 1e9, eta;
    uint64_t stored = 0;
    CLEAN_DONE(str) struct str reference = {0};
    char *text, *ret;

    coord_run_reference(run, &reference);
    count_blocks(run, &done, &total);
    for (size_t i = 0; i < run->n_trials; i++) {
        const char *name = trial_state_name((enum trial_state)run->trial[i].life.state);
        json_int_t count = json_integer_value(json_object_get(states, name));

        (void)json_object_set_new(states, name, json_integer(count + 1));
        stored += run->trial[i].life.stored_seq;
    }
    eta = done > 0 && seconds > 0 ? (total - done) * seconds / done : (double)NAN;
    root = json_pack(
        "{s:s, s:s, s:I, s:f, s:f, s:I, s:f, s:o}", "run", str_get(&reference), "state",
        run_state_name(run->run->state), "hosts_total", (json_int_t)run->n_trials, "blocks_done",
        done, "blocks_total", total, "samples", (json_int_t)stored, "samples_per_s",
        seconds > 0 ? (double)run->samples_since_open / seconds : 0.0, "hosts", states);
    (void)json_object_set_new(root, "eta_s",
                              isfinite(eta) && run->open ? json_real(eta) : json_null());
    text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    ret = mem_strdup(text ? text : "{}");
    free(text);
    return ret;
}

static bool tell(struct coord *coord, const struct coord_follower *follower,
                 const struct coord_run *run, bool last)
{
    CLEAN_MEM char *json = progress(run, clk_mono_ns());
    CLEAN_DONE(str) struct str bytes = {0};
    struct err err = {0};
    struct wire_reply body = {.id = follower->request, .last = last, .progress = json};

    if (wire_encode(WIRE_REPLY, &body, &bytes, &err) < 0) {
        log_err(LOG_ERROR, &err, "progress not encoded");
        return false;
    }
    return chan_send(coord->users, &follower->peer, bytes.text, bytes.length, &err) == 0;
}

static void drop(struct coord *coord, size_t i)
{
    coord->follower[i] = coord->follower[--coord->n_followers];
}

void coord_follow(struct coord *coord, const struct coord_asker *asker, const char *key,
                  const struct wire_request *request)
{
    const char *reference = strmap_get(&request->arg, "run");
    struct coord_follower follower = {.peer = asker->peer, .request = asker->request};
    CLEAN(run) struct run *row = NULL;
    struct coord_run *run;
    struct err err = {0};

    if (!reference) {
        (void)err_set(&err, ERR_USAGE, "which run?");
        coord_reply_error(coord, asker, &err);
        return;
    }
    if (store_run_find(coord->store, reference, &row, &err) < 0 ||
        !(run = coord_run_get(coord, row->id, &err))) {
        coord_reply_error(coord, asker, &err);
        return;
    }
    (void)snprintf(follower.key, sizeof(follower.key), "%s", key);
    follower.run = row->id;
    if (!tell(coord, &follower, run, !run->open) || !run->open)
        return;
    coord->follower = mem_grow(coord->follower, &coord->followers_cap, coord->n_followers + 1,
                               sizeof(*coord->follower));
    coord->follower[coord->n_followers++] = follower;
}

void coord_follow_tick(struct coord *coord, int64_t now_ns)
{
    if (now_ns - coord->followed_ns < PERIOD_NS)
        return;
    coord->followed_ns = now_ns;
    for (size_t i = coord->n_followers; i-- > 0;) {
        struct coord_run *run = coord_run_get(coord, coord->follower[i].run, NULL);

        if (!run || !coord_key(coord, coord->follower[i].key) ||
            !tell(coord, &coord->follower[i], run, false))
            drop(coord, i);
    }
}

void coord_follow_end(struct coord *coord, const struct coord_run *run)
{
    for (size_t i = coord->n_followers; i-- > 0;) {
        if (coord->follower[i].run != run->run->id)
            continue;
        (void)tell(coord, &coord->follower[i], run, true);
        drop(coord, i);
    }
}
