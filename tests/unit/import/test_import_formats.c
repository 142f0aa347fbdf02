/* SPDX-License-Identifier: GPL-3.0-or-later
 * Files of other tools, as those tools write them. */
#include "import_fixture.h"

#include "coordinator/import/gotext.h"
#include "coordinator/report/export.h"

#define HYPERFINE                                                                                  \
    "{\"results\": [\n"                                                                            \
    " {\"command\": \"sleep 0.1\", \"mean\": 0.11, \"stddev\": 0.01, \"user\": 0.001, "            \
    "\"system\": 0.002,\n"                                                                         \
    "  \"times\": [0.101, 0.102, 0.103], \"memory_usage_byte\": [1024000, 2048000, 1024000], "     \
    "\"exit_codes\": [0, 1, 0],\n"                                                                 \
    "  \"parameters\": {\"threads\": \"4\"}},\n"                                                   \
    " {\"command\": \"new\", \"times\": [0.2, 0.21], \"exit_codes\": [0, 0]}]}\n"

static void hyperfine_times_become_a_blocked_run(void **state)
{
    struct desk *desk = *state;
    CLEAN(run) struct run *run = NULL;
    CLEAN(frame) struct frame *frame = NULL;
    const double *threads = NULL;
    static const double times[] = {0.101, 0.103, 0.2, 0.21};

    desk->options.hosts = NULL;
    desk->options.format = "hyperfine";
    write_samples(desk, HYPERFINE);
    import_well(desk);
    run = run_of(desk);
    assert_false(run->design_unknown);
    assert_string_equal(run->spec->variant[0].name, "sleep 0.1");
    assert_string_equal(run->spec->variant[1].name, "new");
    frame = frame_of(desk, "local");
    assert_int_equal(frame->n, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(frame->position[i], i);
        assert_int_equal(frame->round[i], i % 2);
        assert_true(frame_find_number(frame, "elapsed_s")[i] == times[i]);
    }
    assert_true(frame_find_number(frame, "maxrss_kib")[0] == 1000);
    assert_true(isnan(frame_find_number(frame, "maxrss_kib")[3]));
    threads = frame_find_number(frame, "threads");
    assert_non_null(threads);
    assert_true(threads[0] == 4);
    assert_true(isnan(threads[2]));
    assert_int_equal(desk->result.warnings.n, 1);
    assert_non_null(strstr(desk->result.warnings.v[0], "1 runs did not exit with 0"));
}

static void wrong_hyperfine_files_are_named(void **state)
{
    struct desk *desk = *state;

    desk->options.hosts = NULL;
    desk->options.format = "hyperfine";
    write_samples(desk, "{\"results\": [\n{\"command\": ]}");
    import_badly(desk, "samples.csv:2:");
    write_samples(desk, "{\"x\": 1}");
    import_badly(desk, "no results");
    write_samples(desk, "{\"results\": [{\"command\": \"a\", \"times\": [1, \"2\"]}]}");
    import_badly(desk, "results[0]: a time that is no number");
    write_samples(desk, "{\"results\": [{\"command\": \"a\", \"times\": [1]}]}");
    import_badly(desk, "only variant a");
}

#define GO                                                                                         \
    "goos: linux\ngoarch: amd64\ncpu: AMD EPYC\nvariant: old\ntoolchain: go1.20\n"                 \
    "BenchmarkOpen\nBenchmarkOpen/size=4-8   \t 1000\t 123.5 ns/op\t 16 B/op\n"                    \
    "BenchmarkOpen/size=4-8 1000 125 ns/op 16 B/op\nPASS\nok  \tpkg 1.2s\n"                        \
    "variant: new\ntoolchain: go1.21\nBenchmarkOpen/size=4-8 900 1.5e2 ns/op 32 B/op\n"

static void go_text_becomes_an_unpaired_run(void **state)
{
    struct desk *desk = *state;
    CLEAN(run) struct run *run = NULL;
    CLEAN(frame) struct frame *frame = NULL;
    CLEAN(host) struct host *host = NULL;
    const struct frame_text *text = NULL;

    desk->options.hosts = NULL;
    desk->options.format = "gobench";
    write_samples(desk, GO);
    import_well(desk);
    run = run_of(desk);
    assert_true(run->design_unknown);
    assert_int_equal(run->spec->n_factors, 0);
    assert_string_equal(run->spec->variant[0].name, "old");
    frame = frame_of(desk, "local");
    assert_int_equal(frame->n, 3);
    assert_true(frame_find_number(frame, "elapsed_s")[0] == 123.5e-9);
    assert_true(fabs(frame_find_number(frame, "elapsed_s")[2] - 1.5e-7) < 1e-20);
    assert_true(frame_find_number(frame, "B/op")[2] == 32);
    text = frame_find_text(frame, "toolchain"); /* differs between the arms: no fact of the host */
    assert_string_equal(text->level[text->v[2]], "go1.21");
    assert_int_equal(store_host_get(desk->store, "local", &host, &desk->err), 0);
    assert_string_equal(fact_set_get(host->facts, "cpu"), "AMD EPYC");
    assert_null(fact_set_get(host->facts, "toolchain"));
}

