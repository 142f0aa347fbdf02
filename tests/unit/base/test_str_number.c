/* SPDX-License-Identifier: GPL-3.0-or-later
 * Strict numbers: what is read, what is refused and with which code, and doubles that read back bit
 * for bit. */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

/* As bits, so that -0 and 0 differ. */
static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define ASSERT_DOUBLE(got, want)                                                                   \
    do {                                                                                           \
        const double g_ = (got), w_ = (want);                                                      \
        if (bits_of(g_) != bits_of(w_))                                                            \
            fail_msg("got %.17g, want %.17g", g_, w_);                                             \
    } while (0)

static void whole_numbers_up_to_their_ends(void **state)
{
    (void)state;
    uint64_t u = 1;
    int64_t i = 1;

    assert_int_equal(str_to_u64("0", &u, NULL), 0);
    assert_true(u == 0);
    assert_int_equal(str_to_u64("18446744073709551615", &u, NULL), 0);
    assert_true(u == UINT64_MAX);
    assert_int_equal(str_to_u64("007", &u, NULL), 0);
    assert_true(u == 7);
    assert_int_equal(str_to_i64("-9223372036854775808", &i, NULL), 0);
    assert_true(i == INT64_MIN);
    assert_int_equal(str_to_i64("9223372036854775807", &i, NULL), 0);
    assert_true(i == INT64_MAX);
    assert_int_equal(str_to_i64("-0", &i, NULL), 0);
    assert_true(i == 0);
}

