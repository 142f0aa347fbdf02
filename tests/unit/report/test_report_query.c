/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Questions to a store that holds one small run: lists, tables, plot, hosts, and their JSON.
 */
#include "coordinator/report/query.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fdio.h"
#include <jansson.h>

struct place {
    char directory[64];
    struct store *store;
};

#define MUST(call)                                                                                 \
    do {                                                                                           \
        struct err err_ = {0};                                                                     \
        struct err *err = &err_;                                                                   \
        if ((call) < 0) {                                                                          \
            fail_msg("%s", err_.text);                                                             \
        }                                                                                          \
    } while (0)

static struct experiment *make_experiment(void)
{
    struct experiment *e = experiment_new();
    e->name = mem_strdup("sort");
    e->n_variants = 2;
    e->variant = mem_array(struct variant, 2);
    for (size_t i = 0; i < 2; i++) {
        e->variant[i].name = mem_strdup(i == 0 ? "old" : "new");
        e->variant[i].run = mem_printf("./sort-%zu", i);
    }
    e->n_factors = 1;
    e->factor = mem_array(struct factor, 1);
    e->factor[0].name = mem_strdup("threads");
    strlist_add(&e->factor[0].level, "1");
    strlist_add(&e->factor[0].level, "4");
    return e;
}

/* Elapsed of base is 2, of the candidate 2.2 on h1 and 3 on h2 (twice that at 4 threads); +-0.1
 * from round to round. */
static struct frame *make_frame(double ratio)
{
    struct frame *frame = frame_new();
    frame->first_seq = 1;
    size_t elapsed = frame_number_column(frame, "elapsed_s");
    size_t faults = frame_number_column(frame, "minflt");
    for (uint32_t round = 0; round < 6; round++) {
        for (uint32_t k = 0; k < 4; k++) {
            size_t row = frame_add_row(frame);
            frame->round[row] = round;
            frame->position[row] = k;
            frame->variant[row] = (k + round) % 2;
            frame->cell[row] = k / 2;
            double base = (k / 2 == 1 ? 4.0 : 2.0) + (round % 2 == 0 ? 0.1 : -0.1);
            frame->number[elapsed].v[row] = frame->variant[row] == 0 ? base : base * ratio;
            frame->number[faults].v[row] = round == 0 && k == 0 ? NAN : 31.0;
        }
    }
    size_t bad = frame_add_row(frame);
    frame->outcome[bad] = OUTCOME_TIMEOUT;
    return frame;
}

static void put_host(struct store *store, const char *name, const char *vendor, const char *kernel,
                     const char *extra)
{
    CLEAN(host) struct host *host = mem_new(struct host);
    *host = (struct host){.name = mem_strdup(name),
                          .key = mem_printf("key-of-%s", name),
                          .facts = fact_set_new(),
                          .approved = true,
                          .connected = true,
                          .seen_wall_us = INT64_C(1769860800000000)};
    MUST(fact_set_put(host->facts, "cpu.vendor", vendor, FACT_IDENTITY, "cpuid", err));
    MUST(fact_set_put(host->facts, "kernel.release", kernel, FACT_IDENTITY, "uname", err));
    MUST(fact_set_put(host->facts, "mem.gib", "64", FACT_IDENTITY, "/proc/meminfo", err));
    MUST(fact_set_put(host->facts, "tuning.governor",
                      vendor[0] == 'A' ? "powersave" : "performance", FACT_STATE, "sysfs", err));
    MUST(fact_set_put(host->facts, "env.extra", extra, FACT_STATE, "user", err));
    MUST(store_host_put(store, host, err));
}

