/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The whole way for data from elsewhere: files of tests/cases/fleet are imported into a store,
 * explained, printed as JSON and read back. What a right implementation says of them is in each
 * case's expected.json; how exact each number is, in tests/cases/README.md.
 */
#include "coordinator/import/import.h"
#include "coordinator/report/query.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fdio.h"
#include "unit/report/schema.h"

static const char *const CASES[] = {"aa",
                                    "aa-alternating",
                                    "aa-blocked-streaks",
                                    "confounded",
                                    "fact",
                                    "fact-8-hosts",
                                    "gaps-and-dead-hosts",
                                    "host-only",
                                    "load",
                                    "mixed",
                                    "modes",
                                    "numeric",
                                    "throughput",
                                    "uniform",
                                    "wait"};

struct place {
    char directory[64];
    struct store *store;
};

static int set_up(void **state)
{
    struct place *place = mem_new(struct place);
    struct err err;
    *state = place;
    strcpy(place->directory, "/tmp/muster-fleet-XXXXXX");
    if (mkdtemp(place->directory) == NULL) {
        return -1;
    }
    CLEAN_MEM char *path = mem_printf("%s/muster.db", place->directory);
    return store_open(path, STORE_WRITE | STORE_CREATE, &place->store, &err);
}

static int tear_down(void **state)
{
    struct place *place = *state;
    struct err err;
    store_free(place->store);
    int done = fdio_remove_tree(place->directory, &err);
    mem_free(place);
    return done;
}

static json_t *load(const char *name, const char *file)
{
    CLEAN_MEM char *path = mem_printf("%s/tests/cases/fleet/%s/%s", TEST_SOURCE_DIR, name, file);
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    if (json == NULL) {
        fail_msg("%s: %s", path, error.text);
    }
    return json;
}

static void import_case(struct store *store, const char *name)
{
    struct err err = {0};
    json_t *truth = load(name, "truth.json");
    CLEAN_MEM char *hosts = mem_printf("%s/tests/cases/fleet/%s/hosts.csv", TEST_SOURCE_DIR, name);
    CLEAN_MEM char *samples =
        mem_printf("%s/tests/cases/fleet/%s/samples.csv", TEST_SOURCE_DIR, name);
    struct import_options options = {
        .experiment = name,
        .hosts = hosts,
        .samples = samples,
        .metric = json_string_value(json_object_get(truth, "metric")),
        .higher_is_better = str_eq(json_string_value(json_object_get(truth, "better")), "higher"),
        .base = "A",
        .min_effect = 0.01,
    };
    struct import_result result CLEAN_DONE(import_result) = {0};
    if (import_run(store, &options, &result, &err) != 0) {
        fail_msg("%s: %s", name, err.text);
    }
    json_decref(truth);
}

static char *explain(struct store *store, const char *name, bool json)
{
    struct err err = {0};
    struct strmap arg CLEAN_DONE(strmap) = {0};
    strmap_set(&arg, "run", name);
    strmap_set(&arg, "json", json ? "1" : "0");
    strmap_set(&arg, "seed", "1");
    strmap_set(&arg, "width", "400"); /* no line breaks inside what is looked for */
    char *text = NULL;
    size_t size = 0;
    int code = -1;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (query_serve(store, WIRE_REQUEST_EXPLAIN, &arg, out, &code, &err) != 0) {
        fail_msg("%s: %s", name, err.text);
    }
    fclose(out);
    assert_int_equal(code, 0);
    return text;
}

static const json_t *host_of(const json_t *hosts, const char *name)
{
    size_t i;
    json_t *host;
    json_array_foreach((json_t *)(uintptr_t)hosts, i, host)
    {
        if (str_eq(json_string_value(json_object_get(host, "host")), name)) {
            return host;
        }
    }
    return NULL;
}

/* Both null, or within a relative 1e-6; arrays member by member; words equal. */
static void same(const char *where, const char *field, const json_t *want, const json_t *got)
{
    if (json_is_array(want) && json_is_array(got) &&
        json_array_size(want) == json_array_size(got)) {
        for (size_t i = 0; i < json_array_size(want); i++) {
            same(where, field, json_array_get(want, i), json_array_get(got, i));
        }
        return;
    }
    bool equal = json_is_number(want) && json_is_number(got)
                     ? fabs(json_number_value(want) - json_number_value(got)) <=
                           1e-6 * fabs(json_number_value(want)) + 1e-12
                     : json_equal(want, got);
    if (!equal) {
        char *w = json_dumps(want, JSON_ENCODE_ANY),
             *g = got != NULL ? json_dumps(got, JSON_ENCODE_ANY) : NULL;
        fail_msg("%s %s: want %s got %s", where, field, w, g != NULL ? g : "nothing");
    }
}

