/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sentence at the top of an answer, in more than forty situations: the cases, the four reports,
 * and answers made by hand. Golden text in golden/sentences.txt; SENTENCES_WRITE=FILE writes it
 * anew. Each also keeps the rules that hold for all.
 */
#include "analysis/sentence.h"

#include "unit/analysis/judge_case.h"
#include "unit/analysis/made_frame.h"

static struct str written; /* every situation and its sentence, in order */

static bool names_member(const char *sentence, const struct class_member *m)
{
    return strstr(sentence, m->fact) != NULL;
}

/* The part before "Next:": what is said, not what is proposed. */
static char *finding(const char *sentence)
{
    const char *next = strstr(sentence, " Next: ");

    return mem_strndup(sentence, next ? (size_t)(next - sentence) : strlen(sentence));
}

static void rules(const char *what, const struct comparison_answer *c, const char *sentence)
{
    CLEAN_MEM char *said = finding(sentence);
    size_t k, n;

    if (sscanf(sentence, "%zu of %zu host", &k, &n) != 2 || n != c->n_hosts || k > n)
        fail_msg("%s does not start with k of n hosts: %s", what, sentence);
    if (strstr(sentence, "caus") || strstr(sentence, "because") || strstr(sentence, "due to"))
        fail_msg("%s claims a cause: %s", what, sentence);
    if (strstr(sentence, "nan") || strstr(sentence, "(null)") || strstr(sentence, "  ") ||
        strstr(sentence, ".."))
        fail_msg("%s: %s", what, sentence);
    if (c->outcome == ANSWER_INCONCLUSIVE && !strstr(sentence, " Next: "))
        fail_msg("%s does not say what would settle it: %s", what, sentence);
    for (size_t i = 0; i < c->facts.n_classes; i++) {
        const struct class_answer *class = &c->facts.class[i];
        size_t named = 0;

        for (size_t m = 0; m < class->n_members; m++)
            named += names_member(said, &class->member[m]);
        if (named > 0 && named < class->n_members && !strstr(said, " more"))
            fail_msg("%s names %zu of %zu that go together: %s", what, named, class->n_members,
                     sentence);
    }
}

static void keep(const char *what, const struct comparison_answer *c, const char *sentence)
{
    rules(what, c, sentence);
    str_addf(&written, "%s\n    %s\n", what, sentence);
}

/* What to do next has words and tests of its own. */
static void keep_finding(const char *what, const struct comparison_answer *c)
{
    CLEAN_MEM char *said = finding(c->sentence);

    rules(what, c, c->sentence);
    str_addf(&written, "%s\n    %s\n", what, said);
}

static void the_cases(void **state)
{
    static const char *const cases[] = {"aa",           "aa-alternating", "aa-blocked-streaks",
                                        "uniform",      "fact",           "wait",
                                        "throughput",   "mixed",          "numeric",
                                        "fact-8-hosts", "confounded",     "gaps-and-dead-hosts",
                                        "load",         "modes",          "host-only"};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct judge_case c;

        judge_case_load(&c, cases[i]);
        struct judge_options options = judge_case_options(&c);

        options.draws = 199;
        CLEAN(answer) struct answer *answer = judge_case_answer(&c, &options, NULL);

        keep_finding(cases[i], &answer->comparison[0]);
        judge_case_done(&c);
    }
}

/* Samples of a report as one frame a host, its hosts' facts beside them. */
static void report(const char *what, const char *samples, const char *hosts, const char *metric,
                   const char *base, bool higher)
{
    CLEAN_MEM struct case_table *table = mem_new(struct case_table);
    struct judge_case c = {.higher_is_better = higher};
    FILE *in = case_open(".", hosts);

    fclose(in);
    snprintf(c.metric, sizeof c.metric, "%s", metric);
    in = case_open(".", hosts);
    assert_true(case_line(in, table->name, &table->columns));
    c.data.host = mem_array(struct case_host, 4);
    while (case_line(in, table->field, &table->columns)) {
        struct case_host *host = &c.data.host[c.data.n++];

        snprintf(host->name, sizeof host->name, "%s", case_get(table, "host"));
        host->facts = fact_set_new();
        for (size_t i = 0; i < table->columns; i++)
            if (strcmp(table->name[i], "host") != 0 && table->field[i][0])
                assert_int_equal(fact_set_put(host->facts, table->name[i], table->field[i],
                                              FACT_IDENTITY, "import", NULL),
                                 0);
    }
    fclose(in);
    c.frame = mem_array(struct frame *, c.data.n);
    for (size_t h = 0; h < c.data.n; h++)
        c.frame[h] = frame_new();
    strlist_add(&c.variant, base);
    in = case_open(".", samples);
    assert_true(case_line(in, table->name, &table->columns));
    while (case_line(in, table->field, &table->columns))
        judge_case_row(&c, table);
    fclose(in);
    const struct judge_options options = judge_case_options(&c);
    CLEAN(answer) struct answer *answer = judge_case_answer(&c, &options, NULL);

    keep_finding(what, &answer->comparison[0]);
    judge_case_done(&c);
}

