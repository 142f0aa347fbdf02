/* SPDX-License-Identifier: GPL-3.0-or-later
 * Does the effect come and go? The test alone, and what it does to a host's verdict. */
#include "analysis/change.h"
#include "unit/analysis/made_frame.h"

static void noise(double *d, size_t n, double sd, uint64_t seed)
{
    struct rng rng;

    rng_seed(&rng, seed);
    for (size_t i = 0; i < n; i++)
        d[i] = sd * rng_normal(&rng);
}

static void a_change_is_found_where_it_is(void **state)
{
    static const size_t sizes[] = {21, 40, 60, 200, 1000};

    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const size_t n = sizes[k], at = 2 * n / 5;
        double d[1000];

        noise(d, n, 0.01, k + 1);
        for (size_t i = at; i < n; i++)
            d[i] += 0.05;
        const struct change_result got = change_test(d, n, 99, 999);
        const double slack = 3 * (double)(n / 60 + 1); /* longer series go by stretches */

        made_near("p", got.p, 0.0025, 0.0025);
        made_near("split", (double)got.split, (double)at, slack);
    }
}

static void short_series_are_not_tested(void **state)
{
    double d[9];

    (void)state;
    noise(d, 9, 1, 1);
    for (size_t n = 0; n < 10; n++)
        assert_true(isnan(change_test(d, n, 1, 99).p));
}

static void the_first_and_last_rounds_alone_are_no_stretch(void **state)
{
    double d[30];

    (void)state;
    noise(d, 30, 0.01, 4);
    for (size_t i = 0; i < 3; i++)
        d[i] += 5;
    const struct change_result got = change_test(d, 30, 1, 999);

    assert_true(got.split >= CHANGE_LEAST && got.split <= 30 - CHANGE_LEAST);
}

static void the_same_seed_gives_the_same_p(void **state)
{
    double d[24];

    (void)state;
    noise(d, 24, 0.01, 5);
    made_near("p", change_test(d, 24, 6, 999).p, change_test(d, 24, 6, 999).p, 0);
}

static void equal_effects_have_not_changed(void **state)
{
    double d[20] = {0};

    (void)state;
    made_near("p", change_test(d, 20, 1, 999).p, 1, 1e-9);
    d[7] = 1; /* one odd round */
    made_near("one odd round", change_test(d, 20, 1, 999).p, 1, 1e-9);
}

static void false_alarms_keep_to_the_level(void **state)
{
    unsigned at1 = 0, at10 = 0;
    double d[30];

    (void)state;
    for (uint64_t seed = 0; seed < 600; seed++) {
        noise(d, 30, 0.01, 1000 + seed);
        const double p = change_test(d, 30, seed, 399).p;

        at1 += p <= 0.01;
        at10 += p <= 0.1;
    }
    if (at1 > 14 || at10 > 85 || at10 < 35) /* 6 and 60 are expected */
        fail_msg("of 600: %u at 1 %%, %u at 10 %%", at1, at10);
}

/* Effect `first` for twelve rounds, then `second`. */
static struct frame *in_two_stretches(double first, double second, uint64_t seed)
{
    struct frame *frame = made_pairs(30, 0, 0.005, seed);

    for (size_t i = 0; i < frame->n; i++)
        if (frame->variant[i])
            made_set(frame, i, "elapsed_s",
                     frame->number[0].v[i] * exp(frame->round[i] < 12 ? first : second));
    return frame;
}

static struct answer *comes_and_goes(double first, double second)
{
    CLEAN(frame) struct frame *frame = in_two_stretches(first, second, 44);
    const struct judge_options options = made_options();

    return made_answer_one(&options, frame);
}

static void an_effect_that_went_is_no_verdict(void **state)
{
    CLEAN(answer) struct answer *answer = comes_and_goes(0.3, 0);
    const struct host_answer *host = &answer->comparison[0].host[0];

    (void)state;
    made_text("verdict", verdict_name(host->verdict), "inconclusive");
    assert_true(strlist_has(&host->notes, "effect-changed") && host->stretch.found);
    assert_true(host->stretch.from_round >= 11 && host->stretch.from_round <= 13);
    made_near("first", host->stretch.effect[0], 0.3, 0.01);
    made_near("then", host->stretch.effect[1], 0, 0.01);
    assert_true(host->stretch.ci[0].lo > 0.29 && host->stretch.ci[1].hi < 0.01);
    if (!strstr(host->reasons.v[0], "the effect itself changed"))
        fail_msg("reason: %s", host->reasons.v[0]);
}

/* More rounds of the same kind would not, so none are asked for. */
static void a_fleet_without_a_verdict_says_what_would_settle_it(void **state)
{
    static const char *const names[] = {"h0", "h1", "h2", "h3"};
    const struct judge_options options = made_options();
    struct made_host host[4];

    (void)state;
    for (size_t h = 0; h < 4; h++)
        host[h] = (struct made_host){.name = names[h], .frame = in_two_stretches(0.3, 0, 50 + h)};
    CLEAN(answer) struct answer *answer = made_answer(&options, host, 4);
    const struct comparison_answer *c = &answer->comparison[0];

    if (!str_starts(c->sentence, "0 of 4 hosts have a verdict: the effect itself changed") ||
        !str_ends(c->sentence, "Next: more rounds, in a later sitting as well, would settle it."))
        fail_msg("got \"%s\"", c->sentence);
    for (size_t i = 0; i < c->n_next; i++)
        assert_int_not_equal(c->next[i].what, NEXT_MORE_BLOCKS);
    for (size_t h = 0; h < 4; h++)
        frame_free(host[h].frame);
}

static void two_stretches_that_agree_keep_the_verdict(void **state)
{
    CLEAN(answer) struct answer *answer = comes_and_goes(0.3, 0.1);
    const struct host_answer *host = &answer->comparison[0].host[0];

    (void)state;
    made_text("verdict", verdict_name(host->verdict), "regressed");
    assert_true(strlist_has(&host->notes, "effect-changed"));
    assert_int_equal(host->reasons.n, 0);
}

static void a_steady_effect_has_one_stretch(void **state)
{
    CLEAN(answer) struct answer *answer = comes_and_goes(0.1, 0.1);
    const struct host_answer *host = &answer->comparison[0].host[0];

    (void)state;
    made_text("verdict", verdict_name(host->verdict), "regressed");
    assert_false(host->stretch.found || strlist_has(&host->notes, "effect-changed"));
    assert_true(host->stretch.p > 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_found_where_it_is),
        cmocka_unit_test(short_series_are_not_tested),
        cmocka_unit_test(the_first_and_last_rounds_alone_are_no_stretch),
        cmocka_unit_test(the_same_seed_gives_the_same_p),
        cmocka_unit_test(equal_effects_have_not_changed),
        cmocka_unit_test(false_alarms_keep_to_the_level),
        cmocka_unit_test(an_effect_that_went_is_no_verdict),
        cmocka_unit_test(a_fleet_without_a_verdict_says_what_would_settle_it),
        cmocka_unit_test(two_stretches_that_agree_keep_the_verdict),
        cmocka_unit_test(a_steady_effect_has_one_stretch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
