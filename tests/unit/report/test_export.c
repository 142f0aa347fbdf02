/* SPDX-License-Identifier: GPL-3.0-or-later
 * Exports: CSV read back by hand here (import has its own round trip), JSON by jansson, Go text by
 * its words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/fdio.h"
#include "coordinator/report/export.h"

struct world {
    char directory[64];
    struct store *store;
    struct run *run;
    struct err err;
};

static void put_text(struct frame *frame, size_t row, const char *column, const char *level)
{
    size_t at = frame_text_column(frame, column);

    frame->text[at].v[row] = frame_level(frame, at, level);
}

/* h@1: two samples to be written and three not to be; g: none. */
static int put_samples(struct world *w)
{
    CLEAN(frame) struct frame *frame = frame_new();
    static const enum outcome outcomes[] = {OUTCOME_OK, OUTCOME_OK, OUTCOME_FAILED, OUTCOME_OK,
                                            OUTCOME_OK};
    static const uint8_t flags[] = {0, FRAME_TAINTED, 0, FRAME_WARMUP, FRAME_PROFILED};
    uint64_t high = 0;
    size_t gc = 0;

    frame->first_seq = 1;
    for (size_t i = 0; i < 5; i++) {
        size_t row = frame_add_row(frame);
        size_t number = frame_number_column(frame, "elapsed_s");

        frame->variant[row] = i % 2;
        frame->cell[row] = 1;
        frame->round[row] = (uint32_t)i / 2;
        frame->position[row] = i % 2;
        frame->outcome[row] = (uint8_t)outcomes[i];
        frame->flags[row] = flags[i];
        frame->number[number].v[row] = 0.1 * (double)(i + 1);
        put_text(frame, row, "note", i % 2 ? "say \"x\", twice" : "=1+1");
    }
    gc = frame_number_column(frame, "gc_us");
    frame->number[gc].v[1] = 7;
    return store_frame_put(w->store, w->run->id, "h@1", 0, frame, &high, &w->err);
}

static int put_trial(struct world *w)
{
    CLEAN(fact_set) struct fact_set *facts = fact_set_new();
    struct trial trial = {.run = w->run->id, .host = "h@1", .state = TRIAL_DONE, .epoch_name = "1"};

    if (fact_set_put(facts, "cpu.vendor", "AMD", FACT_IDENTITY, "user", &w->err) < 0 ||
        fact_set_put(facts, "note", "@SUM(A1)", FACT_IDENTITY, "user", &w->err) < 0 ||
        store_facts_put(w->store, facts, trial.facts, &w->err) < 0)
        return -1;
    return store_trial_put(w->store, &trial, &w->err);
}

static void add_factor(struct experiment *spec)
{
    spec->factor = mem_array(struct factor, 1);
    spec->n_factors = 1;
    spec->factor[0].name = mem_strdup("threads");
    strlist_add(&spec->factor[0].level, "1");
    strlist_add(&spec->factor[0].level, "4");
}

static int setup(void **state)
{
    struct world *w = mem_new(struct world);
    CLEAN_MEM char *path = NULL;
    CLEAN_DONE(strlist) struct strlist hosts = {0};

    snprintf(w->directory, sizeof w->directory, "/tmp/muster-export-XXXXXX");
    if (!mkdtemp(w->directory))
        return -1;
    path = mem_printf("%s/muster.db", w->directory);
    w->run = mem_new(struct run);
    w->run->experiment = mem_strdup("test-open");
    w->run->state = RUN_IMPORTED;
    w->run->spec = experiment_new();
    w->run->spec->name = mem_strdup("test-open");
    w->run->spec->variant = mem_array(struct variant, 2);
    w->run->spec->n_variants = 2;
    w->run->spec->variant[0].name = mem_strdup("A");
    w->run->spec->variant[1].name = mem_strdup("-B");
    add_factor(w->run->spec);
    strlist_add(&hosts, "h@1");
    strlist_add(&hosts, "g");
    *state = w;
    if (store_open(path, STORE_CREATE, &w->store, &w->err) < 0 ||
        store_run_add(w->store, w->run, &hosts, &w->err) < 0 || put_samples(w) < 0 ||
        put_trial(w) < 0) {
        print_error("%s\n", w->err.text);
        return -1;
    }
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    int rc = 0;

    store_free(w->store);
    run_free(w->run);
    rc = fdio_remove_tree(w->directory, NULL);
    mem_free(w);
    return rc;
}

