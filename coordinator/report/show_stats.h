/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private to the report room: count, mean and standard deviation of every metric per host, cell and
 * variant. Memory does not grow with the number of samples.
 */
#pragma once
#include "coordinator/report/show.h"

struct show_stat {
    size_t n;
    double mean, m2; /* Welford: m2 is the sum of squared deviations */
};
struct show_stats {
    struct show_stat *v; /* [host][cell][variant][metric] */
    size_t n_hosts, n_cells, n_variants, n_metrics;
};
void show_stats_done(struct show_stats *stats);
MUST_CHECK int show_stats_load(struct show *show, struct show_stats *ret, struct err *err);
const struct show_stat *show_stats_at(const struct show_stats *stats, size_t host, size_t cell,
                                      size_t variant, size_t metric);
/* NaN below two samples: a spread is never shown for one. */
double show_stat_sd(const struct show_stat *stat);
/* Standard deviation in percent of the mean. */
double show_stat_spread_pct(const struct show_stat *stat);
