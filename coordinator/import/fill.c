/* SPDX-License-Identifier: GPL-3.0-or-later
 * Filling the store. At most FLUSH_ROWS rows wait in frames, over all hosts, whatever order the
 * file is in. */
#include "coordinator/import/fill.h"

#include "coordinator/import/number.h"

#define FLUSH_ROWS 32768

struct host_fill {
    struct frame *frame; /* NULL: nothing waits */
    uint64_t next_seq;
    uint32_t next_position; /* where the file gives none */
    uint32_t *next_round;   /* per variant and cell, where the file gives none */
};
struct fill {
    struct store *store;
    const struct sample_reader *reader;
    const struct scan *scan;
    const struct fill_plan *plan;
    struct host_fill *host;
    size_t *slot; /* of each CSV column in the frames */
    size_t waiting;
    size_t n_cells;
    struct seen seen; /* places of hosts and variants whose rows are out of order */
};

static int flush_host(struct fill *fill, size_t host, struct err *err)
{
    struct host_fill *h = &fill->host[host];
    uint64_t high = 0;

    if (!h->frame)
        return 0;
    if (store_frame_put(fill->store, fill->plan->run, fill->reader->hosts->v[host].name, 0,
                        h->frame, &high, err) < 0)
        return -1;
    fill->waiting -= h->frame->n;
    h->next_seq = high + 1;
    frame_free(h->frame);
    h->frame = NULL;
    return 0;
}

static int flush_all(struct fill *fill, struct err *err)
{
    for (size_t i = 0; i < fill->reader->hosts->n; i++) {
        if (flush_host(fill, i, err) < 0)
            return -1;
    }
    return 0;
}

/* Every frame has every column, in the order of the file, so that a slot is good for all of them.
 */
static struct frame *new_frame(struct fill *fill, uint64_t first_seq)
{
    struct frame *frame = frame_new();

    frame->first_seq = first_seq;
    for (size_t i = 0; i < csv_columns(fill->reader->csv); i++) {
        if (fill->reader->column[i].role == COLUMN_NUMBER)
            fill->slot[i] = frame_number_column(frame, csv_column(fill->reader->csv, i));
        else if (fill->reader->column[i].role == COLUMN_TEXT)
            fill->slot[i] = frame_text_column(frame, csv_column(fill->reader->csv, i));
    }
    return frame;
}

static uint32_t cell_of(const struct sample_reader *reader, const struct sample_row *row)
{
    size_t cell = 0;

    for (size_t i = 0; i < reader->n_factors; i++)
        cell = cell * reader->level[i].n + row->level[i];
    return (uint32_t)cell;
}

static uint32_t count_round(struct fill *fill, const struct sample_row *row, uint32_t cell)
{
    struct host_fill *h = &fill->host[row->host];

    if (!h->next_round)
        h->next_round = mem_array(uint32_t, fill->reader->variant.n * fill->n_cells);
    return h->next_round[row->variant * fill->n_cells + cell]++;
}

/* Only for rows out of order: the scan has shown that the others cannot be there twice. */
static int check_twice(struct fill *fill, const struct sample_row *row, struct err *err)
{
    uint64_t arm = row->host * LIMIT_VARIANTS + row->variant;
    uint32_t line = (uint32_t)csv_line(fill->reader->csv);
    uint32_t before = 0;

    if (!fill->scan->arm[arm].unordered)
        return 0;
    before = seen_add(&fill->seen,
                      seen_mix((uint64_t)row->round << 32 | row->position, arm << 8 | row->session),
                      line);
    if (before)
        return csv_fail(fill->reader->csv, 0, fill->reader->at_host, err,
                        "host, variant, round and position are those of line %u", before);
    return 0;
}

/* A level of a text column: mostly the one of the row before, so that one is tried first. */
static uint32_t level_of(struct frame *frame, size_t slot, size_t row, const char *text)
{
    const struct frame_text *column = &frame->text[slot];

    if (row > 0 && column->v[row - 1] != FRAME_UNKNOWN &&
        str_eq(column->level[column->v[row - 1]], text))
        return column->v[row - 1];
    return frame_level(frame, slot, text);
}

