/* SPDX-License-Identifier: GPL-3.0-or-later
 * Lease, trial and ingest together as pure functions, played through random histories of lost,
 * repeated and reordered messages, slow commits, and crashes of either side. Every sample taken
 * must end in exactly one of: stored once, put aside, gone with the agent's disk; and what an agent
 * trimmed is never lost. A failing history prints its seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "coordinator/ingest/ingest.h"
#include "coordinator/lease/lease.h"
#include "coordinator/trial/trial.h"

enum { HISTORIES = 20000, STEPS = 120, SAMPLES = 512, FLIGHT = 64, BATCH = 8, RUN = 1 };

struct batch {
    uint64_t epoch, first;
    size_t n;
    int id[BATCH];
};
struct ack {
    uint64_t epoch, seq;
};
#define MUST(w, condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("history of seed %llu: %s", (unsigned long long)(w)->seed, #condition);       \
    } while (0)

struct world {
    uint64_t seed;
    struct rng rng;
    int64_t now;
    /* the agent and its spool: samples trimmed < seq <= taken under epoch; epoch 0: no lease */
    uint64_t epoch, trimmed, taken;
    int spool[SAMPLES]; /* by seq: identity of the sample */
    /* messages on their way */
    struct batch to_coord[FLIGHT];
    struct ack to_agent[FLIGHT];
    size_t n_to_coord, n_to_agent;
    /* the coordinator's memory */
    struct trial_life life;
    struct ingest_account account;
    struct lease_book *leases;
    struct batch posted[FLIGHT];
    size_t n_posted;
    /* the store */
    uint64_t stored_epoch, stored_seq;
    int stored[SAMPLES];
    /* the ledger of identities */
    int n_samples;
    struct {
        uint64_t epoch;
        unsigned stored, aside, trimmed, gone;
    } sample[SAMPLES * 4];
};

static uint64_t draw(struct world *w, uint64_t bound)
{
    return rng_below(&w->rng, bound);
}

static void step(struct world *w, enum trial_event event, struct trial_news news)
{
    enum trial_order order;
    struct err err = {0};

    if (trial_step(&w->life, event, &news, &order, &err) < 0)
        fail_msg("%s", err.text);
}

static void take_sample(struct world *w)
{
    if (!w->epoch || w->taken + 1 >= SAMPLES || w->n_samples >= SAMPLES * 4)
        return;
    w->sample[w->n_samples].epoch = w->epoch;
    w->spool[++w->taken] = w->n_samples++;
}

static void put_in_flight(struct world *w, const struct batch *batch)
{
    if (w->n_to_coord < FLIGHT)
        w->to_coord[w->n_to_coord++] = *batch;
}

/* Sends any stretch of the spool: an agent may repeat itself at will. */
static void send_batch(struct world *w)
{
    struct batch batch = {.epoch = w->epoch};
    uint64_t have = w->taken - w->trimmed;

    if (!w->epoch || have == 0)
        return;
    batch.first = w->trimmed + 1 + (draw(w, 3) ? 0 : draw(w, have));
    batch.n = 1 + (size_t)draw(w, BATCH);
    if (batch.n > w->taken - batch.first + 1)
        batch.n = (size_t)(w->taken - batch.first + 1);
    for (size_t i = 0; i < batch.n; i++)
        batch.id[i] = w->spool[batch.first + i];
    put_in_flight(w, &batch);
}

static void send_ack(struct world *w, uint64_t epoch, uint64_t seq)
{
    if (w->n_to_agent < FLIGHT)
        w->to_agent[w->n_to_agent++] = (struct ack){epoch, seq};
}

/* Any message may arrive next; it may also be lost, or stay to arrive again. */
static void deliver_batch(struct world *w)
{
    size_t i;
    struct batch batch;
    enum ingest_verdict verdict;

    if (w->n_to_coord == 0)
        return;
    i = (size_t)draw(w, w->n_to_coord);
    batch = w->to_coord[i];
    if (draw(w, 8) != 0)
        w->to_coord[i] = w->to_coord[--w->n_to_coord];
    if (draw(w, 6) == 0 || w->n_posted == FLIGHT)
        return;
    verdict = ingest_judge(&w->account, batch.epoch, batch.first, batch.n);
    ingest_take(&w->account, verdict, batch.first, batch.n);
    if (verdict == INGEST_STORE || verdict == INGEST_OLD_EPOCH)
        w->posted[w->n_posted++] = batch;
    else
        send_ack(w, batch.epoch, w->account.stored_seq);
}

