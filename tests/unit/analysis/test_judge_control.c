/* SPDX-License-Identifier: GPL-3.0-or-later
 * The control arm: a second copy of the base whose effect is the host's noise floor. */
#include "unit/analysis/made_frame.h"

#define HOSTS 6

/* A, B and the control C in each round; host 0's control differs by `moved`. */
static struct answer *with_control(double effect, double moved, size_t control)
{
    static const char *const name[HOSTS] = {"h0", "h1", "h2", "h3", "h4", "h5"};
    struct made_host hosts[HOSTS];
    struct judge_options options = made_options();
    struct answer *answer;
    struct rng rng;

    rng_seed(&rng, 81);
    for (size_t h = 0; h < HOSTS; h++) {
        hosts[h] = (struct made_host){.name = name[h], .frame = frame_new()};
        for (uint32_t r = 0; r < 14; r++) {
            size_t order[3] = {0, 1, 2};

            rng_shuffle(&rng, order, 3);
            for (uint32_t place = 0; place < 3; place++) {
                const uint32_t variant = (uint32_t)order[place];
                const double shift = variant == 1 ? effect : variant == 2 && h == 0 ? moved : 0;

                made_row(hosts[h].frame, variant, r, place, exp(shift + 0.002 * rng_normal(&rng)));
            }
        }
    }
    options.n_variants = 3;
    options.control = control;
    answer = made_answer(&options, hosts, HOSTS);
    for (size_t h = 0; h < HOSTS; h++)
        frame_free(hosts[h].frame);
    return answer;
}

static void the_control_stands_beside_every_host(void **state)
{
    CLEAN(answer) struct answer *answer = with_control(0.05, 0, 2);
    const struct comparison_answer *c = &answer->comparison[0];

    (void)state;
    assert_int_equal(answer->n_comparisons, 1); /* the control is no candidate */
    made_text("candidate", c->candidate, "B");
    for (size_t h = 0; h < HOSTS; h++) {
        assert_true(c->host[h].control.known);
        made_near("noise floor", c->host[h].control.effect, 0, 0.004);
        assert_true(c->host[h].control.ci.lo < c->host[h].control.effect);
        made_text("verdict", verdict_name(c->host[h].verdict), "regressed");
        if (c->host[h].control.verdict == VERDICT_REGRESSED ||
            c->host[h].control.verdict == VERDICT_IMPROVED)
            fail_msg("control of %s: %s", c->host[h].host,
                     verdict_name(c->host[h].control.verdict));
    }
    assert_int_equal(c->fleet.hosts_used, HOSTS);
}

static void without_the_option_the_copy_is_a_candidate(void **state)
{
    CLEAN(answer) struct answer *answer = with_control(0.05, 0, SIZE_MAX);

    (void)state;
    assert_int_equal(answer->n_comparisons, 2);
    made_text("second", answer->comparison[1].candidate, "C");
    assert_false(answer->comparison[0].host[0].control.known);
}

static void a_control_that_moved_is_the_environment(void **state)
{
    CLEAN(answer) struct answer *answer = with_control(0.05, 0.05, 2);
    const struct comparison_answer *c = &answer->comparison[0];
    const struct host_answer *moved = &c->host[0];

    (void)state;
    made_text("verdict", verdict_name(moved->verdict), "inconclusive");
    assert_true(strlist_has(&moved->notes, "environment-changed"));
    made_text("reason", moved->reasons.v[0], "the control moved, so the environment changed");
    made_text("control", verdict_name(moved->control.verdict), "regressed");
    assert_true(isnan(moved->q));
    assert_int_equal(c->fleet.hosts_used, HOSTS - 1); /* kept out of the pool */
    assert_true(strlist_has(&c->fleet.unsure_on, "h0"));
    for (size_t h = 1; h < HOSTS; h++)
        made_text("others", verdict_name(c->host[h].verdict), "regressed");
    if (!strstr(c->sentence, "the control moved too"))
        fail_msg("%s", c->sentence);
}

static void a_control_that_moved_by_less_than_what_matters_is_noise(void **state)
{
    CLEAN(answer) struct answer *answer = with_control(0.05, 0.005, 2);
    const struct host_answer *host = &answer->comparison[0].host[0];

    (void)state;
    made_text("control", verdict_name(host->control.verdict), "regressed-small");
    made_text("verdict", verdict_name(host->verdict), "regressed");
    assert_false(strlist_has(&host->notes, "environment-changed"));
}

static void when_every_control_moved_nothing_is_claimed(void **state)
{
    CLEAN(frame) struct frame *frame = frame_new();
    struct judge_options options = made_options();

    (void)state;
    for (uint32_t r = 0; r < 12; r++)
        for (uint32_t place = 0; place < 3; place++) {
            const uint32_t variant = (place + r) % 3;

            made_row(frame, variant, r, place, exp(variant ? 0.1 + 0.001 * (r % 5) : 0));
        }
    options.n_variants = 3;
    options.control = 2;
    CLEAN(answer) struct answer *answer = made_answer_one(&options, frame);

    made_text("outcome", answer_outcome_name(answer->comparison[0].outcome), "inconclusive");
    assert_int_equal(answer->comparison[0].fleet.hosts_used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_control_stands_beside_every_host),
        cmocka_unit_test(without_the_option_the_copy_is_a_candidate),
        cmocka_unit_test(a_control_that_moved_is_the_environment),
        cmocka_unit_test(a_control_that_moved_by_less_than_what_matters_is_noise),
        cmocka_unit_test(when_every_control_moved_nothing_is_claimed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
