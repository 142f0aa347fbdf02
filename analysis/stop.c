/* SPDX-License-Identifier: GPL-3.0-or-later
 * See stop.h. */
#include "analysis/stop.h"

#include <math.h>

#include "analysis/rounds.h"

enum sequential_decision stop_rule(const struct frame *frame, const struct judge_options *options)
{
    const double theta = log1p(options->min_effect);
    enum sequential_decision all = SEQUENTIAL_STOP_UNCHANGED;
    struct sequential_plan plan;
    uint32_t cells = 0;

    sequential_plan_build(options->look_min, options->look_max, options->alpha, &plan);
    for (size_t i = 0; i < frame->n; i++)
        cells = frame->cell[i] >= cells ? frame->cell[i] + 1 : cells;
    for (uint32_t cell = 0; cell < cells; cell++)
        for (size_t v = 0; v < options->n_variants; v++) {
            struct rounds_options wanted = {
                .metric = {options->metric, options->higher_is_better,
                           rounds_metric_by_difference(options->metric)},
                .base = (uint32_t)options->base,
                .candidate = (uint32_t)v,
                .cell = cell
            };
            struct host_rounds rounds;

            if (v == options->base || v == options->control)
                continue;
            host_rounds_build(frame, &wanted, &rounds);
            const enum sequential_decision one =
                rounds.n ? sequential_decide(&plan, rounds.d, rounds.n, theta)
                         : SEQUENTIAL_CONTINUE;

            host_rounds_done(&rounds);
            if (one == SEQUENTIAL_CONTINUE || one == SEQUENTIAL_STOP_MAX)
                return one;
            if (one == SEQUENTIAL_STOP_DECIDED)
                all = one;
        }
    return cells ? all : SEQUENTIAL_CONTINUE;
}
