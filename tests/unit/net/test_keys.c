/* SPDX-License-Identifier: GPL-3.0-or-later
 * Key files: what is written, what is refused. */
#include "net/keys.h"

#include "base/fdio.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
    char dir[64], path[96];
};

static int set_up(void **state)
{
    struct place *place = mem_new(struct place);

    (void)snprintf(place->dir, sizeof place->dir, "/tmp/muster-keys-XXXXXX");
    assert_non_null(mkdtemp(place->dir));
    (void)snprintf(place->path, sizeof place->path, "%s/key", place->dir);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;

    assert_int_equal(fdio_remove_tree(place->dir, NULL), 0);
    mem_free(place);
    return 0;
}

static void keys_survive_their_file(void **state)
{
    const struct place *place = *state;
    struct keys made, read;
    struct err err = {0};
    struct stat st;

    assert_int_equal(keys_load_or_new(place->path, &made, &err), 0);
    assert_int_equal(stat(place->path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(keys_load_or_new(place->path, &read, &err), 0);
    assert_string_equal(read.public_key, made.public_key);
    assert_string_equal(read.secret_key, made.secret_key);
    assert_true(keys_is_public(made.public_key));
}

static void keys_others_can_read_are_refused(void **state)
{
    const struct place *place = *state;
    struct keys keys;
    struct err err = {0};

    assert_int_equal(keys_new(&keys, &err), 0);
    assert_int_equal(keys_save(&keys, place->path, &err), 0);
    assert_int_equal(chmod(place->path, 0640), 0);
    assert_int_equal(keys_load(place->path, &keys, &err), -1);
    assert_int_equal(err.code, ERR_AUTH);
    assert_null(strstr(err.text, keys.secret_key));
}

static void write_private(const char *path, const char *text)
{
    struct err err = {0};

    assert_int_equal(fdio_write_atomic(path, text, strlen(text), 0600, &err), 0);
}

static void files_that_are_no_keys_are_refused(void **state)
{
    const struct place *place = *state;
    struct keys one, other;
    struct err err = {0};
    char mixed[256], longer[256], cut[256];

    assert_int_equal(keys_new(&one, &err), 0);
    assert_int_equal(keys_new(&other, &err), 0);
    (void)snprintf(mixed, sizeof mixed, "public %s\nsecret %s\n", one.public_key, other.secret_key);
    (void)snprintf(longer, sizeof longer, "public %s\nsecret %s\nmore\n", one.public_key,
                   one.secret_key);
    (void)snprintf(cut, sizeof cut, "public %s\nsecret %.39s\n", one.public_key, one.secret_key);
    const char *const texts[] = {"", "public\nsecret\n", "secret x\npublic y\n", mixed, longer,
                                 cut};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct keys keys = {"before", "before"};

        write_private(place->path, texts[i]);
        assert_int_equal(keys_load(place->path, &keys, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        assert_string_equal(keys.secret_key, "before");
    }
}

static void public_keys_are_forty_characters_of_z85(void **state)
{
    struct keys keys;
    char text[64];

    (void)state;
    assert_int_equal(keys_new(&keys, NULL), 0);
    assert_true(keys_is_public(keys.public_key));
    assert_false(keys_is_public(""));
    assert_false(keys_is_public("short"));
    (void)snprintf(text, sizeof text, "%s0", keys.public_key);
    assert_false(keys_is_public(text));
    (void)snprintf(text, sizeof text, "%s", keys.public_key);
    text[7] = '"';
    assert_false(keys_is_public(text));
    /* five characters that stand for more than 32 bits */
    (void)snprintf(text, sizeof text, "#####%.35s", keys.public_key + 5);
    assert_false(keys_is_public(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keys_survive_their_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keys_others_can_read_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_that_are_no_keys_are_refused, set_up, tear_down),
        cmocka_unit_test(public_keys_are_forty_characters_of_z85),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
