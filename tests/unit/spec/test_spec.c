/* SPDX-License-Identifier: GPL-3.0-or-later
 * Right experiment files: every field of the contract's example, what is implied, the way back to
 * YAML, experiments from commands, and text that was cut or changed at random. */
#include "coordinator/spec/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/clk.h"
#include "base/fdio.h"
#include "base/rng.h"
#include "model/limits.h"

#define RIGHT TEST_SOURCE_DIR "/tests/cases/spec/right/"

static struct experiment *read_text(const char *text)
{
    struct experiment *experiment = NULL;
    struct err err = {0};

    if (spec_from_yaml("f", text, strlen(text), false, &experiment, &err) < 0)
        fail_msg("%s\n%s", err.text, text);
    return experiment;
}

static struct experiment *read_file(const char *path)
{
    CLEAN_DONE(str) struct str text = {0};
    struct err err = {0};

    if (fdio_read_file(path, LIMIT_EXPERIMENT_FILE, &text, &err) < 0)
        fail_msg("%s", err.text);
    return read_text(text.text);
}

#define HEAD "experiment: x\nvariants: {old: ./old, new: ./new}\n"

static void example_of_the_contract_is_read(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = read_file(RIGHT "contract.yaml");

    assert_string_equal(e->name, "test-open");
    assert_string_equal(e->description,
                        "open, write, close and read back one small file, 250 times");
    assert_string_equal(e->metric, "elapsed_s");
    assert_true(e->min_effect == 0.02 && e->alpha == 0.05);
    assert_int_equal(e->n_variants, 3);
    assert_string_equal(e->variant[0].name, "r11088");
    assert_string_equal(e->variant[0].run, "./file-open --count 250");
    assert_string_equal(e->variant[0].files, "build/r11088");
    assert_string_equal(e->variant[1].setup, "./make-ready");
    assert_string_equal(e->variant[1].prepare, "./drop-caches");
    assert_string_equal(strmap_get(&e->variant[1].env, "GLUE"), "syscall");
    assert_string_equal(e->variant[2].name, "control");
    assert_true(e->variant[2].is_control && e->control);
    assert_string_equal(e->variant[2].run, e->variant[0].run);
    assert_string_equal(e->variant[2].files, "build/r11088");
    assert_int_equal(e->n_factors, 3);
    assert_string_equal(e->factor[2].level.v[1], "50%");
    assert_int_equal(e->n_metric_defs, 5);
    assert_string_equal(e->metric_def[3].match, "GC ([0-9.]+) us");
    assert_string_equal(e->metric_def[4].unit, "ops/s");
    assert_true(e->metric_def[4].higher_is_better);
    assert_string_equal(e->hosts, "cpu.vendor == \"AMD\" or os.id == \"fedora\"");
    assert_int_equal(e->min_blocks, 10);
    assert_int_equal(e->max_blocks, 100);
    assert_true(e->timeout_ns == 60 * CLK_NS_PER_S && e->budget_ns == 1800 * CLK_NS_PER_S);
    assert_true(e->randomize_env && e->randomize_dir && !e->randomize_aslr && !e->randomize_cpu);
    assert_int_equal(e->profile_blocks, 2);
    assert_true(strlist_has(&e->profile_with, "strace"));
    assert_string_equal(e->limit_user, "nobody");
    assert_true(e->limit_memory_bytes == UINT64_C(2) << 30 && e->limit_no_network);
    assert_string_equal(e->schedule_at, "Mon..Fri 02:00");
    assert_string_equal(e->schedule_missed, "skip");
    assert_true(str_starts(e->source, "experiment: test-open\n"));
}

static void rest_of_the_schema_is_read(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = read_file(RIGHT "everything-else.yaml");

    assert_string_equal(e->description, "two\nlines \"quoted\" \\ and \ttabs");
    assert_string_equal(e->metric, "ops");
    assert_true(e->min_effect == 0.015 && e->alpha == 0.01);
    assert_string_equal(e->variant[0].name, "old"); /* the base comes first */
    assert_string_equal(e->variant[1].name, "new");
    assert_string_equal(e->variant[2].name, "control");
    assert_false(e->variant[2].is_control);
    assert_string_equal(e->variant[3].name, "control-2");
    assert_true(e->variant[3].is_control);
    assert_string_equal(strmap_get(&e->variant[1].env, "EMPTY"), "");
    assert_string_equal(strmap_get(&e->variant[1].env, "A"), "x: y");
    assert_null(e->hosts);
    assert_null(e->metric_def[3].match);
    assert_string_equal(e->metric_def[3].unit, "");
    assert_int_equal(e->min_blocks, 25);
    assert_int_equal(e->max_blocks, 25);
    assert_true(e->timeout_ns == 1500 * CLK_NS_PER_MS && e->budget_ns == 0);
    assert_int_equal(e->quiet, QUIET_WAIT);
    assert_true(!e->randomize_env && !e->randomize_dir && e->randomize_aslr && e->randomize_cpu);
    assert_true(e->not_interleaved && e->is_aa && !e->limit_no_network);
    assert_int_equal(e->suspect.n, 2);
    assert_string_equal(e->confirms, "nap@3");
}

