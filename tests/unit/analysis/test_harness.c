/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nuisance factors and crossed factors: what is found, what is not, and how often when there is
 * nothing.
 */
#include "unit/analysis/case_data.h"

#include "analysis/factors.h"
#include "analysis/harness.h"
#include "base/rng.h"

#define HOSTS 6
#define ROUNDS 24

static const struct harness_options plain = {.alpha = 0.05, .seed = 1, .draws = 499, .threads = 2};

struct made {
    double d[HOSTS][ROUNDS], bytes[HOSTS][ROUNDS];
    const char *sink[HOSTS][ROUNDS];
    uint32_t round[HOSTS][ROUNDS];
    char name[HOSTS][8];
    struct harness_host host[HOSTS];
    struct harness_labels sinks[HOSTS], sizes[HOSTS];
};

/* Noise of 1 %; `extra` is added where the sink is a socketpair, `slope` over the environment's
 * size. */
static void make(struct made *made, uint64_t seed, double extra, double slope)
{
    static const char *const sink[] = {"file", "pipe", "pty", "socketpair"};
    struct rng rng;

    rng_seed(&rng, seed);
    for (size_t h = 0; h < HOSTS; h++) {
        snprintf(made->name[h], sizeof made->name[h], "h%zu", h);
        for (size_t r = 0; r < ROUNDS; r++) {
            made->sink[h][r] = sink[rng_below(&rng, 4)];
            made->bytes[h][r] = (double)rng_below(&rng, 4096);
            made->round[h][r] = (uint32_t)r;
            made->d[h][r] =
                0.01 * rng_normal(&rng) + 0.002 * (double)h + slope * made->bytes[h][r] / 4096.0;
            if (strcmp(made->sink[h][r], "socketpair") == 0)
                made->d[h][r] += extra;
        }
        made->host[h] = (struct harness_host){made->name[h], made->d[h], ROUNDS};
        made->sinks[h] = (struct harness_labels){.text = made->sink[h]};
        made->sizes[h] = (struct harness_labels){.number = made->bytes[h]};
    }
}

static void answers_free(struct factor_answer *answer, size_t n)
{
    for (size_t f = 0; f < n; f++) {
        for (size_t l = 0; l < answer[f].n_levels; l++)
            mem_free(answer[f].level[l].level);
        mem_free(answer[f].level);
        mem_free(answer[f].factor);
    }
    mem_free(answer);
}

static void a_sink_that_carries_the_effect_is_found(void **state)
{
    struct made made;
    struct factor_answer *got;
    size_t n;

    (void)state;
    make(&made, 3, 0.05, 0.0);

    const struct harness_factor factor[] = {
        {"sink",      made.sinks},
        {"env_bytes", made.sizes}
    };

    harness_test(made.host, HOSTS, factor, 2, &plain, &got, &n);
    assert_int_equal(2, n);
    assert_string_equal("env_bytes", got[0].factor); /* by name */
    assert_true(got[0].p > 0.05);
    assert_int_equal(3, got[0].n_levels); /* thirds by rank */
    assert_string_equal("sink", got[1].factor);
    case_near("p", 1.0 / 500.0, got[1].p, 1e-12);
    case_near("Holm", 2.0 / 500.0, got[1].p_adjusted, 1e-12);
    assert_true(got[1].share > 0.3 && got[1].share < 1.0);
    assert_int_equal(4, got[1].n_levels);
    assert_string_equal("socketpair", got[1].level[3].level);
    case_near("effect", 0.055, got[1].level[3].effect, 0.01);
    assert_true(got[1].level[3].ci.lo > 0.03 && got[1].level[0].ci.hi < 0.03);
    answers_free(got, n);
}

static void a_number_is_tested_by_thirds(void **state)
{
    struct made made;
    struct factor_answer *got;
    size_t n;

    (void)state;
    make(&made, 4, 0.0, 0.04);

    const struct harness_factor factor[] = {
        {"env_bytes", made.sizes}
    };

    harness_test(made.host, HOSTS, factor, 1, &plain, &got, &n);
    assert_int_equal(1, n);
    assert_true(got[0].p <= 0.01);
    assert_true(str_starts(got[0].level[0].level, "<=") && str_starts(got[0].level[2].level, ">"));
    assert_true(got[0].level[0].effect < got[0].level[1].effect &&
                got[0].level[1].effect < got[0].level[2].effect);
    for (size_t l = 0; l < 3; l++)
        assert_int_equal(HOSTS * ROUNDS / 3, got[0].level[l].rounds);
    answers_free(got, n);
}

static void order_of_hosts_and_threads_do_not_show(void **state)
{
    struct made made;
    struct harness_host host[HOSTS];
    struct harness_labels sinks[HOSTS];
    struct harness_options one = plain;
    struct factor_answer *a, *b;
    size_t n;

    (void)state;
    make(&made, 5, 0.004, 0.0);
    for (size_t h = 0; h < HOSTS; h++) {
        host[h] = made.host[HOSTS - 1 - h];
        sinks[h] = made.sinks[HOSTS - 1 - h];
    }
    one.threads = 1;

    const struct harness_factor factor = {"sink", made.sinks}, turned = {"sink", sinks};

    harness_test(made.host, HOSTS, &factor, 1, &plain, &a, &n);
    harness_test(host, HOSTS, &turned, 1, &one, &b, &n);
    assert_true(a[0].p == b[0].p && a[0].share == b[0].share &&
                a[0].level[1].effect == b[0].level[1].effect);
    answers_free(a, n);
    answers_free(b, n);
}