static int set_up(void **state)
{
    struct place *place = mem_new(struct place);
    *state = place;
    strcpy(place->directory, "/tmp/muster-query-XXXXXX");
    if (mkdtemp(place->directory) == NULL) {
        return -1;
    }
    CLEAN_MEM char *path = mem_printf("%s/muster.db", place->directory);
    MUST(store_open(path, STORE_WRITE | STORE_CREATE, &place->store, err));
    put_host(place->store, "h1", "AMD", "6.1.0", NULL);
    put_host(place->store, "h2", "Intel", "6.5.0", "1");
    struct run run = {.experiment = (char[]){"sort"},
                      .seed = UINT64_MAX,
                      .token = (char[]){"t1"},
                      .created_wall_us = INT64_C(1769860800000000)};
    CLEAN(experiment) struct experiment *experiment = make_experiment();
    run.spec = experiment;
    struct strlist hosts CLEAN_DONE(strlist) = {0};
    strlist_add(&hosts, "h1");
    strlist_add(&hosts, "h2");
    strlist_add(&hosts, "h3");
    MUST(store_run_add(place->store, &run, &hosts, err));
    struct trial_list trials CLEAN_DONE(trial_list) = {0};
    MUST(store_trials(place->store, run.id, &trials, err));
    for (size_t i = 0; i < trials.n; i++) {
        struct trial *trial = trials.v[i];
        trial->epoch = 1;
        trial->state = i < 2 ? TRIAL_DONE : TRIAL_LOST;
        MUST(store_trial_put(place->store, trial, err));
        if (i < 2) {
            CLEAN(frame) struct frame *frame = make_frame(i == 0 ? 1.1 : 1.5);
            uint64_t high = 0;
            MUST(store_frame_put(place->store, run.id, trial->host, 1, frame, &high, err));
            assert_int_equal(high, 25);
        }
    }
    MUST(store_run_set_state(place->store, run.id, RUN_PARTIAL, err));
    return 0;
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

/* Arguments as name, value, name, value, NULL. The answer's text; the caller frees. */
static char *ask(void **state, enum wire_request_kind kind, const char *const *pairs)
{
    struct place *place = *state;
    struct strmap arg CLEAN_DONE(strmap) = {0};
    for (size_t i = 0; pairs[i] != NULL; i += 2) {
        strmap_set(&arg, pairs[i], pairs[i + 1]);
    }
    char *text = NULL;
    size_t size = 0;
    int code = -1;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    MUST(query_serve(place->store, kind, &arg, out, &code, err));
    fclose(out);
    assert_int_equal(code, 0);
    return text;
}
#define ASK(kind, ...) ask(state, WIRE_REQUEST_##kind, (const char *const[]){__VA_ARGS__, NULL})

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("no \"%s\" in\n%s", part, text);
    }
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        n++;
    }
    return n;
}

