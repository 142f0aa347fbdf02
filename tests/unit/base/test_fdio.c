/* SPDX-License-Identifier: GPL-3.0-or-later
 * Files: capped reads, atomic writes, trees that are removed without following links, private
 * modes, places. */
#include "base/fdio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
    char root[64];
};

static int make_place(void **state)
{
    static struct place place;

    snprintf(place.root, sizeof place.root, "/tmp/muster-fdio-XXXXXX");
    *state = &place;
    return mkdtemp(place.root) ? 0 : -1;
}

static int remove_place(void **state)
{
    const struct place *place = *state;

    return fdio_remove_tree(place->root, NULL);
}

static char *under(void **state, const char *name)
{
    const struct place *place = *state;

    return mem_printf("%s/%s", place->root, name);
}

static void written_file_reads_back_with_its_mode(void **state)
{
    CLEAN_MEM char *path = under(state, "f");
    CLEAN_DONE(str) struct str text = {0};
    struct err err = {0};
    struct stat st;

    assert_int_equal(fdio_write_atomic(path, "a\0b", 3, 0640, &err), 0);
    assert_int_equal(fdio_read_file(path, 100, &text, &err), 0);
    assert_int_equal(text.length, 3);
    assert_memory_equal(text.text, "a\0b", 4);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(fdio_write_atomic(path, "new", 3, 0600, &err), 0);
    assert_int_equal(fdio_read_file(path, 3, &text, &err), 0);
    assert_string_equal(text.text, "new");
}

static void atomic_write_that_fails_leaves_nothing(void **state)
{
    CLEAN_MEM char *directory = under(state, "d");
    CLEAN_MEM char *missing = under(state, "none/f");
    struct err err = {0};

    assert_int_equal(fdio_make_dirs(directory, 0700, &err), 0);
    assert_int_equal(fdio_write_atomic(missing, "x", 1, 0600, &err), -1);
    assert_int_equal(err.code, ERR_SYS);
    /* A rename onto a directory fails after the temporary file was made. */
    assert_int_equal(fdio_write_atomic(directory, "x", 1, 0600, &err), -1);
    assert_int_equal(rmdir(directory), 0);
    assert_int_equal(rmdir(((struct place *)*state)->root), 0); /* empty: no temporary file */
    assert_int_equal(mkdir(((struct place *)*state)->root, 0700), 0);
}

