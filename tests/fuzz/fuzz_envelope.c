/* SPDX-License-Identifier: GPL-3.0-or-later
 * Whole frames as they come from a socket: what wire_peek saw is what is read. */
#include "fuzz.h"

#include "proto/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const enum wire_kind kind = wire_peek(data, size);
    struct wire_message *message = NULL;
    struct err err = {0};
    const int result = wire_decode(data, size, &message, &err);

    FUZZ_HOLDS((result == 0) == (message != NULL));
    FUZZ_HOLDS(result != 0 || message->kind == kind);
    FUZZ_HOLDS(result <= 0 || wire_kind_name(kind) == NULL);
    wire_message_free(message);
    return 0;
}
