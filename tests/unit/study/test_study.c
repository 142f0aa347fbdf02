/* SPDX-License-Identifier: GPL-3.0-or-later
 * From a stored run to an answer: which metrics may be asked for. */
#include "coordinator/study/study.h"
#include "unit/import/import_fixture.h"

/* 10 rounds on one host; the candidate waits a tenth longer and uses as much CPU time. */
static void put_run(struct desk *desk, const char *columns, bool with_sys)
{
    CLEAN_DONE(str) struct str text = {0};

    str_addf(&text, "host,variant,round,position,%s\n", columns);
    for (int r = 0; r < 10; r++)
        for (int place = 0; place < 2; place++) {
            const int candidate = (r % 3 == 0) != (place == 0);
            const double user = 0.5 + 0.001 * (r * 7 % 5), wait = (candidate ? 0.33 : 0.3) - user;

            str_addf(&text, "h,%s,%d,%d,%.6f,%.6f", candidate ? "B" : "A", r, place,
                     1 + user + wait, user);
            str_add(&text, with_sys ? ",0.1\n" : "\n");
        }
    write_hosts(desk, "host\nh\n");
    write_samples(desk, str_get(&text));
    desk->options.base = "A";
    import_well(desk);
}

static struct answer *ask(struct desk *desk, const char *metric)
{
    CLEAN(run) struct run *run = run_of(desk);
    const struct study_options options = {.alpha = NAN, .min_effect = NAN, .metric = metric};
    struct answer *answer = NULL;

    desk->err = (struct err){0};
    if (study_explain(desk->store, run, &options, &answer, &desk->err) < 0)
        return NULL;
    return answer;
}

static void times_may_be_asked_for_with_or_without_their_unit(void **state)
{
    static const char *const asked[][2] = {
        {"elapsed", "elapsed_s"},
        {"user",    "user_s"   },
        {"cpu",     "cpu_s"    },
        {"cpu_s",   "cpu_s"    },
        {"wait",    "wait_s"   },
        {"wait_s",  "wait_s"   },
        {NULL,      "elapsed_s"}
    };
    struct desk *desk = *state;

    put_run(desk, "elapsed_s,user_s,sys_s", true);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        CLEAN(answer) struct answer *answer = ask(desk, asked[i][0]);

        if (!answer)
            fail_msg("%s: %s", asked[i][0], desk->err.text);
        assert_string_equal(answer->metric, asked[i][1]);
        assert_string_equal(answer->unit, "s");
    }
    CLEAN(answer) struct answer *wait = ask(desk, "wait");
    CLEAN(answer) struct answer *cpu = ask(desk, "cpu");

    assert_int_equal(wait->comparison[0].outcome, ANSWER_REGRESSED);
    assert_int_equal(cpu->comparison[0].outcome, ANSWER_UNCHANGED);
}

static void what_was_not_recorded_is_refused(void **state)
{
    static const char *const asked[] = {"wait", "cpu_s", "sys", "elapsd_s", ""};
    struct desk *desk = *state;

    put_run(desk, "elapsed_s,user_s", false);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        CLEAN(answer) struct answer *answer = ask(desk, asked[i]);

        if (answer || desk->err.code != ERR_USAGE)
            fail_msg("%s: want a usage error, got %s \"%s\"", asked[i],
                     err_code_name(desk->err.code), desk->err.text);
    }
    CLEAN(answer) struct answer *near = ask(desk, "elapsd_s");

    assert_null(near);
    assert_non_null(strstr(desk->err.text, "did you mean elapsed_s?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(times_may_be_asked_for_with_or_without_their_unit,
                                        desk_setup, desk_teardown),
        cmocka_unit_test_setup_teardown(what_was_not_recorded_is_refused, desk_setup,
                                        desk_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
