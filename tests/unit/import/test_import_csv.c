/* SPDX-License-Identifier: GPL-3.0-or-later
 * What an imported run is made of: experiment, hosts and epochs, types of columns, factors, designs
 * without rounds, files out of order. */
#include "import_fixture.h"

#include "model/limits.h"

#define HEAD "host,variant,round,position,elapsed_s"

static void experiment_has_base_first_and_the_options(void **state)
{
    struct desk *desk = *state;
    CLEAN(run) struct run *run = NULL;
    CLEAN(frame) struct frame *frame = NULL;

    write_hosts(desk, "host,cpu\nh,amd\n");
    write_samples(desk,
                  "host,variant,round,position,ops_per_s\nh,B,0,0,2\nh,A2,0,1,1\nh,A,0,2,1\n");
    desk->options.metric = "ops_per_s";
    desk->options.higher_is_better = true;
    desk->options.base = "A";
    desk->options.control = "A2";
    desk->options.min_effect = 0.03;
    strlist_add(&desk->options.suspect, "cpu");
    import_well(desk);
    run = run_of(desk);
    assert_int_equal(desk->result.n_samples, 3);
    assert_int_equal(desk->result.n_variants, 3);
    assert_int_equal(run->state, RUN_IMPORTED);
    assert_false(run->design_unknown);
    assert_string_equal(run->suspect.v[0], "cpu");
    assert_string_equal(run->spec->variant[0].name, "A");
    assert_string_equal(run->spec->variant[1].name, "B");
    assert_string_equal(run->spec->variant[2].name, "A2");
    assert_true(run->spec->variant[2].is_control);
    assert_false(run->spec->variant[1].is_control);
    assert_string_equal(run->spec->metric, "ops_per_s");
    assert_string_equal(run->spec->metric_def[0].unit, "ops/s");
    assert_true(run->spec->metric_def[0].higher_is_better);
    assert_true(fabs(run->spec->min_effect - 0.03) < 1e-12);
    frame = frame_of(desk, "h");
    assert_int_equal(frame->n, 3);
    assert_int_equal(frame->variant[0], 1);
    assert_int_equal(frame->variant[1], 2);
    assert_int_equal(frame->variant[2], 0);
    assert_int_equal(frame->position[2], 2);
}

static void second_import_is_the_next_run_with_the_same_seed(void **state)
{
    struct desk *desk = *state;
    CLEAN(run) struct run *first = NULL;
    CLEAN(run) struct run *second = NULL;

    write_hosts(desk, "host\nh\n");
    write_samples(desk, HEAD "\nh,A,0,0,1\nh,B,0,1,2\n");
    import_well(desk);
    first = run_of(desk);
    import_well(desk);
    second = run_of(desk);
    assert_int_equal(first->number, 1);
    assert_int_equal(second->number, 2);
    assert_true(first->seed == second->seed);
    assert_string_equal(first->spec->variant[0].name,
                        "A"); /* without --base: the first in the file */
}

static void wrong_options_name_what_is_there(void **state)
{
    struct desk *desk = *state;

    write_hosts(desk, "host,cpu\nh,amd\n");
    write_samples(desk, HEAD ",os\nh,A,0,0,1,x\nh,B,0,1,2,x\n");
    desk->options.base = "C";
    import_badly(desk, "no variant C (--base); there are A, B");
    desk->options.base = NULL;
    desk->options.control = "A";
    import_badly(desk, "A is the base");
    desk->options.control = "B";
    import_badly(desk, "only the base and its control");
    desk->options.control = NULL;
    desk->options.metric = "gc_s";
    import_badly(desk, "samples.csv:1: no column gc_s");
    desk->options.metric = NULL;
    strlist_add(&desk->options.suspect, "gpu");
    import_badly(desk, "--suspect gpu: no such column");
    strlist_done(&desk->options.suspect);
    strlist_add(&desk->options.factor, "threads");
    import_badly(desk, "--factor threads: ");
    strlist_done(&desk->options.factor);
    strlist_add(&desk->options.factor, "elapsed_s");
    import_badly(desk, "cannot be a factor too");
}

