/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Change points: found where they are, not where neighbouring nights are merely alike.
 */
#include "unit/analysis/case_data.h"

#include "analysis/history.h"
#include "base/rng.h"

#define POINTS 100

static const struct history_options plain = {.theta = 0.01, .seed = 6, .draws = 499};

/* Autocorrelated noise (coefficient half) of standard deviation 1 % around 0. */
static void quiet(double *v, size_t n, uint64_t seed)
{
    struct rng rng;
    double last = 0.0;

    rng_seed(&rng, seed);
    for (size_t i = 0; i < n; i++) {
        last = 0.5 * last + 0.01 * sqrt(0.75) * rng_normal(&rng);
        v[i] = last;
    }
}

static void a_step_is_found_where_it_is(void **state)
{
    double v[POINTS];
    struct history_series series = {"h1", v};
    struct history_change *got;
    size_t n;

    (void)state;
    quiet(v, POINTS, 1);
    for (size_t i = 60; i < POINTS; i++)
        v[i] += 0.05;
    history_change_points(&series, 1, POINTS, &plain, &got, &n);
    assert_int_equal(1, n);
    case_near("place", 60.0, (double)got[0].at, 2.0);
    case_near("shift", 0.05, got[0].shift, 0.01);
    assert_true(got[0].p <= 0.01);
    mem_free(got);
}

static void two_steps_are_found_in_order(void **state)
{
    double v[150];
    struct history_series series = {"h1", v};
    struct history_change *got;
    size_t n;

    (void)state;
    quiet(v, 150, 2);
    for (size_t i = 50; i < 150; i++)
        v[i] += i < 100 ? 0.08 : 0.16;
    history_change_points(&series, 1, 150, &plain, &got, &n);
    assert_int_equal(2, n);
    case_near("first", 50.0, (double)got[0].at, 2.0);
    case_near("second", 100.0, (double)got[1].at, 2.0);
    assert_true(got[0].shift > 0.05 && got[1].shift > 0.05);
    mem_free(got);
}

static void a_sure_but_small_step_does_not_count(void **state)
{
    double v[POINTS];
    struct history_series series = {"h1", v};
    struct history_change *got;
    size_t n;

    (void)state;
    quiet(v, POINTS, 3);
    for (size_t i = 0; i < POINTS; i++)
        v[i] = 0.01 * v[i] + (i < 50 ? 0.0 : 0.004);
    history_change_points(&series, 1, POINTS, &plain, &got, &n);
    assert_int_equal(0, n);
    assert_null(got);
}

/* A step too small for either host alone to show, seen on both; the second host missed some nights.
 */
static void hosts_add_up_and_order_does_not_show(void **state)
{
    double a[POINTS], b[POINTS];
    struct history_series series[] =
        {
            {"h1", a},
            {"h2", b}
    },
                          turned[] = {{"h2", b}, {"h1", a}};
    struct history_change *got, *again;
    size_t n, n_again;

    (void)state;
    quiet(a, POINTS, 14);
    quiet(b, POINTS, 15);
    for (size_t i = 50; i < POINTS; i++) {
        a[i] += 0.03;
        b[i] += 0.03;
    }
    for (size_t i = 0; i < POINTS; i += 9)
        b[i] = NAN;
    history_change_points(series, 2, POINTS, &plain, &got, &n);
    history_change_points(turned, 2, POINTS, &plain, &again, &n_again);
    assert_int_equal(1, n);
    assert_int_equal(1, n_again);
    assert_true(got[0].at == again[0].at && got[0].p == again[0].p &&
                got[0].shift == again[0].shift);
    case_near("place", 50.0, (double)got[0].at, 3.0);
    mem_free(got);
    mem_free(again);
}

static void too_few_points_change_nothing(void **state)
{
    double v[9] = {0, 0, 0, 0, 1, 1, 1, 1, 1};
    struct history_series series = {"h1", v};
    struct history_change *got;
    size_t n;

    (void)state;
    history_change_points(&series, 1, 9, &plain, &got, &n);
    assert_int_equal(0, n);
}

static void quiet_histories_are_seldom_called_changed(void **state)
{
    enum { STUDIES = 200 };
    struct history_options options = plain;
    size_t changed = 0;

    (void)state;
    options.theta = 0.0;
    for (uint64_t s = 0; s < STUDIES; s++) {
        double v[POINTS];
        struct history_series series = {"h1", v};
        struct history_change *got;
        size_t n;

        quiet(v, POINTS, 5000 + s);
        options.seed = s;
        history_change_points(&series, 1, POINTS, &options, &got, &n);
        changed += n > 0;
        mem_free(got);
    }
    if (changed > 16) /* some 1 to 4 % expected; plain permutations would give near a third */
        fail_msg("want at most 16 of %d, got %zu", STUDIES, changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_found_where_it_is),
        cmocka_unit_test(two_steps_are_found_in_order),
        cmocka_unit_test(a_sure_but_small_step_does_not_count),
        cmocka_unit_test(hosts_add_up_and_order_does_not_show),
        cmocka_unit_test(too_few_points_change_nothing),
        cmocka_unit_test(quiet_histories_are_seldom_called_changed),
    };

    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
