/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The list of next steps: what the design asks for first (interleave), then what tells facts apart,
 * then what moves hosts out of "inconclusive", load and builds. Gains are in bits.
 */
#include "analysis/separate.h"

#include "analysis/effect_host.h"
#include "analysis/separate_parts.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STEPS 8
#define MOST_HOSTS 3
#define LEAST_ROUNDS 10
#define LEAST_LOAD_SD 0.05
#define LAYOUT_LOG 0.05 /* effects below this may be the layout of one build */

double separate_bits(double p)
{
    if (!(p > 0.0 && p < 1.0))
        return 0.0;
    return -p * log2(p) - (1.0 - p) * log2(1.0 - p);
}

struct next_step *separate_add(struct separate *separate, enum next_do what, double gain)
{
    separate->step =
        mem_grow(separate->step, &separate->cap, separate->n + 1, sizeof *separate->step);
    separate->step[separate->n] = (struct next_step){.what = what, .blocks = -1, .gain = gain};
    return &separate->step[separate->n++];
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct separate_host *const *)a)->name,
                  (*(const struct separate_host *const *)b)->name);
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Chance that one more host, as noisy as the middle one, shows the difference between the best
 * class's sides. */
static double power_of(const struct separate_input *in)
{
    double *v = mem_array(double, in->n_hosts), gap = NAN, power = 1.0;
    size_t n = 0;

    for (size_t h = 0; h < in->n_hosts; h++)
        if (in->host[h].measured && in->host[h].trimmed_variance > 0.0)
            v[n++] = in->host[h].trimmed_variance;
    qsort(v, n, sizeof *v, rising);
    if (in->facts->n_classes > 0) {
        const struct class_answer *class = &in->facts->class[0];

        gap = class->kind == CLASS_KIND_TREND
                  ? fabs(class->slope)
                  : fabs(class->group[0].effect - class->group[1].effect);
    }
    if (n > 0 && isfinite(gap)) {
        double z = gsl_cdf_ugaussian_Qinv(in->alpha / 2.0), shift = gap / sqrt(v[n / 2]);

        power = gsl_cdf_ugaussian_P(shift - z) + gsl_cdf_ugaussian_P(-shift - z);
    }
    mem_free(v);
    return power;
}

static bool is_apart(const struct host_answer *answer)
{
    return answer->design == DESIGN_BLOCKED || answer->design == DESIGN_UNPAIRED;
}

static bool has_one_arm(const struct host_answer *answer)
{
    return (answer->samples[0] == 0) != (answer->samples[1] == 0);
}

static int64_t usual_rounds(const struct separate *separate)
{
    const int64_t rounds = (int64_t)separate->in->rounds;

    return rounds > LEAST_ROUNDS ? rounds : LEAST_ROUNDS;
}

/* Hosts that ran both arms, but not side by side; and those that lack an arm. */
static void interleave(struct separate *separate)
{
    size_t blocked = 0, one_arm = 0;
    const char *first = NULL, *first_of_one = NULL;

    for (size_t h = 0; h < separate->in->n_hosts; h++) {
        const struct host_answer *answer = separate->host[h]->answer;

        if (!answer || !is_apart(answer))
            continue;
        if (has_one_arm(answer)) {
            one_arm++;
            first_of_one = first_of_one ? first_of_one : separate->host[h]->name;
        } else {
            blocked++;
            first = first ? first : separate->host[h]->name;
        }
    }
    if (one_arm > 0) {
        struct next_step *step = separate_add(separate, NEXT_RUN_ON, 1.0);

        step->host = mem_strdup(first_of_one);
        step->blocks = usual_rounds(separate);
        step->why = one_arm == 1
                        ? mem_printf("%s has only one of the two variants: run both there, in "
                                     "random order within rounds",
                                     first_of_one)
                        : mem_printf("%s and %zu more have only one of the two variants: run both "
                                     "there, in random order within rounds",
                                     first_of_one, one_arm - 1);
    }
    if (blocked == 0)
        return;

    struct next_step *step = separate_add(separate, NEXT_INTERLEAVE, 1.0);

    if (blocked == 1)
        step->host = mem_strdup(first);
    step->blocks = usual_rounds(separate);
    step->why = mem_printf("on %zu host%s variant and time are the same thing: run the variants in "
                           "random order within "
                           "rounds",
                           blocked, blocked == 1 ? "" : "s");
}

struct undecided {
    const struct separate_host *host;
    double blocks, gain;
};

static int soonest(const void *a, const void *b)
{
    const struct undecided *x = a, *y = b;

    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return strcmp(x->host->name, y->host->name);
}

/* No number of rounds like these makes up for arms that differ, a control that moved, an effect
 * that comes and goes. */
static bool lacks_rounds(const struct host_answer *answer)
{
    static const char *const otherwise[] = {"effect-changed", "one-session", "environment-changed"};

    if (answer->verdict != VERDICT_INCONCLUSIVE || !isfinite(answer->rounds_needed) ||
        (answer->design != DESIGN_RANDOMISED && answer->design != DESIGN_ALTERNATING))
        return false;
    for (size_t i = 0; i < sizeof otherwise / sizeof otherwise[0]; i++)
        if (strlist_has(&answer->notes, otherwise[i]))
            return false;
    return answer->rounds_used < EFFECT_LEAST_ROUNDS || !isnan(answer->q);
}

/* Inconclusive hosts that more rounds would decide: worth what is not known about a host (one
 * decided host in how many changed), less where it takes many times the usual rounds. */
