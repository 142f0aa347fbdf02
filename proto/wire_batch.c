/* SPDX-License-Identifier: GPL-3.0-or-later
 * Batches: a frame, and what failed samples printed. Whether the run, its epoch and its numbers fit
 * is ingest's to say. */
#include "wire.h"

#include "agent.pb-c.h"
#include "wire_frame.h"

#include <string.h>

void wire_batch_free(struct wire_batch *batch)
{
    if (!batch)
        return;
    frame_free(batch->frame);
    for (size_t i = 0; i < batch->n_outputs; i++)
        mem_free(batch->output[i].text);
    mem_free(batch->output);
    mem_free(batch);
}

void wire_batch_pack(const struct wire_batch *batch, struct str *ret)
{
    CLEAN_DONE(wire_frame) struct wire_frame frame = {0};
    CLEAN_MEM Muster__FailedOutput *output = mem_array(Muster__FailedOutput, batch->n_outputs);
    CLEAN_MEM Muster__FailedOutput **outputs = mem_array(Muster__FailedOutput *, batch->n_outputs);
    Muster__Batch pb = MUSTER__BATCH__INIT;

    pb.run = batch->run;
    pb.epoch = batch->epoch;
    if (batch->frame) {
        wire_frame_init(&frame, batch->frame);
        pb.frame = &frame.pb;
    }
    for (size_t i = 0; i < batch->n_outputs; i++) {
        char *text = wire_borrow(batch->output[i].text);

        muster__failed_output__init(&output[i]);
        output[i].seq = batch->output[i].seq;
        output[i].text =
            (ProtobufCBinaryData){strnlen(text, LIMIT_OUTPUT_ON_FAILURE), (uint8_t *)text};
        outputs[i] = &output[i];
    }
    pb.output = outputs;
    pb.n_output = batch->n_outputs;
    pb.rounds_done = batch->rounds_done;
    pb.session = batch->session;
    wire_pb_pack(&pb.base, ret);
}

static int check_frame(const struct frame *frame, struct err *err)
{
    for (size_t i = 0; i < frame->n; i++)
        if (frame->variant[i] > LIMIT_VARIANTS || frame->cell[i] >= LIMIT_CELLS ||
            frame->session[i] >= LIMIT_SESSIONS)
            return err_set(err, ERR_LIMIT, "batch: sample %llu is of no variant, cell or session",
                           (unsigned long long)(frame->first_seq + i));
    return 0;
}

static int read_outputs(const Muster__Batch *pb, struct wire_batch *batch, struct err *err)
{
    const struct frame *frame = batch->frame;

    if (wire_at_most(pb->n_output, frame->n, "batch: outputs", err) < 0)
        return -1;
    batch->output = mem_alloc(pb->n_output, sizeof *batch->output);
    for (size_t i = 0; i < pb->n_output; i++) {
        const Muster__FailedOutput *output = pb->output[i];

        if (wire_at_most(output->text.len, LIMIT_OUTPUT_ON_FAILURE, "batch: output", err) < 0)
            return -1;
        if (output->seq < frame->first_seq || output->seq - frame->first_seq >= frame->n)
            return err_set(err, ERR_PROTO, "batch: output of a sample that is not in it");
        batch->output[i].seq = output->seq;
        batch->output[i].text =
            wire_clean(output->text.data, output->text.len, LIMIT_OUTPUT_ON_FAILURE, true);
        batch->n_outputs++;
    }
    return 0;
}

int wire_batch_unpack(const void *bytes, size_t length, struct wire_batch **ret, struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};
    CLEAN(wire_batch) struct wire_batch *batch = mem_new(struct wire_batch);

    if (wire_pool_unpack(&pool, &muster__batch__descriptor, bytes, length, LIMIT_SAMPLE_FRAME,
                         err) < 0)
        return -1;
    const Muster__Batch *pb = (const Muster__Batch *)pool.message;
    if (!pb->frame)
        return err_set(err, ERR_PROTO, "batch: no frame");
    if (pb->run < 1 || pb->epoch < 1)
        return err_set(err, ERR_PROTO, "batch: run and epoch begin at 1");
    if (wire_frame_read(pb->frame, &batch->frame, err) < 0 || check_frame(batch->frame, err) < 0 ||
        read_outputs(pb, batch, err) < 0 ||
        wire_at_most(pb->session, LIMIT_SESSIONS, "batch: session", err) < 0)
        return -1;
    batch->run = pb->run;
    batch->epoch = pb->epoch;
    batch->rounds_done = pb->rounds_done;
    batch->session = pb->session;
    *ret = mem_steal(&batch);
    return 0;
}
