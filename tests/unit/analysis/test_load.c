/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Effect against the load of other programs: the cases, made-up lines, and what refuses a fit.
 */
#include "unit/analysis/case_data.h"

#include "analysis/load.h"
#include "base/rng.h"

static void matches_the_cases(void **state)
{
    (void)state;
    for (size_t c = 0; c < CASE_FLEETS; c++) {
        struct case_data data;
        struct load_fit fit[32];
        struct load_finding got;
        size_t k = 0;

        case_load(case_fleets[c], &data);

        const json_t *want = json_object_get(data.expected, "load");

        for (size_t i = 0; i < data.n; i++)
            if (data.host[i].pooled)
                load_fit_host(data.host[i].d, data.host[i].load_a, data.host[i].load_b,
                              data.host[i].n, &fit[k++]);
        load_pool(fit, k, 0.05, &got);
        if (json_is_object(want)) {
            const json_t *zero = json_object_get(want, "effect_at_zero"),
                         *per = json_object_get(want, "per_cpu");

            case_near(case_fleets[c], json_number_value(json_object_get(zero, "value")),
                      got.effect_at_zero, json_number_value(json_object_get(zero, "tol")));
            case_near(case_fleets[c], json_number_value(json_object_get(per, "value")), got.per_cpu,
                      json_number_value(json_object_get(per, "tol")));
            assert_int_equal(json_is_true(json_object_get(want, "effect_at_zero_excludes_0")),
                             got.ci.lo > 0.0 || got.ci.hi < 0.0);
            assert_int_equal(json_is_true(json_object_get(want, "per_cpu_p_below_alpha")),
                             got.p <= 0.05);
        }
        case_done(&data);
    }
}

static void recovers_a_line_despite_a_few_wild_rounds(void **state)
{
    enum { N = 60 };
    double d[N], xa[N], xb[N];
    struct load_fit fit;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 8);
    for (size_t i = 0; i < N; i++) {
        xa[i] = 2.0 * rng_unit(&rng);
        xb[i] = 2.0 * rng_unit(&rng);
        d[i] = 0.02 + 0.3 * (xb[i] - xa[i]) + 0.05 * (xa[i] + xb[i]) + 0.003 * rng_normal(&rng);
    }
    d[3] += 0.8;
    d[17] -= 0.5;
    load_fit_host(d, xa, xb, N, &fit);
    assert_true(fit.known);
    case_near("delta", 0.02, fit.delta, 0.004);
    case_near("beta", 0.3, fit.beta, 0.004);
    case_near("gamma", 0.1, fit.gamma, 0.004);
}

static void says_nothing_without_load_or_rounds(void **state)
{
    double d[10] = {.01, .02, .01, .03, .01, .02, .02, .01, .0, .01}, idle[10] = {0}, busy[10],
           unknown[10];
    struct load_fit fit;
    struct load_finding found;

    (void)state;
    for (size_t i = 0; i < 10; i++) {
        busy[i] = (double)(i % 3);
        unknown[i] = NAN;
    }
    load_fit_host(d, idle, idle, 10, &fit); /* idle throughout */
    assert_false(fit.known);
    load_fit_host(d, busy, idle, 7, &fit); /* too few rounds */
    assert_false(fit.known);
    load_fit_host(d, busy, idle, 10, &fit); /* difference and mean are one column twice */
    assert_false(fit.known);
    load_fit_host(d, unknown, unknown, 10, &fit);
    assert_false(fit.known);
    assert_true(isnan(fit.sd));
    load_host_finding(&fit, 0.05, &found);
    assert_false(found.known);
    load_pool(&fit, 1, 0.05, &found);
    assert_true(!found.known && isnan(found.range.lo));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_the_cases),
        cmocka_unit_test(recovers_a_line_despite_a_few_wild_rounds),
        cmocka_unit_test(says_nothing_without_load_or_rounds),
    };

    return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
