/* SPDX-License-Identifier: GPL-3.0-or-later
 * Command lines from a table: values of every kind, words, refusals that say what was expected,
 * help. */
#include "base/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

struct values {
    bool quiet, detach;
    const char *format;
    struct strlist variant;
    int64_t count, wait_ns;
    double number, share;
};
static const struct opt table[] = {
    {'q', "quiet",      NULL,           "say less",     OPT_FLAG,     offsetof(struct values, quiet),   NULL       },
    {0,   "detach",     NULL,           "do not wait",  OPT_FLAG,     offsetof(struct values, detach),  NULL       },
    {0,   "as",         "FORMAT",       "how",          OPT_TEXT,     offsetof(struct values, format),  "table|csv"},
    {'v', "variant",    "NAME=COMMAND", "one more",     OPT_LIST,     offsetof(struct values, variant), NULL       },
    {'n', "count",      "N",            "how many",     OPT_COUNT,    offsetof(struct values, count),   NULL       },
    {0,   "wait",       "TIME",         "how long",     OPT_DURATION, offsetof(struct values, wait_ns), NULL       },
    {0,   "number",     "X",            "a number",     OPT_NUMBER,   offsetof(struct values, number),  NULL       },
    {0,   "min-effect", "SHARE",        "least_effect", OPT_FRACTION, offsetof(struct values, share),   NULL       },
};
static const struct opt_spec spec = {
    .usage = "muster try [OPTION]… FILE",
    .about = "Tries.",
    .v = table,
    .n = sizeof table / sizeof *table,
};

struct parsed {
    struct values values;
    struct strlist rest;
    struct err err;
    int outcome;
};

static void parsed_done(struct parsed *parsed)
{
    strlist_done(&parsed->values.variant);
    strlist_done(&parsed->rest);
}

/* Words are separated by one space each. */
static void parse(struct parsed *parsed, const char *line, bool stop_at_word)
{
    static char copy[512];
    char *argv[32] = {copy};
    int argc = 1;

    snprintf(copy, sizeof copy, "%s", line);
    for (char *c = copy; *c; c++) {
        if (*c != ' ')
            continue;
        *c = '\0';
        argv[argc++] = c + 1;
    }
    parsed_done(parsed);
    *parsed = (struct parsed){0};
    parsed->outcome =
        opt_parse(&spec, &parsed->values, argc, argv, stop_at_word, &parsed->rest, &parsed->err);
}

static void every_kind_is_filled(void **state)
{
    (void)state;
    CLEAN_DONE(parsed) struct parsed p = {0};

    parse(&p,
          "try -q --as csv -v a=b --variant=c=d -n 7 --wait 250ms --number -1.5 --min-effect 2%",
          false);
    assert_int_equal(p.outcome, 0);
    assert_true(p.values.quiet);
    assert_false(p.values.detach);
    assert_string_equal(p.values.format, "csv");
    assert_int_equal(p.values.variant.n, 2);
    assert_string_equal(p.values.variant.v[1], "c=d");
    assert_int_equal(p.values.count, 7);
    assert_int_equal(p.values.wait_ns, 250000000);
    assert_true(p.values.number == -1.5);
    assert_true(p.values.share == 0.02);
    assert_int_equal(p.rest.n, 0);
}

static void words_may_stand_anywhere(void **state)
{
    (void)state;
    CLEAN_DONE(parsed) struct parsed p = {0};

    setenv("POSIXLY_CORRECT", "1", 1); /* changes nothing */
    parse(&p, "try one -q two -- -v three", false);
    unsetenv("POSIXLY_CORRECT");
    assert_int_equal(p.outcome, 0);
    assert_true(p.values.quiet);
    assert_int_equal(p.rest.n, 4);
    assert_string_equal(p.rest.v[0], "one");
    assert_string_equal(p.rest.v[1], "two");
    assert_string_equal(p.rest.v[2], "-v");
    assert_string_equal(p.rest.v[3], "three");
}

static void single_dash_is_a_word(void **state)
{
    (void)state;
    CLEAN_DONE(parsed) struct parsed p = {0};

    parse(&p, "try -", false);
    assert_int_equal(p.outcome, 0);
    assert_int_equal(p.rest.n, 1);
    assert_string_equal(p.rest.v[0], "-");
}

