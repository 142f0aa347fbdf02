/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From an agent's batch to its acknowledgement: judged by numbers, stored together with the rounds
 * it completes, acknowledged after the commit.
 */
#include "coordinator/hall.h"

#include <string.h>

#include "base/log.h"

struct ingest {
    struct coord *coord;
    struct coord_trial *trial;
    struct wire_batch *batch;
    struct trial row; /* the trial as it is with this batch; not written for an old epoch */
    unsigned saves;   /* of the trial when this was posted */
    bool aside;       /* put in quarantine */
    uint64_t high;
};

static void send_ack(struct coord *coord, const struct coord_trial *trial, uint64_t epoch,
                     uint64_t seq)
{
    struct wire_ack ack = {.run = trial->run->run->id, .epoch = epoch, .stored_seq = seq};

    coord_send_agent(coord, trial->host, WIRE_ACK, &ack);
}

static int put_batch(struct store *store, void *arg, struct err *err)
{
    struct ingest *ingest = arg;
    const struct wire_batch *batch = ingest->batch;

    if (store_frame_put(store, batch->run, ingest->trial->host, batch->epoch, batch->frame,
                        &ingest->high, err) < 0) {
        if (err->code != ERR_AUTH)
            return -1;
        ingest->aside = true; /* kept where nothing is judged: that is to be committed */
        return 0;
    }
    for (size_t i = 0; i < batch->n_outputs; i++) {
        if (store_output_put(store, batch->run, ingest->trial->host, batch->output[i].seq,
                             batch->output[i].text, strlen(batch->output[i].text), err) < 0)
            return -1;
    }
    return ingest->row.host ? store_trial_put(store, &ingest->row, err) : 0;
}

static void ingest_free(struct ingest *ingest)
{
    wire_batch_free(ingest->batch);
    mem_free(ingest->row.host);
    mem_free(ingest->row.reason);
    mem_free(ingest);
}

static void batch_put(void *arg, int result, const struct err *err)
{
    struct ingest *ingest = arg;
    struct coord *coord = ingest->coord;
    struct coord_trial *trial = ingest->trial;
    const struct wire_batch *batch = ingest->batch;

    if (result < 0) {
        log_err(LOG_ERROR, err, "batch not stored, the agent sends it again run=%lld host=%s",
                (long long)batch->run, trial->host);
        ingest_abort(&trial->account);
    } else if (ingest->aside) {
        log_warn("samples of an earlier lease put aside run=%lld host=%s epoch=%llu samples=%zu",
                 (long long)batch->run, trial->host, (unsigned long long)batch->epoch,
                 batch->frame->n);
        send_ack(coord, trial, batch->epoch, batch->frame->first_seq + batch->frame->n - 1);
    } else {
        trial->run->samples_since_open += ingest->high - trial->account.stored_seq;
        ingest_commit(&trial->account, ingest->high);
        coord_step(coord, trial, TRIAL_EV_STORED,
                   &(struct trial_news){.seq = ingest->high,
                                        .rounds_done = batch->rounds_done,
                                        .session = batch->session});
        if (trial->saves !=
            ingest->saves) /* a step stored meanwhile did not know of these rounds */
            coord_trial_save(coord, trial, TRIAL_ORDER_NOTHING);
        send_ack(coord, trial, batch->epoch, ingest->high);
        (void)lease_renew(coord->leases, trial->host, batch->run, batch->epoch, clk_mono_ns(), 0);
        coord_trial_review(coord, trial, clk_mono_ns());
    }
    ingest_free(ingest);
}

static void post(struct coord *coord, struct coord_trial *trial, struct wire_batch **batch,
                 bool valid)
{
    struct ingest *ingest = mem_new(struct ingest);

    ingest->coord = coord;
    ingest->trial = trial;
    ingest->batch = mem_steal(batch);
    ingest->saves = trial->saves;
    if (valid) {
        coord_trial_row(trial, &ingest->row);
        if (ingest->batch->session == trial->life.session &&
            ingest->batch->rounds_done > ingest->row.rounds_done)
            ingest->row.rounds_done = ingest->batch->rounds_done;
    }
    writer_post(coord->writer, put_batch, ingest, batch_put);
}

void coord_ingest(struct coord *coord, struct coord_trial *trial, struct wire_batch **batch)
{
    const struct frame *frame = (*batch)->frame;
    enum ingest_verdict verdict;
    struct err err = {0};

    if (ingest_check_frame(frame, trial->run->run->spec, &err) < 0) {
        log_err(LOG_WARN, &err, "batch refused run=%lld host=%s", (long long)(*batch)->run,
                trial->host);
        return;
    }
    verdict = ingest_judge(&trial->account, (*batch)->epoch, frame->first_seq, frame->n);
    ingest_take(&trial->account, verdict, frame->first_seq, frame->n);
    switch (verdict) {
    case INGEST_STORE:
        post(coord, trial, batch, true);
        break;
    case INGEST_OLD_EPOCH:
        post(coord, trial, batch, false);
        break;
    case INGEST_DUPLICATE:
    case INGEST_GAP:
        send_ack(coord, trial, (*batch)->epoch, trial->account.stored_seq);
        break;
    }
}