static void epochs_are_hosts_of_their_own(void **state)
{
    struct desk *desk = *state;
    CLEAN_DONE(trial_list) struct trial_list trials = {0};
    CLEAN(host) struct host *host = NULL;
    CLEAN(frame) struct frame *frame = NULL;

    write_hosts(desk, "host,epoch,kernel,machine\nh,1,5.10,m1\nh,2,6.1,m1\ng,,6.1,m2\n");
    write_samples(desk,
                  "host,epoch,variant,round,position,elapsed_s\n"
                  "h,1,A,0,0,1\nh,1,B,0,1,2\nh,2,A,0,0,3\nh,2,B,0,1,4\ng,,A,0,0,5\ng,,B,0,1,6\n");
    import_well(desk);
    assert_int_equal(store_trials(desk->store, desk->result.run, &trials, &desk->err), 0);
    assert_int_equal(trials.n, 3);
    assert_string_equal(trials.v[0]->host, "g");
    assert_null(trials.v[0]->epoch_name);
    assert_string_equal(trials.v[1]->host, "h@1");
    assert_string_equal(trials.v[1]->epoch_name, "1");
    assert_string_equal(trials.v[2]->host, "h@2");
    assert_int_equal(store_host_get(desk->store, "h@2", &host, &desk->err), 0);
    assert_string_equal(host->machine, "m1");
    assert_string_equal(fact_set_get(host->facts, "kernel"), "6.1");
    assert_null(fact_set_get(host->facts, "epoch"));
    frame = frame_of(desk, "h@2");
    assert_int_equal(frame->n, 2);
    assert_true(frame_find_number(frame, "elapsed_s")[0] == 3);
}

static void epochs_must_be_told_where_there_are_several(void **state)
{
    struct desk *desk = *state;

    write_hosts(desk, "host,epoch,kernel\nh,1,5.10\nh,2,6.1\n");
    write_samples(desk, HEAD "\nh,A,0,0,1\nh,B,0,1,2\n");
    import_badly(desk, "samples.csv:2: column 1 host: h has several epochs");
    write_hosts(desk, "host,epoch,kernel\nh,1,5.10\nh,1,6.1\n");
    import_badly(desk, "hosts.csv:3: column 1 host: h is listed twice with this epoch");
    write_hosts(desk, "host,kernel\nh,5.10\n");
    write_samples(desk, HEAD ",epoch\nh,A,0,0,1,1\nh,B,0,1,2,1\n");
    import_badly(desk, "samples.csv:1: column 6 epoch: ");
    write_hosts(desk, "host,epoch,kernel\nh,1,5.10\n");
    write_samples(desk, HEAD "\nh,A,0,0,1\nh,B,0,1,2\n");
    import_well(desk); /* the only one: no question */
    assert_int_equal(desk->result.n_hosts, 1);
}

static void empty_fact_is_unknown(void **state)
{
    struct desk *desk = *state;
    CLEAN(host) struct host *host = NULL;

    write_hosts(desk, "host,cpu,os\nh,,debian\n");
    write_samples(desk, HEAD "\nh,A,0,0,1\nh,B,0,1,2\n");
    import_well(desk);
    assert_int_equal(store_host_get(desk->store, "h", &host, &desk->err), 0);
    assert_null(fact_set_get(host->facts, "cpu"));
    assert_int_equal(host->facts->n, 1);
}

static void hosts_file_may_be_missing(void **state)
{
    struct desk *desk = *state;
    CLEAN(frame) struct frame *frame = NULL;

    desk->options.hosts = NULL;
    write_samples(desk, HEAD "\nh,A,0,0,1\nh,B,0,1,2\ng,A,0,0,3\ng,B,0,1,4\n");
    import_well(desk);
    assert_int_equal(desk->result.n_hosts, 2);
    frame = frame_of(desk, "g");
    assert_int_equal(frame->n, 2);
}

