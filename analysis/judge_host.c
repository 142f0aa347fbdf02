/* SPDX-License-Identifier: GPL-3.0-or-later
 * One host in one comparison: all that can be said before the other hosts are known. */
#include <math.h>
#include <string.h>

#include "analysis/change.h"
#include "analysis/judge_state.h"
#include "analysis/modes.h"
#include "analysis/order.h"
#include "analysis/parallel.h"
#include "analysis/signed_rank.h"
#include "analysis/split_where.h"
#include "base/rng.h"

#define STREAKY 0.01
#define DRIFT_LEAST 8
#define CHANGE_HOSTS 100 /* hosts beyond this many get no more draws */

struct effect_options judge_effect_options(const struct judge *judge)
{
    const unsigned candidates =
        (unsigned)judge->options.n_variants - 1 - (judge->options.control != SIZE_MAX);
    unsigned measured = 0;

    for (size_t h = 0; h < judge->n_hosts; h++)
        measured += judge->host[h].measured && judge->host[h].joined_into == h;
    return (struct effect_options){.alpha = judge->options.alpha,
                                   .theta = judge->theta,
                                   .higher_is_better = judge->options.higher_is_better,
                                   .by_difference =
                                       rounds_metric_by_difference(judge->options.metric),
                                   .family = measured && candidates ? measured * candidates : 1};
}

static void empty_answer(struct host_answer *ret)
{
    const struct range none = {NAN, NAN};

    ret->effect = ret->pct = ret->ci_level = ret->p = ret->q = ret->mean_effect = NAN;
    ret->trimmed_effect = ret->trimmed_se = ret->df = ret->detectable = ret->rounds_needed = NAN;
    ret->ci = ret->mean_ci = none;
    ret->n_effective[0] = ret->n_effective[1] = ret->streak_p[0] = ret->streak_p[1] = NAN;
    ret->base_centre = ret->candidate_centre = ret->base_spread = ret->candidate_spread = NAN;
    ret->modes = (struct modes_finding){
        .threshold = NAN,
        .share = {NAN, NAN},
        .occupancy_p = NAN,
        .episodes_p = NAN,
        .fast_effect = NAN,
        .fast_ci = none,
        .dip = NAN,
        .dip_p = NAN
    };
    ret->load = (struct load_finding){.effect_at_zero = NAN,
                                      .ci = none,
                                      .per_cpu = NAN,
                                      .per_cpu_ci = none,
                                      .range = none,
                                      .p = NAN};
    ret->control = (struct control_finding){.effect = NAN, .ci = none};
    ret->stretch = (struct stretch_finding){
        .effect = {NAN,  NAN },
          .ci = {none, none},
          .p = NAN
    };
}

/* Adaptive stop: the interval and the p-value are those of the looks taken. Rounds past the plan
 * count for the estimates only. */
static void sequential_numbers(const struct judge *judge, struct judge_part *part,
                               const struct effect_options *options)
{
    const uint32_t last = judge->looks.look[judge->looks.n - 1],
                   n = part->rounds.n < last ? (uint32_t)part->rounds.n : last;
    struct effect_options repeated = *options;
    struct sequential_plan taken;
    double p[SEQUENTIAL_LOOKS] = {0};

    sequential_plan_cut(&judge->looks, n, options->alpha, &taken);
    repeated.repeated_level = 1 - taken.level[taken.n - 1];
    effect_host(&part->rounds, &repeated, &part->answer, &part->numbers);
    for (size_t i = 0; i < taken.n; i++)
        p[i] = signed_rank_p(part->rounds.d, taken.look[i]);
    part->answer.p = part->numbers.p =
        judge->looks.look[taken.n - 1] == n
            ? sequential_p(&judge->table, p, taken.n)
            : sequential_p_between(&judge->table, p, taken.n - 1, n, p[taken.n - 1]);
}

static void note_drift(const struct judge *judge, struct judge_part *part)
{
    for (int arm = 0; arm < 2; arm++) {
        const size_t n = part->rounds.n_run[arm];
        double *v = mem_array(double, n + 1);

        for (size_t i = 0; i < n; i++)
            v[i] = log(part->rounds.run[arm][i]);
        const double span = n >= DRIFT_LEAST ? part->rounds.run_position[arm][n - 1] -
                                                   part->rounds.run_position[arm][0]
                                             : 0;
        const double drift =
            n >= DRIFT_LEAST ? order_drift(part->rounds.run_position[arm], v, n) * span : 0;

        mem_free(v);
        if (fabs(drift) > judge->theta) {
            strlist_add(&part->answer.notes, "drift");
            return;
        }
    }
}