static void the_reports(void **state)
{
    (void)state;
    report("first report: 40 runs a side, not interleaved", "seed1-samples.csv", "seed1-hosts.csv",
           "elapsed_s", "r11088", false);
    report("first report: one run each on another machine", "seed1-reproduction-samples.csv",
           "seed1-reproduction-hosts.csv", "elapsed_s", "r11088", false);
    report("second report: throughput, five runs a side", "seed2-samples.csv", "seed2-hosts.csv",
           "per_thread_ops", "2074b6e38668e62", true);
}

/* Answers by hand: hosts with a verdict each, then whatever else is set. */
struct hand {
    struct comparison_answer c;
    struct sentence_options options;
};

static struct hand by_hand(const char *verdicts)
{
    static const struct {
        char letter;
        enum verdict verdict;
        double effect;
    } letters[] = {
        {'r', VERDICT_REGRESSED,       0.05  },
        {'R', VERDICT_REGRESSED_SMALL, 0.004 },
        {'i', VERDICT_IMPROVED,        -0.04 },
        {'I', VERDICT_IMPROVED_SMALL,  -0.003},
        {'u', VERDICT_UNCHANGED,       0.001 },
        {'?', VERDICT_INCONCLUSIVE,    0.02  },
    };
    struct hand hand = {
        .options = {.alpha = 0.05, .theta = log1p(0.01)}
    };
    struct comparison_answer *c = &hand.c;

    c->n_hosts = strlen(verdicts);
    c->host = mem_array(struct host_answer, c->n_hosts + 1);
    c->fleet = (struct fleet_answer){
        .effect = NAN, .ci = {NAN, NAN}
    };
    c->facts.p = c->facts.p_least = NAN;
    c->load.p = NAN;
    for (size_t h = 0; h < c->n_hosts; h++)
        for (size_t l = 0; l < sizeof letters / sizeof letters[0]; l++)
            if (letters[l].letter == verdicts[h])
                c->host[h] = (struct host_answer){
                    .verdict = letters[l].verdict,
                    .design = DESIGN_RANDOMISED,
                    .effect = letters[l].effect,
                    .ci = {letters[l].effect - 0.008, letters[l].effect + 0.008},
                    .detectable = 0.011,
                };
    return hand;
}

static void fleet(struct hand *hand, double effect, enum heterogeneity heterogeneity)
{
    hand->c.fleet.hosts_used = hand->c.n_hosts;
    hand->c.fleet.effect = effect;
    hand->c.fleet.ci = (struct range){effect - 0.006, effect + 0.006};
    hand->c.fleet.heterogeneity = heterogeneity;
}

static struct class_answer *add_class(struct hand *hand, enum class_kind kind, bool scored)
{
    struct facts_answer *f = &hand->c.facts;

    f->class = mem_resize(f->class, f->n_classes + 1, sizeof *f->class);

    struct class_answer *class = &f->class[f->n_classes++];

    *class = (struct class_answer){
        .rank = (int)f->n_classes, .kind = kind, .scored = scored, .survives = true};
    for (int g = 0; g < 2; g++) {
        class->group[g].effect = g ? 0.001 : 0.05;
        class->group[g].ci =
            (struct range){class->group[g].effect - 0.004, class->group[g].effect + 0.004};
        for (size_t h = 0; h < hand->c.n_hosts; h++)
            if ((hand->c.host[h].verdict == VERDICT_REGRESSED) == (g == 0))
                strlist_add(&class->group[g].hosts, "h");
    }
    return class;
}

static void add_member(struct class_answer *class, const char *fact, const char *level,
                       const char *and_fact, const char *and_level)
{
    class->member = mem_resize(class->member, class->n_members + 1, sizeof *class->member);
    class->member[class->n_members++] = (struct class_member){
        mem_strdup(fact), mem_strdup(level), mem_strdup(and_fact), mem_strdup(and_level)};
}

