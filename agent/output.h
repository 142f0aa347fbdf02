/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Metrics in a workload's own output, read after it ended: by an experiment's regular expressions
 * (the last match counts) and by result lines `muster: NAME VALUE [UNIT]`.
 */
#pragma once
#include "base/str.h"
#include "model/experiment.h"

#include <stdbool.h>

struct output_metric {
    char *name;
    double value;
};
struct output_metrics {
    struct output_metric *v;
    size_t n, cap;
    struct str trouble; /* why a wanted metric could not be taken, "" nothing wrong */
};
void output_metrics_done(struct output_metrics *metrics);
/* Reads text (stdout, then stderr). Every metric definition with `match` is looked for; names of
 * result lines that are not valid names, values that are no finite decimal numbers, and lines past
 * LIMIT_METRICS names are left out. */
void output_read(const struct experiment *experiment, const struct str *output,
                 const struct str *error, struct output_metrics *ret);
/* True and the value when name was found. */
bool output_get(const struct output_metrics *metrics, const char *name, double *ret);
/* At most max bytes of what a failed sample said, both ends kept: stdout, then stderr. Owned. */
char *output_excerpt(const struct str *output, const struct str *error, size_t max);