static void enrolled_host_is_not_overwritten(void **state)
{
    struct desk *desk = *state;
    struct host mine = {
        .name = "h", .key = "0123456789012345678901234567890123456789", .facts = fact_set_new()};
    CLEAN(host) struct host *back = NULL;

    assert_int_equal(store_host_put(desk->store, &mine, &desk->err), 0);
    fact_set_free(mine.facts);
    write_hosts(desk, "host,cpu\nh,amd\n");
    write_samples(desk, HEAD "\nh,A,0,0,1\nh,B,0,1,2\n");
    import_well(desk);
    assert_int_equal(store_host_get(desk->store, "h", &back, &desk->err), 0);
    assert_non_null(back->key);
    assert_int_equal(back->facts->n, 0);
}

static void columns_get_their_types_from_their_values(void **state)
{
    struct desk *desk = *state;
    CLEAN(frame) struct frame *frame = NULL;
    CLEAN_DONE(strlist) struct strlist numbers = {0};
    CLEAN_DONE(strlist) struct strlist texts = {0};
    const struct frame_text *kernel = NULL;

    write_hosts(desk, "host\nh\n");
    write_samples(desk, HEAD ",gc,kernel,note,nothing\n"
                             "h,A,0,0,1,7,6.1,,\n"
                             "h,B,0,1,2,,6.1.3,,\n"
                             "h,A,1,0,3,9,6.1.3,\"two\nlines\",\n"
                             "h,B,1,1,4,1e3,6.1,,\n");
    import_well(desk);
    frame = frame_of(desk, "h");
    assert_true(frame_find_number(frame, "gc")[0] == 7);
    assert_true(isnan(frame_find_number(frame, "gc")[1]));
    kernel = frame_find_text(frame, "kernel");
    assert_non_null(kernel);
    assert_string_equal(kernel->level[kernel->v[1]], "6.1.3");
    assert_int_equal(frame_find_text(frame, "note")->v[0], FRAME_UNKNOWN);
    assert_int_equal(store_columns(desk->store, desk->result.run, &numbers, &texts, &desk->err), 0);
    assert_int_equal(numbers.n, 2);
    assert_int_equal(texts.n, 2); /* a column without a value is none */
}

static void one_word_among_numbers_is_an_error(void **state)
{
    struct desk *desk = *state;

    write_hosts(desk, "host\nh\n");
    write_samples(desk, HEAD ",gc\nh,A,0,0,1,7\nh,B,0,1,2,fast\nh,A,1,0,3,9\n");
    import_badly(desk, "samples.csv:3: column 6 gc: \"fast\": not a decimal number, but most");
    write_samples(desk, HEAD ",gc\nh,A,0,0,1,7\nh,B,0,1,2,nan\nh,A,1,0,3,9\n");
    import_badly(desk, "samples.csv:3: column 6 gc: \"nan\": not a finite number");
    write_samples(desk, HEAD ",load_other_cpu\nh,A,0,0,1,idle\nh,B,0,1,2,idle\n");
    import_badly(desk, "samples.csv:2: column 6 load_other_cpu: ");
    strlist_add(&desk->options.part_of_variant, "gc");
    write_samples(desk, HEAD ",gc\nh,A,0,0,1,7\nh,B,0,1,2,fast\nh,A,1,0,3,9\n");
    import_well(desk);
}