static void reason(struct hand *hand, const char *text)
{
    for (size_t h = 0; h < hand->c.n_hosts; h++)
        if (hand->c.host[h].verdict == VERDICT_INCONCLUSIVE)
            strlist_add(&hand->c.host[h].reasons, text);
}

static void propose(struct hand *hand, const char *why)
{
    hand->c.next = mem_array(struct next_step, 1);
    hand->c.next[0] = (struct next_step){.why = mem_strdup(why)};
    hand->c.n_next = 1;
}

/* Says it, keeps it, and frees everything by way of an answer. */
static void say(const char *what, struct hand *hand)
{
    struct answer *answer = mem_new(struct answer);

    CLEAN_MEM char *sentence = sentence_build(&hand->c, &hand->options);

    keep(what, &hand->c, sentence);
    answer->comparison = mem_array(struct comparison_answer, 1);
    answer->comparison[0] = hand->c;
    answer->n_comparisons = 1;
    answer_free(answer);
}

static void one_host(void **state)
{
    struct hand hand = by_hand("r");

    (void)state;
    hand.c.outcome = ANSWER_REGRESSED;
    say("one host regressed", &hand);
    hand = by_hand("u");
    hand.c.outcome = ANSWER_UNCHANGED;
    say("one host unchanged", &hand);
    hand = by_hand("R");
    hand.c.outcome = ANSWER_REGRESSED_SMALL;
    say("one host, less than what matters", &hand);
    hand = by_hand("?");
    hand.c.host[0].ci = (struct range){NAN, NAN};
    reason(&hand, "too few rounds (1; at least 6 are needed)");
    say("one run a side", &hand);
    hand = by_hand("?");
    reason(&hand, "arms differ in libc");
    say("arms that differ", &hand);
    hand = by_hand("?");
    reason(&hand, "the effect itself changed (+52.00 % before round 9, +0.10 % from then on)");
    say("an effect that went", &hand);
    hand = by_hand("?");
    strlist_add(&hand.c.host[0].notes, "environment-changed");
    reason(&hand, "the control moved, so the environment changed");
    say("a control that moved", &hand);
    hand = by_hand("r");
    hand.options.higher_is_better = true;
    hand.c.outcome = ANSWER_REGRESSED;
    say("one host, less throughput", &hand);
    hand = by_hand("r");
    hand.options.by_difference = true;
    hand.c.host[0].effect = 12;
    hand.c.host[0].ci = (struct range){9, 15};
    hand.c.outcome = ANSWER_REGRESSED;
    say("one host, thirteen times the faults", &hand);
    hand = by_hand("r");
    hand.c.host[0].where.known = true;
    hand.c.host[0].where.class = TIME_CLASS_WAIT;
    hand.c.host[0].where.shared_cpu_like = true;
    hand.c.outcome = ANSWER_REGRESSED;
    say("one host, all waiting, twice the time", &hand);
}

static void few_hosts(void **state)
{
    struct hand hand = by_hand("");
    struct class_answer *class;

    (void)state;
    say("no host at all", &hand);
    hand = by_hand("???");
    reason(&hand, "no samples");
    say("nothing measured", &hand);
    hand = by_hand("\?\?\?");
    for (size_t h = 0; h < 3; h++)
        strlist_add(&hand.c.host[h].reasons, h < 2 ? "only one of the two variants ran"
                                                   : "too few rounds (3; at least 8 are needed)");
    say("different reasons", &hand);
    hand = by_hand("ru");
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    fleet(&hand, 0.025, HETEROGENEITY_HETEROGENEOUS);
    class = add_class(&hand, CLASS_KIND_LEVEL, false);
    add_member(class, "cpu.vendor", "AMD", NULL, NULL);
    add_member(class, "os.release", "fedora-6", NULL, NULL);
    say("two hosts, two facts", &hand);
    hand = by_hand("ru");
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    fleet(&hand, 0.025, HETEROGENEITY_CANNOT_TELL);
    class = add_class(&hand, CLASS_KIND_LEVEL, false);
    add_member(class, "cpu.vendor", "AMD", NULL, NULL);
    say("two hosts, one fact", &hand);
    hand = by_hand("rru");
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    fleet(&hand, 0.03, HETEROGENEITY_HETEROGENEOUS);
    for (int i = 0; i < 3; i++) {
        static const char *const facts[] = {"cpu.vendor", "cpu.flags", "os.id",
                                            "os.release", "os.glibc",  "kernel",
                                            "disk",       "governor",  "board"};

        class = add_class(&hand, CLASS_KIND_LEVEL, false);
        for (int m = 0; m < 3; m++)
            add_member(class, facts[3 * i + m], "x", NULL, NULL);
    }
    say("three hosts, nine facts", &hand);
}

