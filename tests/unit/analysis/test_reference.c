/* SPDX-License-Identifier: GPL-3.0-or-later
 * Values worked out by other means: the scripts of tests/reference print the tables below. */
#include "analysis/modes.h"
#include "analysis/order.h"
#include "analysis/sequential.h"
#include "analysis/signed_rank.h"
#include "unit/analysis/case_data.h"
#include "unit/analysis/made_frame.h"

/* reference/signed_rank.py */
static void signed_rank_by_all_sign_patterns(void **state)
{
    static const struct {
        size_t n;
        double d[14], p, estimate, lo, hi, level;
    } want[] = {
        {1,  {-1.2},                                                               1.0,     -1.2,                 NAN,  NAN,     NAN         },
        {1,  {-1.7255},                                                            1.0,     -1.7255,              NAN,  NAN,     NAN         },
        {4,  {-1.3, 0.5, 1.8, 1.1},                                                0.625,   0.65,                 NAN,  NAN,     NAN         },
        {4,  {-0.6937, 2.9354, -0.7175, 0.8259},                                   0.625,   0.44599999999999995,  NAN,  NAN,     NAN         },
        {5,  {-1.4, 0.7, 0.4, -0.6, 0.6},                                          1.0,     0.0,                  NAN,  NAN,     NAN         },
        {5,  {-0.0571, -1.0362, 0.7975, 2.538, -0.717},                            1.0,     0.04025000000000001,  NAN,  NAN,     NAN         },
        {6,  {0.1, -1.8, 1.1, 1.7, -1.0, 0.7},                                     0.84375, 0.1,                  -1.8, 1.7,     0.96875     },
        {6,
         {0.023, -0.346, 0.1092, -0.0539, -0.6492, -0.1129},
         0.21875,                                                                           -0.11839999999999998,
         -0.6492,
         0.1092,                                                                                                                 0.96875     },
        {8,  {1.4, -1.4, 1.1, -0.4, 0.7, 0.0, 1.0, 1.0},                           0.375,   0.5,                  -0.4, 1.2,     0.9609375   },
        {8,
         {0.6949, -0.6405, 0.0955, 0.8993, 2.2571, -0.0849, 1.8417, 2.7207},
         0.0546875,                                                                         0.93395,
         -0.0849,
         2.2571,                                                                                                                 0.9609375   },
        {11,
         {0.1, -0.0, -0.0, 1.8, 0.7, -0.2, -2.6, -1.8, 0.9, -0.2, 0.1},
         1.0,                                                                               -0.0,
         -1.0,
         0.8,                                                                                                                    0.9580078125},
        {11,
         {-0.3219, -1.3703, -1.4291, 2.3245, -0.5465, 0.7428, -1.1738, -0.5565, 0.2645, -1.2081,
          0.2528},
         0.2783203125,                                                                      -0.446925,
         -0.9928,
         0.50365,                                                                                                                0.9580078125},
        {14,
         {0.3, -0.1, 0.5, 1.7, 1.4, 1.0, 1.6, 1.0, 0.4, -0.3, 1.8, 0.0, 0.4, 1.1},
         0.001708984375,                                                                    0.75,
         0.35,                                                                                                          1.2,
         0.9505615234375                                                                                                                     },
        {14,
         {1.7621, 0.3738, 0.6916, 1.1081, 1.1906, -0.0802, 1.2142, 0.2753, 0.7322, 0.3997, 1.294,
          2.0249, 0.3137, -0.4417},
         0.0023193359375,                                                                   0.7639499999999999,
         0.34375,                                                                                                       1.20105,
         0.9505615234375                                                                                                                     },
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const size_t n = want[i].n;
        double *sorted = mem_dup(want[i].d, n * sizeof *sorted), level;
        struct range ci;

        qsort(sorted, n, sizeof *sorted, case_rising);
        made_near("p", signed_rank_p(want[i].d, n), want[i].p, 1e-12);
        made_near("estimate", signed_rank_estimate(sorted, n), want[i].estimate, 1e-12);
        assert_int_equal(signed_rank_interval(sorted, n, 0.95, &ci, &level), !isnan(want[i].level));
        if (!isnan(want[i].level)) {
            made_near("lo", ci.lo, want[i].lo, 1e-12);
            made_near("hi", ci.hi, want[i].hi, 1e-12);
            made_near("level", level, want[i].level, 1e-12);
        }
        mem_free(sorted);
    }
}