static void more_blocks(struct separate *separate)
{
    struct undecided *undecided = mem_array(struct undecided, separate->in->n_hosts);
    double changed = 1.0, decided = 2.0,
           usual = (double)(separate->in->rounds ? separate->in->rounds : LEAST_ROUNDS);
    size_t n = 0;

    for (size_t h = 0; h < separate->in->n_hosts; h++) {
        const struct host_answer *answer = separate->host[h]->answer;

        if (!answer || answer->verdict == VERDICT_INCONCLUSIVE)
            continue;
        decided += 1.0;
        changed += answer->verdict != VERDICT_UNCHANGED;
    }
    for (size_t h = 0; h < separate->in->n_hosts; h++) {
        const struct host_answer *answer = separate->host[h]->answer;
        double more;

        if (!answer || !lacks_rounds(answer))
            continue;
        more = answer->rounds_needed - (double)answer->rounds_used;
        if (more >= 1.0)
            undecided[n++] =
                (struct undecided){separate->host[h], more,
                                   separate_bits(changed / decided) * fmin(1.0, usual / more)};
    }
    qsort(undecided, n, sizeof *undecided, soonest);
    for (size_t i = 0; i < n && i < MOST_HOSTS; i++) {
        struct next_step *step = separate_add(separate, NEXT_MORE_BLOCKS, undecided[i].gain);

        step->host = mem_strdup(undecided[i].host->name);
        step->blocks = (int64_t)fmin(undecided[i].blocks, 1e9);
        step->why = mem_printf("%s is inconclusive; about %lld more round%s would likely decide it",
                               step->host, (long long)step->blocks, step->blocks == 1 ? "" : "s");
    }
    mem_free(undecided);
}

/* Load that hardly varied leaves the cells empty from which its part in the effect could be told.
 */
static void vary_load(struct separate *separate)
{
    const struct separate_input *in = separate->in;

    if (!in->load_known || (in->load && in->load->known) || in->load_spread >= LEAST_LOAD_SD ||
        in->facts->claim || in->fleet->heterogeneity != HETEROGENEITY_HETEROGENEOUS)
        return;

    struct next_step *step = separate_add(separate, NEXT_VARY_LOAD, 0.5);

    step->blocks = (int64_t)in->rounds;
    strlist_add(&step->separates, "load");
    step->why = mem_strdup("other programs did about the same in all rounds, so the effect of load "
                           "cannot be told: run "
                           "idle and loaded rounds");
}

static void more_builds(struct separate *separate)
{
    bool decided = false;
    double largest = 0.0;

    for (size_t h = 0; h < separate->in->n_hosts; h++) {
        const struct host_answer *answer = separate->host[h]->answer;

        if (!answer ||
            (answer->verdict != VERDICT_REGRESSED && answer->verdict != VERDICT_IMPROVED))
            continue;
        decided = true;
        largest = fmax(largest, fabs(answer->effect));
    }
    if (!decided || largest >= LAYOUT_LOG)
        return;
    separate_add(separate, NEXT_MORE_BUILDS, 0.0)->why =
        mem_strdup("one build a side cannot tell the change from the layout of that build: add "
                   "builds with other link "
                   "orders");
}

/* Interleaving and switches first (they need no host), then by gain; ties: the cheaper, then the
 * name. */
static int first_things_first(const void *a, const void *b)
{
    static const int standing[] = {
        [NEXT_INTERLEAVE] = 0, [NEXT_SWITCH] = 1,   [NEXT_MORE_BLOCKS] = 2, [NEXT_RUN_ON] = 2,
        [NEXT_VARY_LOAD] = 2,  [NEXT_ADD_HOST] = 2, [NEXT_MORE_BUILDS] = 3};
    static const int cost[] = {
        [NEXT_INTERLEAVE] = 0, [NEXT_SWITCH] = 1,      [NEXT_MORE_BLOCKS] = 2, [NEXT_RUN_ON] = 3,
        [NEXT_VARY_LOAD] = 4,  [NEXT_MORE_BUILDS] = 5, [NEXT_ADD_HOST] = 6};
    const struct next_step *x = a, *y = b;

    if (standing[x->what] != standing[y->what])
        return standing[x->what] - standing[y->what];
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    if (cost[x->what] != cost[y->what])
        return cost[x->what] - cost[y->what];
    return x->host && y->host ? strcmp(x->host, y->host) : 0;
}

static void step_done(struct next_step *step)
{
    mem_free(step->host);
    mem_free(step->switch_fact);
    mem_free(step->switch_to);
    mem_free(step->why);
    strmap_done(&step->wanted);
    strlist_done(&step->separates);
}

void separate_next(const struct separate_input *in, struct next_step **ret, size_t *ret_n)
{
    struct separate separate = {.in = in,
                                .host = mem_array(const struct separate_host *, in->n_hosts)};
    const struct fact_set **facts = mem_array(const struct fact_set *, in->n_hosts);
    bool unscored = in->facts->n_classes > 0 && !in->facts->class[0].scored;
    size_t measured = 0;

    for (size_t h = 0; h < in->n_hosts; h++)
        separate.host[h] = &in->host[h];
    qsort(separate.host, in->n_hosts, sizeof(const struct separate_host *), by_name);
    for (size_t h = 0; h < in->n_hosts; h++)
        if (separate.host[h]->measured)
            facts[measured++] = separate.host[h]->facts;
    fact_table_note_joined(&separate.reading, facts, measured);
    separate.power = power_of(in);
    interleave(&separate);
    if (in->facts->claim || unscored || in->fleet->heterogeneity == HETEROGENEITY_HETEROGENEOUS)
        separate_facts(&separate);
    more_blocks(&separate);
    vary_load(&separate);
    more_builds(&separate);
    if (separate.n > 0)
        qsort(separate.step, separate.n, sizeof *separate.step, first_things_first);
    while (separate.n > MOST_STEPS)
        step_done(&separate.step[--separate.n]);
    mem_free(facts);
    mem_free(separate.host);
    *ret = separate.step;
    *ret_n = separate.n;
}
