/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the wire refuses though it is well-formed: caps, columns that disagree, texts that are none.
 * The bytes are put together by hand, as only a hostile peer would. */
#include "messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "model/limits.h"

#include <cmocka.h>

/* ---- a few lines of protobuf ---- */
static void put_varint(struct str *s, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        str_addc(s, (char)(value | 0x80));
    str_addc(s, (char)value);
}

static void put_number(struct str *s, unsigned field, uint64_t value)
{
    put_varint(s, field << 3);
    put_varint(s, value);
}

static void put_bytes(struct str *s, unsigned field, const void *bytes, size_t length)
{
    put_varint(s, field << 3 | 2);
    put_varint(s, length);
    str_add_bytes(s, bytes, length);
}

static void put_text(struct str *s, unsigned field, const char *text)
{
    put_bytes(s, field, text, strlen(text));
}

static void put_zeros(struct str *s, unsigned field, size_t n)
{
    CLEAN_MEM char *zeros = mem_alloc(n, 1);

    put_bytes(s, field, zeros, n);
}

/* The seven plain columns of a frame of n rows, except one, which gets `odd` entries. */
static void put_columns(struct str *s, size_t n, unsigned odd_field, size_t odd)
{
    put_number(s, 1, 1);
    put_number(s, 2, n);
    for (unsigned field = 3; field <= 9; field++)
        put_zeros(s, field, field == odd_field ? odd : n);
}

static void put_number_column(struct str *s, const char *name, size_t n)
{
    struct str column = {0};

    put_text(&column, 1, name);
    put_zeros(&column, 2, 8 * n);
    put_bytes(s, 10, column.text, column.length);
    str_done(&column);
}

static void put_text_column(struct str *s, const char *name, const char *const *levels,
                            size_t n_levels, const char *indices)
{
    struct str column = {0};

    put_text(&column, 1, name);
    for (size_t i = 0; i < n_levels; i++)
        put_text(&column, 2, levels[i]);
    put_text(&column, 3, indices);
    put_bytes(s, 11, column.text, column.length);
    str_done(&column);
}

static void refuse_frame(struct str *bytes, enum err_code code, const char *words)
{
    struct frame *frame = NULL;
    struct err err = {0};

    assert_int_equal(wire_frame_unpack(bytes->text, bytes->length, &frame, &err), -1);
    assert_null(frame);
    if (err.code != code || !strstr(err.text, words))
        fail_msg("want %s and \"%s\", got %s and \"%s\"", err_code_name(code), words,
                 err_code_name(err.code), err.text);
    str_done(bytes);
}