static void deliver_ack(struct world *w)
{
    size_t i;
    struct ack ack;

    if (w->n_to_agent == 0)
        return;
    i = (size_t)draw(w, w->n_to_agent);
    ack = w->to_agent[i];
    w->to_agent[i] = w->to_agent[--w->n_to_agent];
    if (draw(w, 6) == 0 || ack.epoch != w->epoch || ack.seq > w->taken)
        return;
    while (w->trimmed < ack.seq)
        w->sample[w->spool[++w->trimmed]].trimmed = 1;
}

/* What store_frame_put promises, on the model of the store. */
static int store_put(struct world *w, const struct batch *batch)
{
    if (batch->epoch < w->stored_epoch) {
        for (size_t i = 0; i < batch->n; i++)
            w->sample[batch->id[i]].aside = 1;
        return 1;
    }
    if (batch->first > w->stored_seq + 1)
        return -1;
    for (size_t i = 0; i < batch->n; i++) {
        uint64_t seq = batch->first + i;

        if (seq <= w->stored_seq)
            continue;
        w->stored[seq] = batch->id[i];
        w->sample[batch->id[i]].stored++;
        w->stored_seq = seq;
    }
    return 0;
}

static void commit_one(struct world *w)
{
    struct batch batch;
    int result;

    if (w->n_posted == 0)
        return;
    batch = w->posted[0];
    memmove(w->posted, w->posted + 1, --w->n_posted * sizeof(batch));
    result = draw(w, 20) == 0 ? -1 : store_put(w, &batch); /* a full disk now and then */
    if (result < 0) {
        ingest_abort(&w->account);
        return;
    }
    if (result == 1) {
        send_ack(w, batch.epoch, batch.first + batch.n - 1);
        return;
    }
    ingest_commit(&w->account, w->stored_seq);
    step(w, TRIAL_EV_STORED, (struct trial_news){.seq = w->stored_seq});
    send_ack(w, batch.epoch, w->stored_seq);
}

static void coordinator_crash(struct world *w)
{
    w->n_posted = 0;
    w->account = (struct ingest_account){
        .epoch = w->stored_epoch, .stored_seq = w->stored_seq, .posted_seq = w->stored_seq};
    w->life = (struct trial_life){.state = w->stored_epoch ? TRIAL_RUNNING : TRIAL_WAITING,
                                  .epoch = w->stored_epoch,
                                  .n_sessions = 1,
                                  .granted_upto = 1,
                                  .stored_seq = w->stored_seq,
                                  .taken_seq = w->stored_seq};
    lease_book_free(w->leases);
    w->leases = lease_book_new(1000);
}

static void spool_is_gone(struct world *w)
{
    for (uint64_t seq = w->trimmed + 1; seq <= w->taken; seq++)
        w->sample[w->spool[seq]].gone = 1;
    w->epoch = 0;
}

static void agent_hello(struct world *w)
{
    struct err err = {0};

    if (w->epoch && w->epoch == w->life.epoch &&
        lease_resume(w->leases, "n1", RUN, w->epoch, w->now, &err) == 0) {
        step(w, TRIAL_EV_BACK, (struct trial_news){.seq = w->taken});
        if (w->account.stored_seq <= w->taken) {
            while (w->trimmed < w->account.stored_seq)
                w->sample[w->spool[++w->trimmed]].trimmed = 1;
        }
        return;
    }
    if (w->epoch)
        spool_is_gone(
            w); /* told to drop an outdated lease: what was not stored is reported as gone */
    step(w, TRIAL_EV_BACK_EMPTY, (struct trial_news){.seq = 0});
    lease_end(w->leases, "n1", RUN);
}

