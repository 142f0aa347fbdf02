/* SPDX-License-Identifier: GPL-3.0-or-later
 * Frames: rows and columns in any order of making, appending by name, slices, equality. */
#include "model/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

static struct frame *frame_of(uint64_t first_seq, size_t n)
{
    struct frame *frame = frame_new();

    frame->first_seq = first_seq;
    for (size_t i = 0; i < n; i++) {
        const size_t row = frame_add_row(frame);
        const size_t elapsed = frame_number_column(frame, "elapsed_s");
        const size_t sink = frame_text_column(frame, "sink");

        frame->variant[row] = (uint32_t)(i % 2);
        frame->round[row] = (uint32_t)(i / 2);
        frame->number[elapsed].v[row] = (double)i;
        frame->text[sink].v[row] = frame_level(frame, sink, i % 3 ? "pipe" : "null");
    }
    return frame;
}

static void new_row_is_zero_missing_and_unknown(void **state)
{
    (void)state;
    CLEAN(frame) struct frame *frame = frame_new();
    const size_t number = frame_number_column(frame, "x"), text = frame_text_column(frame, "t");
    const size_t row = frame_add_row(frame);

    assert_int_equal(row, 0);
    assert_int_equal(frame->n, 1);
    assert_int_equal(frame->variant[0] + frame->cell[0] + frame->round[0] + frame->position[0], 0);
    assert_int_equal(frame->session[0] + frame->outcome[0] + frame->flags[0], 0);
    assert_true(isnan(frame->number[number].v[0]));
    assert_int_equal(frame->text[text].v[0], FRAME_UNKNOWN);
}

static void column_made_late_is_missing_in_earlier_rows(void **state)
{
    (void)state;
    CLEAN(frame) struct frame *frame = frame_new();

    for (int i = 0; i < 20; i++)
        frame_add_row(frame);
    const size_t number = frame_number_column(frame, "late"),
                 text = frame_text_column(frame, "word");
    for (size_t i = 0; i < 20; i++) {
        assert_true(isnan(frame->number[number].v[i]));
        assert_int_equal(frame->text[text].v[i], FRAME_UNKNOWN);
    }
    assert_int_equal(frame_number_column(frame, "late"), number);
    assert_int_equal(frame_text_column(frame, "word"), text);
    assert_int_equal(frame->n_numbers, 1);
}

static void columns_are_found_by_name(void **state)
{
    (void)state;
    CLEAN(frame) struct frame *frame = frame_of(1, 5);

    assert_true(frame_find_number(frame, "elapsed_s")[4] == 4);
    assert_null(frame_find_number(frame, "sink"));
    assert_null(frame_find_number(frame, "elapsed"));
    const struct frame_text *sink = frame_find_text(frame, "sink");
    assert_string_equal(sink->level[sink->v[1]], "pipe");
    assert_null(frame_find_text(frame, "elapsed_s"));
}

static void levels_are_numbered_in_order_of_first_use(void **state)
{
    (void)state;
    CLEAN(frame) struct frame *frame = frame_new();
    const size_t column = frame_text_column(frame, "t");

    for (uint32_t i = 0; i < 100; i++) {
        CLEAN_MEM char *level = mem_printf("level-%u", (unsigned)i);
        assert_int_equal(frame_level(frame, column, level), i);
    }
    assert_int_equal(frame_level(frame, column, "level-42"), 42);
    assert_int_equal(frame->text[column].n_levels, 100);
}

static void append_matches_columns_and_levels_by_name(void **state)
{
    (void)state;
    CLEAN(frame) struct frame *into = frame_new();
    CLEAN(frame) struct frame *more = frame_of(11, 3);

    into->first_seq = 7;
    const size_t other = frame_number_column(into, "other");
    const size_t sink = frame_text_column(into, "sink");
    const size_t row = frame_add_row(into);
    into->number[other].v[row] = 9;
    into->text[sink].v[row] = frame_level(into, sink, "pty");
    frame_append(into, more);

    assert_int_equal(into->n, 4);
    assert_int_equal(into->first_seq, 7);
    assert_true(isnan(frame_find_number(into, "elapsed_s")[0]));
    assert_true(frame_find_number(into, "elapsed_s")[3] == 2);
    assert_true(isnan(frame_find_number(into, "other")[1]));
    const struct frame_text *text = frame_find_text(into, "sink");
    assert_string_equal(text->level[text->v[0]], "pty");
    assert_string_equal(text->level[text->v[1]], "null");
    assert_string_equal(text->level[text->v[2]], "pipe");
    assert_int_equal(into->variant[2], 1);
}

