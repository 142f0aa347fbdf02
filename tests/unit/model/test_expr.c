/* SPDX-License-Identifier: GPL-3.0-or-later
 * The selection language: grammar, comparison rules, three-valued logic, reasons, bounds. */
#include "model/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/limits.h"

static struct fact_set *facts;

static int make_facts(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"cpu.vendor", "AMD"      },
        {"os.id",      "fedora"   },
        {"cpu.cores",  "8"        },
        {"kernel",     "5.10.0-13"},
        {"flag.avx2",  "no"       },
        {"smt",        "0"        },
        {"virt",       "kvm"      },
        {"turbo",      "false"    },
        {"mem.gib",    "15.5"     },
        {"site",       "lab-a"    },
    };

    facts = fact_set_new();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (fact_set_put(facts, pairs[i][0], pairs[i][1], FACT_IDENTITY, "test", NULL) < 0)
            return -1;
    return 0;
}

static int drop_facts(void **state)
{
    (void)state;
    fact_set_free(facts);
    return 0;
}

static enum expr_value value_of(const char *text, struct str *why)
{
    CLEAN(expr) struct expr *expr = NULL;
    struct err err = {0};

    if (expr_parse(text, &expr, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return expr_eval(expr, "n3", facts, why);
}

struct value_case {
    const char *text;
    enum expr_value want;
};

static void check_values(const struct value_case *cases, size_t n)
{
    static const char *const words[] = {"false", "true", "unknown"};

    for (size_t i = 0; i < n; i++) {
        const enum expr_value got = value_of(cases[i].text, NULL);
        if (got != cases[i].want)
            fail_msg("%s: got %s, want %s", cases[i].text, words[got], words[cases[i].want]);
    }
}
#define CHECK_VALUES(cases) check_values(cases, sizeof(cases) / sizeof *(cases))

static void comparisons_follow_the_literal(void **state)
{
    (void)state;
    static const struct value_case cases[] = {
        {"cpu.vendor == \"AMD\"",             EXPR_TRUE   },
        {"cpu.vendor == 'AMD'",               EXPR_TRUE   },
        {"cpu.vendor == \"amd\"",             EXPR_FALSE  },
        {"cpu.vendor != \"Intel\"",           EXPR_TRUE   },
        {"cpu.cores == 8",                    EXPR_TRUE   },
        {"cpu.cores == 8.0",                  EXPR_TRUE   },
        {"cpu.cores == \"8.0\"",              EXPR_FALSE  },
        {"cpu.cores > 16",                    EXPR_FALSE  },
        {"cpu.cores >= 8",                    EXPR_TRUE   },
        {"cpu.cores<=8",                      EXPR_TRUE   },
        {"cpu.cores < 8",                     EXPR_FALSE  },
        {"mem.gib > -1e1",                    EXPR_TRUE   },
        {"cpu.vendor == 8",                   EXPR_FALSE  },
        {"cpu.vendor != 8",                   EXPR_TRUE   },
        {"cpu.vendor < 8",                    EXPR_UNKNOWN},
        {"kernel >= \"5.9\"",                 EXPR_TRUE   }, /* versions, not text */
        {"kernel < \"5.10.1\"",               EXPR_TRUE   },
        {"kernel < \"5.010\"",                EXPR_FALSE  },
        {"kernel ~ \"^5[.]1[0-9]\"",          EXPR_TRUE   },
        {"kernel ~ \"^6\"",                   EXPR_FALSE  },
        {"os.id in (\"debian\", \"fedora\")", EXPR_TRUE   },
        {"os.id in (\"debian\")",             EXPR_FALSE  },
        {"os.id not in (\"debian\")",         EXPR_TRUE   },
        {"cpu.cores in (4, 8)",               EXPR_TRUE   },
        {"host == \"n3\"",                    EXPR_TRUE   },
        {"host ~ \"^n[0-2]$\"",               EXPR_FALSE  },
        {"host in ('n1', 'n3')",              EXPR_TRUE   },
        {"site == \"lab\\\"a\"",              EXPR_FALSE  },
    };

    CHECK_VALUES(cases);
}

static void bare_name_means_known_and_not_no(void **state)
{
    (void)state;
    static const struct value_case cases[] = {
        {"virt",       EXPR_TRUE },
        {"flag.avx2",  EXPR_FALSE},
        {"smt",        EXPR_FALSE},
        {"turbo",      EXPR_FALSE},
        {"absent",     EXPR_FALSE},
        {"not absent", EXPR_TRUE },
        {"not virt",   EXPR_FALSE},
        {"host",       EXPR_TRUE },
    };

    CHECK_VALUES(cases);
}

static void unknown_is_neither_true_nor_false(void **state)
{
    (void)state;
    static const struct value_case cases[] = {
        {"absent == \"x\"",           EXPR_UNKNOWN},
        {"absent != \"x\"",           EXPR_UNKNOWN},
        {"absent ~ \"x\"",            EXPR_UNKNOWN},
        {"absent in (\"x\")",         EXPR_UNKNOWN},
        {"absent not in (\"x\")",     EXPR_UNKNOWN},
        {"not absent == \"x\"",       EXPR_UNKNOWN},
        {"absent == 1 and virt",      EXPR_UNKNOWN},
        {"virt and absent == 1",      EXPR_UNKNOWN},
        {"absent == 1 and smt",       EXPR_FALSE  },
        {"smt and absent == 1",       EXPR_FALSE  },
        {"absent == 1 or virt",       EXPR_TRUE   },
        {"virt or absent == 1",       EXPR_TRUE   },
        {"absent == 1 or smt",        EXPR_UNKNOWN},
        {"smt or absent == 1",        EXPR_UNKNOWN},
        {"not (absent == 1 and smt)", EXPR_TRUE   },
    };

    CHECK_VALUES(cases);
}

static void precedence_is_not_then_and_then_or(void **state)
{
    (void)state;
    static const struct value_case cases[] = {
        {"virt or virt and smt",                                                              EXPR_TRUE },
        {"(virt or virt) and smt",                                                            EXPR_FALSE},
        {"not smt and smt",                                                                   EXPR_FALSE},
        {"not (smt and smt)",                                                                 EXPR_TRUE },
        {"not not virt",                                                                      EXPR_TRUE },
        {"not not not virt",                                                                  EXPR_FALSE},
        {"smt or smt or virt",                                                                EXPR_TRUE },
        {"virt and virt and virt and smt",                                                    EXPR_FALSE},
        {"cpu.vendor == \"AMD\" or os.id in (\"fedora\", \"debian\") and not host == \"n3\"",
         EXPR_TRUE                                                                                      },
        {"((((virt))))",                                                                      EXPR_TRUE },
    };

    CHECK_VALUES(cases);
}

static void reason_names_the_deciding_comparison(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"cpu.vendor == \"Intel\"",                  "cpu.vendor is \"AMD\", not \"Intel\""   },
        {"virt and cpu.vendor == \"Intel\" and smt", "cpu.vendor is \"AMD\", not \"Intel\""   },
        {"absent == 1",                              "absent is unknown"                      },
        {"absent == 1 and smt",                      "smt is \"0\""                           },
        {"absent == 1 and virt",                     "absent is unknown"                      },
        {"cpu.vendor == \"X\" or os.id == \"y\"",
         "cpu.vendor is \"AMD\", not \"X\"; os.id is \"fedora\", not \"y\""                   },
        {"cpu.cores > 16",                           "cpu.cores is \"8\", not > 16"           },
        {"os.id in (\"a\", \"b\")",                  "os.id is \"fedora\", not \"a\" or \"b\""},
        {"cpu.vendor != \"AMD\"",                    "cpu.vendor is \"AMD\", not another"     },
        {"kernel ~ \"^6\"",                          "kernel is \"5.10.0-13\", not ~ \"^6\""  },
        {"not virt",                                 "virt is \"kvm\""                        },
        {"not (virt or absent)",                     "virt is \"kvm\"; absent is unknown"     },
        {"virt",                                     ""                                       },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEAN_DONE(str) struct str why = {0};

        value_of(cases[i][0], &why);
        assert_string_equal(str_get(&why), cases[i][1]);
    }
}