static void options_of_a_command_are_left_alone(void **state)
{
    (void)state;
    CLEAN_DONE(parsed) struct parsed p = {0};

    parse(&p, "lock -q make -n --unknown", true);
    assert_int_equal(p.outcome, 0);
    assert_true(p.values.quiet);
    assert_int_equal(p.rest.n, 3);
    assert_string_equal(p.rest.v[0], "make");
    assert_string_equal(p.rest.v[1], "-n");
    parse(&p, "lock -- -q", true);
    assert_int_equal(p.outcome, 0);
    assert_false(p.values.quiet);
    assert_int_equal(p.rest.n, 1);
}

static void help_is_an_outcome(void **state)
{
    (void)state;
    CLEAN_DONE(parsed) struct parsed p = {0};

    parse(&p, "try --help", false);
    assert_int_equal(p.outcome, OPT_HELP);
    parse(&p, "try x -h", false);
    assert_int_equal(p.outcome, OPT_HELP);
}

static void refusals_say_what_was_expected(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"try --varaint x",            "unknown option \"--varaint\"; did you mean --variant?"       },
        {"try --zzzzzzzz",             "unknown option \"--zzzzzzzz\"; --help lists the options"     },
        {"try -x",                     "unknown option \"-x\"; --help lists the options"             },
        {"try -qx",                    "unknown option \"-x\"; --help lists the options"             },
        {"try --min-efect=3",          "unknown option \"--min-efect=3\"; did you mean --min-effect?"},
        {"try --as xml",               "option --as: found \"xml\"; allowed: table, csv"             },
        {"try --as tab",               "option --as: found \"tab\"; allowed: table, csv"             },
        {"try --as table|csv",         "option --as: found \"table|csv\"; allowed: table, csv"       },
        {"try --as",                   "option --as needs a value: FORMAT"                           },
        {"try -n",                     "option --count needs a value: N"                             },
        {"try -n x",                   "option --count: found \"x\"; allowed: a whole number from 0" },
        {"try -n -1",                  "option --count: found \"-1\"; allowed: a whole number from 0"},
        {"try --quiet=yes",            "option --quiet takes no value"                               },
        {"try --help=yes",             "option --help takes no value"                                },
        {"try --min-effect two",
         "option --min-effect: found \"two\"; allowed: a percentage like 2% or a "
         "fraction like 0.02"                                                                        },
        {"try -n 9223372036854775808",
         "option --count: found \"9223372036854775808\"; allowed: up to "
         "9223372036854775807"                                                                       },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEAN_DONE(parsed) struct parsed p = {0};

        parse(&p, cases[i][0], false);
        if (p.outcome != -1)
            fail_msg("\"%s\": got %d, want a refusal", cases[i][0], p.outcome);
        assert_int_equal(p.err.code, ERR_USAGE);
        assert_string_equal(p.err.text, cases[i][1]);
    }
}

static char *printed(void (*print)(const struct opt_spec *, FILE *))
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    assert_non_null(out);
    print(&spec, out);
    fclose(out);
    return text;
}

static void help_lists_every_option_in_columns(void **state)
{
    (void)state;
    char *text = printed(opt_help);

    assert_string_equal(text, "Usage: muster try [OPTION]… FILE\n"
                              "Tries.\n"
                              "\n"
                              "Options:\n"
                              "  -q, --quiet                 say less\n"
                              "      --detach                do not wait\n"
                              "      --as FORMAT             how (table, csv)\n"
                              "  -v, --variant NAME=COMMAND  one more\n"
                              "  -n, --count N               how many\n"
                              "      --wait TIME             how long\n"
                              "      --number X              a number\n"
                              "      --min-effect SHARE      least_effect\n"
                              "  -h, --help                  show this help\n");
    free(text);
}

static void man_page_escapes_what_scdoc_would_read(void **state)
{
    (void)state;
    char *text = printed(opt_scdoc);

    assert_non_null(strstr(text, "# OPTIONS\n\n*-q*, *--quiet*\n\tsay less\n\n"));
    assert_non_null(strstr(text, "*--min-effect* _SHARE_\n\tleast\\_effect\n\n"));
    assert_non_null(strstr(text, "*-h*, *--help*\n\tshow this help\n\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_filled),
        cmocka_unit_test(words_may_stand_anywhere),
        cmocka_unit_test(single_dash_is_a_word),
        cmocka_unit_test(options_of_a_command_are_left_alone),
        cmocka_unit_test(help_is_an_outcome),
        cmocka_unit_test(refusals_say_what_was_expected),
        cmocka_unit_test(help_lists_every_option_in_columns),
        cmocka_unit_test(man_page_escapes_what_scdoc_would_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
