/* SPDX-License-Identifier: GPL-3.0-or-later
 * One message kind (FUZZ_KIND, a number of enum wire_kind): the input is its body. What can be read
 * can be sent and read again, and is the same bytes then. */
#include "fuzz.h"

#include <string.h>

#include "proto/wire.h"

static void put_varint(struct str *s, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        str_addc(s, (char)(value | 0x80));
    str_addc(s, (char)value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wire_message *first = NULL, *second = NULL;
    struct str bytes = {0}, once = {0}, twice = {0};
    struct err err = {0};

    put_varint(&bytes, 1 << 3);
    put_varint(&bytes, FUZZ_KIND);
    put_varint(&bytes, 2 << 3 | 2);
    put_varint(&bytes, size);
    str_add_bytes(&bytes, data, size);
    FUZZ_HOLDS(wire_peek(bytes.text, bytes.length) == FUZZ_KIND);
    const int result = wire_decode(bytes.text, bytes.length, &first, &err);
    FUZZ_HOLDS(result == 0 ||
               (result == -1 && (err.code == ERR_PROTO || err.code == ERR_LIMIT) && !first));
    if (result == 0) {
        FUZZ_HOLDS(wire_encode(FUZZ_KIND, first->as.hello, &once, &err) == 0);
        FUZZ_HOLDS(wire_decode(once.text, once.length, &second, &err) == 0);
        FUZZ_HOLDS(wire_encode(FUZZ_KIND, second->as.hello, &twice, &err) == 0);
        FUZZ_HOLDS(once.length == twice.length && memcmp(once.text, twice.text, once.length) == 0);
    }
    wire_message_free(first);
    wire_message_free(second);
    str_done(&bytes);
    str_done(&once);
    str_done(&twice);
    return 0;
}