static void whole_numbers_refuse_everything_else(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",     "-",   " 1",  "1 ",  "+1",
                                        "0x10", "1.0", "1e3", "abc", "1\n"};
    static const char *const large[] = {"18446744073709551616", "99999999999999999999999"};
    uint64_t u = 77;
    int64_t i = 77;
    struct err err = {0};

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(str_to_u64(wrong[k], &u, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        assert_int_equal(str_to_i64(wrong[k], &i, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
    }
    assert_int_equal(str_to_u64("-1", &u, &err), -1);
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(str_to_u64(large[k], &u, &err), -1);
        assert_int_equal(err.code, ERR_LIMIT);
    }
    assert_int_equal(str_to_i64("9223372036854775808", &i, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(str_to_i64("-9223372036854775809", &i, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_true(u == 77 && i == 77); /* outputs untouched on failure */
}

static void doubles_are_decimal_and_finite(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double want;
    } good[] = {
        {"0",                       0.0                    },
        {"-0",                      -0.0                   },
        {"1.5",                     1.5                    },
        {"-2e3",                    -2000                  },
        {"+.5",                     0.5                    },
        {"5.",                      5                      },
        {"1E-3",                    0.001                  },
        {"0.1",                     0.1                    },
        {"1e-400",                  0.0                    },
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"1.7976931348623157e308",  DBL_MAX                },
    };
    static const char *const wrong[] = {"",    ".",   "-",     "e5",       "1e",    "1e+",
                                        "nan", "NaN", "inf",   "Infinity", "0x1p3", "1,5",
                                        "1 ",  " 1",  "1.2.3", "--1",      "1_000"};
    double value = 3;
    struct err err = {0};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(str_to_double(good[i].text, &value, &err), 0);
        ASSERT_DOUBLE(value, good[i].want);
    }
    value = 3;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (str_to_double(wrong[i], &value, &err) != -1)
            fail_msg("\"%s\": want a refusal", wrong[i]);
        assert_int_equal(err.code, ERR_INPUT);
    }
    assert_int_equal(str_to_double("1e309", &value, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(str_to_double("-1e309", &value, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    ASSERT_DOUBLE(value, 3);
}

static void durations_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t want;
    } good[] = {
        {"250ms", 250000000              },
        {"60s",   INT64_C(60000000000)   },
        {"30m",   INT64_C(1800000000000) },
        {"4h",    INT64_C(14400000000000)},
        {"1.5s",  1500000000             },
        {"2",     2000000000             },
        {"0",     0                      },
        {"1us",   1000                   },
        {"7ns",   7                      },
        {"1d",    INT64_C(86400000000000)},
        {"0.1",   100000000              },
    };
    static const char *const wrong[] = {"",   "s",    "1 s", "-1s", "-0s",
                                        "1x", "1mss", "1S",  "nan", "1e"};
    int64_t ns = 5;
    struct err err = {0};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(str_to_duration(good[i].text, &ns, &err), 0);
        assert_true(ns == good[i].want);
    }
    ns = 5;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (str_to_duration(wrong[i], &ns, &err) != -1)
            fail_msg("\"%s\": want a refusal", wrong[i]);
        assert_int_equal(err.code, ERR_INPUT);
    }
    assert_int_equal(str_to_duration("1e300d", &ns, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(str_to_duration("1e999", &ns, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_true(ns == 5);
}

static void fractions_and_percentages(void **state)
{
    (void)state;
    double value = 0;

    assert_int_equal(str_to_fraction("2%", &value, NULL), 0);
    ASSERT_DOUBLE(value, 0.02);
    assert_int_equal(str_to_fraction("0.02", &value, NULL), 0);
    ASSERT_DOUBLE(value, 0.02);
    assert_int_equal(str_to_fraction("0.5%", &value, NULL), 0);
    ASSERT_DOUBLE(value, 0.005);
    assert_int_equal(str_to_fraction("%", &value, NULL), -1);
    assert_int_equal(str_to_fraction("2 %", &value, NULL), -1);
    assert_int_equal(str_to_fraction("2%%", &value, NULL), -1);
    assert_int_equal(str_to_fraction("1e999%", &value, NULL), -1);
}

static void byte_counts_are_powers_of_1024(void **state)
{
    (void)state;
    uint64_t bytes = 0;
    struct err err = {0};

    assert_int_equal(str_to_bytes("2G", &bytes, NULL), 0);
    assert_true(bytes == UINT64_C(2147483648));
    assert_int_equal(str_to_bytes("64k", &bytes, NULL), 0);
    assert_true(bytes == 65536);
    assert_int_equal(str_to_bytes("64K", &bytes, NULL), 0);
    assert_true(bytes == 65536);
    assert_int_equal(str_to_bytes("100", &bytes, NULL), 0);
    assert_true(bytes == 100);
    assert_int_equal(str_to_bytes("16777215T", &bytes, NULL), 0);
    assert_int_equal(str_to_bytes("16777216T", &bytes, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(str_to_bytes("2GB", &bytes, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_int_equal(str_to_bytes("1.5G", &bytes, &err), -1);
    assert_int_equal(str_to_bytes("-1", &bytes, &err), -1);
    assert_int_equal(str_to_bytes("", &bytes, &err), -1);
    assert_int_equal(str_to_bytes("G", &bytes, &err), -1);
}

static void message_names_what_was_found_and_what_is_allowed(void **state)
{
    (void)state;
    struct err err = {0};
    int64_t ns;

    assert_int_equal(str_to_duration("soon\n", &ns, &err), -1);
    assert_string_equal(err.text,
                        "found \"soon\\x0a\"; allowed: a number and ns, us, ms, s, m, h or d, "
                        "like 250ms, 60s or 1.5h (seconds without a unit)");
}

static void assert_shortest(double value, const char *want)
{
    char got[32];

    str_from_double(value, got);
    assert_string_equal(got, want);
}

static void doubles_are_written_as_short_as_they_read_back(void **state)
{
    (void)state;
    assert_shortest(0.1, "0.1");
    assert_shortest(0.1 + 0.2, "0.30000000000000004");
    assert_shortest(1e15, "1e+15");
    assert_shortest(123456789012345, "123456789012345");
    assert_shortest(1.0 / 3, "0.3333333333333333");
    assert_shortest(-0.0, "-0");
    assert_shortest(4.9406564584124654e-324, "5e-324");
    assert_shortest(DBL_MAX, "1.7976931348623157e+308");
    assert_shortest(NAN, "null");
    assert_shortest(INFINITY, "null");
    assert_shortest(-INFINITY, "null");
}

static void any_double_reads_back_bit_for_bit(void **state)
{
    (void)state;
    struct rng rng;

    rng_seed(&rng, 11);
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = rng_u64(&rng);
        double value, back = 0;
        char text[32];

        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        str_from_double(value, text);
        assert_int_equal(str_to_double(text, &back, NULL), 0);
        ASSERT_DOUBLE(back, value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_up_to_their_ends),
        cmocka_unit_test(whole_numbers_refuse_everything_else),
        cmocka_unit_test(doubles_are_decimal_and_finite),
        cmocka_unit_test(durations_have_units),
        cmocka_unit_test(fractions_and_percentages),
        cmocka_unit_test(byte_counts_are_powers_of_1024),
        cmocka_unit_test(message_names_what_was_found_and_what_is_allowed),
        cmocka_unit_test(doubles_are_written_as_short_as_they_read_back),
        cmocka_unit_test(any_double_reads_back_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
