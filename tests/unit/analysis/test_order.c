/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the order of samples says: streaks, effective number, drift, the interval of blocked data.
 */
#include "analysis/order.h"
#include "unit/analysis/made_frame.h"

static size_t runs_of(const unsigned char *side, size_t n)
{
    size_t runs = 1;

    for (size_t i = 1; i < n; i++)
        runs += side[i] != side[i - 1];
    return runs;
}

/* P(runs <= observed) by writing down every arrangement of as many ones and zeros. */
static double runs_p_by_enumeration(const unsigned char *side, size_t n)
{
    size_t ones = 0, all = 0, as_few = 0;
    unsigned char other[16];

    for (size_t i = 0; i < n; i++)
        ones += side[i];
    for (unsigned bits = 0; bits < 1u << n; bits++) {
        size_t here = 0;

        for (size_t i = 0; i < n; i++) {
            other[i] = bits >> i & 1;
            here += other[i];
        }
        if (here != ones)
            continue;
        all++;
        as_few += runs_of(other, n) <= runs_of(side, n);
    }
    return (double)as_few / (double)all;
}

static void runs_test_equals_enumeration(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, 11);
    for (int repeat = 0; repeat < 60; repeat++) {
        const size_t n = 2 + rng_below(&rng, 11);
        unsigned char side[16] = {0};
        size_t ones = 0;

        for (size_t i = 0; i < n; i++)
            ones += side[i] = rng_below(&rng, 3) == 0;
        const double want = ones == 0 || ones == n ? 1 : runs_p_by_enumeration(side, n);

        made_near("runs p", order_runs_p(side, n), want, 1e-10);
    }
    assert_true(order_runs_p((const unsigned char *)"", 0) == 1);
}

static void runs_test_joins_its_normal_approximation(void **state)
{
    unsigned char side[402];
    struct rng rng;

    (void)state;
    rng_seed(&rng, 5);
    for (size_t i = 0; i < 402; i++) /* sticky: somewhat too few runs */
        side[i] =
            i == 0 || rng_unit(&rng) < 0.53 ? (i ? side[i - 1] : 1) : (unsigned char)!side[i - 1];
    const double exact = order_runs_p(side, 400), normal = order_runs_p(side, 402);

    if (!(fabs(exact - normal) < 0.02) || !(normal > 0 && normal < 1))
        fail_msg("exact at 400: %g, normal at 402: %g", exact, normal);
}

static void streaks_drop_values_at_the_median(void **state)
{
    const double v[] = {1, 1, 1, 2, 2, 3, 3, 3};
    const unsigned char side[] = {0, 0, 0, 1, 1, 1};
    const double same[] = {4, 4, 4};

    (void)state;
    made_near("streak p", order_streak_p(v, 8), order_runs_p(side, 6), 1e-15);
    made_near("two of twenty", order_streak_p(v, 8), 0.1, 1e-12);
    made_near("constant", order_streak_p(same, 3), 1, 0);
    made_near("nothing", order_streak_p(same, 0), 1, 0);
}

