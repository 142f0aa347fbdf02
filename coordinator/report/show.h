/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private to the report room: what all forms of `muster show` share. Samples are read one host at a
 * time; what is shown are judged samples (ended well, no warm-ups, not profiled).
 */
#pragma once
#include "coordinator/report/query_call.h"

enum show_by { SHOW_BY_HOST, SHOW_BY_VARIANT, SHOW_BY_FACTOR };
struct show {
    struct query_call *call;
    struct page page;
    const struct run *run;
    struct trial_list trials; /* those asked for */
    struct strlist metric; /* recorded number columns: the primary one first, then times, faults, …,
                              others by name */
    enum show_by by;
    size_t n_cells;
};
bool show_judged(const struct frame *frame, size_t row);
/* Column of metric m in this frame, NULL when this host did not record it. */
const double *show_values(const struct show *show, const struct frame *frame, size_t m);
/* "threads = 4, sink = pipe"; "" without factors. Owned by the caller. */
char *show_cell(const struct show *show, size_t cell);
/* Calls on_host for every trial with its frame; stops at the first failure. */
MUST_CHECK int show_each(struct show *show,
                         int (*on_host)(struct show *show, size_t trial, const struct frame *frame,
                                        void *arg, struct err *err),
                         void *arg, struct err *err);

/* Rows of one host in order of (group, session, round, position). group: 0, the variant or the
 * cell, by show->by. */
struct show_row {
    size_t group, row;
    uint32_t session, round, position;
    uint64_t place;
};
/* Judged rows of the frame, sorted; *ret_n of them. Owned by the caller. */
struct show_row *show_rows(const struct show *show, const struct frame *frame, size_t *ret_n);

MUST_CHECK int show_table(struct show *show, struct err *err);
MUST_CHECK int show_plot(struct show *show, struct err *err);
MUST_CHECK int show_load(struct show *show, struct err *err); /* effect against load */
MUST_CHECK int show_compare(struct show *show, struct err *err);
MUST_CHECK int show_percent(struct show *show, struct err *err);
MUST_CHECK int show_samples_json(struct show *show, struct err *err);
MUST_CHECK int show_stats_json(struct show *show, struct err *err);
