/* SPDX-License-Identifier: GPL-3.0-or-later
 * The sort: against qsort on all sizes about the switch of methods, signs, ties and extremes. */
#include "analysis/rising.h"
#include "unit/analysis/case_data.h"
#include "unit/analysis/made_frame.h"

static void sorts_as_qsort_does(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 5, 95, 96, 97, 300, 5000};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int kind = 0; kind < 4; kind++) {
            const size_t n = sizes[k];
            double *a = mem_array(double, n + 1), *b;

            for (size_t i = 0; i < n; i++)
                a[i] = kind == 0   ? rng_normal(&rng)
                       : kind == 1 ? (double)rng_below(&rng, 5) - 2 /* ties */
                       : kind == 2 ? exp(600 * (rng_unit(&rng) - 0.5)) * (i % 2 ? 1 : -1)
                                   : (double)(n - i);
            b = mem_dup(a, (n + 1) * sizeof *a);
            rising_sort(a, n);
            if (n > 0)
                qsort(b, n, sizeof *b, case_rising);
            for (size_t i = 0; i < n; i++)
                if (a[i] != b[i])
                    fail_msg("%zu values, kind %d, at %zu: want %.17g, got %.17g", n, kind, i, b[i],
                             a[i]);
            mem_free(a);
            mem_free(b);
        }
}

static void extremes_find_their_places(void **state)
{
    double v[200];

    (void)state;
    for (size_t i = 0; i < 200; i++)
        v[i] = 0.5;
    v[7] = INFINITY;
    v[100] = -INFINITY;
    v[150] = -1e-310;
    v[199] = 0;
    rising_sort(v, 200);
    assert_true(isinf(v[0]) && v[0] < 0 && v[1] == -1e-310 && v[2] == 0 && isinf(v[199]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_as_qsort_does),
        cmocka_unit_test(extremes_find_their_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
