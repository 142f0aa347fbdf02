/* SPDX-License-Identifier: GPL-3.0-or-later
 * What must hold for every input: order of hosts, facts and rows does not show; the same seed gives
 * the same bytes with any number of threads; units and mirrors change no verdict. */
#include "unit/analysis/judge_case.h"
#include "unit/analysis/made_frame.h"
#include "unit/analysis/print_answer.h"

static const char *const cases[] = {"fact", "modes", "gaps-and-dead-hosts", "throughput",
                                    "aa-blocked-streaks"};
#define CASES (sizeof cases / sizeof cases[0])

/* Fails with the first line in which the texts differ. */
static void same_text(const char *what, const char *a, const char *b)
{
    size_t line = 0;

    for (size_t i = 0; a[i] || b[i]; i++) {
        if (a[i] == '\n')
            line = i + 1;
        if (a[i] != b[i])
            fail_msg("%s:\n%.300s\n%.300s", what, a + line, b + line);
    }
}

static struct judge_options few_draws(const struct judge_case *c)
{
    struct judge_options options = judge_case_options(c);

    options.draws = 99;
    options.threads = 1;
    return options;
}

static char *print_case(const struct judge_case *c, const struct judge_options *options,
                        const size_t *order)
{
    CLEAN(answer) struct answer *answer = judge_case_answer(c, options, order);

    return print_answer(answer);
}

static void the_order_of_hosts_does_not_show(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        struct judge_case c;
        size_t order[64];
        struct rng rng;

        judge_case_load(&c, cases[i]);
        const struct judge_options options = few_draws(&c);
        CLEAN_MEM char *want = print_case(&c, &options, NULL);

        for (size_t h = 0; h < c.data.n; h++)
            order[h] = h;
        rng_seed(&rng, i);
        rng_shuffle(&rng, order, c.data.n);
        CLEAN_MEM char *got = print_case(&c, &options, order);

        same_text(cases[i], want, got);
        judge_case_done(&c);
    }
}

static void the_order_of_rows_does_not_show(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        struct judge_case c;

        judge_case_load(&c, cases[i]);
        const struct judge_options options = few_draws(&c);
        CLEAN_MEM char *want = print_case(&c, &options, NULL);

        for (size_t h = 0; h < c.data.n; h++) {
            struct frame *shuffled = made_shuffled(c.frame[h], h);

            frame_free(c.frame[h]);
            c.frame[h] = shuffled;
        }
        CLEAN_MEM char *got = print_case(&c, &options, NULL);

        same_text(cases[i], want, got);
        judge_case_done(&c);
    }
}

static void the_order_of_facts_and_columns_does_not_show(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        struct judge_case c;

        judge_case_load(&c, cases[i]);
        const struct judge_options options = few_draws(&c);
        CLEAN_MEM char *want = print_case(&c, &options, NULL);

        for (size_t h = 0; h < c.data.n; h++) {
            struct fact_set *facts = fact_set_new();
            struct frame *frame = frame_new();
            const struct fact_set *old = c.data.host[h].facts;

            for (size_t f = old->n; f-- > 0;)
                assert_int_equal(fact_set_put(facts, old->v[f].name, old->v[f].value, FACT_IDENTITY,
                                              "import", NULL),
                                 0);
            fact_set_free(c.data.host[h].facts);
            c.data.host[h].facts = facts;
            for (size_t k = c.frame[h]->n_texts; k-- > 0;)
                frame_text_column(frame, c.frame[h]->text[k].name);
            for (size_t k = c.frame[h]->n_numbers; k-- > 0;)
                frame_number_column(frame, c.frame[h]->number[k].name);
            frame_append(frame, c.frame[h]);
            frame_free(c.frame[h]);
            c.frame[h] = frame;
        }
        CLEAN_MEM char *got = print_case(&c, &options, NULL);

        same_text(cases[i], want, got);
        judge_case_done(&c);
    }
}