static void words_that_never_repeat_are_left_out(void **state)
{
    struct desk *desk = *state;
    CLEAN_DONE(str) struct str text = {0};
    CLEAN_DONE(strlist) struct strlist numbers = {0};
    CLEAN_DONE(strlist) struct strlist texts = {0};

    write_hosts(desk, "host\nh\n");
    str_add(&text, HEAD ",started,sink\n");
    for (int i = 0; i < 3000; i++)
        str_addf(&text, "h,%c,%d,%d,1,at %d,pipe\n", "AB"[i % 2], i / 2, i % 2, i);
    write_samples(desk, text.text);
    import_well(desk);
    assert_int_equal(desk->result.warnings.n, 1);
    assert_non_null(strstr(desk->result.warnings.v[0], "column 6 started"));
    assert_int_equal(store_columns(desk->store, desk->result.run, &numbers, &texts, &desk->err), 0);
    assert_int_equal(texts.n, 1);
    assert_string_equal(texts.v[0], "sink");
}

static void factors_are_crossed_into_cells(void **state)
{
    struct desk *desk = *state;
    CLEAN(run) struct run *run = NULL;
    CLEAN(frame) struct frame *frame = NULL;
    const struct frame_text *threads = NULL;

    write_hosts(desk, "host\nh\n");
    write_samples(desk,
                  HEAD ",threads,sink\n"
                       "h,A,0,0,1,1,pipe\nh,B,0,1,1,1,pipe\nh,A,0,2,1,4,file\nh,B,0,3,1,4,file\n"
                       "h,A,0,4,1,1,file\nh,B,0,5,1,1,file\n");
    strlist_add(&desk->options.factor, "threads");
    strlist_add(&desk->options.factor, "sink");
    import_well(desk);
    run = run_of(desk);
    frame = frame_of(desk, "h");
    assert_int_equal(experiment_cells(run->spec), 4);
    threads = frame_find_text(frame, "threads");
    assert_non_null(threads);
    for (size_t i = 0; i < frame->n; i++) {
        assert_string_equal(experiment_level(run->spec, frame->cell[i], 0),
                            threads->level[threads->v[i]]);
        assert_string_equal(experiment_level(run->spec, frame->cell[i], 1),
                            i < 2 ? "pipe" : "file");
    }
    write_samples(desk, HEAD ",threads,sink\nh,A,0,0,1,,pipe\nh,B,0,1,1,1,pipe\n");
    if (import_run(desk->store, &desk->options, &desk->result, &desk->err) >= 0)
        fail_msg("a row without a level of a crossed factor was taken");
    assert_non_null(strstr(desk->err.text, "samples.csv:2: column 6 threads: "));
}

static void rounds_are_counted_where_the_file_has_none(void **state)
{
    struct desk *desk = *state;
    CLEAN(run) struct run *run = NULL;
    CLEAN(frame) struct frame *frame = NULL;
    static const uint32_t rounds[] = {0, 1, 0, 2, 1};

    write_hosts(desk, "host\nh\n");
    write_samples(desk, "host,variant,elapsed_s\nh,A,1\nh,A,1\nh,B,2\nh,A,1\nh,B,2\n");
    import_well(desk);
    run = run_of(desk);
    assert_true(run->design_unknown);
    frame = frame_of(desk, "h");
    assert_int_equal(frame->n, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(frame->round[i], rounds[i]);
        assert_int_equal(frame->position[i], i);
    }
}

static void rows_out_of_order_are_the_same_samples(void **state)
{
    struct desk *desk = *state;
    CLEAN(frame) struct frame *frame = NULL;

    write_hosts(desk, "host\nh\ng\n");
    write_samples(desk,
                  HEAD "\nh,A,1,0,3\ng,A,0,0,5\nh,B,0,1,2\nh,A,0,0,1\ng,B,0,1,6\nh,B,1,1,4\n");
    import_well(desk);
    frame = frame_of(desk, "h");
    assert_int_equal(frame->n, 4);
    assert_int_equal(frame->round[0], 1);
    assert_true(frame_find_number(frame, "elapsed_s")[2] == 1);
}