/* Straight from the definition, every autocorrelation first. */
static double effective_by_definition(const double *v, size_t n)
{
    double a[64], mean = 0, c0 = 0, sum = 0, before = INFINITY;

    for (size_t i = 0; i < n; i++)
        mean += v[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        c0 += (v[i] - mean) * (v[i] - mean);
    for (size_t k = 0; k < n; k++) {
        a[k] = 0;
        for (size_t i = 0; i + k < n; i++)
            a[k] += (v[i] - mean) * (v[i + k] - mean) / c0;
    }
    for (size_t t = 0; 2 * t + 1 < n; t++) {
        double pair = a[2 * t] + a[2 * t + 1];

        if (pair <= 0)
            break;
        pair = pair < before ? pair : before;
        before = pair;
        sum += pair;
    }
    const double tau = 2 * sum - 1, ess = (double)n / tau;

    return ess < (double)n ? ess : (double)n;
}

static void effective_number_follows_geyer(void **state)
{
    double v[60] = {0};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 3);
    for (int repeat = 0; repeat < 20; repeat++) {
        const double memory = 0.1 * (repeat % 10);

        for (size_t i = 0; i < 60; i++)
            v[i] = (i ? memory * v[i - 1] : 0) + rng_normal(&rng);
        made_near("ess", order_effective_n(v, 60), effective_by_definition(v, 60), 1e-8);
    }
    for (size_t i = 0; i < 60; i++)
        v[i] = 7;
    made_near("constant", order_effective_n(v, 60), 60, 0);
    made_near("one", order_effective_n(v, 1), 1, 0);
    for (size_t i = 0; i < 60; i++)
        v[i] = i % 2 ? 1 : -1;
    made_near("never more than n", order_effective_n(v, 60), 60, 0);
    for (size_t i = 0; i < 60; i++)
        v[i] = i < 30;
    assert_true(order_effective_n(v, 60) < 4);
}

static void drift_is_the_median_slope(void **state)
{
    const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 1, 2, 30, 4}, same[] = {2, 2, 2, 2, 2};
    double at[900], ramp[900];

    (void)state;
    made_near("one wild value", order_drift(x, y, 5), 1, 1e-12);
    made_near("one place", order_drift(same, y, 5), 0, 0);
    made_near("one value", order_drift(x, y, 1), 0, 0);
    for (size_t i = 0; i < 900; i++) {
        at[i] = 2 * (double)i;
        ramp[i] = 0.25 * (double)i + (i % 7 == 0 ? 50 : 0);
    }
    made_near("many values", order_drift(at, ramp, 900), 0.125, 1e-6);
}

static void blocked_interval_is_welch_on_effective_numbers(void **state)
{
    const double a[] = {1, 3, 2, 4, 3, 2}, b[] = {5, 4, 6, 5, 7, 6};
    const struct order_blocked got = order_blocked_interval(a, 6, b, 6, 0.95);
    const double ess_a = fmax(2, effective_by_definition(a, 6)),
                 ess_b = fmax(2, effective_by_definition(b, 6));
    const double va = 1.1 / ess_a, vb = 1.1 / ess_b;

    (void)state;
    made_near("delta", got.delta, 3, 1e-12);
    made_near("se", got.se, sqrt(va + vb), 1e-12);
    made_near("df", got.df, (va + vb) * (va + vb) / (va * va / (ess_a - 1) + vb * vb / (ess_b - 1)),
              1e-9);
    made_near("centre", (got.ci.lo + got.ci.hi) / 2, 3, 1e-12);
    assert_true(got.p > 0 && got.p < 0.05 && got.ci.lo > 0);
}

static void blocked_interval_needs_two_a_side(void **state)
{
    const double a[] = {1, 1, 1}, b[] = {2, 2, 2}, c[] = {5};
    struct order_blocked got = order_blocked_interval(a, 3, b, 0, 0.95);

    (void)state;
    assert_true(isnan(got.delta));
    got = order_blocked_interval(a, 3, c, 1, 0.95);
    made_near("one run: an estimate", got.delta, 4, 0);
    assert_true(isnan(got.ci.lo) && isnan(got.p) && isnan(got.se));
    got = order_blocked_interval(a, 3, b, 3, 0.95);
    made_near("no spread", got.ci.lo, 1, 0);
    made_near("no spread p", got.p, 0, 0);
    got = order_blocked_interval(a, 3, a, 3, 0.95);
    made_near("the same p", got.p, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_test_equals_enumeration),
        cmocka_unit_test(runs_test_joins_its_normal_approximation),
        cmocka_unit_test(streaks_drop_values_at_the_median),
        cmocka_unit_test(effective_number_follows_geyer),
        cmocka_unit_test(drift_is_the_median_slope),
        cmocka_unit_test(blocked_interval_is_welch_on_effective_numbers),
        cmocka_unit_test(blocked_interval_needs_two_a_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