static void smallest_file_has_the_defaults(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *e = read_text(HEAD);
    CLEAN(experiment) struct experiment *fresh = experiment_new();

    assert_string_equal(e->metric, "elapsed_s");
    assert_true(e->min_effect == fresh->min_effect && e->alpha == fresh->alpha);
    assert_int_equal(e->min_blocks, fresh->min_blocks);
    assert_int_equal(e->n_variants, 2);
    assert_false(e->control);
}

static void half_said_block_counts_give_way(void **state)
{
    (void)state;
    CLEAN(experiment) struct experiment *low = read_text(HEAD "sampling: {blocks: {max: 5}}\n");
    CLEAN(experiment) struct experiment *high = read_text(HEAD "sampling: {blocks: {min: 500}}\n");

    assert_int_equal(low->min_blocks, 5);
    assert_int_equal(low->max_blocks, 5);
    assert_int_equal(high->min_blocks, 500);
    assert_int_equal(high->max_blocks, 500);
}

static void scalars_are_text_until_the_key_types_them(void **state)
{
    (void)state;
    CLEAN(experiment)
    struct experiment *e = read_text(
        "experiment: 1e3\nvariants: {no: ./no, 0x10: ./y}\nfactors: {n: [010, 1.0, yes]}\n");

    assert_string_equal(e->name, "1e3");
    assert_string_equal(e->variant[0].name, "no");
    assert_string_equal(e->variant[1].name, "0x10");
    assert_string_equal(e->factor[0].level.v[0], "010");
    assert_string_equal(e->factor[0].level.v[1], "1.0");
}

static void equal_arms_are_accepted_by_flag_or_key(void **state)
{
    (void)state;
    static const char same[] = "experiment: x\nvariants: {a: ./x, b: ./x}\n";
    CLEAN(experiment) struct experiment *by_flag = NULL;
    struct err err = {0};

    assert_int_equal(spec_from_yaml("f", same, sizeof same - 1, false, &by_flag, &err), -1);
    assert_null(by_flag);
    assert_int_equal(spec_from_yaml("f", same, sizeof same - 1, true, &by_flag, &err), 0);
    assert_true(by_flag->is_aa);
    CLEAN(experiment)
    struct experiment *by_key = read_text("experiment: x\nvariants: {a: ./x, b: ./x}\naa: true\n");
    assert_true(by_key->is_aa);
}

/* Written, read and written again: the same bytes, and the same experiment in what is not written
 * word for word. */
static void check_round_trip(const char *path)
{
    CLEAN(experiment) struct experiment *first = read_file(path);
    CLEAN_DONE(str) struct str once = {0}, twice = {0};

    spec_to_yaml(first, &once);
    CLEAN(experiment) struct experiment *second = read_text(once.text);
    spec_to_yaml(second, &twice);
    assert_string_equal(once.text, twice.text);
    assert_int_equal(first->n_variants, second->n_variants);
    for (size_t i = 0; i < first->n_variants; i++) {
        assert_string_equal(first->variant[i].name, second->variant[i].name);
        assert_string_equal(first->variant[i].run, second->variant[i].run);
        assert_int_equal(first->variant[i].is_control, second->variant[i].is_control);
        assert_int_equal(first->variant[i].env.n, second->variant[i].env.n);
    }
    assert_true(str_eq(first->confirms, second->confirms));
    assert_int_equal(experiment_cells(first), experiment_cells(second));
    assert_true(first->min_effect == second->min_effect && first->alpha == second->alpha);
    assert_true(first->timeout_ns == second->timeout_ns && first->budget_ns == second->budget_ns);
    assert_int_equal(first->min_blocks, second->min_blocks);
    assert_int_equal(first->max_blocks, second->max_blocks);
    assert_int_equal(first->quiet, second->quiet);
    assert_int_equal(first->n_metric_defs, second->n_metric_defs);
    assert_true(str_eq(first->description, second->description));
    assert_true(str_eq(first->hosts, second->hosts));
    assert_true(first->randomize_cpu == second->randomize_cpu &&
                first->not_interleaved == second->not_interleaved && first->is_aa == second->is_aa);
}

static void written_experiments_read_back_the_same(void **state)
{
    (void)state;
    check_round_trip(RIGHT "contract.yaml");
    check_round_trip(RIGHT "everything-else.yaml");
}

static void example_experiments_of_the_workloads_are_right(void **state)
{
    (void)state;
    static const char *const names[] = {"chatter", "file-open", "process-mix", "text-scan",
                                        "write-seek"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CLEAN_MEM char *path = mem_printf("%s/workloads/%s.yaml", TEST_SOURCE_DIR, names[i]);
        check_round_trip(path);
    }
}