static void claims(void **state)
{
    struct hand hand = by_hand("rrrruuuuu?");
    struct class_answer *class;

    (void)state;
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    fleet(&hand, 0.02, HETEROGENEITY_HETEROGENEOUS);
    hand.c.facts.claim = true;
    class = add_class(&hand, CLASS_KIND_LEVEL, true);
    add_member(class, "cpu.vendor", "AMD", NULL, NULL);
    add_class(&hand, CLASS_KIND_LEVEL, true);
    propose(&hand, "h12 (cpu.vendor AMD) would separate cpu.vendor from os.id.");
    say("a fact, and another that fits nearly as well", &hand);

    hand = by_hand("rrrruuuuu");
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    fleet(&hand, 0.02, HETEROGENEITY_HETEROGENEOUS);
    hand.c.facts.claim = hand.c.facts.suspects_only = true;
    class = add_class(&hand, CLASS_KIND_CUT, true);
    add_member(class, "cpu.cores", ">12", NULL, NULL);
    add_member(class, "numa.nodes", "not 1", NULL, NULL);
    say("a suspected cut that another fact goes with", &hand);

    hand = by_hand("ruuuuuuu");
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    fleet(&hand, 0.01, HETEROGENEITY_HETEROGENEOUS);
    hand.c.facts.claim = true;
    class = add_class(&hand, CLASS_KIND_PAIR, true);
    add_member(class, "cpu.vendor", "AMD", "os.id", "not debian");
    say("a pair", &hand);

    hand = by_hand("rrrrrruu");
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    fleet(&hand, 0.03, HETEROGENEITY_HETEROGENEOUS);
    hand.c.facts.claim = true;
    class = add_class(&hand, CLASS_KIND_TREND, true);
    class->slope = -0.05;
    add_member(class, "cache.l3", "trend", NULL, NULL);
    say("a trend that falls", &hand);

    hand = by_hand("rrruuuuuuu");
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    fleet(&hand, 0.02, HETEROGENEITY_HETEROGENEOUS);
    hand.c.facts.claim = true;
    class = add_class(&hand, CLASS_KIND_LEVEL, true);
    for (int m = 0; m < 9; m++) {
        char fact[16];

        snprintf(fact, sizeof fact, "fact.%d", m);
        add_member(class, fact, "on", NULL, NULL);
    }
    say("nine facts that cannot be told apart", &hand);

    hand = by_hand("rriiu");
    hand.c.outcome = ANSWER_MIXED;
    fleet(&hand, 0.001, HETEROGENEITY_HETEROGENEOUS);
    hand.c.facts.p_least = 0.2;
    say("mixed, too few hosts for a claim", &hand);
}

static void whole_fleets(void **state)
{
    struct hand hand = by_hand("uuuuuu");

    (void)state;
    hand.c.outcome = ANSWER_UNCHANGED;
    fleet(&hand, 0.001, HETEROGENEITY_NONE_SEEN);
    say("unchanged everywhere", &hand);
    hand = by_hand("uuuuuu");
    hand.c.outcome = ANSWER_UNCHANGED;
    hand.options.aa = true;
    fleet(&hand, 0.001, HETEROGENEITY_NONE_SEEN);
    say("the same arms, unchanged", &hand);
    hand = by_hand("ruuuuu");
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    hand.options.aa = true;
    fleet(&hand, 0.008, HETEROGENEITY_CANNOT_TELL);
    say("the same arms, yet one regressed", &hand);
    hand = by_hand("iiii");
    hand.c.outcome = ANSWER_IMPROVED;
    fleet(&hand, -0.04, HETEROGENEITY_NONE_SEEN);
    say("improved everywhere", &hand);
    hand = by_hand("RRrI");
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    fleet(&hand, 0.02, HETEROGENEITY_CANNOT_TELL);
    say("some by less than what matters", &hand);
    hand = by_hand("II");
    hand.c.outcome = ANSWER_IMPROVED_SMALL;
    hand.options.theta = log1p(0.025);
    fleet(&hand, -0.003, HETEROGENEITY_NONE_SEEN);
    say("all by less than what matters", &hand);
    hand = by_hand("????");
    fleet(&hand, 0.02, HETEROGENEITY_CANNOT_TELL);
    reason(&hand, "the interval is wider than what matters (about 80 rounds are needed, 12 were "
                  "used)");
    propose(&hand, "h2 is inconclusive; about 68 more rounds would likely decide it");
    say("wide intervals", &hand);
}