static void sample_twice_is_found_in_a_file_out_of_order(void **state)
{
    struct desk *desk = *state;

    write_hosts(desk, "host\nh\n");
    write_samples(desk, HEAD "\nh,A,1,0,3\nh,B,0,1,2\nh,A,0,0,1\nh,B,1,1,4\nh,A,1,0,3\n");
    import_badly(
        desk,
        "samples.csv:6: column 1 host: host, variant, round and position are those of line 2");
}

static void many_hosts_in_turn_are_flushed_in_batches(void **state)
{
    struct desk *desk = *state;
    CLEAN_DONE(str) struct str text = {0};
    const int hosts = 40, rounds = 1200; /* 96,000 rows, one host after the other in every round */

    desk->options.hosts = NULL;
    str_add(&text, HEAD "\n");
    for (int r = 0; r < rounds; r++) {
        for (int h = 0; h < hosts; h++)
            str_addf(&text, "h%d,A,%d,0,%d\nh%d,B,%d,1,%d\n", h, r, r + 1, h, r, h + 1);
    }
    write_samples(desk, text.text);
    import_well(desk);
    assert_int_equal(desk->result.n_samples, 96000);
    for (int h = 0; h < hosts; h++) {
        CLEAN_MEM char *name = mem_printf("h%d", h);
        CLEAN(frame) struct frame *frame = frame_of(desk, name);
        const double *elapsed = frame_find_number(frame, "elapsed_s");

        assert_int_equal(frame->n, 2 * rounds);
        for (int r = 0; r < rounds; r++) {
            if (frame->round[2 * r] != (uint32_t)r || elapsed[2 * r] != r + 1 ||
                elapsed[2 * r + 1] != h + 1)
                fail_msg("host %d, round %d: got %u, %g, %g", h, r, frame->round[2 * r],
                         elapsed[2 * r], elapsed[2 * r + 1]);
        }
    }
}

static void import_inside_a_transaction_goes_with_it(void **state)
{
    struct desk *desk = *state;
    CLEAN_DONE(run_list) struct run_list runs = {0};

    write_hosts(desk, "host\nh\n");
    write_samples(desk, HEAD "\nh,A,0,0,1\nh,B,0,1,2\n");
    assert_int_equal(store_begin(desk->store, &desk->err), 0);
    import_well(desk);
    store_rollback(desk->store);
    assert_int_equal(store_runs(desk->store, &runs, &desk->err), 0);
    assert_int_equal(runs.n, 0);
}

static void unknown_format_and_missing_options_are_usage(void **state)
{
    struct desk *desk = *state;

    desk->options.format = "abacus";
    assert_int_equal(import_run(desk->store, &desk->options, &desk->result, &desk->err), -1);
    assert_int_equal(desk->err.code, ERR_USAGE);
    assert_non_null(strstr(desk->err.text, "csv"));
    desk->options.format = NULL;
    desk->options.experiment = "no name";
    assert_int_equal(import_run(desk->store, &desk->options, &desk->result, &desk->err), -1);
    assert_int_equal(desk->err.code, ERR_USAGE);
}

#define T(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(experiment_has_base_first_and_the_options),
        T(second_import_is_the_next_run_with_the_same_seed),
        T(wrong_options_name_what_is_there),
        T(epochs_are_hosts_of_their_own),
        T(epochs_must_be_told_where_there_are_several),
        T(empty_fact_is_unknown),
        T(hosts_file_may_be_missing),
        T(enrolled_host_is_not_overwritten),
        T(columns_get_their_types_from_their_values),
        T(one_word_among_numbers_is_an_error),
        T(words_that_never_repeat_are_left_out),
        T(factors_are_crossed_into_cells),
        T(rounds_are_counted_where_the_file_has_none),
        T(rows_out_of_order_are_the_same_samples),
        T(sample_twice_is_found_in_a_file_out_of_order),
        T(many_hosts_in_turn_are_flushed_in_batches),
        T(import_inside_a_transaction_goes_with_it),
        T(unknown_format_and_missing_options_are_usage),
    };

    return cmocka_run_group_tests_name("import_csv", tests, NULL, NULL);
}
