/* SPDX-License-Identifier: GPL-3.0-or-later
 * The generator: known numbers, independent streams, no bias; and identifiers, seeds, clocks. */
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/clk.h"
#include "base/id.h"

static void numbers_are_those_of_the_reference_code(void **state)
{
    (void)state;
    /* xoshiro256** from the state 1, 2, 3, 4: the test vector of the Rust crate rand_xoshiro. */
    static const uint64_t want[] = {
        UINT64_C(11520),
        UINT64_C(0),
        UINT64_C(1509978240),
        UINT64_C(1215971899390074240),
        UINT64_C(1216172134540287360),
        UINT64_C(607988272756665600),
        UINT64_C(16172922978634559625),
        UINT64_C(8476171486693032832),
        UINT64_C(10595114339597558777),
        UINT64_C(2904607092377533576),
    };
    struct rng rng = {
        .s = {1, 2, 3, 4}
    };

    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_true(rng_u64(&rng) == want[i]);
}

static void seeding_is_splitmix64(void **state)
{
    (void)state;
    struct rng rng;

    rng_seed(&rng, 0); /* first outputs of SplitMix64 from 0, as published with it */
    assert_true(rng.s[0] == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(rng.s[1] == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(rng.s[2] == UINT64_C(0x06c45d188009454f));
    assert_true(rng.s[3] == UINT64_C(0xf88bb8a8724c81ec));
}

static void streams_repeat_and_differ(void **state)
{
    (void)state;
    struct rng a, b, c, d;

    rng_seed_stream(&a, 5, 1);
    rng_seed_stream(&b, 5, 1);
    rng_seed_stream(&c, 5, 2);
    rng_seed_stream(&d, 1, 5);
    const uint64_t first = rng_u64(&a);
    assert_true(first == rng_u64(&b));
    assert_true(first != rng_u64(&c));
    assert_true(first != rng_u64(&d));
}

static void neighbouring_streams_share_no_number(void **state)
{
    (void)state;
    uint64_t seen[64][4];

    for (uint64_t stream = 0; stream < 64; stream++) {
        struct rng rng;
        rng_seed_stream(&rng, 9, stream);
        memcpy(seen[stream], rng.s, sizeof rng.s);
    }
    for (size_t i = 0; i < 64 * 4; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(seen[i / 4][i % 4] != seen[k / 4][k % 4]);
}

static void below_is_uniform(void **state)
{
    (void)state;
    enum { BOUND = 7, DRAWS = 70000 };
    size_t count[BOUND] = {0};
    double chi2 = 0;
    struct rng rng;

    rng_seed(&rng, 3);
    for (size_t i = 0; i < DRAWS; i++)
        count[rng_below(&rng, BOUND)]++;
    for (size_t i = 0; i < BOUND; i++) {
        const double d = (double)count[i] - DRAWS / (double)BOUND;
        chi2 += d * d / (DRAWS / (double)BOUND);
    }
    assert_true(chi2 < 22.5); /* 6 degrees of freedom, p = .001 */
    assert_true(rng_below(&rng, 1) == 0);
    for (int i = 0; i < 1000; i++)
        assert_true(rng_below(&rng, UINT64_MAX) < UINT64_MAX);
}

static void units_and_normals_have_their_moments(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    double unit = 0, normal = 0, square = 0;
    struct rng rng;

    rng_seed(&rng, 4);
    for (int i = 0; i < DRAWS; i++) {
        const double u = rng_unit(&rng), z = rng_normal(&rng);
        assert_true(u >= 0 && u < 1);
        unit += u;
        normal += z;
        square += z * z;
    }
    assert_true(fabs(unit / DRAWS - 0.5) < 0.005);
    assert_true(fabs(normal / DRAWS) < 0.015);
    assert_true(fabs(square / DRAWS - 1) < 0.02);
}

static void shuffle_is_a_permutation_and_reaches_all(void **state)
{
    (void)state;
    size_t count[6] = {0};
    struct rng rng;

    rng_seed(&rng, 6);
    for (int i = 0; i < 6000; i++) {
        size_t v[3] = {0, 1, 2};
        rng_shuffle(&rng, v, 3);
        assert_int_equal((1 << v[0]) | (1 << v[1]) | (1 << v[2]), 7);
        count[v[0] * 2 + (v[1] > v[2])]++;
    }
    for (size_t i = 0; i < 6; i++)
        assert_in_range(count[i], 880, 1120); /* 4 standard deviations */
    rng_shuffle(&rng, NULL, 0);
}

static void hash_is_fnv_1a(void **state)
{
    (void)state;
    assert_true(rng_hash("") == UINT64_C(0xcbf29ce484222325));
    assert_true(rng_hash("a") == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(rng_hash("foobar") == UINT64_C(0x85944171f73967e8));
}

static void fresh_seeds_and_identifiers_differ(void **state)
{
    (void)state;
    char a[ID_SIZE], b[ID_SIZE];

    assert_true(rng_fresh_seed() != rng_fresh_seed());
    id_new(a);
    id_new(b);
    assert_string_not_equal(a, b);
    assert_true(id_is_valid(a));
    assert_false(id_is_valid(""));
    a[5] = 'G';
    assert_false(id_is_valid(a));
    a[5] = 'A';
    assert_false(id_is_valid(a));
    b[31] = '\0';
    assert_false(id_is_valid(b));
    assert_false(id_is_valid("0123456789abcdef0123456789abcdef0"));
}

static void assert_iso(int64_t us, const char *want)
{
    char got[32];

    clk_iso(us, got);
    assert_string_equal(got, want);
}

static void wall_time_is_written_as_iso_8601(void **state)
{
    (void)state;
    assert_iso(0, "1970-01-01T00:00:00Z");
    assert_iso(INT64_C(1769860800000000), "2026-01-31T12:00:00Z");
    assert_iso(-1, "1969-12-31T23:59:59Z");
    assert_iso(INT64_C(1769860800999999), "2026-01-31T12:00:00Z");
}

static void clocks_go_forward(void **state)
{
    (void)state;
    const int64_t mono = clk_mono_ns(), raw = clk_raw_ns();

    assert_true(clk_mono_ns() >= mono);
    assert_true(clk_raw_ns() >= raw);
    assert_true(clk_wall_us() > INT64_C(1700000000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_reference_code),
        cmocka_unit_test(seeding_is_splitmix64),
        cmocka_unit_test(streams_repeat_and_differ),
        cmocka_unit_test(neighbouring_streams_share_no_number),
        cmocka_unit_test(below_is_uniform),
        cmocka_unit_test(units_and_normals_have_their_moments),
        cmocka_unit_test(shuffle_is_a_permutation_and_reaches_all),
        cmocka_unit_test(hash_is_fnv_1a),
        cmocka_unit_test(fresh_seeds_and_identifiers_differ),
        cmocka_unit_test(wall_time_is_written_as_iso_8601),
        cmocka_unit_test(clocks_go_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
