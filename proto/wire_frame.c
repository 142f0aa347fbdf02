/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames in columns. Arrays go out as they lie in the model struct; only numbers are copied, so
 * that equal frames give equal bytes (one NaN for all missing values), and text columns, so that
 * levels without a row are left out.
 */
#include "wire_frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

/* A stored frame may hold as many columns of LIMIT_BATCH_SAMPLES rows as the limits allow; a batch
 * may not, its message has its own cap. */
#define FRAME_BYTES_MAX (4 * LIMIT_SAMPLE_FRAME)
#define FLAGS_KNOWN (FRAME_WARMUP | FRAME_PROFILED | FRAME_TAINTED)

enum {
#define OUTCOME(name, text) COUNTED_##name,
#include "model/tbl/outcomes.def"
#undef OUTCOME
    N_OUTCOMES
};

static void number_init(Muster__NumberColumn *pb, const struct frame_number *column, size_t n)
{
    muster__number_column__init(pb);
    pb->name = wire_borrow(column->name);
    pb->value = mem_array(double, n);
    pb->n_value = n;
    for (size_t i = 0; i < n; i++)
        pb->value[i] = isfinite(column->v[i]) ? column->v[i] : (double)NAN;
}

static void text_init(Muster__TextColumn *pb, const struct frame_text *column, size_t n)
{
    uint32_t *place = mem_array(uint32_t, column->n_levels); /* level -> index on the wire + 1 */

    muster__text_column__init(pb);
    pb->name = wire_borrow(column->name);
    pb->level = mem_array(char *, column->n_levels);
    pb->index = mem_array(uint32_t, n);
    pb->n_index = n;
    for (size_t i = 0; i < n; i++)
        if (column->v[i] != FRAME_UNKNOWN)
            place[column->v[i]] = 1;
    for (size_t k = 0; k < column->n_levels; k++)
        if (place[k]) {
            pb->level[pb->n_level] = column->level[k];
            place[k] = (uint32_t)++pb->n_level;
        }
    for (size_t i = 0; i < n; i++)
        pb->index[i] = column->v[i] == FRAME_UNKNOWN ? 0 : place[column->v[i]];
    mem_free(place);
}

void wire_frame_init(struct wire_frame *wire, const struct frame *frame)
{
    const size_t n = frame->n;
    Muster__Frame *pb = &wire->pb;

    muster__frame__init(pb);
    pb->first_seq = frame->first_seq;
    pb->rows = (uint32_t)n;
    pb->n_variant = pb->n_cell = pb->n_round = pb->n_position = pb->n_session = n;
    pb->variant = frame->variant;
    pb->cell = frame->cell;
    pb->round = frame->round;
    pb->position = frame->position;
    pb->session = frame->session;
    pb->outcome = (ProtobufCBinaryData){n, frame->outcome};
    pb->flags = (ProtobufCBinaryData){n, frame->flags};

    wire->number = mem_array(Muster__NumberColumn, frame->n_numbers);
    pb->number = mem_array(Muster__NumberColumn *, frame->n_numbers);
    pb->n_number = frame->n_numbers;
    for (size_t k = 0; k < frame->n_numbers; k++) {
        number_init(&wire->number[k], &frame->number[k], n);
        pb->number[k] = &wire->number[k];
    }
    wire->text = mem_array(Muster__TextColumn, frame->n_texts);
    pb->text = mem_array(Muster__TextColumn *, frame->n_texts);
    pb->n_text = frame->n_texts;
    for (size_t k = 0; k < frame->n_texts; k++) {
        text_init(&wire->text[k], &frame->text[k], n);
        pb->text[k] = &wire->text[k];
    }
}

void wire_frame_done(struct wire_frame *wire)
{
    for (size_t k = 0; k < wire->pb.n_number; k++)
        mem_free(wire->number[k].value);
    for (size_t k = 0; k < wire->pb.n_text; k++) {
        mem_free(wire->text[k].level);
        mem_free(wire->text[k].index);
    }
    mem_free(wire->pb.number);
    mem_free(wire->pb.text);
    mem_free(wire->number);
    mem_free(wire->text);
}

static int check_lengths(const Muster__Frame *pb, struct err *err)
{
    const size_t n = pb->rows;

    if (pb->n_variant != n || pb->n_cell != n || pb->n_round != n || pb->n_position != n ||
        pb->n_session != n || pb->outcome.len != n || pb->flags.len != n)
        return err_set(err, ERR_PROTO, "frame: columns differ in length");
    for (size_t k = 0; k < pb->n_number; k++)
        if (pb->number[k]->n_value != n)
            return err_set(err, ERR_PROTO, "frame: a number column differs in length");
    for (size_t k = 0; k < pb->n_text; k++)
        if (pb->text[k]->n_index != n)
            return err_set(err, ERR_PROTO, "frame: a text column differs in length");
    return 0;
}

static int check_rows(const Muster__Frame *pb, struct err *err)
{
    if (pb->rows > 0 && (pb->first_seq < 1 || pb->first_seq > (uint64_t)INT64_MAX - pb->rows))
        return err_set(err, ERR_PROTO, "frame: rows are numbered from 1");
    for (size_t i = 0; i < pb->rows; i++)
        if (pb->outcome.data[i] >= N_OUTCOMES)
            return err_set(err, ERR_PROTO, "frame: unknown outcome");
    for (size_t i = 0; i < pb->rows; i++)
        if (pb->flags.data[i] & ~FLAGS_KNOWN)
            return err_set(err, ERR_PROTO, "frame: unknown flags");
    return 0;
}

