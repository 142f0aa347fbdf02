/* SPDX-License-Identifier: GPL-3.0-or-later
 * Inputs at the edge: few hosts, one block, equal times, zeros, gaps, odd facts, nothing at all.
 * Each must give a sensible answer: no crash, no infinity, no number where none can be, and words.
 */
#include "unit/analysis/made_frame.h"
#include "unit/analysis/print_answer.h"

#define MOST 40
static char names[MOST][8];

/* What must hold of every answer. */
static void sensible(const struct answer *answer)
{
    CLEAN_MEM char *text = print_answer(answer);
    const char *inf = strstr(text, "=inf"), *minus = strstr(text, "=-inf");

    if (inf || minus)
        fail_msg("an infinity: %.60s", inf ? inf : minus);
    for (size_t i = 0; i < answer->n_comparisons; i++) {
        const struct comparison_answer *c = &answer->comparison[i];
        char lead[64];

        if (!c->sentence || strlen(c->sentence) < 20 || strstr(c->sentence, "nan") ||
            strstr(c->sentence, "inf "))
            fail_msg("sentence: %s", c->sentence);
        if (strstr(c->sentence, "cause"))
            fail_msg("sentence: %s", c->sentence);
        snprintf(lead, sizeof lead, " of %zu host", c->n_hosts);
        assert_true(strstr(c->sentence, lead) != NULL);
        if (c->outcome == ANSWER_INCONCLUSIVE && !strstr(c->sentence, " Next: "))
            fail_msg("nothing would settle it: %s", c->sentence);
        for (size_t h = 0; h < c->n_hosts; h++) {
            const struct host_answer *host = &c->host[h];

            if (host->verdict != VERDICT_INCONCLUSIVE && (isnan(host->effect) || isnan(host->p)))
                fail_msg("%s: %s without numbers", host->host, verdict_name(host->verdict));
            if (host->verdict == VERDICT_INCONCLUSIVE && host->reasons.n == 0)
                fail_msg("%s: inconclusive without a reason", host->host);
            assert_true(isnan(host->ci.lo) || host->ci.lo <= host->ci.hi);
        }
    }
}

/* n hosts with their frames (taken over) and facts (taken over; may be NULL). */
static struct answer *judge_them(const struct judge_options *options, struct frame **frame,
                                 struct fact_set **facts, size_t n)
{
    struct made_host hosts[MOST];
    struct answer *answer;

    for (size_t h = 0; h < n; h++) {
        snprintf(names[h], sizeof names[h], "h%02u", (unsigned)(h % 100));
        hosts[h] = (struct made_host){
            .name = names[h], .frame = frame[h], .facts = facts ? facts[h] : NULL};
    }
    answer = made_answer(options, hosts, n);
    for (size_t h = 0; h < n; h++) {
        frame_free(frame[h]);
        if (facts)
            fact_set_free(facts[h]);
    }
    sensible(answer);
    return answer;
}

static void one_two_and_three_hosts(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 5; n++) {
        const struct judge_options options = made_options();
        struct frame *frame[5];
        struct fact_set *facts[5];

        for (size_t h = 0; h < n; h++) {
            frame[h] = made_pairs(12, h % 2 ? 0 : 0.08, 0.003, h);
            facts[h] = fact_set_new();
            assert_int_equal(fact_set_put(facts[h], "cpu.vendor", h % 2 ? "Intel" : "AMD",
                                          FACT_IDENTITY, "test", NULL),
                             0);
        }
        CLEAN(answer) struct answer *answer = judge_them(&options, frame, facts, n);
        const struct comparison_answer *c = &answer->comparison[0];

        assert_int_equal(c->fleet.hosts_used, n);
        made_text("h00", verdict_name(c->host[0].verdict), "regressed");
        made_text("outcome", answer_outcome_name(c->outcome),
                  n == 1 ? "regressed" : "regressed-on-some");
        assert_false(c->facts.claim);
        if (n == 2 || n == 3) {
            assert_int_equal(c->facts.n_classes, 1); /* listed, not scored */
            assert_false(c->facts.class[0].scored);
            if (!strstr(c->sentence, "cpu.vendor"))
                fail_msg("%s", c->sentence);
        }
        assert_true(n > 2 ? !isnan(c->fleet.heterogeneity_p) : true);
        assert_true(n < 3 ? isnan(c->fleet.prediction.lo) : !isnan(c->fleet.prediction.lo));
    }
}