#define TOKENS "expected a fact's name, a number, \"text\", and, or, not, in or ( )"

static void wrong_expressions_are_refused_with_a_column(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"",            "column 1: found the end; expected a fact's name, not or ("       },
        {"a ==",        "column 5: found the end; expected a number or \"text\" in quotes"},
        {"a == b",      "column 6: found b; expected a number or \"text\" in quotes"      },
        {"a = 1",       "column 3: found =; expected == != < <= > >= or ~"                },
        {"a == 'x",     "column 6: found an opening ' that is not closed"                 },
        {"é == 1",     "column 1: found \\xc3; " TOKENS                                  },
        {"a && b",      "column 3: found &; " TOKENS                                      },
        {"a b",         "column 3: found b; expected and, or or the end"                  },
        {"(a",          "column 3: found the end; expected and, or or )"                  },
        {"a)",          "column 2: found ); expected and, or or the end"                  },
        {"a in \"x\"",  "column 6: found \"x\"; expected ( after in"                      },
        {"a in ()",     "column 7: found ); expected a number or \"text\" in quotes"      },
        {"a in (\"x\"", "column 10: found the end; expected , or )"                       },
        {"a not \"x\"", "column 7: found \"x\"; expected in"                              },
        {"a ~ 5",       "column 5: found 5; expected a regular expression in quotes"      },
        {"a and",       "column 6: found the end; expected a fact's name, not or ("       },
        {"1 == a",      "column 1: found 1; expected a fact's name, not or ("             },
        {"a == 1.2.3",  "column 6: found 1.2.3; " TOKENS                                  },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        struct expr *expr = NULL;

        assert_int_equal(expr_parse(cases[i][0], &expr, &err), -1);
        assert_null(expr);
        assert_string_equal(err.text, cases[i][1]);
        assert_int_equal(err.code, ERR_INPUT);
    }
    struct err err = {0};
    struct expr *expr = NULL;
    assert_int_equal(expr_parse("a ~ \"(\"", &expr, &err), -1);
    assert_non_null(strstr(err.text, "column 5: found a wrong regular expression"));
}