static void grant(struct world *w)
{
    struct err err = {0};
    uint64_t epoch = w->life.epoch + 1;

    if (w->life.state != TRIAL_WAITING || !ingest_settled(&w->account) || w->n_posted > 0 ||
        lease_grant(w->leases, "n1", RUN, epoch, w->now, &err) != 0)
        return;
    step(w, TRIAL_EV_GRANT, (struct trial_news){.epoch = epoch, .upto = w->life.rounds_done + 1});
    w->account.epoch = w->stored_epoch = epoch; /* stored before it is sent … */
    if (draw(w, 5) == 0)
        return; /* … and lost on the way */
    if (w->epoch)
        spool_is_gone(w);
    w->epoch = epoch;
    w->trimmed = w->taken = w->account.stored_seq;
    step(w, TRIAL_EV_STARTED, (struct trial_news){.seq = 0});
}

static void check(const struct world *w)
{
    uint64_t epoch = 0;

    MUST(w, w->account.stored_seq <= w->stored_seq);
    MUST(w, w->life.stored_seq <= w->stored_seq);
    for (uint64_t seq = 1; seq <= w->stored_seq; seq++) {
        MUST(w, w->sample[w->stored[seq]].stored == 1);
        MUST(w, w->sample[w->stored[seq]].epoch >= epoch); /* epochs are never mixed backwards */
        epoch = w->sample[w->stored[seq]].epoch;
    }
    for (int i = 0; i < w->n_samples; i++) {
        MUST(w, w->sample[i].stored <= 1);
        if (w->sample[i].trimmed)
            MUST(w, w->sample[i].stored || w->sample[i].aside);
    }
}

/* The network heals, the agent comes back: everything must be accounted for. */
static void settle(struct world *w)
{
    for (int i = 0; i < 2000; i++) {
        if (w->epoch == w->life.epoch && w->trimmed == w->taken && w->n_posted == 0)
            break;
        agent_hello(w);
        send_batch(w);
        deliver_batch(w);
        commit_one(w);
        deliver_ack(w);
        if (!w->epoch)
            break;
    }
    while (w->n_posted > 0)
        commit_one(w);
    for (int i = 0; i < w->n_samples; i++) {
        if (!w->sample[i].stored && !w->sample[i].aside && !w->sample[i].gone)
            fail_msg("history of seed %llu: sample %d of epoch %llu is nowhere",
                     (unsigned long long)w->seed, i, (unsigned long long)w->sample[i].epoch);
    }
}

static void play(struct world *w, uint64_t seed)
{
    memset(w, 0, sizeof(*w));
    w->seed = seed;
    rng_seed(&w->rng, seed);
    w->leases = lease_book_new(1000);
    w->life = (struct trial_life){.state = TRIAL_WAITING, .n_sessions = 1};
    for (int i = 0; i < STEPS; i++) {
        w->now += (int64_t)draw(w, 20);
        switch (draw(w, 14)) {
        case 0:
        case 1:
        case 2:
            take_sample(w);
            break;
        case 3:
        case 4:
            send_batch(w);
            break;
        case 5:
        case 6:
            deliver_batch(w);
            break;
        case 7:
        case 8:
            commit_one(w);
            break;
        case 9:
            deliver_ack(w);
            break;
        case 10:
            if (draw(w, 4) == 0)
                coordinator_crash(w);
            break;
        case 11:
            if (draw(w, 8) == 0)
                spool_is_gone(w);
            else if (draw(w, 4) == 0)
                step(w, TRIAL_EV_SILENT, (struct trial_news){.reason = "silent"});
            break;
        case 12:
            agent_hello(w);
            break;
        default:
            grant(w);
        }
    }
    check(w);
    settle(w);
    check(w);
    lease_book_free(w->leases);
}

static void every_sample_ends_in_exactly_one_place(void **state)
{
    (void)state;
    static struct world world;
    uint64_t stored = 0, aside = 0, duplicates = 0;

    for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
        play(&world, seed);
        stored += world.stored_seq;
        aside += world.account.put_aside;
        duplicates += world.account.duplicates;
    }
    /* the histories did meet what they are about */
    print_message("stored %llu, put aside %llu, duplicates %llu\n", (unsigned long long)stored,
                  (unsigned long long)aside, (unsigned long long)duplicates);
    assert_true(stored > HISTORIES && aside > 100 && duplicates > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_sample_ends_in_exactly_one_place)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