static void the_same_seed_gives_the_same_bytes_on_any_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        struct judge_case c;

        judge_case_load(&c, cases[i]);
        struct judge_options options = few_draws(&c);
        CLEAN_MEM char *one = print_case(&c, &options, NULL);
        CLEAN_MEM char *again = print_case(&c, &options, NULL);

        options.threads = 2;
        CLEAN_MEM char *two = print_case(&c, &options, NULL);

        options.threads = 5;
        CLEAN_MEM char *five = print_case(&c, &options, NULL);

        same_text("again", one, again);
        same_text("two threads", one, two);
        same_text("five threads", one, five);
        judge_case_done(&c);
    }
}

static void same_verdicts(const char *what, const struct answer *a, const struct answer *b,
                          double sign)
{
    const struct comparison_answer *x = &a->comparison[0], *y = &b->comparison[0];

    made_text(what, answer_outcome_name(y->outcome), answer_outcome_name(x->outcome));
    made_text(what, verdict_name(y->fleet.verdict), verdict_name(x->fleet.verdict));
    for (size_t h = 0; h < x->n_hosts; h++) {
        made_text(x->host[h].host, verdict_name(y->host[h].verdict),
                  verdict_name(x->host[h].verdict));
        if (!isnan(x->host[h].effect)) {
            made_near("effect", y->host[h].effect, x->host[h].effect, 1e-9);
            made_near("pct", sign * log1p(y->host[h].pct / 100), log1p(x->host[h].pct / 100), 1e-9);
        }
    }
    if (!isnan(x->fleet.effect))
        made_near("fleet", y->fleet.effect, x->fleet.effect, 1e-9);
    assert_int_equal(x->facts.claim, y->facts.claim);
}

/* The metric of every sample through f; the parts of elapsed time are left alone. */
static void change_metric(struct judge_case *c, double (*f)(double))
{
    for (size_t h = 0; h < c->data.n; h++) {
        const size_t column = frame_number_column(c->frame[h], c->metric);

        for (size_t i = 0; i < c->frame[h]->n; i++)
            c->frame[h]->number[column].v[i] = f(c->frame[h]->number[column].v[i]);
    }
}

static double thousandfold(double x)
{
    return 1000 * x;
}

static double inverse(double x)
{
    return 1 / x;
}

static void another_unit_changes_no_verdict(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        struct judge_case c;

        judge_case_load(&c, cases[i]);
        const struct judge_options options = few_draws(&c);
        CLEAN(answer) struct answer *seconds = judge_case_answer(&c, &options, NULL);

        change_metric(&c, thousandfold);
        CLEAN(answer) struct answer *thousandths = judge_case_answer(&c, &options, NULL);

        same_verdicts(cases[i], seconds, thousandths, 1);
        judge_case_done(&c);
    }
}

static void time_and_rate_say_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        struct judge_case c;

        judge_case_load(&c, cases[i]);
        struct judge_options options = few_draws(&c);
        CLEAN(answer) struct answer *time = judge_case_answer(&c, &options, NULL);

        change_metric(&c, inverse);
        options.higher_is_better = !options.higher_is_better;
        CLEAN(answer) struct answer *rate = judge_case_answer(&c, &options, NULL);

        same_verdicts(cases[i], time, rate, -1);
        judge_case_done(&c);
    }
}

/* Adding hosts that differ never moves a host's own numbers (the correction over hosts aside). */
static void other_hosts_do_not_widen_a_host(void **state)
{
    struct judge_case c;

    (void)state;
    judge_case_load(&c, "fact");
    const struct judge_options options = few_draws(&c);
    CLEAN(answer) struct answer *all = judge_case_answer(&c, &options, NULL);
    const struct made_host alone = {
        .name = c.data.host[0].name, .frame = c.frame[0], .facts = c.data.host[0].facts};
    CLEAN(answer) struct answer *one = made_answer(&options, &alone, 1);
    const struct host_answer *a = &all->comparison[0].host[0], *b = &one->comparison[0].host[0];

    made_text("host", b->host, a->host);
    made_near("lo", b->ci.lo, a->ci.lo, 0);
    made_near("hi", b->ci.hi, a->ci.hi, 0);
    made_near("p", b->p, a->p, 0);
    made_near("se", b->trimmed_se, a->trimmed_se, 0);
    judge_case_done(&c);
}