static void depth_and_size_are_bounded(void **state)
{
    (void)state;
    static const char *const openings[] = {"(", "not ", "not ("};
    struct expr *expr = NULL;
    struct err err = {0};

    for (size_t k = 0; k < 3; k++) {
        CLEAN_DONE(str) struct str text = {0};

        for (int i = 0; i < 5000; i++)
            str_add(&text, openings[k]);
        str_add(&text, "a");
        assert_int_equal(expr_parse(text.text, &expr, &err), -1);
        assert_int_equal(err.code, ERR_LIMIT);
    }
    CLEAN_DONE(str) struct str chain = {0};
    for (int i = 0; i < 4000; i++)
        str_add(&chain, "virt and ");
    str_add(&chain, "virt");
    assert_int_equal(value_of(chain.text, NULL), EXPR_TRUE);
    for (int i = 0; i < 4000; i++)
        str_add(&chain, " or a");
    assert_int_equal(expr_parse(chain.text, &expr, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    for (size_t i = 0; i < LIMIT_COMMAND; i++)
        str_addc(&chain, ' ');
    assert_int_equal(expr_parse(chain.text, &expr, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_null(expr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_follow_the_literal),
        cmocka_unit_test(bare_name_means_known_and_not_no),
        cmocka_unit_test(unknown_is_neither_true_nor_false),
        cmocka_unit_test(precedence_is_not_then_and_then_or),
        cmocka_unit_test(reason_names_the_deciding_comparison),
        cmocka_unit_test(wrong_expressions_are_refused_with_a_column),
        cmocka_unit_test(depth_and_size_are_bounded),
    };
    return cmocka_run_group_tests(tests, make_facts, drop_facts);
}
