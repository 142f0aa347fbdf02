/* SPDX-License-Identifier: GPL-3.0-or-later
 * Damaged messages: cut at every length, flipped at every bit. Each is read as a message or refused
 * with a reason; what is read can be sent again. Meant for the sanitizers. */
#include "messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Decodes; a message that is still one must encode and decode again. */
static void offer(const void *bytes, size_t length)
{
    struct wire_message *message = NULL, *again = NULL;
    struct str encoded = {0};
    struct err err = {0};
    const int result = wire_decode(bytes, length, &message, &err);

    if (result != 0) {
        assert_null(message);
        if (result < 0) {
            assert_true(err.code == ERR_PROTO || err.code == ERR_LIMIT);
            assert_true(err.text[0] != '\0');
        } else {
            assert_int_equal(result, WIRE_UNKNOWN);
        }
        return;
    }
    if (wire_encode(message->kind, message->as.hello, &encoded, &err) < 0)
        fail_msg("%s", err.text);
    if (wire_decode(encoded.text, encoded.length, &again, &err) != 0)
        fail_msg("read, and not read again: %s", err.text);
    assert_int_equal(again->kind, message->kind);
    wire_message_free(message);
    wire_message_free(again);
    str_done(&encoded);
}

/* In memory of exactly its size, so that a read past the end is seen. */
static void offer_copy(const char *bytes, size_t length)
{
    CLEAN_MEM char *copy = mem_alloc(length, 1);

    if (length)
        memcpy(copy, bytes, length);
    offer(copy, length);
}

static void cut_messages_are_refused_or_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        struct str bytes = {0};

        example_bytes(example_kinds[i], &bytes);
        for (size_t length = 0; length < bytes.length; length++)
            offer_copy(bytes.text, length);
        str_done(&bytes);
    }
}

static void flipped_bits_are_refused_or_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        struct str bytes = {0};

        example_bytes(example_kinds[i], &bytes);
        for (size_t bit = 0; bit < 8 * bytes.length; bit++) {
            bytes.text[bit / 8] = (char)(bytes.text[bit / 8] ^ (1 << bit % 8));
            offer_copy(bytes.text, bytes.length);
            bytes.text[bit / 8] = (char)(bytes.text[bit / 8] ^ (1 << bit % 8));
        }
        str_done(&bytes);
    }
}

static void any_kind_around_any_body_is_refused_or_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        struct str bytes = {0};

        example_bytes(example_kinds[i], &bytes);
        for (int kind = 0; kind < 128; kind++) {
            bytes.text[1] = (char)kind;
            offer_copy(bytes.text, bytes.length);
        }
        str_done(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_messages_are_refused_or_read),
        cmocka_unit_test(flipped_bits_are_refused_or_read),
        cmocka_unit_test(any_kind_around_any_body_is_refused_or_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
