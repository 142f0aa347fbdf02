/* SPDX-License-Identifier: GPL-3.0-or-later
 * All end callbacks run before the first value is written, so that the window closes as early as it
 * can. */
#include "agent/metrics.h"

#include <math.h>
#include <string.h>

#include "base/clk.h"

struct source {
    _Alignas(max_align_t) unsigned char state[METRIC_STATE_MAX];
    double value[METRIC_COLUMNS_MAX];
};
struct metrics {
    int64_t begun_ns;
    struct source *source; /* one per registry entry */
};

struct metrics *metrics_new(void)
{
    struct metrics *metrics = mem_new(struct metrics);

    metrics->source = mem_array(struct source, metric_registry_n);
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    if (!metrics)
        return;
    mem_free(metrics->source);
    mem_free(metrics);
}

void metrics_begin(struct metrics *metrics, const struct platform *platform)
{
    memset(metrics->source, 0, metric_registry_n * sizeof *metrics->source);
    for (size_t i = 0; i < metric_registry_n; i++)
        for (size_t k = 0; k < METRIC_COLUMNS_MAX; k++)
            metrics->source[i].value[k] = (double)NAN;
    for (size_t i = 0; i < metric_registry_n; i++)
        if (metric_registry[i]->begin)
            metric_registry[i]->begin(metrics->source[i].state, platform);
    metrics->begun_ns = clk_raw_ns();
}

void metrics_end(struct metrics *metrics, const struct platform *platform,
                 const struct child_result *result, struct frame *frame, size_t row)
{
    const struct metric_window window = {
        .platform = platform, .result = result, .wall_ns = clk_raw_ns() - metrics->begun_ns};

    for (size_t i = 0; i < metric_registry_n; i++)
        metric_registry[i]->end(metrics->source[i].state, &window, metrics->source[i].value);
    for (size_t i = 0; i < metric_registry_n; i++) {
        const struct metric_column *column = metric_registry[i]->column;

        for (size_t k = 0; k < METRIC_COLUMNS_MAX && column[k].name; k++) {
            const size_t at = frame_number_column(frame, column[k].name);
            const double value = metrics->source[i].value[k];

            frame->number[at].v[row] = isfinite(value) ? value : (double)NAN;
        }
    }
}
