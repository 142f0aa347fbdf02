/* SPDX-License-Identifier: GPL-3.0-or-later
 * Frame blobs of the store: what can be read packs to bytes that read as the same frame. */
#include "fuzz.h"

#include "proto/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct frame *frame = NULL, *again = NULL;
    struct str bytes = {0};
    struct err err = {0};

    if (wire_frame_unpack(data, size, &frame, &err) == 0) {
        wire_frame_pack(frame, &bytes);
        FUZZ_HOLDS(wire_frame_unpack(bytes.text, bytes.length, &again, &err) == 0);
        FUZZ_HOLDS(frame_equal(frame, again));
        frame_append(frame, again);
        FUZZ_HOLDS(frame->n == 2 * again->n);
    }
    frame_free(frame);
    frame_free(again);
    str_done(&bytes);
    return 0;
}
