/* SPDX-License-Identifier: GPL-3.0-or-later
 * Wrong experiment files: each file of tests/cases/spec/wrong says in its first line what the
 * complaint must be. */
#include "coordinator/spec/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <string.h>

#include "base/fdio.h"
#include "model/limits.h"

static const char folder[] = TEST_SOURCE_DIR "/tests/cases/spec/wrong";
static const char mark[] = "# wants: ";

static size_t wrong_answers;

static void check_file(const char *name)
{
    CLEAN_MEM char *path = mem_printf("%s/%s", folder, name);
    CLEAN_DONE(str) struct str text = {0};
    CLEAN(experiment) struct experiment *experiment = NULL;
    struct err err = {0};

    if (fdio_read_file(path, LIMIT_EXPERIMENT_FILE, &text, &err) < 0)
        fail_msg("%s", err.text);
    if (spec_from_yaml(name, text.text, text.length, false, &experiment, &err) == 0)
        err_set(&err, ERR_NONE, "no complaint");
    const size_t end = strcspn(text.text, "\n");
    CLEAN_MEM char *first = mem_strndup(text.text, end);
    const char *want = str_starts(first, mark) ? first + strlen(mark) : "(no first line)";
    if (strcmp(err.text, want) == 0)
        return;
    print_error("got  %s\nwant %s\n", err.text, want);
    wrong_answers++;
}

static void every_wrong_file_gets_its_complaint(void **state)
{
    (void)state;
    CLEAN_DONE(strlist) struct strlist names = {0};
    DIR *dir = opendir(folder);

    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (str_ends(entry->d_name, ".yaml"))
            strlist_add(&names, entry->d_name);
    closedir(dir);
    strlist_sort(&names);
    assert_true(names.n >= 60);
    for (size_t i = 0; i < names.n; i++)
        check_file(names.v[i]);
    assert_int_equal(wrong_answers, 0);
}

static int complain(const char *text, size_t length, struct err *err)
{
    CLEAN(experiment) struct experiment *experiment = NULL;

    return spec_from_yaml("f", text, length, false, &experiment, err);
}

static void oversized_files_are_refused_before_they_are_read(void **state)
{
    (void)state;
    CLEAN_MEM char *text = mem_alloc(LIMIT_EXPERIMENT_FILE + 1, 1);
    struct err err = {0};

    memset(text, ' ', LIMIT_EXPERIMENT_FILE + 1);
    assert_int_equal(complain(text, LIMIT_EXPERIMENT_FILE + 1, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_string_equal(
        err.text, "f:1:1: experiment file: found a larger file; allowed: up to 1048576 bytes");
}

static void number_of_values_is_bounded(void **state)
{
    (void)state;
    CLEAN_DONE(str) struct str text = {0};
    struct err err = {0};

    str_add(&text, "suspect: [");
    for (int i = 0; i < LIMIT_YAML_NODES; i++)
        str_add(&text, "a,");
    str_add(&text, "]");
    assert_int_equal(complain(text.text, text.length, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_non_null(strstr(err.text, "found too many values; allowed: up to 20000"));
}

static void bomb_of_aliases_is_refused(void **state)
{
    (void)state;
    static const char bomb[] = "a: &a [x,x,x,x,x,x,x,x,x]\n"
                               "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                               "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n";
    struct err err = {0};

    assert_int_equal(complain(bomb, sizeof bomb - 1, &err), -1);
    assert_string_equal(err.text,
                        "f:1:4: a: found an anchor (&name); allowed: values without anchors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wrong_file_gets_its_complaint),
        cmocka_unit_test(oversized_files_are_refused_before_they_are_read),
        cmocka_unit_test(number_of_values_is_bounded),
        cmocka_unit_test(bomb_of_aliases_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