static void one_block_is_an_estimate(void **state)
{
    const struct judge_options options = made_options();
    struct frame *frame[] = {made_pairs(1, 0.1, 0, 1), made_pairs(1, 0.1, 0, 2)};
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 2);
    const struct host_answer *host = &answer->comparison[0].host[0];

    (void)state;
    made_near("effect", host->effect, 0.1, 1e-9);
    assert_true(isnan(host->p) && isnan(host->ci.lo) && isnan(host->base_spread));
    made_text("outcome", answer_outcome_name(answer->comparison[0].outcome), "inconclusive");
    assert_true(strstr(host->reasons.v[0], "too few rounds") != NULL);
    made_near("needed: two hosts share alpha", host->rounds_needed, ceil(1 + log2(2 / 0.05)), 0);
}

static void equal_times_everywhere(void **state)
{
    const struct judge_options options = made_options();
    struct frame *frame[6];

    (void)state;
    for (size_t h = 0; h < 6; h++) {
        frame[h] = made_pairs(12, 0, 0, h);
        for (size_t i = 0; i < frame[h]->n; i++)
            made_set(frame[h], i, "elapsed_s", 0.25);
    }
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 6);

    /* printed to 0.01 s: a tick of 4 %, so that nothing can be said within 1 % */
    for (size_t h = 0; h < 6; h++) {
        made_text("verdict", verdict_name(answer->comparison[0].host[h].verdict), "inconclusive");
        assert_true(strlist_has(&answer->comparison[0].host[h].notes, "coarse-clock"));
    }
    made_text("outcome", answer_outcome_name(answer->comparison[0].outcome), "inconclusive");
}

static void zeros_and_negative_times_are_dropped(void **state)
{
    const struct judge_options options = made_options();
    struct frame *frame[3];

    (void)state;
    for (size_t h = 0; h < 3; h++) {
        frame[h] = made_pairs(12, 0.05, 0.002, h);
        for (size_t i = 0; i < frame[h]->n; i++)
            if (h == 0)
                made_set(frame[h], i, "elapsed_s", 0);
            else if (h == 1 && i % 6 == 0)
                made_set(frame[h], i, "elapsed_s", -1);
    }
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 3);
    const struct comparison_answer *c = &answer->comparison[0];

    assert_int_equal(c->host[0].rounds_used, 0);
    assert_int_equal(c->host[0].rounds_dropped, 12);
    assert_true(isnan(c->host[0].effect));
    assert_int_equal(c->host[1].rounds_dropped, 4);
    made_text("the rest", verdict_name(c->host[1].verdict), "regressed");
    assert_int_equal(answer->warnings.n, 2);
    assert_true(strstr(answer->warnings.v[0], "elapsed_s is 0") != NULL);
}

static void negative_waits_as_the_metric(void **state)
{
    struct judge_options options = made_options();
    struct frame *frame[4];
    struct rng rng;

    (void)state;
    options.metric = "wait_s";
    rng_seed(&rng, 6);
    for (size_t h = 0; h < 4; h++) {
        frame[h] = made_pairs(20, 0, 0.001, h);
        for (size_t i = 0; i < frame[h]->n; i++) { /* waits about -1 ms; the candidate's +19 ms */
            made_set(frame[h], i, "sys_s", 0.01);
            made_set(frame[h], i, "user_s",
                     frame[h]->number[0].v[i] - 0.009 - (frame[h]->variant[i] ? 0.02 : 0) +
                         0.0005 * rng_normal(&rng));
        }
    }
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 4);
    const struct host_answer *host = &answer->comparison[0].host[0];

    made_text("verdict", verdict_name(host->verdict), "regressed");
    made_near("pct is the share of |base|", host->pct, 100 * host->effect, 1e-9);
    made_near("twenty times", host->effect, 20, 8);
    assert_false(host->modes.found);
}

static void metrics_that_are_zero_for_everyone(void **state)
{
    struct judge_options options = made_options();
    struct frame *frame[4];

    (void)state;
    options.metric = "majflt";
    for (size_t h = 0; h < 4; h++) {
        frame[h] = made_pairs(12, 0, 0.01, h);
        for (size_t i = 0; i < frame[h]->n; i++)
            made_set(frame[h], i, "majflt", h == 3 && frame[h]->variant[i] ? 5 : 0);
    }
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 4);

    made_text("only the candidate faults", verdict_name(answer->comparison[0].host[3].verdict),
              "regressed");
    assert_true(answer->comparison[0].host[0].verdict != VERDICT_REGRESSED);
}