static void unknown_text_stays_unknown_when_appended(void **state)
{
    (void)state;
    CLEAN(frame) struct frame *into = frame_new();
    CLEAN(frame) struct frame *more = frame_new();

    frame_text_column(more, "t");
    frame_add_row(more);
    frame_append(into, more);
    assert_int_equal(frame_find_text(into, "t")->v[0], FRAME_UNKNOWN);
}

static void empty_frame_takes_the_first_number_of_what_comes(void **state)
{
    (void)state;
    CLEAN(frame) struct frame *into = frame_new();
    CLEAN(frame) struct frame *more = frame_of(11, 3);
    CLEAN(frame) struct frame *empty = frame_new();

    frame_append(into, more);
    assert_true(into->first_seq == 11);
    assert_true(frame_equal(into, more));
    frame_append(into, empty);
    assert_true(frame_equal(into, more));
}

static void slices_put_together_are_the_whole(void **state)
{
    (void)state;
    CLEAN(frame) struct frame *whole = frame_of(5, 100);
    CLEAN(frame) struct frame *a = frame_slice(whole, 0, 33);
    CLEAN(frame) struct frame *b = frame_slice(whole, 33, 67);
    CLEAN(frame) struct frame *none = frame_slice(whole, 100, 0);

    assert_true(b->first_seq == 38);
    assert_true(frame_find_number(b, "elapsed_s")[0] == 33);
    assert_int_equal(none->n, 0);
    assert_false(frame_equal(a, whole));
    frame_append(a, b);
    assert_true(frame_equal(a, whole));
}

static void equality_sees_every_column(void **state)
{
    (void)state;
    CLEAN(frame) struct frame *a = frame_of(1, 6);
    CLEAN(frame) struct frame *b = frame_of(1, 6);
    uint32_t *words[] = {b->variant, b->cell, b->round, b->position, b->session};

    assert_true(frame_equal(a, b));
    for (size_t i = 0; i < 5; i++) {
        words[i][3] += 1;
        assert_false(frame_equal(a, b));
        words[i][3] -= 1;
    }
    b->outcome[2] = OUTCOME_TIMEOUT;
    assert_false(frame_equal(a, b));
    b->outcome[2] = OUTCOME_OK;
    b->flags[2] = FRAME_WARMUP;
    assert_false(frame_equal(a, b));
    b->flags[2] = 0;
    b->number[0].v[5] = NAN;
    assert_false(frame_equal(a, b));
    a->number[0].v[5] = NAN;
    assert_true(frame_equal(a, b));
    b->text[0].v[5] = FRAME_UNKNOWN;
    assert_false(frame_equal(a, b));
    b->text[0].v[5] = a->text[0].v[5];
    b->first_seq = 2;
    assert_false(frame_equal(a, b));
    b->first_seq = 1;
    frame_number_column(b, "more");
    assert_false(frame_equal(a, b));
}

static void outcomes_have_words(void **state)
{
    (void)state;
    assert_string_equal(outcome_name(OUTCOME_OK), "ok");
    assert_string_equal(outcome_name(OUTCOME_CANCELLED), "cancelled");
    assert_null(outcome_name((enum outcome)99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_row_is_zero_missing_and_unknown),
        cmocka_unit_test(column_made_late_is_missing_in_earlier_rows),
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(levels_are_numbered_in_order_of_first_use),
        cmocka_unit_test(append_matches_columns_and_levels_by_name),
        cmocka_unit_test(unknown_text_stays_unknown_when_appended),
        cmocka_unit_test(empty_frame_takes_the_first_number_of_what_comes),
        cmocka_unit_test(slices_put_together_are_the_whole),
        cmocka_unit_test(equality_sees_every_column),
        cmocka_unit_test(outcomes_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