static void find_change(const struct judge *judge, struct judge_part *part, const char *host)
{
    const struct host_rounds *rounds = &part->rounds;
    /* enough draws for p to pass Benjamini-Hochberg over the hosts at 0.01 */
    const unsigned least =
        200 * (unsigned)(judge->n_hosts < CHANGE_HOSTS ? judge->n_hosts : CHANGE_HOSTS);
    const struct change_result change = change_test(
        rounds->d, rounds->n, judge->options.seed ^ rng_hash(host) ^ rng_hash("effect-changed"),
        judge->draws > least ? judge->draws : least);

    part->change_p = change.p;
    part->change_split = change.split;
    part->answer.stretch.p = change.p;
}

static void host_notes(const struct judge *judge, struct judge_part *part)
{
    struct host_answer *answer = &part->answer;

    if (answer->streak_p[0] < STREAKY || answer->streak_p[1] < STREAKY)
        strlist_add(&answer->notes, "streaky");
    if (answer->modes.found)
        strlist_add(&answer->notes, "two-modes");
    if (!rounds_metric_by_difference(judge->options.metric))
        note_drift(judge, part);
}

/* What later steps need is d, rounds, loads and labels; the rest may go. */
static void shed(struct host_rounds *rounds)
{
    for (int arm = 0; arm < 2; arm++) {
        mem_free(rounds->run[arm]);
        mem_free(rounds->run_position[arm]);
        rounds->run[arm] = rounds->run_position[arm] = NULL;
        for (int p = 0; p < 4; p++) {
            mem_free(rounds->run_part[arm][p]);
            rounds->run_part[arm][p] = NULL;
        }
        rounds->n_run[arm] = 0;
    }
    for (int p = 0; p < 4; p++) {
        mem_free(rounds->part[p]);
        rounds->part[p] = NULL;
    }
    mem_free(rounds->base);
    mem_free(rounds->candidate);
    rounds->base = rounds->candidate = NULL;
}

static void compute_part(const struct judge *judge, struct judge_part *part, const char *host)
{
    const struct effect_options options = judge_effect_options(judge);
    struct host_rounds *rounds = &part->rounds;
    struct host_answer *answer = &part->answer;
    const bool interleaved =
        rounds->design == DESIGN_RANDOMISED || rounds->design == DESIGN_ALTERNATING;

    part->computed = true;
    answer->host = mem_strdup(host);
    empty_answer(answer);
    part->numbers = (struct effect_numbers){
        .p = NAN, .ci90 = {NAN, NAN}
    };
    if (!part->added || rounds->design == DESIGN_NONE) {
        answer->design = DESIGN_NONE;
        answer->rounds_dropped = rounds->dropped;
        return;
    }
    if (interleaved && judge->options.look_max > 0 && rounds->n >= EFFECT_LEAST_ROUNDS)
        sequential_numbers(judge, part, &options);
    else
        effect_host(rounds, &options, answer, &part->numbers);
    if (interleaved)
        judge_sessions_pool(rounds, answer);
    split_where(rounds, options.alpha, &answer->where);
    if (!options.by_difference)
        modes_host(rounds, options.alpha, options.higher_is_better, &answer->modes);
    if (answer->where.known)
        answer->where.shared_cpu_like = split_where_shared(rounds, &answer->modes, &answer->where);
    if (interleaved) {
        find_change(judge, part, host);
        load_fit_host(rounds->d, rounds->load[0], rounds->load[1], rounds->n, &part->load);
        load_host_finding(&part->load, options.alpha, &answer->load);
    }
    part->eligible = interleaved && rounds->n >= EFFECT_LEAST_ROUNDS && !rounds->arms_differ;
    host_notes(judge, part);
    shed(rounds);
}

struct compute {
    struct judge *judge;
    const size_t *host;
};

static void compute_one(void *context, size_t i)
{
    const struct compute *work = context;
    const struct judge *judge = work->judge;
    const size_t h = work->host[i];

    for (size_t c = 0; c < judge->n_comparisons; c++)
        if (!judge->comparison[c].part[h].computed)
            compute_part(judge, &judge->comparison[c].part[h], judge->host[h].name);
}

void judge_hosts_compute(struct judge *judge, const size_t *host, size_t n)
{
    struct compute work = {judge, host};

    parallel_run(judge->threads, n, compute_one, &work);
}
