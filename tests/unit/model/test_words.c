/* SPDX-License-Identifier: GPL-3.0-or-later
 * Splitting commands: words as a shell would make them, the shell itself where only it can, and
 * errors with a column. */
#include "model/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* Words joined by '|', as the tests write them. */
static char *split(const char *text, struct err *err)
{
    CLEAN_DONE(strlist) struct strlist words = {0};
    struct str out = {0};

    if (words_split(text, &words, err) < 0)
        return NULL;
    for (size_t i = 0; i < words.n; i++)
        str_addf(&out, "%s%s", i ? "|" : "", words.v[i]);
    return str_take(&out);
}

static void words_are_those_of_a_shell(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"./a",             "./a"        },
        {"  ./a   --x\t1 ", "./a|--x|1"  },
        {"a 'b c' d",       "a|b c|d"    },
        {"a \"b c\" d",     "a|b c|d"    },
        {"a b'c'\"d\"e",    "a|bcde"     },
        {"a '' \"\"",       "a||"        },
        {"a b\\ c",         "a|b c"      },
        {"a \\$x",          "a|$x"       },
        {"a '$x;&' ",       "a|$x;&"     },
        {"a \"x\\\"y\"",    "a|x\"y"     },
        {"a \"\\$x\"",      "a|$x"       },
        {"a \"\\n\"",       "a|\\n"      },
        {"a '\\'",          "a|\\"       },
        {"a\\\nb",          "ab"         },
        {"a \"b\\\nc\"",    "a|bc"       },
        {"a x=1",           "a|x=1"      },
        {"a --x=1 b#c",     "a|--x=1|b#c"},
        {"./a=b",           "./a=b"      },
        {"a b~",            "a|b~"       },
        {"a 'b\nc'",        "a|b\nc"     },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        CLEAN_MEM char *got = split(cases[i][0], &err);

        if (!got)
            fail_msg("%s: %s", cases[i][0], err.text);
        assert_string_equal(got, cases[i][1]);
    }
}

static void shell_syntax_is_left_to_the_shell(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "a | b",     "a && b", "a; b", "a < f", "a > f", "(a)",   "echo $x", "echo \"$x\"",
        "echo `x`",  "ls *",   "a\nb", "X=1 a", "a ?",   "a [x]", "ls ~",    "a # it's a comment",
        "a \"`x`\"",
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEAN_DONE(strlist) struct strlist words = {0};
        struct err err = {0};

        assert_int_equal(words_split(cases[i], &words, &err), 0);
        assert_int_equal(words.n, 3);
        assert_string_equal(words.v[0], "/bin/sh");
        assert_string_equal(words.v[1], "-c");
        assert_string_equal(words.v[2], cases[i]);
    }
}

static void what_no_shell_could_read_is_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a 'b",      "found an opening ' in column 3 that is not closed; allowed: quotes in pairs"},
        {"ab \"c d",
         "found an opening \" in column 4 that is not closed; allowed: quotes in pairs"            },
        {"a \"b\\\"",
         "found an opening \" in column 3 that is not closed; allowed: quotes in pairs"            },
        {"a | b 'c",  "found an opening ' in column 7 that is not closed; allowed: quotes in pairs"},
        {"a \\",      "found a backslash at the end (column 3); allowed: a character after it"     },
        {"",          "found an empty command; allowed: a program and its words"                   },
        {" \t ",      "found an empty command; allowed: a program and its words"                   },
        {"'' a",      "found an empty command; allowed: a program and its words"                   },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        CLEAN_MEM char *got = split(cases[i][0], &err);

        if (got)
            fail_msg("%s: got %s, want a refusal", cases[i][0], got);
        assert_int_equal(err.code, ERR_INPUT);
        assert_string_equal(err.text, cases[i][1]);
    }
}

static void failed_split_leaves_the_list(void **state)
{
    (void)state;
    CLEAN_DONE(strlist) struct strlist words = {0};

    strlist_add(&words, "kept");
    assert_int_equal(words_split("a 'b", &words, NULL), -1);
    assert_int_equal(words.n, 1);
    assert_int_equal(words_split("a b", &words, NULL), 0);
    assert_int_equal(words.n, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_a_shell),
        cmocka_unit_test(shell_syntax_is_left_to_the_shell),
        cmocka_unit_test(what_no_shell_could_read_is_refused),
        cmocka_unit_test(failed_split_leaves_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
