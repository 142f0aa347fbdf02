/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Welch's F and its sign flips: the cases, a plain re-implementation that sorts every draw, and the
 * error rate when there is nothing to find.
 */
#include "unit/analysis/case_data.h"

#include "analysis/heterogeneity.h"
#include "base/rng.h"

#define MOST 32

static void welch_f_matches_the_worked_value(void **state)
{
    const double y[] = {.05, .048, 0, .002, .03, .011}, se[] = {.004, .006, .003, .005, .01, .004};
    const double df[] = {7, 7, 7, 7, 7, 7};
    double v[6];

    (void)state;
    for (size_t i = 0; i < 6; i++)
        v[i] = se[i] * se[i];
    case_near("F", 24.55, heterogeneity_welch_f(y, v, df, 6), 5e-3);
}

static void matches_every_fleet(void **state)
{
    (void)state;
    for (size_t c = 0; c < CASE_FLEETS; c++) {
        double y[MOST], v[MOST], df[MOST], f, p;
        struct flip_host flip[MOST];
        struct case_data data;
        size_t k, at = 0;

        case_load(case_fleets[c], &data);

        const json_t *want = json_object_get(data.expected, "fleet");
        const json_t *want_p = json_object_get(want, "heterogeneity_p"),
                     *tau = json_object_get(want, "tau_ci");
        double theta = json_number_value(json_object_get(data.expected, "min_effect"));

        k = case_pool(&data, y, v, df);
        for (size_t i = 0; i < data.n; i++)
            if (data.host[i].pooled)
                flip[at++] = (struct flip_host){data.host[i].name, data.host[i].d, data.host[i].n};
        heterogeneity_test(flip, y, v, df, k, 7, 999, 2, &f, &p);
        case_same(case_fleets[c], json_object_get(want, "welch_F"), f);
        case_near(case_fleets[c], json_number_value(json_object_get(want_p, "value")), p,
                  json_number_value(json_object_get(want_p, "tol")));
        assert_string_equal(heterogeneity_name(heterogeneity_word(
                                p, 0.05, json_number_value(json_array_get(tau, 1)), theta)),
                            json_string_value(json_object_get(want, "heterogeneity")));
        case_done(&data);
    }
}

/* The same draws (same streams, same order of sizes) reduced by sorting. */
static void flips_equal_those_of_a_plain_sort(void **state)
{
    enum { DRAWS = 200 };
    static const size_t sizes[] = {5, 6, 9, 12, 30, 64, 65, 200};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        double d[200], size[200], flipped[200], got_y[DRAWS], got_v[DRAWS], y, v, df, centre = 0.1;
        struct flip_host host = {"h1", d, n};
        struct rng rng;

        rng_seed(&rng, 11 + n);
        for (size_t i = 0; i < n; i++) {
            d[i] = rng_normal(&rng);
            size[i] = -fabs(d[i] - centre);
        }
        qsort(size, n, sizeof *size, case_rising); /* the largest size first */
        flips_draw(&host, 1, &centre, 3, "test", DRAWS, 1, got_y, got_v);
        rng_seed_stream(&rng, UINT64_C(3) ^ rng_hash("test"), rng_hash("h1"));
        for (size_t draw = 0; draw < DRAWS; draw++) {
            uint64_t bits = 0;

            for (size_t i = 0; i < n; i++) {
                if (i % 64 == 0)
                    bits = rng_u64(&rng);
                flipped[i] = (bits >> (i % 64)) & 1 ? -size[i] : size[i];
            }
            case_trim(flipped, n, &y, &v, &df);
            case_near("flipped mean", y, got_y[draw], 1e-12);
            case_near("flipped variance", v, got_v[draw], 1e-12);
        }
    }
}

static void answer_does_not_depend_on_threads(void **state)
{
    enum { K = 7, N = 40 };
    double d[K][N], y[K], v[K], df[K], f, p[3];
    char name[K][8];
    struct flip_host host[K];
    struct rng rng;

    (void)state;
    rng_seed(&rng, 5);
    for (size_t h = 0; h < K; h++) {
        snprintf(name[h], sizeof name[h], "h%zu", h);
        for (size_t i = 0; i < N; i++)
            d[h][i] = 0.01 * rng_normal(&rng) + 0.001 * (double)h;
        case_trim(d[h], N, &y[h], &v[h], &df[h]);
        host[h] = (struct flip_host){name[h], d[h], N};
    }
    for (unsigned threads = 1; threads <= 3; threads++)
        heterogeneity_test(host, y, v, df, K, 9, 999, threads, &f, &p[threads - 1]);
    assert_true(p[0] == p[1] && p[1] == p[2]);
}

/* Hosts that share one effect but not their noise: rejections at 5 % stay near 5 %. */
static void level_holds_with_unequal_noise(void **state)
{
    enum { STUDIES = 300, K = 8, N = 12 };
    size_t rejected = 0;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 2026);
    for (size_t s = 0; s < STUDIES; s++) {
        double d[K][N], y[K], v[K], df[K], f, p;
        char name[K][8];
        struct flip_host host[K];

        for (size_t h = 0; h < K; h++) {
            snprintf(name[h], sizeof name[h], "h%zu", h);
            for (size_t i = 0; i < N; i++)
                d[h][i] = (h % 2 ? 0.02 : 0.004) * rng_normal(&rng) + 0.01;
            case_trim(d[h], N, &y[h], &v[h], &df[h]);
            host[h] = (struct flip_host){name[h], d[h], N};
        }
        heterogeneity_test(host, y, v, df, K, s, 199, 2, &f, &p);
        rejected += p <= 0.05;
    }
    if (rejected < 3 || rejected > 30) /* 15 expected, sd 3.8 */
        fail_msg("want 3 to 30 of %d rejected, got %zu", STUDIES, rejected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(welch_f_matches_the_worked_value),
        cmocka_unit_test(matches_every_fleet),
        cmocka_unit_test(flips_equal_those_of_a_plain_sort),
        cmocka_unit_test(answer_does_not_depend_on_threads),
        cmocka_unit_test(level_holds_with_unequal_noise),
    };

    return cmocka_run_group_tests_name("heterogeneity", tests, NULL, NULL);
}
