/* SPDX-License-Identifier: GPL-3.0-or-later
 * Several sittings on a host: verdicts that only one of them supports, and their pooled effect. */
#include "unit/analysis/made_frame.h"

/* Sittings of 12 rounds with these effects. */
static struct frame *sittings(const double *effect, size_t n, double noise)
{
    struct frame *frame = frame_new();

    for (size_t s = 0; s < n; s++) {
        CLEAN(frame) struct frame *one = made_pairs(12, effect[s], noise, 50 + s);

        for (size_t i = 0; i < one->n; i++)
            one->session[i] = (uint32_t)s;
        frame_append(frame, one);
    }
    return frame;
}

static void verdicts_that_hold_in_one_sitting_only(void **state)
{
    static const struct {
        double effect[3];
        size_t n;
        const char *verdict, *reason;
    } cases[] = {
        {{0.05, 0.05},       2, "regressed",    NULL                                    },
        {{-0.05, -0.06},     2, "improved",     NULL                                    },
        {{0.05, 0},          2, "inconclusive", "the effect is sure in one sitting only"},
        {{0, 0.05},          2, "inconclusive", "the effect is sure in one sitting only"},
        {{0.09, -0.02},      2, "inconclusive", "the sittings contradict each other"    },
        {{0.05, 0.05, 0.02}, 3, "regressed",    NULL                                    },
        {{0.05},             1, "regressed",    NULL                                    },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CLEAN(frame) struct frame *frame = sittings(cases[i].effect, cases[i].n, 0.005);
        struct judge_options options = made_options();

        options.seed = 3;
        CLEAN(answer) struct answer *answer = made_answer_one(&options, frame);
        const struct host_answer *host = &answer->comparison[0].host[0];

        if (strcmp(verdict_name(host->verdict), cases[i].verdict) != 0)
            fail_msg("case %zu: want %s, got %s (p %g)", i, cases[i].verdict,
                     verdict_name(host->verdict), host->p);
        assert_int_equal(strlist_has(&host->notes, "one-session"), cases[i].reason != NULL);
        if (cases[i].reason && !strlist_has(&host->reasons, cases[i].reason))
            fail_msg("case %zu: reason %s", i, host->reasons.v[0]);
    }
}

static void sittings_that_differ_widen_the_pooled_pair(void **state)
{
    const double same[] = {0.05, 0.05, 0.05}, apart[] = {0.03, 0.05, 0.08};
    const struct judge_options options = made_options();
    CLEAN(frame) struct frame *a = sittings(same, 3, 0.005);
    CLEAN(frame) struct frame *b = sittings(apart, 3, 0.005);
    CLEAN(answer) struct answer *one = made_answer_one(&options, a);
    CLEAN(answer) struct answer *other = made_answer_one(&options, b);
    const struct host_answer *steady = &one->comparison[0].host[0],
                             *moving = &other->comparison[0].host[0];

    (void)state;
    assert_true(steady->df > 2 && steady->trimmed_se < 0.002);
    made_near("df: sittings less one", moving->df, 2, 0);
    made_near("effect", moving->trimmed_effect, 0.16 / 3, 0.004);
    /* sd of the three is .0252, over the square root of 3 */
    made_near("se", moving->trimmed_se, 0.0145, 0.002);
    assert_true(moving->detectable > 4 * moving->trimmed_se);
}

static void short_sittings_do_not_count_as_such(void **state)
{
    CLEAN(frame) struct frame *frame = made_pairs(12, 0.05, 0.005, 61);
    const struct judge_options options = made_options();

    (void)state;
    for (size_t i = 0; i < frame->n; i++)
        frame->session[i] = frame->round[i] / 4; /* three of four rounds each */
    CLEAN(answer) struct answer *answer = made_answer_one(&options, frame);
    const struct host_answer *host = &answer->comparison[0].host[0];

    made_near("df of twelve rounds", host->df, 7, 0);
    made_text("verdict", verdict_name(host->verdict), "regressed");
}

static void a_machine_under_two_names_is_two_sittings(void **state)
{
    CLEAN(frame) struct frame *first = made_pairs(12, 0.05, 0.005, 71);
    CLEAN(frame) struct frame *second = made_pairs(12, 0, 0.005, 72);
    const struct made_host hosts[] = {
        {.name = "b",     .frame = second, .machine = "m"},
        {.name = "a",               .frame = first,                    .machine = "m"},
        {.name = "c", .machine = "m"},
    };
    const struct judge_options options = made_options();
    CLEAN(answer) struct answer *answer = made_answer(&options, hosts, 3);
    const struct comparison_answer *c = &answer->comparison[0];

    (void)state;
    assert_int_equal(c->n_hosts, 1);
    made_text("host", c->host[0].host, "a");
    assert_int_equal(c->host[0].rounds_used, 24);
    assert_true(strlist_has(&c->host[0].notes, "joined: b"));
    assert_true(strlist_has(&c->host[0].notes, "one-session"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_that_hold_in_one_sitting_only),
        cmocka_unit_test(sittings_that_differ_widen_the_pooled_pair),
        cmocka_unit_test(short_sittings_do_not_count_as_such),
        cmocka_unit_test(a_machine_under_two_names_is_two_sittings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