static void take_frame(struct str *bytes, size_t want_rows)
{
    struct frame *frame = NULL;
    struct err err = {0};

    if (wire_frame_unpack(bytes->text, bytes->length, &frame, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(frame->n, want_rows);
    frame_free(frame);
    str_done(bytes);
}

static void columns_must_agree_in_length(void **state)
{
    struct str bytes = {0};

    (void)state;
    put_columns(&bytes, 5, 0, 0);
    take_frame(&bytes, 5);
    for (unsigned field = 3; field <= 9; field++) {
        put_columns(&bytes, 5, field, 4);
        refuse_frame(&bytes, ERR_PROTO, "length");
        put_columns(&bytes, 5, field, 6);
        refuse_frame(&bytes, ERR_PROTO, "length");
    }
    put_columns(&bytes, 5, 0, 0);
    put_number_column(&bytes, "elapsed_s", 4);
    refuse_frame(&bytes, ERR_PROTO, "length");
    put_columns(&bytes, 2, 0, 0);
    put_text_column(&bytes, "sink", NULL, 0, "\1");
    refuse_frame(&bytes, ERR_PROTO, "length");
}

static void rows_and_columns_have_bounds(void **state)
{
    struct str bytes = {0};
    char name[16];

    (void)state;
    put_columns(&bytes, LIMIT_BATCH_SAMPLES, 0, 0);
    take_frame(&bytes, LIMIT_BATCH_SAMPLES);
    put_columns(&bytes, LIMIT_BATCH_SAMPLES + 1, 0, 0);
    refuse_frame(&bytes, ERR_LIMIT, "rows");
    put_columns(&bytes, 1, 0, 0);
    for (int i = 0; i < LIMIT_BATCH_COLUMNS + 1; i++) {
        (void)snprintf(name, sizeof name, "m%d", i);
        put_number_column(&bytes, name, 1);
    }
    refuse_frame(&bytes, ERR_LIMIT, "columns");
}

static void text_columns_hold_what_they_name(void **state)
{
    static const char *const levels[] = {"pipe", "pty"}, *const twins[] = {"pipe", "pipe"};
    static const char *const odd[] = {"pi\x1bpe"}, *const broken[] = {"pi\xffpe"};
    struct str bytes = {0};

    (void)state;
    put_columns(&bytes, 2, 0, 0);
    put_text_column(&bytes, "sink", levels, 2, "\1\2");
    take_frame(&bytes, 2);
    put_columns(&bytes, 2, 0, 0);
    put_text_column(&bytes, "sink", levels, 2, "\1\3");
    refuse_frame(&bytes, ERR_PROTO, "no such level");
    put_columns(&bytes, 2, 0, 0);
    put_text_column(&bytes, "sink", twins, 2, "\1\2");
    refuse_frame(&bytes, ERR_PROTO, "levels");
    put_columns(&bytes, 1, 0, 0);
    put_text_column(&bytes, "sink", levels, 2, "\1");
    refuse_frame(&bytes, ERR_PROTO, "levels");
    put_columns(&bytes, 1, 0, 0);
    put_text_column(&bytes, "sink", odd, 1, "\1");
    refuse_frame(&bytes, ERR_PROTO, "control");
    put_columns(&bytes, 1, 0, 0);
    put_text_column(&bytes, "sink", broken, 1, "\1");
    refuse_frame(&bytes, ERR_PROTO, "UTF-8");
}

static void column_names_are_names(void **state)
{
    struct str bytes = {0};
    char longest[LIMIT_NAME + 2];

    (void)state;
    put_columns(&bytes, 1, 0, 0);
    put_number_column(&bytes, "", 1);
    refuse_frame(&bytes, ERR_PROTO, "missing");
    put_columns(&bytes, 1, 0, 0);
    put_number_column(&bytes, "a\nb", 1);
    refuse_frame(&bytes, ERR_PROTO, "control");
    put_columns(&bytes, 1, 0, 0);
    put_number_column(&bytes, "twice", 1);
    put_number_column(&bytes, "twice", 1);
    refuse_frame(&bytes, ERR_PROTO, "twice");
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    put_columns(&bytes, 1, 0, 0);
    put_number_column(&bytes, longest, 1);
    refuse_frame(&bytes, ERR_LIMIT, "128");
    put_columns(&bytes, 1, 0, 0);
    put_number_column(&bytes, longest + 1, 1);
    take_frame(&bytes, 1);
}

static void numbers_of_rows_are_checked(void **state)
{
    const double infinite = (double)INFINITY;
    struct str bytes = {0}, column = {0};

    (void)state;
    put_number(&bytes, 2, 1);
    for (unsigned field = 3; field <= 9; field++)
        put_zeros(&bytes, field, 1);
    refuse_frame(&bytes, ERR_PROTO, "from 1"); /* no first number */
    put_columns(&bytes, 1, 0, 0);
    put_number(&bytes, 1, UINT64_MAX);
    refuse_frame(&bytes, ERR_PROTO, "from 1");
    put_columns(&bytes, 1, 0, 0);
    put_text(&bytes, 8, "\x63");
    refuse_frame(&bytes, ERR_PROTO, "outcome");
    put_columns(&bytes, 1, 0, 0);
    put_text(&bytes, 9, "\x40");
    refuse_frame(&bytes, ERR_PROTO, "flags");
    put_columns(&bytes, 1, 0, 0);
    put_text(&column, 1, "x");
    put_bytes(&column, 2, &infinite, sizeof infinite);
    put_bytes(&bytes, 10, column.text, column.length);
    refuse_frame(&bytes, ERR_PROTO, "infinity");
    str_done(&column);
}

static void infinite_numbers_leave_as_missing(void **state)
{
    struct frame *frame = example_frame(), *read = NULL;
    struct str bytes = {0};
    struct err err = {0};

    (void)state;
    frame->number[0].v[1] = (double)INFINITY;
    wire_frame_pack(frame, &bytes);
    assert_int_equal(wire_frame_unpack(bytes.text, bytes.length, &read, &err), 0);
    assert_true(isnan(read->number[0].v[1]));
    assert_true(read->number[0].v[2] == frame->number[0].v[2]);
    frame_free(frame);
    frame_free(read);
    str_done(&bytes);
}

static void levels_no_row_uses_stay_behind(void **state)
{
    struct frame *frame = example_frame(), *read = NULL;
    struct str bytes = {0};
    struct err err = {0};

    (void)state;
    (void)frame_level(frame, 0, "unused");
    frame->text[0].v[3] = frame_level(frame, 0, "socketpair");
    wire_frame_pack(frame, &bytes);
    assert_int_equal(wire_frame_unpack(bytes.text, bytes.length, &read, &err), 0);
    assert_true(frame_equal(frame, read));
    assert_int_equal(read->text[0].n_levels, 3);
    /* and a frame that was read can grow on */
    for (int i = 0; i < 20; i++) {
        char level[16];
        const size_t row = frame_add_row(read);

        (void)snprintf(level, sizeof level, "l%d", i);
        read->text[0].v[row] = frame_level(read, 0, level);
    }
    assert_int_equal(read->n, 24);
    assert_string_equal(read->text[0].level[read->text[0].v[23]], "l19");
    frame_free(frame);
    frame_free(read);
    str_done(&bytes);
}

static void refuse_message(const struct str *bytes, enum err_code code, const char *words)
{
    struct wire_message *message = NULL;
    struct err err = {0};

    assert_int_equal(wire_decode(bytes->text, bytes->length, &message, &err), -1);
    if (err.code != code || !strstr(err.text, words))
        fail_msg("want %s and \"%s\", got %s and \"%s\"", err_code_name(code), words,
                 err_code_name(err.code), err.text);
}

static void caps_are_by_kind_and_come_first(void **state)
{
    struct str bytes = {0};

    (void)state;
    put_number(&bytes, 1, WIRE_HELLO);
    put_zeros(&bytes, 2, LIMIT_CONTROL_FRAME);
    refuse_message(&bytes, ERR_LIMIT, "hello");
    bytes.text[1] = WIRE_BATCH; /* small enough for a batch, but none */
    refuse_message(&bytes, ERR_PROTO, "Batch");
    str_clear(&bytes);
    put_number(&bytes, 1, WIRE_BATCH);
    put_zeros(&bytes, 2, LIMIT_SAMPLE_FRAME);
    refuse_message(&bytes, ERR_LIMIT, "batch");
    str_done(&bytes);
    for (size_t i = 0; i < N_EXAMPLES; i++)
        assert_true(wire_kind_cap(example_kinds[i]) <= LIMIT_SAMPLE_FRAME);
    assert_int_equal(wire_kind_cap(WIRE_HEARTBEAT), LIMIT_CONTROL_FRAME);
    assert_int_equal(wire_kind_cap((enum wire_kind)99), 0);
}

/* A few bytes a piece on the wire, many in memory: the budget ends it. */
static void memory_is_bounded_whatever_the_bytes(void **state)
{
    struct str bytes = {0}, body = {0};

    (void)state;
    for (int i = 0; i < 1900000; i++)
        str_add_bytes(&body, "\x1a\x00", 2); /* an empty argument of a request */
    put_number(&bytes, 1, WIRE_REQUEST);
    put_bytes(&bytes, 2, body.text, body.length);
    refuse_message(&bytes, ERR_PROTO, "Request");
    str_done(&body);
    str_done(&bytes);
}

static void kind_that_was_judged_is_the_kind_that_is_read(void **state)
{
    struct str bytes = {0};

    (void)state;
    example_bytes(WIRE_HEARTBEAT, &bytes);
    put_number(&bytes, 1, WIRE_REQUEST);
    assert_int_equal(wire_peek(bytes.text, bytes.length), WIRE_HEARTBEAT);
    refuse_message(&bytes, ERR_PROTO, "two kinds");
    str_done(&bytes);
}

static void unknown_kinds_and_fields_are_no_errors(void **state)
{
    struct wire_message *message = NULL;
    struct str bytes = {0};
    struct err err = {0};

    (void)state;
    put_number(&bytes, 1, 99);
    put_text(&bytes, 2, "of a later version");
    assert_int_equal(wire_decode(bytes.text, bytes.length, &message, &err), WIRE_UNKNOWN);
    assert_null(message);
    assert_null(wire_kind_name((enum wire_kind)99));
    str_clear(&bytes);
    example_bytes(WIRE_ACK, &bytes);
    put_text(&bytes, 1000, "of a later version");
    assert_int_equal(wire_decode(bytes.text, bytes.length, &message, &err), 0);
    assert_int_equal(message->as.ack->stored_seq, 10);
    wire_message_free(message);
    str_done(&bytes);
}

static void junk_has_no_kind(void **state)
{
    static const char *const junk[] = {"",
                                       "\x08",
                                       "\x12\x01\x01",
                                       "\x08\x80",
                                       "\x08\xff\xff\xff\xff\xff",
                                       "GET / HTTP/1.1\r\n\r\n"};

    (void)state;
    for (size_t i = 0; i < sizeof junk / sizeof junk[0]; i++) {
        const struct str bytes = {.text = (char *)junk[i], .length = strlen(junk[i])};

        assert_int_equal(wire_peek(bytes.text, bytes.length), 0);
        refuse_message(&bytes, ERR_PROTO, "no message");
    }
}

static void message_over_its_cap_is_not_sent(void **state)
{
    struct wire_batch batch = {.run = 1, .epoch = 1, .frame = frame_new()};
    struct str bytes = {0};
    struct err err = {0};

    (void)state;
    batch.frame->first_seq = 1;
    for (int k = 0; k < 150; k++) {
        char name[16];

        (void)snprintf(name, sizeof name, "m%d", k);
        frame_number_column(batch.frame, name);
    }
    for (int i = 0; i < LIMIT_BATCH_SAMPLES; i++)
        frame_add_row(batch.frame);
    assert_int_equal(wire_encode(WIRE_BATCH, &batch, &bytes, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(bytes.length, 0);
    frame_free(batch.frame);
    str_done(&bytes);
}

/* Reasons and outputs come from anywhere; their writer makes them fit and visible. */
static void texts_nobody_vouches_for_are_made_visible(void **state)
{
    char reason[4 * LIMIT_REASON];
    struct wire_stop stop = {.run = 1, .epoch = 1, .reason = reason};
    struct wire_message *batch = example_message(WIRE_BATCH), *read = NULL;
    struct str bytes = {0};
    struct err err = {0};

    (void)state;
    (void)snprintf(reason, sizeof reason, "it \x1b[31mfailed\nµ\xff%0*d", 3 * LIMIT_REASON, 0);
    assert_int_equal(wire_encode(WIRE_STOP, &stop, &bytes, &err), 0);
    assert_int_equal(wire_decode(bytes.text, bytes.length, &read, &err), 0);
    assert_memory_equal(read->as.stop->reason, "it \\x1b[31mfailed\\x0aµ\\xff000", 28);
    assert_int_equal(strlen(read->as.stop->reason), LIMIT_REASON);
    wire_message_free(read);
    str_clear(&bytes);
    mem_free(batch->as.batch->output[0].text);
    batch->as.batch->output[0].text = mem_strdup("line\n\tred \x1b[31m \xc3");
    assert_int_equal(wire_encode(WIRE_BATCH, batch->as.batch, &bytes, &err), 0);
    assert_int_equal(wire_decode(bytes.text, bytes.length, &read, &err), 0);
    assert_string_equal(read->as.batch->output[0].text, "line\n\tred \\x1b[31m \\xc3");
    wire_message_free(read);
    wire_message_free(batch);
    str_done(&bytes);
}

static void output_of_a_foreign_sample_is_refused(void **state)
{
    struct wire_message *batch = example_message(WIRE_BATCH);
    struct str bytes = {0};
    struct err err = {0};

    (void)state;
    batch->as.batch->output[0].seq = 11; /* the frame has 7 to 10 */
    assert_int_equal(wire_encode(WIRE_BATCH, batch->as.batch, &bytes, &err), 0);
    refuse_message(&bytes, ERR_PROTO, "not in it");
    wire_message_free(batch);
    str_done(&bytes);
}

static void hosts_and_sessions_are_names(void **state)
{
    static const char *const hosts[] = {"", "-oProxyCommand=x", "../n1", "n 1", "n\x1b"};
    struct err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        struct wire_message *hello = example_message(WIRE_HELLO);
        struct str bytes = {0};

        mem_free(hello->as.hello->host);
        hello->as.hello->host = mem_strdup(hosts[i]);
        assert_int_equal(wire_encode(WIRE_HELLO, hello->as.hello, &bytes, &err), 0);
        refuse_message(&bytes, ERR_PROTO, "hello: host");
        wire_message_free(hello);
        str_done(&bytes);
    }
    struct wire_heartbeat heartbeat = {.session = "short"};
    struct str bytes = {0};
    assert_int_equal(wire_encode(WIRE_HEARTBEAT, &heartbeat, &bytes, &err), 0);
    refuse_message(&bytes, ERR_PROTO, "session");
    str_done(&bytes);
}

static void experiments_stay_within_limits(void **state)
{
    struct wire_message *lease = example_message(WIRE_LEASE);
    struct experiment *experiment = lease->as.lease->experiment;
    struct str bytes = {0};
    struct err err = {0};

    (void)state;
    experiment->alpha = (double)NAN;
    assert_int_equal(wire_encode(WIRE_LEASE, lease->as.lease, &bytes, &err), 0);
    refuse_message(&bytes, ERR_PROTO, "alpha");
    experiment->alpha = 0.05;
    experiment->max_blocks = LIMIT_BLOCKS + 1;
    str_clear(&bytes);
    assert_int_equal(wire_encode(WIRE_LEASE, lease->as.lease, &bytes, &err), 0);
    refuse_message(&bytes, ERR_LIMIT, "max_blocks");
    experiment->max_blocks = 90;
    experiment->timeout_ns = -1;
    str_clear(&bytes);
    assert_int_equal(wire_encode(WIRE_LEASE, lease->as.lease, &bytes, &err), 0);
    refuse_message(&bytes, ERR_PROTO, "timeout");
    wire_message_free(lease);
    str_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_must_agree_in_length),
        cmocka_unit_test(rows_and_columns_have_bounds),
        cmocka_unit_test(text_columns_hold_what_they_name),
        cmocka_unit_test(column_names_are_names),
        cmocka_unit_test(numbers_of_rows_are_checked),
        cmocka_unit_test(infinite_numbers_leave_as_missing),
        cmocka_unit_test(levels_no_row_uses_stay_behind),
        cmocka_unit_test(caps_are_by_kind_and_come_first),
        cmocka_unit_test(memory_is_bounded_whatever_the_bytes),
        cmocka_unit_test(kind_that_was_judged_is_the_kind_that_is_read),
        cmocka_unit_test(unknown_kinds_and_fields_are_no_errors),
        cmocka_unit_test(junk_has_no_kind),
        cmocka_unit_test(message_over_its_cap_is_not_sent),
        cmocka_unit_test(texts_nobody_vouches_for_are_made_visible),
        cmocka_unit_test(output_of_a_foreign_sample_is_refused),
        cmocka_unit_test(hosts_and_sessions_are_names),
        cmocka_unit_test(experiments_stay_within_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
