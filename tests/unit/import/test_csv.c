/* SPDX-License-Identifier: GPL-3.0-or-later
 * The CSV reader against texts whose fields are known, whole and cut at every byte, and numbers
 * against the C library. */
#include "import_fixture.h"

#include <unistd.h>

#include "base/rng.h"
#include "coordinator/import/csv.h"
#include "coordinator/import/number.h"
#include "coordinator/import/seen.h"
#include "model/limits.h"

/* Fields joined by |, records ended by /; or the error's text. */
static char *read_all(struct desk *desk, const char *text, size_t length)
{
    CLEAN(csv) struct csv *csv = NULL;
    CLEAN_DONE(str) struct str out = {0};
    const struct csv_field *field = NULL;
    struct err err = {0};
    int rc = 0;

    write_bytes(desk->samples, text, length);
    rc = csv_open(desk->samples, "f.csv", &csv, &err);
    while (rc >= 0 && (rc = csv_next(csv, &field, &err)) > 0) {
        for (size_t i = 0; i < csv_columns(csv); i++) {
            assert_int_equal(strlen(field[i].text), field[i].length);
            str_addf(&out, "%s%s", i ? "|" : "", field[i].text);
        }
        str_addf(&out, "@%d/", (int)csv_line(csv));
    }
    return rc < 0 ? mem_strdup(err.text) : str_take(&out);
}

static void records_and_their_lines_are_read(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"a,b\n1,2\n3,4\n",                        "1|2@2/3|4@3/"                                            },
        {"a,b\r\n1,2\r\n3,4",                      "1|2@2/3|4@3/"                                            },
        {"\xef\xbb\xbf# by hand\n# x\na,b\n1,2\n", "1|2@4/"                                                  },
        {"a,b\n\n1,2\n\n\n3,4\n\n",                "1|2@3/3|4@6/"                                            },
        {"a,b\n\"x,\"\"y\"\"\nz\",2\n3,4\n",       "x,\"y\"\nz|2@2/3|4@4/"                                   },
        {"a,b\n,\n\"\",#\n",                       "|@2/|#@3/"                                               },
        {"a\n\"\"\n",                              "@2/"                                                     },
        {"a,b\n#1,2\n",                            "#1|2@2/"                                                 },
        {"a,b\n1,2\r",                             "1|2@2/"                                                  },
        {"a,b\nh\xc3\xb6st,=x\n",                  "h\xc3\xb6st|=x@2/"                                       },
        {"a,b\n",                                  ""                                                        },
        {"",                                       "f.csv:1: nothing in this file: a header line is needed"  },
        {"# only\n# words\n",                      "f.csv:3: nothing in this file: a header line is needed"  },
        {"a;b\n1;2\n",
         "f.csv:1: one column with semicolons in its name: fields must be separated by commas"               },
        {"a\tb\n1\t2\n",
         "f.csv:1: one column with tabs in its name: fields must be separated by commas"                     },
        {"a,\n",                                   "f.csv:1: column 2: a column without a name"              },
        {"a,b\n1\n",                               "f.csv:2: column 2 b: 1 field, the header has 2"          },
        {"a,b\n1,2,3\n",                           "f.csv:2: column 3: 3 fields, the header has 2"           },
        {"a,b\n1,x\"y\n",                          "f.csv:2: column 2 b: a quote inside a field: put the whole field in "
                          "quotes and write \"\" for each"                          },
        {"a,b\n1,\"x\"y\n",                        "f.csv:2: column 2 b: text behind a closing quote"        },
        {"a,b\n\"1\n\n\n,2\n",                     "f.csv:2: column 1 a: a quote that is never closed"       },
        {"a,b\n\"1\n2\",\"x\n",                    "f.csv:3: column 2 b: a quote that is never closed"       },
        {"a,b\n1,\xff\n",                          "f.csv:2: column 2 b: not UTF-8"                          },
        {"a,b\n1\rx,2\n",                          "f.csv:2: column 1 a: a carriage return that ends no line"},
    };
    struct desk *desk = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEAN_MEM char *got = read_all(desk, cases[i].text, strlen(cases[i].text));

        if (!str_eq(got, cases[i].want))
            fail_msg("case %zu: want \"%s\", got \"%s\"", i, cases[i].want, got);
    }
}

static void fields_are_bounded_and_nul_is_seen(void **state)
{
    struct desk *desk = *state;
    CLEAN_DONE(str) struct str big = {0};
    CLEAN_MEM char *nul = read_all(desk, "a,b\n1,x\0y\n", 10);
    CLEAN_MEM char *fits = NULL;
    CLEAN_MEM char *over = NULL;

    assert_string_equal(nul, "f.csv:2: column 2 b: control character \\x00");
    str_add(&big, "a\n");
    for (int i = 0; i < LIMIT_FIELD; i++)
        str_addc(&big, 'x');
    fits = read_all(desk, big.text, big.length);
    assert_int_equal(strlen(fits), LIMIT_FIELD + 3);
    str_addc(&big, 'x');
    over = read_all(desk, big.text, big.length);
    assert_string_equal(over, "f.csv:2: column 1 a: a field of 65537 bytes: at most 65536");
}