/* Swapping base and candidate turns every sign. */
static void swapping_the_arms_mirrors_the_answer(void **state)
{
    struct judge_case c;

    (void)state;
    judge_case_load(&c, "mixed");
    struct judge_options options = few_draws(&c);
    CLEAN(answer) struct answer *ab = judge_case_answer(&c, &options, NULL);

    options.base = 1;
    CLEAN(answer) struct answer *ba = judge_case_answer(&c, &options, NULL);
    const struct comparison_answer *x = &ab->comparison[0], *y = &ba->comparison[0];

    made_text("candidate", y->candidate, x->base);
    for (size_t h = 0; h < x->n_hosts; h++) {
        if (!isnan(x->host[h].effect))
            made_near("effect", y->host[h].effect, -x->host[h].effect, 1e-12);
        if (!isnan(x->host[h].ci.hi))
            made_near("ci", y->host[h].ci.lo, -x->host[h].ci.hi, 1e-12);
        assert_int_equal(x->host[h].verdict == VERDICT_REGRESSED,
                         y->host[h].verdict == VERDICT_IMPROVED);
        assert_int_equal(x->host[h].verdict == VERDICT_INCONCLUSIVE,
                         y->host[h].verdict == VERDICT_INCONCLUSIVE);
    }
    made_near("fleet", y->fleet.effect, -x->fleet.effect, 1e-12);
    judge_case_done(&c);
}

/* Cells come from the order of input; their levels give the order of the answer. */
static void the_numbering_of_cells_does_not_show(void **state)
{
    static const char *const factors[] = {"threads"};
    struct judge_options options = made_options();
    char *text[2];

    (void)state;
    options.factor = factors;
    options.n_factors = 1;
    for (int turned = 0; turned < 2; turned++) {
        CLEAN(frame) struct frame *frame = frame_new();
        struct rng rng;

        rng_seed(&rng, 5);
        for (uint32_t r = 0; r < 10; r++)
            for (uint32_t i = 0; i < 6; i++) { /* threads 2, 10, 4: by size, not by bytes */
                static const char *const level[] = {"2", "10", "4"};
                const size_t row =
                    made_row(frame, (i + r) % 2, r, i,
                             exp(0.01 * rng_normal(&rng) + (i / 2 == 1) * 0.1 * ((i + r) % 2)));

                frame->cell[row] = turned ? 2 - i / 2 : i / 2;
                made_word(frame, row, "threads", level[i / 2]);
            }
        CLEAN(answer) struct answer *answer = made_answer_one(&options, frame);

        assert_int_equal(answer->n_comparisons, 3);
        made_text("first", strmap_get(&answer->comparison[0].cell, "threads"), "2");
        made_text("second", strmap_get(&answer->comparison[1].cell, "threads"), "4");
        made_text("third", strmap_get(&answer->comparison[2].cell, "threads"), "10");
        made_text("where", verdict_name(answer->comparison[2].host[0].verdict), "regressed");
        text[turned] = print_answer(answer);
    }
    same_text("cells", text[0], text[1]);
    mem_free(text[0]);
    mem_free(text[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_hosts_does_not_show),
        cmocka_unit_test(the_order_of_rows_does_not_show),
        cmocka_unit_test(the_order_of_facts_and_columns_does_not_show),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes_on_any_threads),
        cmocka_unit_test(another_unit_changes_no_verdict),
        cmocka_unit_test(time_and_rate_say_the_same),
        cmocka_unit_test(other_hosts_do_not_widen_a_host),
        cmocka_unit_test(swapping_the_arms_mirrors_the_answer),
        cmocka_unit_test(the_numbering_of_cells_does_not_show),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