static void hard_text_survives_the_way_back(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "- x", "x: y", "#x", "'", "\"",   "\\", "a\nb", "\t", " x ", "&a", "*a",   "!t",  "%",
        "@",   "`",    "[",  "{", "null", "~",  "|",    ">",  "?",   "é",  "a #b", "---", "=",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CLEAN(experiment) struct experiment *e = read_text(HEAD);
        CLEAN_DONE(str) struct str yaml = {0};

        e->description = mem_strdup(texts[i]);
        strmap_set(&e->variant[0].env, "KEY", texts[i]);
        spec_to_yaml(e, &yaml);
        CLEAN(experiment) struct experiment *back = read_text(yaml.text);
        assert_string_equal(back->description, texts[i]);
        assert_string_equal(strmap_get(&back->variant[0].env, "KEY"), texts[i]);
    }
}

static void commands_become_variants_in_order(void **state)
{
    (void)state;
    CLEAN_DONE(strlist) struct strlist names = {0}, commands = {0};
    CLEAN(experiment) struct experiment *e = NULL;
    struct err err = {0};

    strlist_add(&names, "a");
    strlist_add(&commands, "./old 'x y'");
    assert_int_equal(spec_from_commands("quick", &names, &commands, false, &e, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.text, "variants: found 1; allowed: 2 to 16");
    strlist_add(&names, "b");
    assert_int_equal(spec_from_commands("quick", &names, &commands, false, &e, &err), -1);
    assert_int_equal(err.code, ERR_INTERNAL);
    strlist_add(&commands, "./new");
    assert_int_equal(spec_from_commands("quick", &names, &commands, false, &e, &err), 0);
    assert_string_equal(e->name, "quick");
    assert_string_equal(e->variant[0].run, "./old 'x y'");
    assert_string_equal(e->variant[1].name, "b");
    assert_null(e->source);
}

static void files_are_relative_to_their_experiment(void **state)
{
    (void)state;
    CLEAN(experiment)
    struct experiment *e = read_text("experiment: x\nvariants:\n  a: {run: ./x, files: build/a}\n"
                                     "  b: {run: ./x, files: /abs/b}\n  c: ./y\n");

    spec_resolve_files(e, "dir");
    assert_string_equal(e->variant[0].files, "dir/build/a");
    assert_string_equal(e->variant[1].files, "/abs/b");
    assert_null(e->variant[2].files);
}

/* Reads the text; the only claim is that it ends, with an experiment or with a complaint that has
 * its place. */
static void survive(const char *text, size_t length)
{
    CLEAN(experiment) struct experiment *experiment = NULL;
    CLEAN_MEM char *exact = mem_dup(text, length); /* so that reading past the end is seen */
    struct err err = {0};

    if (spec_from_yaml("f", exact, length, false, &experiment, &err) == 0) {
        assert_non_null(experiment);
        return;
    }
    assert_null(experiment);
    if (!str_starts(err.text, "f:") || (err.code != ERR_INPUT && err.code != ERR_LIMIT))
        fail_msg("no place in: %s", err.text);
    assert_true(str_is_utf8(err.text, strlen(err.text)));
}

static void cut_and_changed_text_is_survived(void **state)
{
    (void)state;
    static const char *const files[] = {RIGHT "contract.yaml", RIGHT "everything-else.yaml"};
    static const char spice[] = "{}[]:,-#&*!|>'\"%@`\n\t \\$x0\x80\xff\x01";
    struct rng rng;

    rng_seed(&rng, 20);
    for (size_t f = 0; f < 2; f++) {
        CLEAN_DONE(str) struct str text = {0};
        struct err err = {0};

        assert_int_equal(fdio_read_file(files[f], LIMIT_EXPERIMENT_FILE, &text, &err), 0);
        for (size_t n = 0; n <= text.length; n++)
            survive(text.text, n);
        for (int i = 0; i < 2000; i++) {
            CLEAN_MEM char *changed = mem_dup(text.text, text.length);
            const uint64_t changes = 1 + rng_below(&rng, 4);

            for (uint64_t k = 0; k < changes; k++)
                changed[rng_below(&rng, text.length)] = spice[rng_below(&rng, sizeof spice - 1)];
            survive(changed, text.length);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_of_the_contract_is_read),
        cmocka_unit_test(rest_of_the_schema_is_read),
        cmocka_unit_test(smallest_file_has_the_defaults),
        cmocka_unit_test(half_said_block_counts_give_way),
        cmocka_unit_test(scalars_are_text_until_the_key_types_them),
        cmocka_unit_test(equal_arms_are_accepted_by_flag_or_key),
        cmocka_unit_test(written_experiments_read_back_the_same),
        cmocka_unit_test(example_experiments_of_the_workloads_are_right),
        cmocka_unit_test(hard_text_survives_the_way_back),
        cmocka_unit_test(commands_become_variants_in_order),
        cmocka_unit_test(files_are_relative_to_their_experiment),
        cmocka_unit_test(cut_and_changed_text_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