static void a_variant_missing_on_half_of_the_hosts(void **state)
{
    struct judge_options options = made_options();
    struct frame *frame[8];

    (void)state;
    options.n_variants = 3;
    for (size_t h = 0; h < 8; h++) {
        frame[h] = made_pairs(12, 0.05, 0.002, h);
        for (size_t i = 0; i < frame[h]->n; i++)
            if (h >= 4 && frame[h]->variant[i] == 1)
                frame[h]->variant[i] = 2; /* C in place of B */
    }
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 8);

    assert_int_equal(answer->n_comparisons, 2);
    for (size_t c = 0; c < 2; c++) {
        const struct comparison_answer *one = &answer->comparison[c];

        assert_int_equal(one->n_hosts, 8);
        assert_int_equal(one->fleet.hosts_used, 4);
        made_text("with", verdict_name(one->host[c ? 7 : 0].verdict), "regressed");
        made_text("without", verdict_name(one->host[c ? 0 : 7].verdict), "inconclusive");
        made_text("why", one->host[c ? 0 : 7].reasons.v[0], "only one of the two variants ran");
    }
}

static void base_and_candidate_on_different_hosts_are_not_compared(void **state)
{
    const struct judge_options options = made_options();
    struct frame *frame[2];

    (void)state;
    for (size_t h = 0; h < 2; h++) {
        frame[h] = made_pairs(50, 0.5, 0.002, h);
        for (size_t i = 0; i < frame[h]->n; i++)
            frame[h]->variant[i] = (uint32_t)h;
    }
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 2);

    made_text("outcome", answer_outcome_name(answer->comparison[0].outcome), "inconclusive");
    assert_int_equal(answer->comparison[0].fleet.hosts_used, 0);
    assert_true(isnan(answer->comparison[0].fleet.effect));
}

/* Facts by a rule over 12 hosts of which every second has the effect. */
static struct answer *with_fact(void (*set)(struct fact_set *facts, size_t host))
{
    const struct judge_options options = made_options();
    struct frame *frame[12];
    struct fact_set *facts[12];

    for (size_t h = 0; h < 12; h++) {
        frame[h] = made_pairs(12, h % 2 ? 0.05 : 0, 0.003, h);
        facts[h] = fact_set_new();
        set(facts[h], h);
    }
    return judge_them(&options, frame, facts, 12);
}

static void put(struct fact_set *facts, const char *name, const char *value)
{
    assert_int_equal(fact_set_put(facts, name, value, FACT_IDENTITY, "test", NULL), 0);
}

static void unique(struct fact_set *facts, size_t host)
{
    char text[16];

    snprintf(text, sizeof text, "serial-%zu", host % 1000);
    put(facts, "board.tag", text);
}

static void constant(struct fact_set *facts, size_t host)
{
    (void)host;
    put(facts, "os.id", "debian");
}

static void missing(struct fact_set *facts, size_t host)
{
    (void)facts;
    (void)host;
}

static void known_once(struct fact_set *facts, size_t host)
{
    if (host == 3)
        put(facts, "cpu.vendor", "AMD");
}

static void facts_that_say_nothing_claim_nothing(void **state)
{
    static void (*const rules[])(struct fact_set *, size_t) = {unique, constant, missing,
                                                               known_once};

    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        CLEAN(answer) struct answer *answer = with_fact(rules[i]);
        const struct comparison_answer *c = &answer->comparison[0];

        assert_false(c->facts.claim);
        made_text("outcome", answer_outcome_name(c->outcome), "regressed-on-some");
        if (!strstr(c->sentence, "no fact is shown to go with it"))
            fail_msg("%s", c->sentence);
    }
}

