/* SPDX-License-Identifier: GPL-3.0-or-later
 * Opening a store: who may, what is refused, how versions move. */
#include "store_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coordinator/store/backend/sqlite.h"
#include "coordinator/store/place.h"

static void open_makes_a_private_file_and_its_directory(void **state)
{
    struct place_of_test *place = *state;
    CLEAN_MEM char *path = mem_printf("%s/a/b/muster.db", place->directory);
    CLEAN(store) struct store *store = NULL;
    struct stat st = {0};

    must_fail(store_open(path, STORE_READ, &store, err), ERR_NOT_FOUND, "no store at");
    must(store_open(path, STORE_CREATE, &store, err));
    assert_string_equal(store_path(store), path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void second_writer_is_refused_until_the_first_is_gone(void **state)
{
    struct place_of_test *place = *state;
    struct store *first = NULL;
    CLEAN(store) struct store *second = NULL;

    must(store_open(place->path, STORE_CREATE, &first, err));
    must_fail(store_open(place->path, STORE_WRITE, &second, err), ERR_STATE,
              "another process writes");
    must(store_open(place->path, STORE_READ, &second, err));
    store_free(second);
    second = NULL;
    store_free(first);
    must(store_open(place->path, STORE_WRITE, &second, err));
}

static void writers_lock_goes_with_a_killed_process(void **state)
{
    struct place_of_test *place = *state;
    CLEAN(store) struct store *store = NULL;
    int ready[2];
    char byte = 0;
    pid_t child = 0;

    assert_int_equal(pipe(ready), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct store *held = NULL;

        if (store_open(place->path, STORE_CREATE, &held, NULL) < 0)
            _exit(1);
        (void)!write(ready[1], "x", 1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    must_fail(store_open(place->path, STORE_WRITE, &store, err), ERR_STATE,
              "another process writes");
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    must(store_open(place->path, STORE_WRITE, &store, err));
    close(ready[0]);
    close(ready[1]);
}

static void reader_cannot_write(void **state)
{
    struct place_of_test *place = *state;
    struct store *writer = NULL;
    CLEAN(store) struct store *reader = NULL;

    must(store_open(place->path, STORE_CREATE, &writer, err));
    store_free(writer);
    must(store_open(place->path, STORE_READ, &reader, err));
    must_fail(store_begin(reader, err), ERR_STATE, "reading only");
    must_fail(store_audit(reader, "me", "did", "", err), ERR_STATE, "reading only");
    must_fail(
        store_key_put(reader, &(struct key_entry){.key = "k", .name = "n", .role = "agent"}, err),
        ERR_STORE, "readonly");
}

static void set_version(const char *path, const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void newer_version_is_refused_in_words(void **state)
{
    struct place_of_test *place = *state;
    struct store *store = NULL;

    must(store_open(place->path, STORE_CREATE, &store, err));
    store_free(store);
    store = NULL;
    set_version(place->path, "PRAGMA user_version = 999");
    must_fail(store_open(place->path, STORE_WRITE, &store, err), ERR_STORE, "newer muster");
    must_fail(store_open(place->path, STORE_READ, &store, err), ERR_STORE, "newer muster");
}

static void older_version_is_brought_up_by_a_writer_only(void **state)
{
    struct place_of_test *place = *state;
    CLEAN(store) struct store *store = NULL;

    set_version(place->path, "PRAGMA user_version = 0; VACUUM"); /* an empty file of version 0 */
    must_fail(store_open(place->path, STORE_READ, &store, err), ERR_STORE, "older version");
    must(store_open(place->path, STORE_WRITE, &store, err));
    store_free(store);
    store = NULL;
    must(store_open(place->path, STORE_READ, &store, err));
}

static void file_of_another_program_is_refused(void **state)
{
    struct place_of_test *place = *state;
    struct store *store = NULL;

    set_version(place->path, "CREATE TABLE bookmarks (url TEXT)");
    must_fail(store_open(place->path, STORE_WRITE, &store, err), ERR_STORE,
              "not a store of muster");
    must(fdio_write_atomic(place->path,
                           "this is no database, but it is long enough to be read as one", 60, 0600,
                           err));
    must_fail(store_open(place->path, STORE_WRITE, &store, err), ERR_STORE, "damaged");
}

static void damaged_page_is_found_at_open(void **state)
{
    struct place_of_test *place = *state;
    struct store *store = NULL;
    const char *host = "h1";
    char junk[4096];
    int fd = -1;

    must(store_open(place->path, STORE_CREATE, &store, err));
    add_run(store, "x", &host, 1);
    must(store_checkpoint(store, err));
    store_free(store);
    store = NULL;
    memset(junk, 0x5a, sizeof junk);
    fd = open(place->path, O_RDWR);
    assert_true(fd >= 0);
    for (off_t page = 1; page < 6; page++)
        assert_int_equal(pwrite(fd, junk, sizeof junk, page * (off_t)sizeof junk), sizeof junk);
    close(fd);
    must_fail(store_open(place->path, STORE_WRITE, &store, err), ERR_STORE, "damaged");
}

static void network_file_systems_are_known(void **state)
{
    (void)state;
    assert_string_equal(place_network_fs(0x6969), "NFS");
    assert_string_equal(place_network_fs((long)0xff534d42), "CIFS");
    assert_string_equal(place_network_fs((long)(int32_t)0xff534d42),
                        "CIFS");               /* where the field is a signed int */
    assert_null(place_network_fs(0xef53));     /* ext4 */
    assert_null(place_network_fs(0x01021994)); /* tmpfs */
}

static void space_is_low_under_five_percent_or_half_a_gibibyte(void **state)
{
    const uint64_t gib = 1024u * 1024 * 1024;

    (void)state;
    assert_false(place_space_low(50 * gib, 100 * gib));
    assert_true(place_space_low(4 * gib, 100 * gib));
    assert_true(place_space_low(gib / 4, gib));
    assert_false(place_space_low(gib, gib));
}

static void undo_takes_back_to_the_mark_only(void **state)
{
    struct place_of_test *place = *state;
    CLEAN(store) struct store *store = NULL;
    CLEAN_DONE(key_list) struct key_list keys = {0};

    must(store_open(place->path, STORE_CREATE, &store, err));
    must(store_begin(store, err));
    must_fail(store_begin(store, err), ERR_STATE, "open already");
    must(store_key_put(store, &(struct key_entry){.key = "k1", .name = "one", .role = "agent"},
                       err));
    must(store_mark(store, err));
    must(store_key_put(store, &(struct key_entry){.key = "k2", .name = "two", .role = "agent"},
                       err));
    store_undo(store);
    must(store_commit(store, err));
    must(store_keys(store, &keys, err));
    assert_int_equal(keys.n, 1);
    assert_string_equal(keys.v[0].name, "one");
    must(store_begin(store, err));
    must(store_key_put(store, &(struct key_entry){.key = "k3", .name = "three", .role = "agent"},
                       err));
    store_rollback(store);
    key_list_done(&keys);
    must(store_keys(store, &keys, err));
    assert_int_equal(keys.n, 1);
    must_fail(store_commit(store, err), ERR_STATE, "no transaction");
}

static void audit_chain_shows_a_changed_and_a_missing_row(void **state)
{
    struct place_of_test *place = *state;
    struct store *store = NULL;
    uint64_t rows = 0;

    must(store_open(place->path, STORE_CREATE, &store, err));
    for (int i = 0; i < 5; i++)
        must(store_audit(store, "alice", "submit", "NAME@1", err));
    must(store_audit_check(store, &rows, err));
    assert_int_equal(rows, 5);
    must(sq_exec(store, "UPDATE audit SET who = 'bob' WHERE id = 3", err));
    must_fail(store_audit_check(store, &rows, err), ERR_STORE, "before row 3");
    must(sq_exec(store, "UPDATE audit SET who = 'alice' WHERE id = 3", err));
    must(store_audit_check(store, &rows, err));
    must(sq_exec(store, "DELETE FROM audit WHERE id = 2", err));
    must_fail(store_audit_check(store, &rows, err), ERR_STORE, "before row 3");
    store_free(store);
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_place, drop_place)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(open_makes_a_private_file_and_its_directory),
        T(second_writer_is_refused_until_the_first_is_gone),
        T(writers_lock_goes_with_a_killed_process),
        T(reader_cannot_write),
        T(newer_version_is_refused_in_words),
        T(older_version_is_brought_up_by_a_writer_only),
        T(file_of_another_program_is_refused),
        T(damaged_page_is_found_at_open),
        T(network_file_systems_are_known),
        T(space_is_low_under_five_percent_or_half_a_gibibyte),
        T(undo_takes_back_to_the_mark_only),
        T(audit_chain_shows_a_changed_and_a_missing_row),
    };

    return cmocka_run_group_tests_name("store_open", tests, NULL, NULL);
}