static char *export_text(struct world *w, const char *format, const char *what)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    if (export_run(w->store, w->run, format, what, out, &w->err) < 0)
        fail_msg("%s", w->err.text);
    fclose(out);
    return text;
}

static void expect(const char *got, const char *want)
{
    if (!str_eq(got, want))
        fail_msg("want:\n%s\ngot:\n%s", want, got);
}

static void csv_has_judged_samples_with_names_kept(void **state)
{
    char *got = export_text(*state, NULL, NULL);

    expect(got, "host,epoch,variant,round,position,elapsed_s,gc_us,note,threads\n"
                "h,1,A,0,0,0.1,,\"=1+1\",4\n"
                "h,1,\"-B\",0,1,0.2,7,\"say \"\"x\"\", twice\",4\n");
    free(got);
}

static void csv_without_known_places_has_no_columns_for_them(void **state)
{
    struct world *w = *state;
    char *got = NULL;

    w->run->design_unknown = true;
    got = export_text(w, "csv", "samples");
    assert_true(str_starts(got, "host,epoch,variant,elapsed_s,"));
    free(got);
}

static void hosts_have_their_facts_and_unknown_ones_are_empty(void **state)
{
    char *got = export_text(*state, "csv", "hosts");

    expect(got, "host,epoch,cpu.vendor,note\n"
                "g,,,\n"
                "h,1,AMD,\"@SUM(A1)\"\n");
    free(got);
}

static void json_is_read_by_another_reader(void **state)
{
    char *got = export_text(*state, "json", NULL);
    json_error_t why;
    json_t *root = json_loads(got, 0, &why);
    json_t *host = NULL, *sample = NULL;

    if (!root)
        fail_msg("%s in %s", why.text, got);
    assert_string_equal(json_string_value(json_object_get(root, "experiment")), "test-open");
    host = json_array_get(json_object_get(root, "hosts"), 1);
    assert_string_equal(json_string_value(json_object_get(host, "host")), "h");
    assert_string_equal(json_string_value(json_object_get(host, "epoch")), "1");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(host, "facts"), "cpu.vendor")), "AMD");
    assert_int_equal(json_array_size(json_object_get(host, "samples")), 2);
    sample = json_array_get(json_object_get(host, "samples"), 0);
    assert_true(json_real_value(json_object_get(sample, "elapsed_s")) == 0.1);
    assert_true(json_is_null(json_object_get(sample, "gc_us")));
    assert_string_equal(json_string_value(json_object_get(sample, "threads")), "4");
    host = json_array_get(json_object_get(root, "hosts"), 0);
    assert_int_equal(json_array_size(json_object_get(host, "samples")), 0);
    json_decref(root);
    free(got);
}

static void go_text_has_a_line_a_sample(void **state)
{
    char *got = export_text(*state, "gobench", NULL);

    expect(got, "host: h@1\n"
                "cpu.vendor: AMD\n"
                "note: @SUM(A1)\n"
                "BenchmarkTest-open/variant=A/threads=4 1 100000000 ns/op\n"
                "BenchmarkTest-open/variant=-B/threads=4 1 200000000 ns/op 7 gc_us\n"
                "cpu.vendor:\n"
                "note:\n");
    free(got);
}

static void unknown_words_are_usage_errors(void **state)
{
    struct world *w = *state;

    assert_int_equal(export_run(w->store, w->run, "xml", NULL, stdout, &w->err), -1);
    assert_int_equal(w->err.code, ERR_USAGE);
    assert_non_null(strstr(w->err.text, "csv, gobench, json"));
    assert_int_equal(export_run(w->store, w->run, "csv", "facts", stdout, &w->err), -1);
    assert_int_equal(w->err.code, ERR_USAGE);
    assert_int_equal(export_run(w->store, w->run, "json", "hosts", stdout, &w->err), -1);
    assert_int_equal(w->err.code, ERR_USAGE);
}

static void full_disk_is_an_error(void **state)
{
    struct world *w = *state;
    FILE *full = fopen("/dev/full", "w");

    if (!full)
        skip();
    assert_int_equal(export_run(w->store, w->run, "csv", NULL, full, &w->err), -1);
    assert_int_equal(w->err.code, ERR_SYS);
    fclose(full);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(csv_has_judged_samples_with_names_kept),
        T(csv_without_known_places_has_no_columns_for_them),
        T(hosts_have_their_facts_and_unknown_ones_are_empty),
        T(json_is_read_by_another_reader),
        T(go_text_has_a_line_a_sample),
        T(unknown_words_are_usage_errors),
        T(full_disk_is_an_error),
    };

    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
