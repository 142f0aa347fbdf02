/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Histories from CSV: a shift is found where it is, rows may come in any order, hosts are put on
 * one axis of time, and wrong files are named with their line.
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "coordinator/offline/offline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/fdio.h"
#include "base/rng.h"

struct place {
    char folder[64], file[96];
};

static int set_up(void **state)
{
    struct place *place = mem_new(struct place);

    (void)snprintf(place->folder, sizeof place->folder, "/tmp/muster-history-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    (void)snprintf(place->file, sizeof place->file, "%s/h.csv", place->folder);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;

    (void)!fdio_remove_tree(place->folder, NULL);
    mem_free(place);
    return 0;
}

static int answer(const struct place *place, const char *csv, bool json, char **ret_text,
                  struct err *err)
{
    const struct offline_history_options options = {
        .from = place->file, .min_effect = 0.01, .seed = 1, .json = json};
    const struct report_style style = {.width = 80, .ascii = true};
    size_t length;
    FILE *out = open_memstream(ret_text, &length);
    int result;

    assert_int_equal(0, fdio_write_atomic(place->file, csv, strlen(csv), 0600, err));
    result = offline_history(&options, &style, out, err);
    assert_int_equal(0, fclose(out));
    return result;
}

/* n nights, +5 % from the 30th on; every host its own noise, the reference moves by far more. */
static char *made(size_t n, size_t hosts, bool backwards)
{
    struct str out = {0};
    struct rng rng;
    double *value = mem_array(double, 2 * n * hosts);

    rng_seed(&rng, 7);
    for (size_t i = 0; i < n * hosts; i++) {
        double reference = 2.0 + rng_unit(&rng);

        value[2 * i] =
            reference * exp(0.01 * (rng_unit(&rng) - 0.5) + (i / hosts >= 30 ? 0.05 : 0.0));
        value[2 * i + 1] = reference;
    }
    str_add(&out, "index,host,tested,reference\n");
    for (size_t k = 0; k < n * hosts; k++) {
        size_t i = backwards ? n * hosts - 1 - k : k;

        str_addf(&out, "%zu,h%zu,%.9g,%.9g\n", i / hosts, i % hosts, value[2 * i],
                 value[2 * i + 1]);
    }
    mem_free(value);
    return str_take(&out);
}

static void shift_is_found_where_it_is(void **state)
{
    for (size_t hosts = 1; hosts <= 3; hosts += 2) {
        CLEAN_MEM char *csv = made(60, hosts, false), *reversed = made(60, hosts, true);
        char *text = NULL, *again = NULL;
        struct err err = {0};

        if (answer(*state, csv, true, &text, &err) < 0 ||
            answer(*state, reversed, true, &again, &err) < 0)
            fail_msg("%s", err.text);
        assert_string_equal(text, again); /* whatever order the rows come in */

        json_t *root = json_loads(text, 0, NULL);
        const json_t *changes = json_object_get(root, "changes"),
                     *first = json_array_get(changes, 0);

        assert_int_equal(json_array_size(changes), 1);
        assert_int_equal(json_integer_value(json_object_get(first, "at")), 30);
        assert_string_equal(json_string_value(json_object_get(first, "time")), "30");
        assert_int_equal(json_array_size(json_object_get(root, "hosts")), hosts);
        if (fabs(json_number_value(json_object_get(first, "shift")) - 0.05) > 0.005)
            fail_msg("want a shift of 0.05, got %g",
                     json_number_value(json_object_get(first, "shift")));
        assert_true(json_number_value(json_object_get(first, "p")) <= 0.01);
        json_decref(root);
        free(text);
        free(again);
    }
}

static void text_has_a_plot_and_the_points(void **state)
{
    CLEAN_MEM char *csv = made(60, 1, false);
    char *text = NULL;
    struct err err = {0};

    if (answer(*state, csv, false, &text, &err) < 0)
        fail_msg("%s", err.text);
    assert_non_null(strstr(text, "Change at 30 (point 30): shift +5"));
    assert_non_null(strstr(text, "*"));
    assert_non_null(strstr(text, "0 to 59, 60 points"));
    free(text);
}

static void quiet_history_has_no_change(void **state)
{
    char *text = NULL;
    struct err err = {0};

    if (answer(*state, "time,ratio\n2026-01-01,1\n2026-01-02,\n2026-01-03,1.001\n", false, &text,
               &err) < 0)
        fail_msg("%s", err.text);
    assert_non_null(strstr(text, "No change point."));
    free(text);
}

static void wrong_histories_are_named_with_their_line(void **state)
{
    static const struct {
        const char *csv, *want;
    } wrong[] = {
        {"when,ratio\n1,1\n",                      ":1: no column time"        },
        {"time,tested\n1,1\n",                     ":1: allowed: the columns"  },
        {"time,tested,reference,ratio\n1,1,1,1\n", ":1: allowed: the columns"  },
        {"time,ratio\n1,-2\n",                     ":2: column 2 ratio: found" },
        {"time,ratio\n1,x\n",                      ":2: column 2 ratio: "      },
        {"time,ratio\n,1\n",                       ":2: column 1 time: found"  },
        {"time,ratio\n1,1\n2,1\n1,3\n",            ":4: time 1 twice"          },
        {"time,ratio,host\n1,1,a\n1,1,b\n1,3,a\n", ":4: time 1 of host a twice"},
        {"time,ratio\n",                           "no points"                 },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *text = NULL;
        struct err err = {0};

        if (answer(*state, wrong[i].csv, false, &text, &err) == 0)
            fail_msg("read without complaint:\n%s", wrong[i].csv);
        if (!strstr(err.text, wrong[i].want))
            fail_msg("want %s, got %s", wrong[i].want, err.text);
        assert_string_equal(text, "");
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shift_is_found_where_it_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_has_a_plot_and_the_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(quiet_history_has_no_change, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_histories_are_named_with_their_line, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