static enum err_code refused(void **state, enum wire_request_kind kind, const char *const *pairs)
{
    struct place *place = *state;
    struct strmap arg CLEAN_DONE(strmap) = {0};
    for (size_t i = 0; pairs[i] != NULL; i += 2) {
        strmap_set(&arg, pairs[i], pairs[i + 1]);
    }
    struct err err = {0};
    int code = 0;
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    assert_true(query_serve(place->store, kind, &arg, out, &code, &err) < 0);
    fclose(out);
    assert_true(err.text[0] != '\0');
    return err.code;
}
#define REFUSED(kind, ...)                                                                         \
    refused(state, WIRE_REQUEST_##kind, (const char *const[]){__VA_ARGS__, NULL})

static void runs_are_listed_with_the_states_of_their_hosts(void **state)
{
    char *text = ASK(RUNS, "width", "100");
    has(text, "sort@1");
    has(text, "partial");
    has(text, "50");
    has(text, "2026-01-31 12:00");
    has(text, "2 done, 1 lost");
    free(text);
    text = ASK(RUNS, "experiment", "other", "quiet", "1");
    assert_string_equal(text, "");
    free(text);
}

static void the_run_table_has_a_row_a_sample_and_averages(void **state)
{
    char *text = ASK(SHOW, "run", "sort", "as", "table", "host", "h1", "metric", "elapsed_s");
    has(text, "h1: 24 samples judged, 1 more not judged");
    assert_int_equal(count(text, "threads = "), 24);
    has(text, "average of  old");
    has(text, "average of  new");
    /* old: mean of 2 and 4 is 3; new: 3.3 */
    has(text, "          3\n");
    has(text, "        3.3\n");
    free(text);
}

static void the_run_table_groups_by_factor(void **state)
{
    char *text = ASK(SHOW, "run", "sort@1", "by", "factor", "host", "h1", "metric", "elapsed_s");
    assert_int_equal(count(text, "average of"), 4);
    const char *first = strstr(text, "threads = 4");
    assert_non_null(first);
    assert_null(strstr(first, "threads = 1"));
    free(text);
}

static void the_compare_table_gives_change_per_host_and_in_total(void **state)
{
    char *text = ASK(SHOW, "run", "sort", "as", "compare", "metric", "elapsed_s");
    has(text, "h1: new against old, threads = 1");
    has(text, "h2: new against old, threads = 4");
    has(text, "+10.0 %");
    has(text, "+50.0 %");
    has(text, "h3: new against old, threads = 1\n  n/a: no samples");
    /* total: sqrt(1.1 * 1.5) - 1 */
    assert_int_equal(count(text, "+28.5 %"), 2);
    has(text, "elapsed_s");
    free(text);
}

static void the_percent_table_has_the_base_at_one_hundred(void **state)
{
    char *text = ASK(SHOW, "run", "sort", "as", "percent");
    has(text, "threads = 1");
    has(text, "threads = 4");
    has(text, "100.0% ~ 5.5%");
    has(text, "110.0% ~ 5.5%");
    has(text, "150.0% ~ 2.7%");
    has(text, "n/a");
    free(text);
}

static void the_plot_marks_base_and_candidate(void **state)
{
    char *text = ASK(SHOW, "run", "sort", "as", "plot", "host", "h2");
    has(text, "* old   O new");
    has(text, "h2, threads = 1: elapsed_s");
    has(text, "12 samples in the order they were taken");
    assert_true(count(text, "*") > 10);
    assert_true(count(text, "O") > 10);
    free(text);
}

/* One host, all of A and then all of B: positions run on over the host and are the order in time.
 */
static void stretches_are_shown_one_after_the_other(void **state)
{
    struct place *place = *state;
    struct run run = {
        .experiment = (char[]){"blocked"}, .token = (char[]){"t2"}, .design_unknown = false};
    CLEAN(experiment) struct experiment *experiment = make_experiment();
    experiment->n_factors = 0;
    run.spec = experiment;
    struct strlist hosts CLEAN_DONE(strlist) = {0};
    strlist_add(&hosts, "h1");
    MUST(store_run_add(place->store, &run, &hosts, err));
    struct trial_list trials CLEAN_DONE(trial_list) = {0};
    MUST(store_trials(place->store, run.id, &trials, err));
    trials.v[0]->epoch = 1;
    MUST(store_trial_put(place->store, trials.v[0], err));
    CLEAN(frame) struct frame *frame = frame_new();
    frame->first_seq = 1;
    size_t elapsed = frame_number_column(frame, "elapsed_s");
    for (uint32_t i = 0; i < 8; i++) {
        size_t row = frame_add_row(frame);
        frame->variant[row] = i / 4;
        frame->round[row] = i % 4;
        frame->position[row] = i;
        frame->number[elapsed].v[row] = 1.0;
    }
    uint64_t high = 0;
    MUST(store_frame_put(place->store, run.id, "h1", 1, frame, &high, err));
    char *text = ASK(SHOW, "run", "blocked", "as", "table");
    const char *last_old = strstr(text, "     3     3  old"),
               *first_new = strstr(text, "     0     4  new");
    if (last_old == NULL || first_new == NULL || last_old > first_new) {
        fail_msg("want all of old before all of new, got\n%s", text);
    }
    free(text);
    experiment->n_factors = 1;
}

static void hosts_and_their_facts_are_listed(void **state)
{
    char *text = ASK(HOSTS, "width", "100");
    has(text, "h1");
    has(text, "connected");
    free(text);
    text = ASK(HOSTS, "hosts", "cpu.vendor == \"AMD\"", "quiet", "1");
    has(text, "h1");
    assert_null(strstr(text, "h2"));
    free(text);
    text = ASK(HOST_SHOW, "host", "h2");
    has(text, "key-of-h2");
    has(text, "6.5.0  (uname)");
    free(text);
    text = ASK(HOST_FACTS, "quiet", "1");
    has(text, "AMD (1), Intel (1)");
    has(text, "1/2");
    free(text);
}

static void a_diff_ranks_identity_first_and_unknown_last(void **state)
{
    char *text = ASK(HOST_DIFF, "a", "h1", "b", "h2");
    static const char *const order[] = {"cpu.vendor", "kernel.release", "tuning.governor",
                                        "env.extra"};
    const char *at = text;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        at = strstr(at, order[i]);
        if (at == NULL) {
            fail_msg("%s is missing or out of order in\n%s", order[i], text);
        }
    }
    assert_null(strstr(text, "mem.gib"));
    has(text, "unknown");
    free(text);
    text = ASK(HOST_DIFF, "a", "h1", "b", "h1");
    has(text, "no known fact differs");
    free(text);
}

