/* SPDX-License-Identifier: GPL-3.0-or-later
 * The signed-rank test and its interval, against enumeration and published values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/signed_rank.h"
#include "analysis/trimmed.h"
#include "base/mem.h"
#include "base/rng.h"

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void near(double got, double want, double tol)
{
    if (!(fabs(got - want) <= tol))
        fail_msg("want %.12g, got %.12g", want, got);
}

/* p by all 2^n sign patterns of the absolute values, mid-ranks, W rounded towards the null as
 * documented. */
static double enumerate(const double *d, size_t n)
{
    double rank[16], size[16], plus = 0, all = 0, w;
    size_t used = 0, below = 0;

    for (size_t i = 0; i < n; i++)
        if (d[i] != 0)
            size[used++] = d[i];
    for (size_t i = 0; i < used; i++) {
        double less = 0, same = 0;

        for (size_t k = 0; k < used; k++) {
            less += fabs(size[k]) < fabs(size[i]);
            same += fabs(size[k]) == fabs(size[i]);
        }
        rank[i] = less + (same + 1) / 2;
        all += rank[i];
        plus += size[i] > 0 ? rank[i] : 0;
    }
    w = ceil(fmin(plus, all - plus));
    for (size_t bits = 0; bits < (size_t)1 << used; bits++) {
        double sum = 0;

        for (size_t i = 0; i < used; i++)
            sum += bits >> i & 1 ? (double)(i + 1) : 0; /* the null law is that of untied ranks */
        below += sum <= w;
    }
    return fmin(1, 2 * (double)below / (double)((size_t)1 << used));
}

static void p_equals_enumeration_with_ties_and_zeros(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, 5);
    for (int round = 0; round < 300; round++) {
        double d[12];
        const size_t n = 1 + rng_below(&rng, 12);

        for (size_t i = 0; i < n; i++)
            d[i] = (double)rng_below(&rng, 9) - 3.5 + (rng_below(&rng, 4) == 0 ? 0.5 : 0);
        near(signed_rank_p(d, n), enumerate(d, n), 1e-12);
    }
}

static void nothing_but_zeros_gives_one(void **state)
{
    const double d[7] = {0};

    (void)state;
    near(signed_rank_p(d, 7), 1, 0);
    near(signed_rank_p(d, 0), 1, 0);
}

static void all_of_one_sign_gives_the_least_p(void **state)
{
    const double d[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

    (void)state;
    near(signed_rank_p(d, 12), 2.0 / 4096, 1e-15);
    near(signed_rank_p(d, 6), 2.0 / 64, 1e-15);
}

static void estimate_and_interval_equal_sorted_walsh_averages(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, 11);
    for (int round = 0; round < 200; round++) {
        double d[70], level;
        const size_t n = 1 + rng_below(&rng, 70), all = n * (n + 1) / 2;
        double *walsh = mem_array(double, all);
        struct range ci;
        size_t at = 0;

        for (size_t i = 0; i < n; i++)
            d[i] = round % 3 ? rng_normal(&rng) : (double)rng_below(&rng, 5) - 2;
        qsort(d, n, sizeof *d, rising);
        for (size_t i = 0; i < n; i++)
            for (size_t k = i; k < n; k++)
                walsh[at++] = (d[i] + d[k]) / 2;
        qsort(walsh, all, sizeof *walsh, rising);
        near(signed_rank_estimate(d, n), (walsh[(all - 1) / 2] + walsh[all / 2]) / 2, 1e-12);
        if (signed_rank_interval(d, n, 0.95, &ci, &level)) {
            bool lo = false, hi = false;

            for (size_t i = 0; i < all; i++) {
                lo = lo || walsh[i] == ci.lo;
                hi = hi || walsh[i] == ci.hi;
            }
            assert_true(n >= 6 && lo && hi && level >= 0.95 - 1e-9);
        } else {
            assert_true(n < 6);
        }
        mem_free(walsh);
    }
}

static void level_attained_for_twelve_rounds(void **state)
{
    double d[12], level;
    struct range ci;

    (void)state;
    for (int i = 0; i < 12; i++)
        d[i] = i;
    assert_true(signed_rank_interval(d, 12, 0.95, &ci, &level));
    near(level, 0.95751953125, 1e-12);
}

/* 20,000 rounds: the 200 million Walsh averages are not stored, and the median of symmetric data is
 * their centre. */
static void many_rounds_are_selected_from_without_storing(void **state)
{
    const size_t n = 20001;
    double *d = mem_array(double, n), level;
    struct range ci;

    (void)state;
    for (size_t i = 0; i < n; i++)
        d[i] = (double)i - 10000;
    near(signed_rank_estimate(d, n), 0, 1e-9);
    assert_true(signed_rank_interval(d, n, 0.95, &ci, &level));
    near(ci.lo, -ci.hi, 1e-9);
    near(level, 0.95, 1e-4);
    mem_free(d);
}

static void coverage_of_the_interval_is_nominal(void **state)
{
    struct rng rng;
    unsigned covered = 0;
    const unsigned studies = 4000;

    (void)state;
    rng_seed(&rng, 3);
    for (unsigned s = 0; s < studies; s++) {
        double d[12], level;
        struct range ci;

        for (int i = 0; i < 12; i++)
            d[i] = rng_normal(&rng) * (rng_below(&rng, 5) == 0 ? 6 : 1); /* heavy tails, centre 0 */
        qsort(d, 12, sizeof *d, rising);
        assert_true(signed_rank_interval(d, 12, 0.95, &ci, &level));
        covered += ci.lo <= 0 && 0 <= ci.hi;
    }
    near((double)covered / studies, 0.9575, 3 * sqrt(0.9575 * 0.0425 / studies));
}

static void trimmed_mean_by_hand(void **state)
{
    const double d[10] = {-9, 1, 2, 3, 4, 5, 6, 7, 8, 100};
    const struct trimmed t = trimmed_mean(d, 10);

    (void)state;
    near(t.mean, 4.5, 1e-12);
    near(t.df, 5, 0);
    /* Winsorised: 2 2 2 3 4 5 6 7 7 7, mean 4.5, sum of squares 42.5 */
    near(t.se, sqrt(42.5 / 9) / (0.6 * sqrt(10)), 1e-12);
    assert_true(isnan(trimmed_mean(d, 1).mean));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p_equals_enumeration_with_ties_and_zeros),
        cmocka_unit_test(nothing_but_zeros_gives_one),
        cmocka_unit_test(all_of_one_sign_gives_the_least_p),
        cmocka_unit_test(estimate_and_interval_equal_sorted_walsh_averages),
        cmocka_unit_test(level_attained_for_twelve_rounds),
        cmocka_unit_test(many_rounds_are_selected_from_without_storing),
        cmocka_unit_test(coverage_of_the_interval_is_nominal),
        cmocka_unit_test(trimmed_mean_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