static void loads_sinks_and_factors(void **state)
{
    struct hand hand = by_hand("rrrr??");

    (void)state;
    hand.c.outcome = ANSWER_REGRESSED;
    fleet(&hand, 0.04, HETEROGENEITY_NONE_SEEN);
    hand.c.load = (struct load_finding){
        .known = true,
        .effect_at_zero = 0.001,
        .ci = {-0.002, 0.004},
        .per_cpu = 0.1,
        .per_cpu_ci = {0.08,   0.12 },
        .p = 0.001
    };
    say("an effect of load", &hand);
    /* the third report: all waiting, and only where output goes to a socketpair */
    hand = by_hand("rrru");
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    fleet(&hand, 0.3, HETEROGENEITY_CANNOT_TELL);
    for (size_t h = 0; h < 3; h++) {
        hand.c.host[h].where.known = true;
        hand.c.host[h].where.class = TIME_CLASS_WAIT;
    }
    hand.c.harness = mem_array(struct factor_answer, 1);
    hand.c.harness[0] = (struct factor_answer){.factor = mem_strdup("sink"), .p_adjusted = 0.001};
    hand.c.n_harness = 1;
    say("third report: waits where output goes to a socketpair", &hand);
    /* the fourth: throughput falls at every load */
    hand = by_hand("rrr");
    hand.c.outcome = ANSWER_REGRESSED;
    hand.options.higher_is_better = true;
    fleet(&hand, 0.3, HETEROGENEITY_HETEROGENEOUS);
    hand.c.facts.p_least = 1;
    hand.c.factor = mem_array(struct factor_answer, 1);
    hand.c.factor[0] = (struct factor_answer){.factor = mem_strdup("load"), .p_adjusted = 0.01};
    hand.c.n_factors = 1;
    say("fourth report: throughput falls, differently by load", &hand);
    hand = by_hand("rru");
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    fleet(&hand, 0.3, HETEROGENEITY_CANNOT_TELL);
    for (size_t h = 0; h < 2; h++)
        hand.c.host[h].modes = (struct modes_finding){
            .found = true, .occupancy_p = 0.001, .fast_ci = {-0.01, 0.01}
        };
    say("more of the runs are slow", &hand);
    hand = by_hand("r?u");
    hand.c.outcome = ANSWER_REGRESSED_ON_SOME;
    fleet(&hand, 0.03, HETEROGENEITY_CANNOT_TELL);
    strlist_add(&hand.c.host[1].notes, "environment-changed");
    reason(&hand, "the control moved, so the environment changed");
    say("one control moved", &hand);
}

/* Runs last. */
static void all_read_as_agreed(void **state)
{
    const char *path = getenv("SENTENCES_WRITE");
    FILE *file;

    (void)state;
    if (path) {
        file = fopen(path, "we");
        assert_non_null(file);
        fputs(str_get(&written), file);
        fclose(file);
        return;
    }
    CLEAN_MEM char *golden = mem_alloc(1, written.length + 4096);

    file = fopen(TEST_SOURCE_DIR "/tests/unit/analysis/golden/sentences.txt", "re");
    assert_non_null(file);
    golden[fread(golden, 1, written.length + 4095, file)] = '\0';
    fclose(file);
    const char *got = str_get(&written), *want = golden;

    while (*want || *got) {
        const size_t a = strcspn(want, "\n"), b = strcspn(got, "\n");

        if (a != b || strncmp(want, got, a) != 0)
            fail_msg("want %.*s\ngot  %.*s", (int)a, want, (int)b, got);
        want += a + (want[a] == '\n');
        got += b + (got[b] == '\n');
    }
}

static int forget(void **state)
{
    (void)state;
    str_done(&written);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cases),
        cmocka_unit_test(the_reports),
        cmocka_unit_test(one_host),
        cmocka_unit_test(few_hosts),
        cmocka_unit_test(claims),
        cmocka_unit_test(whole_fleets),
        cmocka_unit_test(loads_sinks_and_factors),
        cmocka_unit_test(all_read_as_agreed),
    };

    return cmocka_run_group_tests(tests, NULL, forget);
}
