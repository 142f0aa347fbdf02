/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sample accounting as arithmetic on sequence numbers.
 */
#include "coordinator/ingest/ingest.h"

#include "model/limits.h"

#include <assert.h>

static const unsigned last_outcome = (unsigned)OUTCOME_CANCELLED;

enum ingest_verdict ingest_judge(const struct ingest_account *account, uint64_t epoch,
                                 uint64_t first_seq, size_t n)
{
    if (epoch != account->epoch)
        return INGEST_OLD_EPOCH;
    if (first_seq + n <= account->posted_seq + 1)
        return INGEST_DUPLICATE;
    if (first_seq > account->posted_seq + 1)
        return INGEST_GAP;
    return INGEST_STORE;
}

void ingest_take(struct ingest_account *account, enum ingest_verdict verdict, uint64_t first_seq,
                 size_t n)
{
    switch (verdict) {
    case INGEST_STORE:
        account->duplicates += account->posted_seq + 1 - first_seq;
        account->posted_seq = first_seq + n - 1;
        break;
    case INGEST_DUPLICATE:
        account->duplicates += n;
        break;
    case INGEST_OLD_EPOCH:
        account->put_aside += n;
        break;
    case INGEST_GAP:
        break;
    }
}

void ingest_commit(struct ingest_account *account, uint64_t high)
{
    if (high > account->stored_seq)
        account->stored_seq = high;
    if (account->posted_seq < account->stored_seq)
        account->posted_seq = account->stored_seq;
}

void ingest_abort(struct ingest_account *account)
{
    account->posted_seq = account->stored_seq;
}

bool ingest_settled(const struct ingest_account *account)
{
    assert(account->posted_seq >= account->stored_seq);
    return account->posted_seq == account->stored_seq;
}

int ingest_check_frame(const struct frame *frame, const struct experiment *experiment,
                       struct err *err)
{
    size_t cells = experiment_cells(experiment);

    if (frame->n == 0)
        return err_set(err, ERR_PROTO, "batch without samples");
    if (frame->n > LIMIT_BATCH_SAMPLES)
        return err_set(err, ERR_LIMIT, "batch of %zu samples, at most %d", frame->n,
                       LIMIT_BATCH_SAMPLES);
    if (frame->first_seq == 0 || frame->first_seq > UINT64_MAX / 2)
        return err_set(err, ERR_PROTO, "batch starts at number %llu",
                       (unsigned long long)frame->first_seq);
    for (size_t i = 0; i < frame->n; i++) {
        unsigned long long seq = frame->first_seq + i;

        if (frame->variant[i] >= experiment->n_variants)
            return err_set(err, ERR_PROTO, "sample %llu: variant %u of %zu", seq, frame->variant[i],
                           experiment->n_variants);
        if (frame->cell[i] >= cells)
            return err_set(err, ERR_PROTO, "sample %llu: cell %u of %zu", seq, frame->cell[i],
                           cells);
        if (frame->session[i] >= experiment->sessions)
            return err_set(err, ERR_PROTO, "sample %llu: sitting %u of %u", seq, frame->session[i],
                           experiment->sessions);
        if (frame->outcome[i] > last_outcome)
            return err_set(err, ERR_PROTO, "sample %llu: outcome %u", seq, frame->outcome[i]);
    }
    return 0;
}