static void ten_thousand_levels_of_a_fact(void **state)
{
    enum { LEVELS = 10000 };
    const struct judge_options options = made_options();
    struct judge_host *host = mem_array(struct judge_host, LEVELS);
    struct fact_set **facts = mem_array(struct fact_set *, LEVELS);
    char(*name)[16] = mem_alloc(LEVELS, 16);
    CLEAN(judge) struct judge *judge = NULL;
    CLEAN(answer) struct answer *answer = NULL;
    struct err err = {0};

    (void)state;
    for (size_t h = 0; h < LEVELS; h++) { /* 8 are measured, the rest could be */
        char level[16];

        snprintf(name[h], 16, "h%05u", (unsigned)(h % 100000));
        snprintf(level, sizeof level, "level-%u", (unsigned)(h % 100000));
        facts[h] = fact_set_new();
        put(facts[h], "rack", level);
        host[h] = (struct judge_host){.name = name[h], .facts = facts[h], .measured = h < 8};
    }
    assert_int_equal(judge_new(&options, host, LEVELS, &judge, &err), 0);
    for (size_t h = 0; h < 8; h++) {
        CLEAN(frame) struct frame *frame = made_pairs(10, 0.05, 0.003, h);

        assert_int_equal(judge_add(judge, h, frame, &err), 0);
    }
    assert_int_equal(judge_finish(judge, &answer, &err), 0);
    sensible(answer);
    assert_int_equal(answer->comparison[0].n_hosts, 8);
    made_text("outcome", answer_outcome_name(answer->comparison[0].outcome), "regressed");
    for (size_t h = 0; h < LEVELS; h++)
        fact_set_free(facts[h]);
    mem_free((void *)facts);
    mem_free(host);
    mem_free(name);
}

static void ten_thousand_levels_of_a_column(void **state)
{
    const struct judge_options options = made_options();
    struct frame *frame[] = {made_pairs(5000, 0.05, 0.01, 3)};

    (void)state;
    for (size_t i = 0; i < frame[0]->n; i++) {
        char level[16];

        snprintf(level, sizeof level, "l%u", (unsigned)(i % 100000));
        /* straight into the column: looking each one up would take a while */
        const size_t column = frame_text_column(frame[0], "tag");
        struct frame_text *text = &frame[0]->text[column];

        text->level = mem_resize((void *)text->level, text->n_levels + 1, sizeof *text->level);
        text->level[text->n_levels] = mem_strdup(level);
        text->v[i] = (uint32_t)text->n_levels++;
    }
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 1);

    made_text("verdict", verdict_name(answer->comparison[0].host[0].verdict), "regressed");
}

static void no_hosts_at_all(void **state)
{
    const struct judge_options options = made_options();
    CLEAN(answer) struct answer *answer = judge_them(&options, NULL, NULL, 0);

    (void)state;
    assert_int_equal(answer->n_comparisons, 1);
    assert_int_equal(answer->comparison[0].n_hosts, 0);
    made_text("outcome", answer_outcome_name(answer->comparison[0].outcome), "inconclusive");
}

static void hosts_without_any_sample(void **state)
{
    const struct judge_options options = made_options();
    struct frame *frame[] = {frame_new(), frame_new(), made_pairs(10, 0.05, 0.002, 1)};
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 3);
    const struct host_answer *host = &answer->comparison[0].host[0];

    (void)state;
    assert_int_equal(answer->comparison[0].n_hosts, 3);
    assert_null(design_name(host->design));
    made_text("why", host->reasons.v[0], "no samples");
    made_text("outcome", answer_outcome_name(answer->comparison[0].outcome), "regressed");
}

static void nothing_but_missing_values(void **state)
{
    const struct judge_options options = made_options();
    struct frame *frame[4];

    (void)state;
    for (size_t h = 0; h < 4; h++) {
        frame[h] = made_pairs(10, 0, 0.01, h);
        for (size_t i = 0; i < frame[h]->n; i++) {
            made_set(frame[h], i, "elapsed_s", NAN);
            made_set(frame[h], i, "user_s", NAN);
            made_set(frame[h], i, "sys_s", NAN);
            made_set(frame[h], i, "load_other_cpu", NAN);
        }
    }
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 4);

    assert_int_equal(answer->comparison[0].host[0].rounds_used, 0);
    made_text("outcome", answer_outcome_name(answer->comparison[0].outcome), "inconclusive");
}

static void missing_parts_beside_good_times(void **state)
{
    const struct judge_options options = made_options();
    struct frame *frame[] = {made_pairs(12, 0.05, 0.002, 1)};

    (void)state;
    for (size_t i = 0; i < frame[0]->n; i++) {
        made_set(frame[0], i, "user_s",
                 i % 8 == 3 ? NAN : frame[0]->number[0].v[i] - 0.02 + 1e-4 * (double)(i % 5));
        made_set(frame[0], i, "sys_s", 0.01);
    }
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 1);

    made_text("verdict", verdict_name(answer->comparison[0].host[0].verdict), "regressed");
    made_text("class", time_class_name(answer->comparison[0].host[0].where.class), "cpu-user");
}