static void a_label_that_never_varies_on_a_host_is_not_tested(void **state)
{
    struct made made;
    struct factor_answer *got;
    size_t n;

    (void)state;
    make(&made, 6, 0.0, 0.0);
    for (size_t h = 0; h < HOSTS; h++)
        for (size_t r = 0; r < ROUNDS; r++)
            made.sink[h][r] = h % 2 ? "file" : "pipe";

    const struct harness_factor factor[] = {
        {"sink", made.sinks}
    };

    harness_test(made.host, HOSTS, factor, 1, &plain, &got, &n);
    assert_int_equal(0, n);
    assert_null(got);
}

static void nothing_is_found_at_the_nominal_rate(void **state)
{
    enum { STUDIES = 200 };
    struct harness_options quick = plain;
    size_t found = 0;

    (void)state;
    quick.draws = 99;
    for (uint64_t s = 0; s < STUDIES; s++) {
        struct made made;
        struct factor_answer *got;
        size_t n;

        make(&made, 1000 + s, 0.0, 0.0);
        quick.seed = s;

        const struct harness_factor factor[] = {
            {"sink", made.sinks}
        };

        harness_test(made.host, HOSTS, factor, 1, &quick, &got, &n);
        found += got[0].p <= 0.05;
        answers_free(got, n);
    }
    if (found < 2 || found > 21) /* 10 expected, sd 3.1 */
        fail_msg("want 2 to 21 of %d, got %zu", STUDIES, found);
}

static void no_harness_effect_in_a_case_without_one(void **state)
{
    struct case_data data;
    struct harness_host host[32];
    struct harness_labels sinks[32];
    const char *text[32][CASE_ROUNDS];
    struct factor_answer *got;
    size_t k = 0, n;

    (void)state;
    case_load("fleet/uniform", &data);
    for (size_t i = 0; i < data.n; i++) {
        if (!data.host[i].pooled)
            continue;
        for (size_t r = 0; r < data.host[i].n; r++)
            text[k][r] = data.host[i].sink[r];
        host[k] = (struct harness_host){data.host[i].name, data.host[i].d, data.host[i].n};
        sinks[k] = (struct harness_labels){.text = text[k]};
        k++;
    }

    const struct harness_factor factor[] = {
        {"stdout_kind", sinks}
    };

    harness_test(host, k, factor, 1, &plain, &got, &n);
    assert_int_equal(1, n);
    assert_true(got[0].p > 0.05);
    answers_free(got, n);
    case_done(&data);
}

/* Threads 1 and 4 in every round of every host. */
static bool cross(struct factor_answer *ret, double extra, uint64_t seed)
{
    struct made one, four;
    struct factors_piece piece[2 * HOSTS];

    make(&one, seed, 0.0, 0.0);
    make(&four, seed + 1, 0.0, 0.0);
    for (size_t h = 0; h < HOSTS; h++) {
        for (size_t r = 0; r < ROUNDS; r++)
            four.d[h][r] += extra;
        piece[2 * h] = (struct factors_piece){one.name[h], "1", one.round[h], one.d[h], ROUNDS};
        piece[2 * h + 1] =
            (struct factors_piece){one.name[h], "4", four.round[h], four.d[h], ROUNDS};
    }
    return factors_test("threads", piece, 2 * HOSTS, &plain, ret);
}

static void an_effect_that_differs_between_cells_is_found(void **state)
{
    struct factor_answer got;

    (void)state;
    assert_true(cross(&got, 0.02, 10));
    case_near("p", 1.0 / 500.0, got.p, 1e-12);
    assert_int_equal(2, got.n_levels);
    assert_string_equal("4", got.level[1].level);
    case_near("difference", 0.02, got.level[1].effect - got.level[0].effect, 0.006);
    mem_free(got.level[0].level);
    mem_free(got.level[1].level);
    mem_free(got.level);
    mem_free(got.factor);
}

static void cells_that_agree_are_not_told_apart(void **state)
{
    struct factor_answer got;

    (void)state;
    assert_true(cross(&got, 0.0, 20));
    assert_true(got.p > 0.05);
    mem_free(got.level[0].level);
    mem_free(got.level[1].level);
    mem_free(got.level);
    mem_free(got.factor);
}

static void a_host_with_one_level_says_nothing(void **state)
{
    static const uint32_t round[4] = {0, 1, 2, 3};
    static const double d[4] = {0.01, 0.02, 0.03, 0.01};
    const struct factors_piece piece[] = {
        {"h1", "1", round, d, 4},
        {"h2", "4", round, d, 4}
    };
    struct factor_answer got;

    (void)state;
    assert_false(factors_test("threads", piece, 2, &plain, &got));
}

static void holm_never_shrinks_and_keeps_order(void **state)
{
    struct factor_answer answer[] = {{.p = 0.04}, {.p = 0.01}, {.p = 0.03}};

    (void)state;
    factors_holm(answer, 3);
    case_near("first", 0.06, answer[0].p_adjusted, 1e-12);
    case_near("second", 0.03, answer[1].p_adjusted, 1e-12);
    case_near("third", 0.06, answer[2].p_adjusted, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sink_that_carries_the_effect_is_found),
        cmocka_unit_test(a_number_is_tested_by_thirds),
        cmocka_unit_test(order_of_hosts_and_threads_do_not_show),
        cmocka_unit_test(a_label_that_never_varies_on_a_host_is_not_tested),
        cmocka_unit_test(nothing_is_found_at_the_nominal_rate),
        cmocka_unit_test(no_harness_effect_in_a_case_without_one),
        cmocka_unit_test(an_effect_that_differs_between_cells_is_found),
        cmocka_unit_test(cells_that_agree_are_not_told_apart),
        cmocka_unit_test(a_host_with_one_level_says_nothing),
        cmocka_unit_test(holm_never_shrinks_and_keeps_order),
    };

    return cmocka_run_group_tests_name("harness", tests, NULL, NULL);
}
