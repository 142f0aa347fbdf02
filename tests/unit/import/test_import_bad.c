/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/cases/bad: every file is accepted or refused as its index says, at the line and column it
 * names. */
#include "import_fixture.h"

#include "coordinator/import/csv.h"

#define BAD TEST_SOURCE_DIR "/tests/cases/bad/"

struct bad_case {
    char *samples, *hosts, *outcome, *line, *column;
};

static void check_error(const struct bad_case *want, struct desk *desk)
{
    const char *file = str_eq(want->hosts, "hosts.csv") || str_eq(want->hosts, "hosts-formula.csv")
                           ? want->samples
                           : want->hosts;
    CLEAN_MEM char *place =
        want->line[0] ? mem_printf("%s:%s: ", file, want->line) : mem_printf("%s:", file);
    CLEAN_MEM char *column =
        want->column[0] ? mem_printf(": column %s: ", want->column) : mem_strdup("");

    import_badly(desk, place);
    if (!strstr(desk->err.text, column))
        fail_msg("%s: want \"%s\" in \"%s\"", want->samples, column, desk->err.text);
    if (str_has_control(desk->err.text, strlen(desk->err.text)))
        fail_msg("%s: the message itself has control characters", want->samples);
}

static void check_accepted(const struct bad_case *want, struct desk *desk)
{
    CLEAN_DONE(trial_list) struct trial_list trials = {0};

    import_well(desk);
    if (store_trials(desk->store, desk->result.run, &trials, &desk->err) < 0)
        fail_msg("%s", desk->err.text);
    if (trials.n != desk->result.n_hosts || trials.n < 2)
        fail_msg("%s: want all hosts of %s in the run, got %zu", want->samples, want->hosts,
                 trials.n);
}

static void check_case(const struct csv_field *field)
{
    struct bad_case want = {.samples = mem_strdup(field[0].text),
                            .hosts = mem_strdup(field[1].text),
                            .outcome = mem_strdup(field[2].text),
                            .line = mem_strdup(field[3].text),
                            .column = mem_strdup(field[4].text)};
    CLEAN_MEM char *samples = mem_printf(BAD "%s", want.samples);
    CLEAN_MEM char *hosts = mem_printf(BAD "%s", want.hosts);
    void *state = NULL;
    struct desk *desk = NULL;

    print_message("%s with %s: %s\n", want.samples, want.hosts, want.outcome);
    assert_int_equal(desk_setup(&state), 0);
    desk = state;
    assert_non_null(desk);
    desk->options = (struct import_options){.experiment = "bad",
                                            .hosts = hosts,
                                            .samples = samples,
                                            .metric = "elapsed_s",
                                            .base = "A"};
    if (str_eq(want.outcome, "accepted"))
        check_accepted(&want, desk);
    else
        check_error(&want, desk);
    assert_int_equal(desk_teardown(&state), 0);
    mem_free(want.samples);
    mem_free(want.hosts);
    mem_free(want.outcome);
    mem_free(want.line);
    mem_free(want.column);
}

static void every_bad_file_ends_as_its_index_says(void **state)
{
    CLEAN(csv) struct csv *index = NULL;
    const struct csv_field *field = NULL;
    struct err err = {0};
    int rc = 0, n = 0;

    (void)state;
    if (csv_open(BAD "index.csv", NULL, &index, &err) < 0)
        fail_msg("%s", err.text);
    while ((rc = csv_next(index, &field, &err)) > 0) {
        check_case(field);
        n++;
    }
    if (rc < 0)
        fail_msg("%s", err.text);
    assert_int_equal(n, 38);
}

static struct frame *import_case(struct desk *desk, const char *file)
{
    CLEAN_MEM char *samples = mem_printf(BAD "%s", file);

    desk->options.samples = samples;
    import_well(desk);
    return frame_of(desk, "alpha");
}

static void other_spellings_of_a_file_give_the_same_samples(void **state)
{
    static const char *const same[] = {"comment-lines.csv", "crlf.csv", "bom.csv",
                                       "no-final-newline.csv"};
    struct desk *desk = *state;
    CLEAN(frame) struct frame *good = NULL;

    desk->options.hosts = BAD "hosts.csv";
    good = import_case(desk, "good.csv");
    assert_int_equal(good->n, 12);
    assert_int_equal(desk->result.warnings.n, 0);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        CLEAN(frame) struct frame *other = import_case(desk, same[i]);

        if (!frame_equal(other, good))
            fail_msg("%s differs from good.csv", same[i]);
    }
}

static void unusable_metrics_are_warned_of_once_with_the_first_line(void **state)
{
    static const char *const files[] = {"negative-time.csv", "zero-time.csv", "empty-metric.csv"};
    struct desk *desk = *state;

    desk->options.hosts = BAD "hosts.csv";
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        CLEAN(frame) struct frame *frame = import_case(desk, files[i]);

        assert_int_equal(frame->n, 12);
        if (desk->result.warnings.n != 1 ||
            !strstr(desk->result.warnings.v[0], ":6: column 5 elapsed_s: "))
            fail_msg("%s: want one warning of line 6, got %zu: %s", files[i],
                     desk->result.warnings.n,
                     desk->result.warnings.n ? desk->result.warnings.v[0] : "");
    }
}

static void host_without_samples_is_in_the_run_all_the_same(void **state)
{
    struct desk *desk = *state;
    CLEAN_DONE(trial_list) struct trial_list trials = {0};

    desk->options.hosts = BAD "hosts.csv";
    frame_free(import_case(desk, "good.csv"));
    assert_int_equal(store_trials(desk->store, desk->result.run, &trials, &desk->err), 0);
    assert_int_equal(trials.n, 3);
    assert_string_equal(trials.v[0]->host, "alpha");
    assert_int_equal(trials.v[0]->state, TRIAL_DONE);
    assert_int_equal(trials.v[0]->rounds_done, 6);
    assert_string_equal(trials.v[2]->host, "gamma");
    assert_int_equal(trials.v[2]->state, TRIAL_NEVER);
    assert_non_null(strstr(trials.v[2]->reason, "no samples"));
}

static void formula_like_names_are_kept_as_they_are(void **state)
{
    struct desk *desk = *state;
    CLEAN(host) struct host *host = NULL;

    desk->options.hosts = BAD "hosts-formula.csv";
    desk->options.samples = BAD "formula-names.csv";
    import_well(desk);
    assert_int_equal(store_host_get(desk->store, "=cmd()", &host, &desk->err), 0);
    assert_string_equal(fact_set_get(host->facts, "note"), "@SUM(A1)");
    host_free(host);
    host = NULL;
    assert_int_equal(store_host_get(desk->store, "-h", &host, &desk->err), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_file_ends_as_its_index_says),
        T(other_spellings_of_a_file_give_the_same_samples),
        T(unusable_metrics_are_warned_of_once_with_the_first_line),
        T(host_without_samples_is_in_the_run_all_the_same),
        T(formula_like_names_are_kept_as_they_are),
    };

    return cmocka_run_group_tests_name("import_bad", tests, NULL, NULL);
}