static void read_stops_at_its_cap(void **state)
{
    CLEAN_MEM char *path = under(state, "big");
    CLEAN_DONE(str) struct str text = {0};
    CLEAN_MEM char *bytes = mem_alloc(100000, 1);
    struct err err = {0};

    str_add(&text, "kept");
    assert_int_equal(fdio_write_atomic(path, bytes, 100000, 0600, &err), 0);
    assert_int_equal(fdio_read_file(path, 99999, &text, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_string_equal(text.text, "kept");
    assert_int_equal(fdio_read_file(path, 100000, &text, &err), 0);
    assert_int_equal(text.length, 100000);
}

static void empty_and_proc_files_are_read(void **state)
{
    CLEAN_MEM char *path = under(state, "empty");
    CLEAN_DONE(str) struct str text = {0};
    struct err err = {0};

    assert_int_equal(fdio_write_atomic(path, "", 0, 0600, &err), 0);
    assert_int_equal(fdio_read_file(path, 0, &text, &err), 0);
    assert_int_equal(text.length, 0);
    assert_non_null(text.text);
    assert_int_equal(fdio_read_file("/proc/self/stat", 4096, &text, &err), 0);
    assert_true(text.length > 20);
}

static void absence_has_its_own_code(void **state)
{
    CLEAN_MEM char *path = under(state, "absent");
    CLEAN_DONE(str) struct str text = {0};
    struct err err = {0};

    assert_int_equal(fdio_read_file(path, 10, &text, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(fdio_check_private(path, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(fdio_read_file("/tmp", 10, &text, &err), -1);
    assert_int_equal(err.code, ERR_SYS);
}

static void directories_are_made_down_the_path(void **state)
{
    CLEAN_MEM char *deep = under(state, "a/b//c/");
    CLEAN_MEM char *file = under(state, "a/f");
    CLEAN_MEM char *below = under(state, "a/f/g");
    struct err err = {0};
    struct stat st;

    assert_int_equal(fdio_make_dirs(deep, 0700, &err), 0);
    assert_int_equal(fdio_make_dirs(deep, 0700, &err), 0);
    assert_int_equal(stat(deep, &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(fdio_write_atomic(file, "x", 1, 0600, &err), 0);
    assert_int_equal(fdio_make_dirs(below, 0700, &err), -1);
    assert_int_equal(err.code, ERR_SYS);
}

static void tree_is_removed_and_links_are_not_followed(void **state)
{
    CLEAN_MEM char *kept = under(state, "kept/f");
    CLEAN_MEM char *kept_dir = under(state, "kept");
    CLEAN_MEM char *tree = under(state, "tree");
    CLEAN_MEM char *deep = under(state, "tree/x/y/z");
    CLEAN_MEM char *link = under(state, "tree/x/link");
    struct err err = {0};

    assert_int_equal(fdio_make_dirs(kept_dir, 0700, &err), 0);
    assert_int_equal(fdio_write_atomic(kept, "x", 1, 0600, &err), 0);
    assert_int_equal(fdio_make_dirs(deep, 0700, &err), 0);
    assert_int_equal(symlink(kept_dir, link), 0);
    assert_int_equal(fdio_remove_tree(tree, &err), 0);
    assert_int_equal(access(tree, F_OK), -1);
    assert_int_equal(access(kept, F_OK), 0);
    assert_int_equal(fdio_remove_tree(tree, &err), 0); /* absence is fine */
    assert_int_equal(fdio_remove_tree(kept, &err), 0); /* a file is a small tree */
    assert_int_equal(access(kept, F_OK), -1);
}

static void file_open_to_others_is_not_private(void **state)
{
    CLEAN_MEM char *path = under(state, "key");
    struct err err = {0};

    assert_int_equal(fdio_write_atomic(path, "x", 1, 0600, &err), 0);
    assert_int_equal(fdio_check_private(path, &err), 0);
    static const mode_t wrong[] = {0604, 0640, 0610, 0602, 0666};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(chmod(path, wrong[i]), 0);
        assert_int_equal(fdio_check_private(path, &err), -1);
        assert_int_equal(err.code, ERR_AUTH);
    }
}

static void descriptors_are_closed_once(void **state)
{
    (void)state;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int was = fd;

    assert_true(fd >= 0);
    fdio_close(&fd);
    assert_int_equal(fd, -1);
    assert_int_equal(fcntl(was, F_GETFD), -1);
    fdio_close(&fd);
    assert_int_equal(fd, -1);
}

static void write_to_a_full_device_fails(void **state)
{
    (void)state;
    struct err err = {0};
    CLEAN_FD int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(fdio_write_all(fd, "x", 1, &err), -1);
    assert_int_equal(err.code, ERR_SYS);
    assert_int_equal(fdio_write_all(fd, "", 0, &err), 0);
}

static void assert_place(enum fdio_place place, const char *want)
{
    CLEAN_MEM char *got = fdio_place(place);

    assert_string_equal(got, want);
}

static void places_follow_xdg_and_ignore_relative_values(void **state)
{
    (void)state;
    setenv("HOME", "/h", 1);
    setenv("XDG_CONFIG_HOME", "/c", 1);
    setenv("XDG_DATA_HOME", "relative", 1);
    unsetenv("XDG_STATE_HOME");
    setenv("XDG_CACHE_HOME", "", 1);
    setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
    assert_place(FDIO_CONFIG, "/c/muster");
    assert_place(FDIO_DATA, "/h/.local/share/muster");
    assert_place(FDIO_STATE, "/h/.local/state/muster");
    assert_place(FDIO_CACHE, "/h/.cache/muster");
    assert_place(FDIO_RUNTIME, "/run/user/1/muster");
    unsetenv("XDG_RUNTIME_DIR");
    assert_place(FDIO_RUNTIME, "/h/.local/state/run/muster");
    unsetenv("HOME");
    CLEAN_MEM char *fallback = fdio_place(FDIO_DATA);
    assert_int_equal(fallback[0], '/');
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLACE(written_file_reads_back_with_its_mode),
        IN_PLACE(atomic_write_that_fails_leaves_nothing),
        IN_PLACE(read_stops_at_its_cap),
        IN_PLACE(empty_and_proc_files_are_read),
        IN_PLACE(absence_has_its_own_code),
        IN_PLACE(directories_are_made_down_the_path),
        IN_PLACE(tree_is_removed_and_links_are_not_followed),
        IN_PLACE(file_open_to_others_is_not_private),
        cmocka_unit_test(descriptors_are_closed_once),
        cmocka_unit_test(write_to_a_full_device_fails),
        cmocka_unit_test(places_follow_xdg_and_ignore_relative_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
