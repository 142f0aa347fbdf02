/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pooling against worked values (R's metafor) and every fleet of the cases.
 */
#include "unit/analysis/case_data.h"

#include "analysis/pool.h"

#define MOST 32

static const double hand_y[] = {.05, .048, 0, .002, .03, .011};
static const double hand_se[] = {.004, .006, .003, .005, .01, .004};

static void matches_values_worked_by_hand(void **state)
{
    double v[6];
    struct pool_result pool;

    (void)state;
    for (size_t i = 0; i < 6; i++)
        v[i] = hand_se[i] * hand_se[i];
    pool_estimate(hand_y, v, 6, 0.05, &pool);
    case_near("tau2", 4.8105e-4, pool.tau2, 5e-9);
    case_near("tau2 by REML", 4.913301e-4, pool.tau2_reml,
              5e-11); /* by maximising the likelihood itself */
    case_near("mu", 0.02318, pool.mu, 5e-6);
    case_near("lower limit", -0.00059, pool.ci.lo, 5e-6);
    case_near("upper limit", 0.04695, pool.ci.hi, 5e-6);
    case_near("Q", 139.69, pool.q, 5e-3);
    case_near("lower tau2", 1.743353e-4, pool.tau_ci.lo * pool.tau_ci.lo,
              5e-10); /* where Q = 12.8325 */
    case_near("upper tau2", 3.004048e-3, pool.tau_ci.hi * pool.tau_ci.hi, 5e-10); /* and 0.8312 */
    assert_int_equal(pool_verdict(&pool, 0.05, 0.01), VERDICT_INCONCLUSIVE);
}

static void matches_every_fleet(void **state)
{
    (void)state;
    for (size_t c = 0; c < CASE_FLEETS; c++) {
        double y[MOST], v[MOST], df[MOST];
        struct case_data data;
        struct pool_result pool;
        char what[128];

        case_load(case_fleets[c], &data);

        const json_t *want = json_object_get(data.expected, "fleet");
        size_t k = case_pool(&data, y, v, df);
        double theta = json_number_value(json_object_get(data.expected, "min_effect"));

        pool_hosts(y, v, df, k, 0.05, &pool);
#define SAME(name, got)                                                                            \
    (snprintf(what, sizeof what, "%s %s", case_fleets[c], #name),                                  \
     case_same(what, json_object_get(want, #name), got))
#define SAME2(name, range)                                                                         \
    (snprintf(what, sizeof what, "%s %s", case_fleets[c], #name),                                  \
     case_same(what, json_array_get(json_object_get(want, #name), 0), (range).lo),                 \
     case_same(what, json_array_get(json_object_get(want, #name), 1), (range).hi))
        assert_int_equal(k, json_integer_value(json_object_get(want, "hosts_used")));
        SAME(mu, pool.mu);
        SAME(se, pool.se);
        SAME(tau2, pool.tau2);
        SAME(i2, pool.i2);
        SAME2(ci, pool.ci);
        SAME2(prediction, pool.prediction);
        SAME2(tau_ci, pool.tau_ci);
        assert_string_equal(verdict_name(pool_verdict(&pool, 0.05, theta)),
                            json_string_value(json_object_get(want, "verdict")));
        case_done(&data);
    }
}

static void moderation_leaves_two_hosts_alone(void **state)
{
    double v[] = {1e-4, 4e-4}, df[] = {7, 7}, got_v[2], got_df[2];

    (void)state;
    pool_moderate(v, df, 2, got_v, got_df);
    assert_memory_equal(v, got_v, sizeof v);
    assert_memory_equal(df, got_df, sizeof df);
}

static void moderation_makes_equal_variances_common(void **state)
{
    double v[] = {1e-4, 1.1e-4, 0.9e-4, 1e-4}, df[] = {7, 7, 7, 7}, got_v[4], got_df[4];

    (void)state;
    pool_moderate(v, df, 4, got_v, got_df);
    for (size_t i = 0; i < 4; i++) {
        case_near("v", got_v[0], got_v[i], 0.0);
        assert_true(isinf(got_df[i]));
    }
}

static void one_host_is_not_pooled(void **state)
{
    double y = 0.02, v = 1e-5;
    struct pool_result pool;

    (void)state;
    pool_estimate(&y, &v, 1, 0.05, &pool);
    assert_true(pool.mu == y && isnan(pool.se) && isnan(pool.ci.lo) && isnan(pool.tau2));
}

static void equal_timings_do_not_divide_by_zero(void **state)
{
    double y[] = {0, 0, 0, 0}, v[] = {0, 0, 0, 0}, df[] = {7, 7, 7, 7};
    struct pool_result pool;

    (void)state;
    pool_hosts(y, v, df, 4, 0.05, &pool);
    assert_true(pool.mu == 0.0 && isfinite(pool.se) && isfinite(pool.ci.hi) && pool.p == 1.0 &&
                pool.i2 == 0.0);
    assert_int_equal(pool_verdict(&pool, 0.05, 0.01), VERDICT_UNCHANGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_values_worked_by_hand),
        cmocka_unit_test(matches_every_fleet),
        cmocka_unit_test(moderation_leaves_two_hosts_alone),
        cmocka_unit_test(moderation_makes_equal_variances_common),
        cmocka_unit_test(one_host_is_not_pooled),
        cmocka_unit_test(equal_timings_do_not_divide_by_zero),
    };

    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
