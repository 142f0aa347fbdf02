/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Effect against load, of a fleet whose effect is made to grow with load; and what confirming an
 * imported run says.
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/fdio.h"
#include "coordinator/import/import.h"
#include "coordinator/report/query.h"

struct place {
    char directory[64];
    struct store *store;
};

static void bring(struct store *store, const char *name)
{
    CLEAN_MEM char *hosts = mem_printf(TEST_SOURCE_DIR "/tests/cases/fleet/%s/hosts.csv", name);
    CLEAN_MEM char *samples = mem_printf(TEST_SOURCE_DIR "/tests/cases/fleet/%s/samples.csv", name);
    const struct import_options options = {.experiment = name, .hosts = hosts, .samples = samples};
    struct import_result result = {0};
    struct err err = {0};

    if (import_run(store, &options, &result, &err) < 0)
        fail_msg("%s", err.text);
    import_result_done(&result);
}

static int set_up(void **state)
{
    struct place *place = mem_new(struct place);
    struct err err = {0};

    *state = place;
    strcpy(place->directory, "/tmp/muster-load-XXXXXX");
    if (!mkdtemp(place->directory))
        return -1;
    CLEAN_MEM char *path = mem_printf("%s/muster.db", place->directory);
    if (store_open(path, STORE_WRITE | STORE_CREATE, &place->store, &err) < 0)
        fail_msg("%s", err.text);
    bring(place->store, "load");
    bring(place->store, "fact");
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;

    store_free(place->store);
    (void)!fdio_remove_tree(place->directory, NULL);
    mem_free(place);
    return 0;
}

static char *ask(void **state, enum wire_request_kind kind, const char *const *pairs)
{
    struct place *place = *state;
    CLEAN_DONE(strmap) struct strmap arg = {0};
    struct err err = {0};
    char *text = NULL;
    size_t size = 0;
    int code = -1;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    for (size_t i = 0; pairs[i]; i += 2)
        strmap_set(&arg, pairs[i], pairs[i + 1]);
    if (query_serve(place->store, kind, &arg, out, &code, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(0, fclose(out));
    assert_int_equal(code, 0);
    return text;
}
#define ASK(kind, ...) ask(state, WIRE_REQUEST_##kind, (const char *const[]){__VA_ARGS__, NULL})

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in\n%s", part, text);
}

/* Every line is ASCII and at most `width` columns wide; returns how many hold the mark. */
static size_t lines_with(const char *text, char mark, size_t width)
{
    size_t n = 0;

    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n");

        if (length > width)
            fail_msg("a line of %zu columns: %.*s", length, (int)length, line);
        for (size_t i = 0; i < length; i++)
            assert_in_range((unsigned char)line[i], 0x20, 0x7e);
        n += memchr(line, mark, length) != NULL;
    }
    return n;
}

static void line_is_that_of_the_answer(void **state)
{
    char *text = ASK(SHOW, "run", "load", "as", "load", "ascii", "1", "width", "80");
    char *json = ASK(EXPLAIN, "run", "load", "json", "1");
    json_t *root = json_loads(json, 0, NULL);
    const json_t *load =
        json_object_get(json_array_get(json_object_get(root, "comparisons"), 0), "load");
    double slope = json_number_value(json_object_get(load, "per_cpu"));
    CLEAN_MEM char *words = mem_printf("%+.1f %% [", 100.0 * expm1(slope));

    has(text, "B against A: effect on elapsed_s");
    has(text, "240 rounds");
    has(text, words);
    has(text, "for each\n  busy CPU");
    assert_true(lines_with(text, '*', 80) >= 10);
    json_decref(root);
    free(json);
    free(text);
}

static void one_host_has_its_own_line(void **state)
{
    char *text =
        ASK(SHOW, "run", "load", "as", "load", "ascii", "1", "width", "60", "host", "h000");

    has(text, "20 rounds");
    has(text, "The line: ");
    assert_true(lines_with(text, '-', 60) >= 5);
    free(text);
}

static void imported_run_has_nothing_to_confirm(void **state)
{
    char *text = ASK(CONFIRM, "run", "fact");
    json_t *root = json_loads(text, 0, NULL);

    assert_string_equal(json_string_value(json_object_get(root, "confirms")), "fact@1");
    assert_true(json_is_null(json_object_get(root, "experiment")));
    has(json_string_value(json_object_get(root, "words")), "was imported");
    json_decref(root);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_is_that_of_the_answer),
        cmocka_unit_test(one_host_has_its_own_line),
        cmocka_unit_test(imported_run_has_nothing_to_confirm),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