static void every_question_has_a_json_form(void **state)
{
    char *texts[] = {
        ASK(RUNS, "json", "1"),
        ASK(SHOW, "json", "1", "run", "sort"),
        ASK(SHOW, "json", "1", "run", "sort", "as", "compare"),
        ASK(SHOW, "json", "1", "run", "sort", "as", "percent"),
        ASK(SHOW, "json", "1", "run", "sort", "as", "plot"),
        ASK(HOSTS, "json", "1"),
        ASK(HOST_SHOW, "json", "1", "host", "h1"),
        ASK(HOST_FACTS, "json", "1"),
        ASK(HOST_FACTS, "json", "1", "host", "h2"),
        ASK(HOST_DIFF, "json", "1", "a", "h1", "b", "h2"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_error_t error;
        json_t *json = json_loads(texts[i], JSON_REJECT_DUPLICATES, &error);
        if (json == NULL) {
            fail_msg("answer %zu: line %d: %s\n%s", i, error.line, error.text, texts[i]);
        }
        json_decref(json);
        free(texts[i]);
    }
}

static void samples_as_json_keep_missing_values_as_null(void **state)
{
    char *text = ASK(SHOW, "json", "1", "run", "sort", "host", "h1");
    json_t *json = json_loads(text, 0, NULL);
    json_t *samples = json_object_get(json, "samples");
    assert_int_equal(json_array_size(samples), 25);
    json_t *first = json_array_get(samples, 0);
    assert_true(json_is_null(json_object_get(json_object_get(first, "metrics"), "minflt")));
    assert_string_equal(json_string_value(json_object_get(json_array_get(samples, 24), "outcome")),
                        "timeout");
    assert_true(json_is_false(json_object_get(json_array_get(samples, 24), "judged")));
    json_decref(json);
    free(text);
}

static void wrong_questions_are_refused(void **state)
{
    assert_int_equal(REFUSED(SHOW, "run", "srot"), ERR_NOT_FOUND);
    assert_int_equal(REFUSED(SHOW, "run", "sort@9"), ERR_NOT_FOUND);
    assert_int_equal(REFUSED(SHOW, "as", "table"), ERR_USAGE);
    assert_int_equal(REFUSED(SHOW, "run", "sort", "as", "tabel"), ERR_USAGE);
    assert_int_equal(REFUSED(SHOW, "run", "sort", "by", "moon"), ERR_USAGE);
    assert_int_equal(REFUSED(SHOW, "run", "sort", "metric", "elapsed"), ERR_USAGE);
    assert_int_equal(REFUSED(SHOW, "run", "sort", "gate", "1"), ERR_USAGE);
    assert_int_equal(REFUSED(SHOW, "run", "sort", "host", "h9"), ERR_NOT_FOUND);
    assert_int_equal(REFUSED(SHOW, "run", "sort", "as", "csv", "host", "h1"), ERR_USAGE);
    assert_int_equal(REFUSED(HOST_SHOW, "host", "h9"), ERR_NOT_FOUND);
    assert_int_equal(REFUSED(HOST_SHOW, "width", "80"), ERR_USAGE);
    assert_int_equal(REFUSED(HOSTS, "width", "wide"), ERR_INPUT);
    assert_int_equal(REFUSED(EXPLAIN, "run", "sort", "alpha", "2"), ERR_USAGE);
    assert_int_equal(REFUSED(EXPLAIN, "run", "sort", "seed", "18446744073709551615"), ERR_USAGE);
    assert_int_equal(REFUSED(CANCEL, "run", "sort"), ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_listed_with_the_states_of_their_hosts),
        cmocka_unit_test(the_run_table_has_a_row_a_sample_and_averages),
        cmocka_unit_test(the_run_table_groups_by_factor),
        cmocka_unit_test(the_compare_table_gives_change_per_host_and_in_total),
        cmocka_unit_test(the_percent_table_has_the_base_at_one_hundred),
        cmocka_unit_test(the_plot_marks_base_and_candidate),
        cmocka_unit_test(stretches_are_shown_one_after_the_other),
        cmocka_unit_test(hosts_and_their_facts_are_listed),
        cmocka_unit_test(a_diff_ranks_identity_first_and_unknown_last),
        cmocka_unit_test(every_question_has_a_json_form),
        cmocka_unit_test(samples_as_json_keep_missing_values_as_null),
        cmocka_unit_test(wrong_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
