/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The terminal report against golden files (golden/NAME.txt, golden/NAME.ascii.txt), and what must
 * hold in every situation: it fits the width, sends no control bytes, says n/a instead of NaN.
 * MUSTER_WRITE_GOLDEN=1 writes the files anew; read the difference before you commit it.
 */
#include "coordinator/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fdio.h"
#include "unit/report/answers.h"

static char *rendered(const struct answer *answer, const struct report_style *style)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    report_text(answer, style, out);
    fclose(out);
    return text;
}

static void compare(const char *name, const char *suffix, const char *got)
{
    struct err err;
    CLEAN_MEM char *path =
        mem_printf("%s/tests/unit/report/golden/%s%s", TEST_SOURCE_DIR, name, suffix);
    if (getenv("MUSTER_WRITE_GOLDEN") != NULL) {
        if (fdio_write_atomic(path, got, strlen(got), 0644, &err) != 0) {
            fail_msg("%s", err.text);
        }
        return;
    }
    struct str want CLEAN_DONE(str) = {0};
    if (fdio_read_file(path, 1 << 20, &want, &err) != 0) {
        fail_msg("%s", err.text);
    }
    if (!str_eq(str_get(&want), got)) {
        fail_msg("%s differs\n--- want\n%s\n--- got\n%s", path, str_get(&want), got);
    }
}

static void reports_are_as_agreed(void **state)
{
    (void)state;
    for (size_t i = 0; i < ANSWERS_N; i++) {
        CLEAN(answer) struct answer *answer = ANSWERS_CASES[i].make();
        char *text = rendered(answer, &(struct report_style){.width = 80});
        compare(ANSWERS_CASES[i].name, ".txt", text);
        free(text);
    }
    CLEAN(answer) struct answer *answer = answers_fact();
    char *text = rendered(answer, &(struct report_style){.width = 80, .ascii = true});
    compare("fact", ".ascii.txt", text);
    free(text);
    text = rendered(answer, &(struct report_style){.width = 120, .colour = true});
    compare("fact", ".colour.txt", text);
    free(text);
}

static void lines_fit_the_width(void **state)
{
    (void)state;
    static const unsigned widths[] = {80, 100, 132};
    for (size_t i = 0; i < ANSWERS_N; i++) {
        if (str_eq(ANSWERS_CASES[i].name, "naughty")) {
            continue; /* a word longer than the line cannot be wrapped */
        }
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            CLEAN(answer) struct answer *answer = ANSWERS_CASES[i].make();
            char *text = rendered(answer, &(struct report_style){.width = widths[w]});
            for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
                *end = '\0';
                if (str_columns(line) > widths[w]) {
                    fail_msg("%s: %zu columns, want at most %u: %s", ANSWERS_CASES[i].name,
                             str_columns(line), widths[w], line);
                }
            }
            free(text);
        }
    }
}

static void no_control_bytes_reach_the_terminal(void **state)
{
    (void)state;
    CLEAN(answer) struct answer *answer = answers_naughty();
    char *text = rendered(answer, &(struct report_style){.width = 80});
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 && *c != '\n') {
            fail_msg("control byte %02x at %td: %.40s", (unsigned char)*c, c - text, c);
        }
    }
    free(text);
}

static void numbers_that_do_not_apply_are_not_printed_as_nan(void **state)
{
    (void)state;
    for (size_t i = 0; i < ANSWERS_N; i++) {
        CLEAN(answer) struct answer *answer = ANSWERS_CASES[i].make();
        struct comparison_answer *c = answer->comparison;
        c->host[0].effect = c->host[0].pct = c->fleet.effect = c->fleet.tau = c->fleet.i2 = NAN;
        c->host[0].ci = c->fleet.ci = c->fleet.tau_ci = (struct range){NAN, INFINITY};
        c->host[0].where.user.delta_s = NAN;
        char *text = rendered(answer, &(struct report_style){.width = 80});
        static const char *const words[] = {"nan", "inf ", "inf]", "-inf"};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            const char *at = strstr(text, words[k]);
            if (at != NULL) {
                fail_msg("%s: found %s in %.60s", ANSWERS_CASES[i].name, words[k],
                         at > text + 30 ? at - 30 : text);
            }
        }
        free(text);
    }
}

static void ascii_style_draws_without_unicode(void **state)
{
    (void)state;
    CLEAN(answer) struct answer *answer = answers_fact();
    char *text = rendered(answer, &(struct report_style){.width = 80, .ascii = true});
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c >= 0x80) {
            fail_msg("not ASCII at %td: %.30s", c - text, c);
        }
    }
    free(text);
}

static void quiet_prints_the_verdict_lines_alone(void **state)
{
    (void)state;
    CLEAN(answer) struct answer *answer = answers_unchanged();
    char *text = rendered(answer, &(struct report_style){.width = 100, .quiet = true});
    assert_string_equal(text,
                        "0 of 4 hosts changed: 2 are unchanged within 1 %, 2 are inconclusive.\n");
    free(text);
}

static void many_hosts_are_summed_up(void **state)
{
    (void)state;
    CLEAN(answer) struct answer *answer = answers_new("wide", 500);
    for (size_t i = 0; i < 500; i++) {
        CLEAN_MEM char *name = mem_printf("h%03zu", i);
        answer->comparison->host[i] = answers_host(name, VERDICT_REGRESSED, 0.05, 0.01);
    }
    char *text = rendered(answer, &(struct report_style){.width = 80});
    assert_non_null(strstr(text, "and 480 more hosts"));
    assert_null(strstr(text, "h490"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_as_agreed),
        cmocka_unit_test(lines_fit_the_width),
        cmocka_unit_test(no_control_bytes_reach_the_terminal),
        cmocka_unit_test(numbers_that_do_not_apply_are_not_printed_as_nan),
        cmocka_unit_test(ascii_style_draws_without_unicode),
        cmocka_unit_test(quiet_prints_the_verdict_lines_alone),
        cmocka_unit_test(many_hosts_are_summed_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
