/* SPDX-License-Identifier: GPL-3.0-or-later
 * Hosts measured in several sittings: their effects pooled with a variance between sittings, and a
 * verdict that holds in one of them only is none. */
#include <math.h>

#include "analysis/judge_state.h"
#include "analysis/pool.h"
#include "analysis/rising.h"
#include "analysis/signed_rank.h"
#include "analysis/trimmed.h"

struct sitting {
    size_t from, n;
};

/* The stretch of rounds of one sitting that begins at `from`. */
static struct sitting sitting_at(const struct host_rounds *rounds, size_t from)
{
    size_t end = from;

    while (end < rounds->n && rounds->session[end] == rounds->session[from])
        end++;
    return (struct sitting){from, end - from};
}

static size_t count_sittings(const struct host_rounds *rounds)
{
    size_t count = 0;

    for (size_t at = 0; at < rounds->n; at += sitting_at(rounds, at).n)
        count++;
    return count;
}

static double *sorted_effects(const struct host_rounds *rounds, struct sitting sitting)
{
    double *sorted = mem_dup(rounds->d + sitting.from, sitting.n * sizeof *sorted);

    rising_sort(sorted, sitting.n);
    return sorted;
}

void judge_sessions_pool(const struct host_rounds *rounds, struct host_answer *answer)
{
    const size_t count = count_sittings(rounds);
    double *y = mem_array(double, 2 * count + 1), *v = y + count, df = 0, weights = 0, sum = 0;
    size_t k = 0;

    for (size_t at = 0; at < rounds->n; at += sitting_at(rounds, at).n) {
        const struct sitting sitting = sitting_at(rounds, at);
        double *sorted = sorted_effects(rounds, sitting);
        const struct trimmed t = trimmed_mean(sorted, sitting.n);

        mem_free(sorted);
        if (sitting.n < EFFECT_LEAST_ROUNDS)
            continue;
        y[k] = t.mean;
        v[k++] = fmax(t.se * t.se, POOL_LEAST_VARIANCE);
        df += t.df;
    }
    const double between = k >= 2 ? pool_tau2(y, v, k) : 0;

    for (size_t i = 0; i < k; i++) {
        weights += 1 / (v[i] + between);
        sum += y[i] / (v[i] + between);
    }
    mem_free(y);
    if (!(between > 0)) /* sittings agree: all rounds together say the same, and more */
        return;
    answer->trimmed_effect = sum / weights;
    answer->trimmed_se = sqrt(1 / weights);
    answer->df = (double)k - 1;
    answer->detectable = effect_detectable(answer->df, answer->trimmed_se);
}

void judge_sessions_check(const struct judge *judge, struct judge_part *part)
{
    const struct host_rounds *rounds = &part->rounds;
    size_t sittings = 0, hold = 0, against = 0;

    if (!judge_decided(part->answer.verdict))
        return;
    for (size_t at = 0; at < rounds->n; at += sitting_at(rounds, at).n, sittings++) {
        const struct sitting sitting = sitting_at(rounds, at);
        double *sorted = sorted_effects(rounds, sitting), level;
        struct range ci;
        const bool sure =
            signed_rank_interval(sorted, sitting.n, 1 - judge->options.alpha, &ci, &level) &&
            (ci.lo > 0 || ci.hi < 0);

        hold += sure && ci.lo * part->answer.effect > 0;
        against += sure && ci.lo * part->answer.effect <= 0;
        mem_free(sorted);
    }
    if (sittings < 2 || (hold != 1 && against == 0))
        return;
    strlist_add(&part->answer.notes, "one-session");
    strlist_add(&part->answer.reasons, against ? "the sittings contradict each other"
                                               : "the effect is sure in one sitting only");
    part->answer.verdict = VERDICT_INCONCLUSIVE;
}
