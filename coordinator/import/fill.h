/* SPDX-License-Identifier: GPL-3.0-or-later
 * The second pass: rows become frames and go to the store, each host's in their order. */
#pragma once
#include "coordinator/import/scan.h"

struct fill_plan {
    int64_t run;
    const uint32_t *variant; /* from order of appearance to place in the run */
    uint32_t *rounds;        /* per host, filled here: rounds it has */
};
/* The reader stands behind its header. ERR_INPUT for what only a second look shows: a sample there
 * twice in a file that is out of order. */
MUST_CHECK int fill_store(struct store *store, struct sample_reader *reader,
                          const struct scan *scan, const struct fill_plan *plan, struct err *err);
