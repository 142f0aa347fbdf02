/* SPDX-License-Identifier: GPL-3.0-or-later
 * The frame as a part of other generated messages (a batch). Private to proto/. */
#pragma once
#include "model/sample.h"
#include "wire_pb.h"

#include "frame.pb-c.h"

/* A generated frame over the arrays of a model frame, with the columns that had to be rewritten. */
struct wire_frame {
    Muster__Frame pb;
    Muster__NumberColumn *number;
    Muster__TextColumn *text;
};
/* Borrows from frame until wire_frame_done. */
void wire_frame_init(struct wire_frame *wire, const struct frame *frame);
void wire_frame_done(struct wire_frame *wire);
/* Checks every field and copies. */
MUST_CHECK int wire_frame_read(const Muster__Frame *pb, struct frame **ret, struct err *err);