static void compare_hosts(const char *name, const json_t *want, const json_t *got)
{
    static const char *const fields[] = {
        "design", "verdict", "rounds_used", "rounds_dropped", "samples", "effect",
        "ci",     "p",       "q",           "trimmed_effect", "df",      "mean_effect"};
    size_t i;
    json_t *host;
    assert_int_equal(json_array_size(want), json_array_size(got));
    json_array_foreach((json_t *)(uintptr_t)want, i, host)
    {
        const char *label = json_string_value(json_object_get(host, "host"));
        const json_t *found = host_of(got, label);
        CLEAN_MEM char *where = mem_printf("%s, host %s", name, label);
        if (found == NULL) {
            fail_msg("%s is missing", where);
        }
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
            same(where, fields[f], json_object_get(host, fields[f]),
                 json_object_get(found, fields[f]));
        }
    }
}

static void compare_top(const char *name, const json_t *want, const json_t *facts)
{
    const json_t *top = json_array_get(json_object_get(facts, "classes"), 0);
    size_t i;
    json_t *member;
    json_array_foreach(json_object_get(json_object_get(want, "top"), "members"), i, member)
    {
        const char *fact = json_string_value(json_object_get(member, "fact"));
        bool found = false;
        size_t k;
        json_t *other;
        json_array_foreach(json_object_get(top, "members"), k, other)
        {
            found = found || str_eq(json_string_value(json_object_get(other, "fact")), fact);
        }
        if (!found) {
            fail_msg("%s: %s is not in the best class", name, fact);
        }
    }
}

static void fleet_cases_come_out_as_expected(void **state)
{
    struct place *place = *state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        import_case(place->store, CASES[i]);
        char *text = explain(place->store, CASES[i], true);
        schema_assert(text);
        json_t *got = json_loads(text, 0, NULL);
        json_t *want = load(CASES[i], "expected.json");
        assert_int_equal(json_array_size(json_object_get(got, "comparisons")), 1);
        const json_t *comparison = json_array_get(json_object_get(got, "comparisons"), 0);
        compare_hosts(CASES[i], json_object_get(want, "hosts"),
                      json_object_get(comparison, "hosts"));
        const json_t *fleet = json_object_get(want, "fleet"),
                     *answer = json_object_get(comparison, "fleet");
        same(CASES[i], "fleet.verdict", json_object_get(fleet, "verdict"),
             json_object_get(answer, "verdict"));
        same(CASES[i], "fleet.effect", json_object_get(fleet, "mu"),
             json_object_get(answer, "effect"));
        same(CASES[i], "fleet.ci", json_object_get(fleet, "ci"), json_object_get(answer, "ci"));
        same(CASES[i], "fleet.heterogeneity", json_object_get(fleet, "heterogeneity"),
             json_object_get(answer, "heterogeneity"));
        const json_t *facts = json_object_get(want, "facts");
        same(CASES[i], "facts.claim", json_object_get(facts, "claim"),
             json_object_get(json_object_get(comparison, "facts"), "claim"));
        if (json_is_true(json_object_get(facts, "claim"))) {
            compare_top(CASES[i], facts, json_object_get(comparison, "facts"));
        }
        json_decref(got);
        json_decref(want);
        free(text);
    }
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    struct place *place = *state;
    import_case(place->store, "fact-8-hosts");
    char *one = explain(place->store, "fact-8-hosts", true),
         *two = explain(place->store, "fact-8-hosts", true);
    assert_string_equal(one, two);
    free(one);
    free(two);
}

static void the_terminal_report_begins_with_how_many_of_how_many(void **state)
{
    struct place *place = *state;
    import_case(place->store, "confounded");
    char *text = explain(place->store, "confounded", false);
    size_t k = 0, n = 0;
    if (sscanf(text, "%zu of %zu hosts", &k, &n) != 2) {
        fail_msg("the report begins: %.120s", text);
    }
    assert_true(k <= n && n == 12);
    assert_non_null(strstr(text, "cpu_vendor = AMD"));
    assert_non_null(strstr(text, "cannot be separated"));
    assert_null(strstr(text, "caused"));
    assert_null(strstr(text, "nan"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fleet_cases_come_out_as_expected),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(the_terminal_report_begins_with_how_many_of_how_many),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