static int set_values(struct fill *fill, struct frame *frame, size_t row,
                      const struct csv_field *field, struct err *err)
{
    const struct sample_reader *reader = fill->reader;

    for (size_t i = 0; i < csv_columns(reader->csv); i++) {
        if (field[i].length == 0)
            continue;
        if (reader->column[i].role == COLUMN_TEXT) {
            if (!sample_is_text(field[i].text, field[i].length))
                return csv_fail(reader->csv, field[i].line, i, err, "control character: %.40s",
                                field[i].text);
            frame->text[fill->slot[i]].v[row] = level_of(frame, fill->slot[i], row, field[i].text);
        } else if (reader->column[i].role == COLUMN_NUMBER) {
            enum number_kind kind =
                number_read(field[i].text, field[i].length, &frame->number[fill->slot[i]].v[row]);

            if (kind != NUMBER_OK)
                return csv_fail(reader->csv, field[i].line, i, err, "\"%.40s\": %s", field[i].text,
                                number_complaint(kind));
        }
    }
    return 0;
}

static int add_row(struct fill *fill, const struct sample_row *row, const struct csv_field *field,
                   struct err *err)
{
    const struct sample_reader *reader = fill->reader;
    struct host_fill *h = &fill->host[row->host];
    size_t at = 0;

    if (!h->frame)
        h->frame = new_frame(fill, h->next_seq);
    at = frame_add_row(h->frame);
    h->frame->variant[at] = fill->plan->variant[row->variant];
    h->frame->cell[at] = cell_of(reader, row);
    h->frame->session[at] = row->session;
    h->frame->outcome[at] = OUTCOME_OK;
    h->frame->round[at] =
        reader->at_round == SIZE_MAX ? count_round(fill, row, h->frame->cell[at]) : row->round;
    h->frame->position[at] = reader->at_position == SIZE_MAX ? h->next_position++ : row->position;
    if (h->frame->round[at] >= fill->plan->rounds[row->host])
        fill->plan->rounds[row->host] = h->frame->round[at] + 1;
    fill->waiting++;
    if (set_values(fill, h->frame, at, field, err) < 0)
        return -1;
    if (h->frame->n == LIMIT_BATCH_SAMPLES)
        return flush_host(fill, row->host, err);
    return fill->waiting >= FLUSH_ROWS ? flush_all(fill, err) : 0;
}

static void fill_done(struct fill *fill)
{
    for (size_t i = 0; fill->host && i < fill->reader->hosts->n; i++) {
        frame_free(fill->host[i].frame);
        mem_free(fill->host[i].next_round);
    }
    mem_free(fill->host);
    mem_free(fill->slot);
    seen_done(&fill->seen);
}

int fill_store(struct store *store, struct sample_reader *reader, const struct scan *scan,
               const struct fill_plan *plan, struct err *err)
{
    CLEAN_DONE(fill)
    struct fill fill = {.store = store, .reader = reader, .scan = scan, .plan = plan, .n_cells = 1};
    size_t n_hosts = reader->hosts->n, n_variants = reader->variant.n;
    const struct csv_field *field = NULL;
    struct sample_row row = {0};
    int rc = 0;

    for (size_t i = 0; i < reader->n_factors; i++)
        fill.n_cells *= reader->level[i].n;
    fill.host = mem_array(struct host_fill, n_hosts);
    fill.slot = mem_array(size_t, csv_columns(reader->csv));
    for (size_t i = 0; i < n_hosts; i++)
        fill.host[i].next_seq = 1;
    while ((rc = sample_reader_next(reader, &row, &field, err)) > 0) {
        if (row.host >= n_hosts || row.variant >= n_variants ||
            cell_of(reader, &row) >= fill.n_cells)
            return err_set(err, ERR_INPUT, "%s: was changed while it was read",
                           csv_name(reader->csv));
        if (check_twice(&fill, &row, err) < 0 || add_row(&fill, &row, field, err) < 0)
            return -1;
    }
    return rc < 0 ? -1 : flush_all(&fill, err);
}