static int read_number(const Muster__NumberColumn *pb, struct frame *frame, struct err *err)
{
    CLEAN_MEM char *name = NULL;

    if (wire_text(pb->name, WIRE_LINE, LIMIT_NAME, "frame: column", &name, err) < 0)
        return -1;
    if (frame_find_number(frame, name))
        return err_set(err, ERR_PROTO, "frame: column \"%s\" twice", name);
    for (size_t i = 0; i < pb->n_value; i++)
        if (isinf(pb->value[i]))
            return err_set(err, ERR_PROTO, "frame: column \"%s\" holds an infinity", name);
    const size_t k = frame_number_column(frame, name);
    if (pb->n_value)
        memcpy(frame->number[k].v, pb->value, pb->n_value * sizeof *pb->value);
    return 0;
}

static int compare_texts(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;

    return strcmp(*left, *right);
}

static bool has_twins(char *const *text, size_t n)
{
    bool twins = false;
    char **sorted = mem_array(char *, n);

    for (size_t i = 0; i < n; i++)
        sorted[i] = text[i];
    if (n > 1)
        qsort(sorted, n, sizeof *sorted, compare_texts);
    for (size_t i = 1; i < n && !twins; i++)
        twins = strcmp(sorted[i - 1], sorted[i]) == 0;
    mem_free(sorted);
    return twins;
}

/* frame_level makes more room when the number of levels is a power of two, so there must be room up
 * to it. */
static size_t level_room(size_t n)
{
    size_t room = 1;

    while (room < n)
        room *= 2;
    return room;
}

static int read_text(const Muster__TextColumn *pb, struct frame *frame, struct err *err)
{
    CLEAN_MEM char *name = NULL;

    if (wire_text(pb->name, WIRE_LINE, LIMIT_NAME, "frame: column", &name, err) < 0)
        return -1;
    if (frame_find_text(frame, name))
        return err_set(err, ERR_PROTO, "frame: column \"%s\" twice", name);
    if (pb->n_level > pb->n_index || has_twins(pb->level, pb->n_level))
        return err_set(err, ERR_PROTO, "frame: column \"%s\" has needless levels", name);
    for (size_t i = 0; i < pb->n_index; i++)
        if (pb->index[i] > pb->n_level)
            return err_set(err, ERR_PROTO, "frame: column \"%s\" has no such level", name);

    const size_t place = frame_text_column(frame, name);
    struct frame_text *column = &frame->text[place];
    column->level = mem_array(char *, level_room(pb->n_level));
    for (size_t k = 0; k < pb->n_level; k++) {
        if (wire_text(pb->level[k], WIRE_TEXT | WIRE_OR_EMPTY, LIMIT_FIELD, "frame: level",
                      &column->level[k], err) < 0)
            return -1;
        column->n_levels++;
    }
    for (size_t i = 0; i < pb->n_index; i++)
        column->v[i] = pb->index[i] ? pb->index[i] - 1 : FRAME_UNKNOWN;
    return 0;
}

static uint32_t *copy_indices(const uint32_t *from, size_t n)
{
    uint32_t *copy = mem_array(uint32_t, n);

    if (n)
        memcpy(copy, from, n * sizeof *copy);
    return copy;
}

static uint8_t *copy_bytes(const ProtobufCBinaryData *from)
{
    uint8_t *copy = mem_array(uint8_t, from->len);

    if (from->len)
        memcpy(copy, from->data, from->len);
    return copy;
}

int wire_frame_read(const Muster__Frame *pb, struct frame **ret, struct err *err)
{
    CLEAN(frame) struct frame *frame = NULL;

    if (wire_at_most(pb->rows, LIMIT_BATCH_SAMPLES, "frame: rows", err) < 0 ||
        wire_at_most(pb->n_number + pb->n_text, LIMIT_BATCH_COLUMNS, "frame: columns", err) < 0 ||
        check_lengths(pb, err) < 0 || check_rows(pb, err) < 0)
        return -1;
    frame = frame_new();
    frame->first_seq = pb->first_seq;
    frame->n = frame->cap = pb->rows;
    frame->variant = copy_indices(pb->variant, frame->n);
    frame->cell = copy_indices(pb->cell, frame->n);
    frame->round = copy_indices(pb->round, frame->n);
    frame->position = copy_indices(pb->position, frame->n);
    frame->session = copy_indices(pb->session, frame->n);
    frame->outcome = copy_bytes(&pb->outcome);
    frame->flags = copy_bytes(&pb->flags);
    for (size_t k = 0; k < pb->n_number; k++)
        if (read_number(pb->number[k], frame, err) < 0)
            return -1;
    for (size_t k = 0; k < pb->n_text; k++)
        if (read_text(pb->text[k], frame, err) < 0)
            return -1;
    *ret = mem_steal(&frame);
    return 0;
}

void wire_frame_pack(const struct frame *frame, struct str *ret)
{
    CLEAN_DONE(wire_frame) struct wire_frame wire = {0};

    wire_frame_init(&wire, frame);
    wire_pb_pack(&wire.pb.base, ret);
}

int wire_frame_unpack(const void *bytes, size_t length, struct frame **ret, struct err *err)
{
    CLEAN_DONE(wire_pool) struct wire_pool pool = {0};

    if (wire_pool_unpack(&pool, &muster__frame__descriptor, bytes, length, FRAME_BYTES_MAX, err) <
        0)
        return -1;
    return wire_frame_read((const Muster__Frame *)pool.message, ret, err);
}