static void mcnemar_by_all_outcomes(void **state)
{
    static const struct {
        unsigned b, c;
        double p;
    } want[] = {
        {0,  0,  1.0                   },
        {0,  1,  1.0                   },
        {1,  5,  0.21875               },
        {0,  6,  0.03125               },
        {3,  9,  0.14599609375         },
        {7,  7,  1.0                   },
        {2,  20, 0.00012111663818359375},
        {40, 61, 0.046044066929342806  },
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        made_near("p", modes_binomial_p(want[i].b, want[i].b + want[i].c, 0.5), want[i].p, 1e-9);
}

static void theil_sen_by_all_pairs(void **state)
{
    static const struct {
        size_t n;
        double x[12], y[12], slope;
    } want[] = {
        {2,  {9, 18},                                  {3.732, 6.874},                         0.34911111111111104},
        {5,  {4, 5, 12, 13, 18},                       {1.885, 0.93, 2.894, 3.695, 5.464},     0.31309821428571427},
        {9,
         {3, 4, 6, 9, 10, 17, 17, 20, 20},
         {1.559, 0.957, 3.771, 2.504, 2.685, 4.576, 6.089, 5.698, 7.014},
         0.2891818181818182                                                                                       },
        {12,
         {1, 5, 7, 8, 10, 11, 14, 16, 17, 18, 19, 20},
         {-0.893, 0.528, 1.71, 2.476, 3.062, 4.958, 3.917, 6.025, 4.643, 3.578, 6.914, 7.161},
         0.4066772727272727                                                                                       },
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        made_near("slope", order_drift(want[i].x, want[i].y, want[i].n), want[i].slope, 1e-12);
}

/* reference/sequential_levels.py */
static void levels_on_another_grid(void **state)
{
    static const struct {
        uint32_t max;
        double alpha;
        size_t n;
        uint32_t look[8];
        double level[8];
    } want[] = {
        {60,
         0.05,      6,
         {10, 14, 20, 29, 42, 60},
         {0.00833333, 0.0060596, 0.0081309, 0.0119155, 0.0176055, 0.025627}                   },
        {60,
         0.2,       6,
         {10, 14, 20, 29, 42, 60},
         {0.0333333, 0.0273914, 0.037268, 0.0551467, 0.0827028, 0.122949}                     },
        {100,
         0.05,      8,
         {10, 14, 20, 29, 42, 60, 86, 100},
         {0.005, 0.00350014, 0.00468579, 0.0068561, 0.0100963, 0.0146227, 0.021666, 0.0212177}},
        {100,
         0.2,       8,
         {10, 14, 20, 29, 42, 60, 86, 100},
         {0.02, 0.0156532, 0.0211555, 0.0311563, 0.0464085, 0.0683394, 0.102977, 0.107474}    },
        {30,  0.05, 3, {5, 10, 30},         {0.00833333, 0.0104855, 0.0372214}                },
        {30,  0.2,  3, {5, 10, 30},         {0.0333333, 0.0456944, 0.160296}                  },
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        double level[8];

        sequential_levels(want[i].look, want[i].n, want[i].max, want[i].alpha, level);
        for (size_t k = 0; k < want[i].n; k++)
            made_near("level", level[k], want[i].level[k], 2e-4 * want[i].level[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signed_rank_by_all_sign_patterns),
        cmocka_unit_test(mcnemar_by_all_outcomes),
        cmocka_unit_test(theil_sen_by_all_pairs),
        cmocka_unit_test(levels_on_another_grid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
