/* SPDX-License-Identifier: GPL-3.0-or-later
 * Every case of tests/cases/fleet through the whole analysis, against figures that were computed
 * independently. */
#include "unit/analysis/judge_case.h"

static const char *const cases[] = {"aa",           "aa-alternating", "aa-blocked-streaks",
                                    "uniform",      "fact",           "wait",
                                    "throughput",   "mixed",          "numeric",
                                    "fact-8-hosts", "confounded",     "gaps-and-dead-hosts",
                                    "load",         "modes",          "host-only"};
static const char *where_am_i; /* case and host, for messages */

static void same_number(const char *what, double got, const json_t *want, double relative)
{
    if (!want)
        return;
    if (json_is_null(want)) {
        if (!isnan(got))
            fail_msg("%s %s: want null, got %.10g", where_am_i, what, got);
        return;
    }
    const double value = json_number_value(want);

    if (!(fabs(got - value) <= relative * fmax(fabs(value), 1e-9)))
        fail_msg("%s %s: want %.12g, got %.12g", where_am_i, what, value, got);
}

static void same_range(const char *what, struct range got, const json_t *want)
{
    if (!want)
        return;
    if (json_is_null(want)) {
        same_number(what, got.lo, want, 0);
        return;
    }
    same_number(what, got.lo, json_array_get(want, 0), 1e-6);
    same_number(what, got.hi, json_array_get(want, 1), 1e-6);
}

static void same_word(const char *what, const char *got, const json_t *want)
{
    const char *value = json_string_value(want);

    if (!want)
        return;
    if (json_is_null(want) ? got != NULL : !got || strcmp(got, value) != 0)
        fail_msg("%s %s: want %s, got %s", where_am_i, what, value ? value : "null",
                 got ? got : "null");
}

static void within(const char *what, double got, const json_t *want)
{
    const json_t *value = json_object_get(want, "value");

    if (!value || json_is_null(value)) {
        if (value && !isnan(got))
            fail_msg("%s %s: want null, got %g", where_am_i, what, got);
        return;
    }
    const double tol = json_number_value(json_object_get(want, "tol"));

    if (!(fabs(got - json_number_value(value)) <= tol + 1e-12))
        fail_msg("%s %s: want %g within %g, got %g", where_am_i, what, json_number_value(value),
                 tol, got);
}

static void check_where(const struct where_time *got, const json_t *want)
{
    if (!want)
        return;
    same_number("where.user", got->user.delta_s, json_object_get(want, "user"), 1e-6);
    same_number("where.sys", got->sys.delta_s, json_object_get(want, "sys"), 1e-6);
    same_number("where.wait", got->wait.delta_s, json_object_get(want, "wait"), 1e-6);
    same_word("where.class", time_class_name(got->class), json_object_get(want, "class"));
}

static void check_modes(const struct host_answer *got, const json_t *want)
{
    bool same_share = true;

    if (!want || json_is_null(want)) {
        if (want && got->modes.found)
            fail_msg("%s: want no modes, found two", where_am_i);
        return;
    }
    if (!got->modes.found)
        fail_msg("%s: want two modes, found none", where_am_i);
    same_number("modes.threshold", got->modes.threshold, json_object_get(want, "threshold"), 0.02);
    for (size_t arm = 0; arm < 2; arm++) {
        const double value = json_number_value(json_array_get(json_object_get(want, "share"), arm));

        if (fabs(got->modes.share[arm] - value) > 1.0 / (double)got->samples[arm] + 1e-9)
            fail_msg("%s modes.share: want %g, got %g", where_am_i, value, got->modes.share[arm]);
        same_share = same_share && fabs(got->modes.share[arm] - value) < 1e-9;
    }
    if (same_share)
        same_number("modes.occupancy_p", got->modes.occupancy_p,
                    json_object_get(want, "occupancy_p"), 1e-9);
}

static void check_host(const struct host_answer *got, const json_t *want)
{
    same_word("design", design_name(got->design), json_object_get(want, "design"));
    same_word("verdict", verdict_name(got->verdict), json_object_get(want, "verdict"));
    same_number("rounds_used", (double)got->rounds_used, json_object_get(want, "rounds_used"), 0);
    same_number("rounds_dropped", (double)got->rounds_dropped,
                json_object_get(want, "rounds_dropped"), 0);
    for (size_t arm = 0; arm < 2; arm++)
        same_number("samples", (double)got->samples[arm],
                    json_array_get(json_object_get(want, "samples"), arm), 0);
    same_number("effect", got->effect, json_object_get(want, "effect"), 1e-6);
    same_range("ci", got->ci, json_object_get(want, "ci"));
    same_number("ci_level", got->ci_level, json_object_get(want, "ci_level"), 1e-9);
    same_number("p", got->p, json_object_get(want, "p"), 1e-6);
    same_number("q", got->q, json_object_get(want, "q"), 1e-6);
    same_number("trimmed_effect", got->trimmed_effect, json_object_get(want, "trimmed_effect"),
                1e-6);
    same_number("trimmed_se", got->trimmed_se, json_object_get(want, "trimmed_se"), 1e-6);
    same_number("df", got->df, json_object_get(want, "df"), 1e-6);
    same_number("mean_effect", got->mean_effect, json_object_get(want, "mean_effect"), 1e-6);
    same_range("mean_ci", got->mean_ci, json_object_get(want, "mean_ci"));
    if (json_object_get(want, "n_effective"))
        for (size_t arm = 0; arm < 2; arm++)
            same_number("n_effective", got->n_effective[arm],
                        json_array_get(json_object_get(want, "n_effective"), arm), 1e-6);
    check_where(&got->where, json_object_get(want, "where"));
    check_modes(got, json_object_get(want, "modes"));
}