static void long_files_cross_the_buffer_anywhere(void **state)
{
    struct desk *desk = *state;
    CLEAN_DONE(str) struct str text = {0};
    CLEAN(csv) struct csv *csv = NULL;
    const struct csv_field *field = NULL;
    struct err err = {0};
    struct rng rng;
    int rows = 0;

    rng_seed(&rng, 4);
    str_add(&text, "n,word\n");
    for (int i = 0; i < 20000;
         i++) /* some 600 kB: the buffer ends in quotes, in line ends, in doubled quotes */
        str_addf(&text, i % 3 ? "%d,\"%.*s\"\"\n\"\r\n" : "%d,%.*s\n", i, (int)rng_below(&rng, 40),
                 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
    write_bytes(desk->samples, text.text, text.length);
    assert_int_equal(csv_open(desk->samples, NULL, &csv, &err), 0);
    for (int pass = 0; pass < 2; pass++) {
        rows = 0;
        while (csv_next(csv, &field, &err) > 0) {
            if (strtol(field[0].text, NULL, 10) != rows ||
                (rows % 3 && !str_ends(field[1].text, "\"\n")))
                fail_msg("row %d: got %s,%s", rows, field[0].text, field[1].text);
            rows++;
        }
        assert_string_equal(err.text, "");
        assert_int_equal(rows, 20000);
        assert_int_equal(csv_rewind(csv, &err), 0);
    }
}

static void pipe_is_read_twice_all_the_same(void **state)
{
    CLEAN(csv) struct csv *csv = NULL;
    const struct csv_field *field = NULL;
    struct err err = {0};
    int end[2];
    CLEAN_MEM char *path = NULL;

    (void)state;
    assert_int_equal(pipe(end), 0);
    assert_int_equal(write(end[1], "a\n1\n2\n", 6), 6);
    close(end[1]);
    path = mem_printf("/proc/self/fd/%d", end[0]);
    if (csv_open(path, "pipe", &csv, &err) < 0)
        fail_msg("%s", err.text);
    close(end[0]);
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(csv_next(csv, &field, &err), 1);
        assert_string_equal(field[0].text, "1");
        assert_int_equal(csv_next(csv, &field, &err), 1);
        assert_int_equal(csv_next(csv, &field, &err), 0);
        assert_int_equal(csv_rewind(csv, &err), 0);
    }
}

static void numbers_are_read_as_the_c_library_reads_them(void **state)
{
    struct rng rng;
    char text[64];

    (void)state;
    rng_seed(&rng, 5);
    for (int i = 0; i < 200000; i++) {
        double value = 0, want = 0;
        int digits = (int)rng_below(&rng, 19);
        double drawn = (rng_unit(&rng) - 0.5) * pow(10, (double)rng_below(&rng, 60) - 30);

        snprintf(text, sizeof text, i % 2 ? "%.*f" : "%.*e", digits, drawn);
        want = strtod(text, NULL);
        if (number_read(text, strlen(text), &value) != NUMBER_OK || value != want)
            fail_msg("%s: want %.17g, got %.17g", text, want, value);
    }
}

static void what_is_no_number_is_told_apart(void **state)
{
    static const struct {
        const char *text;
        enum number_kind want;
    } cases[] = {
        {"1",        NUMBER_OK        },
        {"+1.5",     NUMBER_OK        },
        {"-0",       NUMBER_OK        },
        {".5",       NUMBER_OK        },
        {"5.",       NUMBER_OK        },
        {"1e5",      NUMBER_OK        },
        {"1E-5",     NUMBER_OK        },
        {"1e400",    NUMBER_RANGE     },
        {"-1e400",   NUMBER_RANGE     },
        {"",         NUMBER_NONE      },
        {".",        NUMBER_NONE      },
        {"e5",       NUMBER_NONE      },
        {"1e",       NUMBER_NONE      },
        {"1e+",      NUMBER_NONE      },
        {"0x1p-3",   NUMBER_NONE      },
        {"1,5",      NUMBER_NONE      },
        {" 1",       NUMBER_NONE      },
        {"1 ",       NUMBER_NONE      },
        {"0.13s",    NUMBER_NONE      },
        {"--1",      NUMBER_NONE      },
        {"NaN",      NUMBER_NOT_FINITE},
        {"-inf",     NUMBER_NOT_FINITE},
        {"Infinity", NUMBER_NOT_FINITE},
        {"nano",     NUMBER_NONE      },
    };
    uint32_t whole = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        enum number_kind got = number_read(cases[i].text, strlen(cases[i].text), &value);

        if (got != cases[i].want)
            fail_msg("\"%s\": want %d, got %d", cases[i].text, (int)cases[i].want, (int)got);
    }
    assert_int_equal(number_read_whole("4294967294", 10, &whole), 0);
    assert_int_equal(whole, UINT32_MAX - 1);
    assert_int_equal(number_read_whole("4294967295", 10, &whole), -1);
    assert_int_equal(number_read_whole("-1", 2, &whole), -1);
    assert_int_equal(number_read_whole("1.0", 3, &whole), -1);
    assert_int_equal(number_read_whole("", 0, &whole), -1);
}

static void set_remembers_every_key_with_its_first_note(void **state)
{
    CLEAN_DONE(seen) struct seen seen = {0};

    (void)state;
    assert_int_equal(seen_get(&seen, 5), 0);
    for (uint32_t i = 0; i < 50000; i++)
        assert_int_equal(seen_add(&seen, seen_mix(i, 7), i + 1), 0);
    for (uint32_t i = 0; i < 50000; i++)
        assert_int_equal(seen_add(&seen, seen_mix(i, 7), 99), i + 1);
    assert_int_equal(seen_get(&seen, seen_mix(50000, 7)), 0);
    assert_int_equal(seen.n, 50000);
    assert_int_equal(seen_add(&seen, 0, 3), 0);
    assert_int_equal(seen_add(&seen, 0, 4), 3);
}

#define T(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(records_and_their_lines_are_read),
        T(fields_are_bounded_and_nul_is_seen),
        T(long_files_cross_the_buffer_anywhere),
        T(pipe_is_read_twice_all_the_same),
        T(numbers_are_read_as_the_c_library_reads_them),
        T(what_is_no_number_is_told_apart),
        T(set_remembers_every_key_with_its_first_note),
    };

    return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
