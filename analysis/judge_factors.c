/* SPDX-License-Identifier: GPL-3.0-or-later
 * Crossed factors: does the effect of a candidate differ between the levels? One answer a factor,
 * Holm over factors. */
#include "analysis/factors.h"

#include "analysis/judge_state.h"
#include "base/mem.h"

struct harness_options judge_harness_options(const struct judge *judge)
{
    return (struct harness_options){.alpha = judge->options.alpha,
                                    .higher_is_better = judge->options.higher_is_better,
                                    .by_difference =
                                        rounds_metric_by_difference(judge->options.metric),
                                    .seed = judge->options.seed,
                                    .draws = judge->draws,
                                    .threads = judge->threads};
}

static const struct judge_cell *cell_of(const struct judge *judge, uint32_t cell)
{
    for (size_t c = 0; c < judge->n_cells; c++)
        if (judge->cell[c].cell == cell)
            return &judge->cell[c];
    return NULL;
}

static bool one_factor(struct judge *judge, uint32_t candidate, const char *factor,
                       struct factor_answer *ret)
{
    const struct harness_options options = judge_harness_options(judge);
    struct factors_piece *piece =
        mem_array(struct factors_piece, judge->n_comparisons * judge->n_hosts + 1);
    size_t n = 0;

    for (size_t c = 0; c < judge->n_comparisons; c++) {
        const struct judge_comparison *comparison = &judge->comparison[c];
        const struct judge_cell *cell = cell_of(judge, comparison->cell);
        const char *level = cell ? strmap_get(&cell->level, factor) : NULL;

        for (size_t h = 0; h < judge->n_hosts && level && comparison->candidate == candidate; h++) {
            const struct judge_part *part = &comparison->part[h];

            if (!part->eligible)
                continue;
            piece[n] = (struct factors_piece){.host = judge->host[h].name,
                                              .level = level,
                                              .round = part->rounds.round,
                                              .d = part->rounds.d,
                                              .n = part->rounds.n};
            n++;
        }
    }
    const bool found = factors_test(factor, piece, n, &options, ret);

    mem_free(piece);
    return found;
}

void judge_factors(struct judge *judge, uint32_t candidate, struct factor_answer **ret,
                   size_t *ret_n)
{
    struct factor_answer *answer = mem_array(struct factor_answer, judge->options.n_factors + 1);
    size_t n = 0;

    for (size_t f = 0; f < judge->options.n_factors; f++)
        if (one_factor(judge, candidate, judge->options.factor[f], &answer[n]))
            n++;
    factors_holm(answer, n);
    *ret = answer;
    *ret_n = n;
}