static void check_fleet(const struct fleet_answer *got, const json_t *want)
{
    same_word("fleet.verdict", verdict_name(got->verdict), json_object_get(want, "verdict"));
    same_number("hosts_used", (double)got->hosts_used, json_object_get(want, "hosts_used"), 0);
    same_number("mu", got->effect, json_object_get(want, "mu"), 1e-6);
    same_number("se", got->se, json_object_get(want, "se"), 1e-6);
    same_number("tau2", got->tau2, json_object_get(want, "tau2"), 1e-6);
    same_range("ci", got->ci, json_object_get(want, "ci"));
    same_range("prediction", got->prediction, json_object_get(want, "prediction"));
    same_range("tau_ci", got->tau_ci, json_object_get(want, "tau_ci"));
    same_number("i2", got->i2, json_object_get(want, "i2"), 1e-6);
    same_number("welch_F", got->welch_f, json_object_get(want, "welch_F"), 1e-6);
    same_word("heterogeneity", heterogeneity_name(got->heterogeneity),
              json_object_get(want, "heterogeneity"));
    within("heterogeneity_p", got->heterogeneity_p, json_object_get(want, "heterogeneity_p"));
}

static void check_facts(const struct facts_answer *got, const json_t *want)
{
    const json_t *top = json_object_get(want, "top"), *members = json_object_get(top, "members");

    if (got->claim != json_is_true(json_object_get(want, "claim")))
        fail_msg("%s claim: got %d, p %g", where_am_i, got->claim, got->p);
    within("facts.p", got->p, json_object_get(want, "p"));
    within("facts.p_permutation", got->p_permutation, json_object_get(want, "p_permutation"));
    within("facts.p_flip", got->p_flip, json_object_get(want, "p_flip"));
    if (!members)
        return;
    if (got->n_classes == 0 || got->class[0].n_members != json_array_size(members))
        fail_msg("%s top class: want %zu members, got %zu", where_am_i, json_array_size(members),
                 got->n_classes ? got->class[0].n_members : 0);
    for (size_t m = 0; m < json_array_size(members); m++) {
        const char *fact = json_string_value(json_object_get(json_array_get(members, m), "fact"));
        bool found = false;

        for (size_t k = 0; k < got->class[0].n_members; k++)
            found = found || strcmp(got->class[0].member[k].fact, fact) == 0;
        if (!found)
            fail_msg("%s top class lacks %s", where_am_i, fact);
    }
    within("score", got->class[0].score, json_object_get(top, "score"));
}

static void check_load(const struct load_finding *got, const json_t *want)
{
    if (!want)
        return;
    within("load.effect_at_zero", got->effect_at_zero, json_object_get(want, "effect_at_zero"));
    within("load.per_cpu", got->per_cpu, json_object_get(want, "per_cpu"));
    if (json_is_true(json_object_get(want, "per_cpu_p_below_alpha")) != (got->p < 0.05))
        fail_msg("%s load.p %g", where_am_i, got->p);
}

static void every_case_gives_the_figures_computed_elsewhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct judge_case c;
        char where[256];

        judge_case_load(&c, cases[i]);
        const struct judge_options options = judge_case_options(&c);
        struct answer *answer = judge_case_answer(&c, &options, NULL);
        const struct comparison_answer *got = &answer->comparison[0];
        const json_t *hosts = json_object_get(c.data.expected, "hosts");

        where_am_i = where;
        assert_int_equal(answer->n_comparisons, 1);
        assert_int_equal(got->n_hosts, json_array_size(hosts));
        for (size_t h = 0; h < got->n_hosts; h++) {
            snprintf(where, sizeof where, "%s %s", cases[i], got->host[h].host);
            same_word("host", got->host[h].host, json_object_get(json_array_get(hosts, h), "host"));
            check_host(&got->host[h], json_array_get(hosts, h));
        }
        snprintf(where, sizeof where, "%s", cases[i]);
        check_fleet(&got->fleet, json_object_get(c.data.expected, "fleet"));
        check_facts(&got->facts, json_object_get(c.data.expected, "facts"));
        check_load(&got->load, json_object_get(c.data.expected, "load"));
        if (strstr(got->sentence, "cause") || !strstr(got->sentence, " of "))
            fail_msg("%s: %s", where, got->sentence);
        printf("%-20s %-18s %s\n", cases[i], answer_outcome_name(got->outcome), got->sentence);
        answer_free(answer);
        judge_case_done(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_gives_the_figures_computed_elsewhere)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