static void several_go_benchmarks_are_crossed(void **state)
{
    struct desk *desk = *state;
    CLEAN(run) struct run *run = NULL;

    desk->options.hosts = NULL;
    desk->options.format = "gobench";
    write_samples(desk, "BenchmarkX/variant=a 1 1 ns/op\nBenchmarkY/variant=a 1 2 ns/op\n"
                        "BenchmarkX/variant=b 1 1 ns/op\nBenchmarkY/variant=b 1 2 ns/op\n");
    import_well(desk);
    run = run_of(desk);
    assert_int_equal(run->spec->n_factors, 1);
    assert_string_equal(run->spec->factor[0].name, "benchmark");
    assert_int_equal(run->spec->factor[0].level.n, 2);
}

static void wrong_go_lines_are_named(void **state)
{
    struct desk *desk = *state;

    desk->options.hosts = NULL;
    desk->options.format = "gobench";
    write_samples(desk, "goos: linux\n");
    import_badly(desk, "no benchmark results");
    write_samples(desk, "variant: a\nBenchmarkX 1 fast ns/op\n");
    import_badly(desk, "samples.csv:2: fast ns/op: not a decimal number");
    write_samples(desk, "variant: a\nBenchmarkX 1 2\n");
    import_badly(desk, "samples.csv:2: BenchmarkX: ");
    write_samples(desk, "BenchmarkX 1 2 ns/op\n");
    import_badly(desk, "samples.csv:1: no variant");
}

static void go_names_are_taken_apart(void **state)
{
    CLEAN_DONE(go_text) struct go_text text = {0};
    struct err err = {0};

    (void)state;
    if (go_text_parse(
            "f",
            "BenchmarkOpen/size=4/plain/mode=x-y-16 1 2 ns/op\r\na: 1\na:\nBenchmarkZ 1 2 ns/op\n",
            &text, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(text.n, 2);
    assert_string_equal(text.v[0].benchmark, "Open/plain");
    assert_string_equal(strmap_get(&text.v[0].part, "size"), "4");
    assert_string_equal(strmap_get(&text.v[0].part, "mode"), "x-y");
    assert_string_equal(strmap_get(&text.v[0].part, "procs"), "16");
    assert_string_equal(strmap_get(&text.v[1].config, "a"), "");
    assert_int_equal(text.v[1].line, 4);
}

static void exported_go_text_is_read_again(void **state)
{
    struct desk *desk = *state;
    CLEAN(run) struct run *first = NULL;
    CLEAN(frame) struct frame *before = NULL;
    CLEAN(frame) struct frame *after = NULL;
    CLEAN_MEM char *path = mem_printf("%s/out.txt", desk->directory);
    FILE *out = NULL;

    write_hosts(desk, "host,cpu\nh,amd\ng,intel\n");
    write_samples(desk, "host,variant,round,position,elapsed_s,ops\nh,A,0,0,0.25,7\nh,B,0,1,0.5,"
                        "8\ng,B,0,0,1,9\ng,A,0,1,2,1\n");
    import_well(desk);
    first = run_of(desk);
    before = frame_of(desk, "h");
    out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(export_run(desk->store, first, "gobench", NULL, out, &desk->err), 0);
    assert_int_equal(fclose(out), 0);
    desk->options.format = "gobench";
    desk->options.hosts = NULL;
    desk->options.samples = path;
    desk->options.base = "A";
    import_well(desk);
    assert_int_equal(desk->result.n_samples, 4);
    after = frame_of(desk, "h");
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(after->variant[i], before->variant[i]);
        assert_true(frame_find_number(after, "elapsed_s")[i] ==
                    frame_find_number(before, "elapsed_s")[i]);
        assert_true(frame_find_number(after, "ops")[i] == frame_find_number(before, "ops")[i]);
    }
}

#define T(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(hyperfine_times_become_a_blocked_run),
        T(wrong_hyperfine_files_are_named),
        T(go_text_becomes_an_unpaired_run),
        T(several_go_benchmarks_are_crossed),
        T(wrong_go_lines_are_named),
        cmocka_unit_test(go_names_are_taken_apart),
        T(exported_go_text_is_read_again),
    };

    return cmocka_run_group_tests_name("import_formats", tests, NULL, NULL);
}