static void a_metric_that_nobody_recorded(void **state)
{
    struct judge_options options = made_options();
    struct frame *frame[] = {made_pairs(12, 0.05, 0.002, 1), made_pairs(12, 0.05, 0.002, 2)};

    (void)state;
    options.metric = "per_thread_ops";
    options.higher_is_better = true;
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 2);

    made_text("outcome", answer_outcome_name(answer->comparison[0].outcome), "inconclusive");
}

static void tiny_and_huge_numbers(void **state)
{
    static const double size[] = {1e-300, 1e-9, 1e9, 1e300};

    (void)state;
    for (size_t k = 0; k < 4; k++) {
        const struct judge_options options = made_options();
        struct frame *frame[] = {made_pairs(12, 0.05, 0.002, 1)};

        for (size_t i = 0; i < frame[0]->n; i++)
            made_set(frame[0], i, "elapsed_s", frame[0]->number[0].v[i] * size[k]);
        CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 1);

        made_text("verdict", verdict_name(answer->comparison[0].host[0].verdict), "regressed");
    }
}

static void options_that_make_no_sense_are_refused(void **state)
{
    CLEAN(fact_set) struct fact_set *facts = fact_set_new();
    const struct judge_host good = {.name = "h", .facts = facts, .measured = true},
                            bad = {.name = "h", .measured = true};
    struct judge_options options[6];
    struct judge *judge = NULL;
    struct err err = {0};

    (void)state;
    for (size_t i = 0; i < 6; i++)
        options[i] = made_options();
    options[0].metric = NULL;
    options[1].base = 2;
    options[2].alpha = 0;
    options[3].min_effect = -1;
    options[4].n_variants = 1;
    options[5].alpha = NAN;
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(judge_new(&options[i], &good, 1, &judge, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
    }
    const struct judge_options usual = made_options();

    assert_int_equal(judge_new(&usual, &bad, 1, &judge, &err), -1);
    assert_int_equal(judge_new(&usual, &good, 1, &judge, &err), 0);
    CLEAN(frame) struct frame *frame = made_pairs(6, 0, 0.01, 1);

    assert_int_equal(judge_add(judge, 0, frame, &err), 0);
    assert_int_equal(judge_add(judge, 0, frame, &err), -1); /* once a host */
    assert_int_equal(judge_add(judge, 1, frame, &err), -1);
    judge_free(judge);
}

static void uneven_failures_are_warned_of(void **state)
{
    const struct judge_options options = made_options();
    struct frame *frame[4];

    (void)state;
    for (size_t h = 0; h < 4; h++) {
        frame[h] = made_pairs(12, 0, 0.003, h);
        for (size_t i = 0; i < frame[h]->n; i++)
            if (frame[h]->variant[i] == 1 && frame[h]->round[i] % 4 == 1)
                frame[h]->outcome[i] = OUTCOME_FAILED;
    }
    CLEAN(answer) struct answer *answer = judge_them(&options, frame, NULL, 4);
    bool warned = false;

    for (size_t i = 0; i < answer->warnings.n; i++)
        warned = warned || strstr(answer->warnings.v[i],
                                  "samples failed unevenly: 12 of 48 of B, 0 of 48 of A");
    assert_true(warned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_two_and_three_hosts),
        cmocka_unit_test(one_block_is_an_estimate),
        cmocka_unit_test(equal_times_everywhere),
        cmocka_unit_test(zeros_and_negative_times_are_dropped),
        cmocka_unit_test(negative_waits_as_the_metric),
        cmocka_unit_test(metrics_that_are_zero_for_everyone),
        cmocka_unit_test(a_variant_missing_on_half_of_the_hosts),
        cmocka_unit_test(base_and_candidate_on_different_hosts_are_not_compared),
        cmocka_unit_test(facts_that_say_nothing_claim_nothing),
        cmocka_unit_test(ten_thousand_levels_of_a_fact),
        cmocka_unit_test(ten_thousand_levels_of_a_column),
        cmocka_unit_test(no_hosts_at_all),
        cmocka_unit_test(hosts_without_any_sample),
        cmocka_unit_test(nothing_but_missing_values),
        cmocka_unit_test(missing_parts_beside_good_times),
        cmocka_unit_test(a_metric_that_nobody_recorded),
        cmocka_unit_test(tiny_and_huge_numbers),
        cmocka_unit_test(options_that_make_no_sense_are_refused),
        cmocka_unit_test(uneven_failures_are_warned_of),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
