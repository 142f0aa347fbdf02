/* SPDX-License-Identifier: GPL-3.0-or-later
 * Artefacts: packed the same everywhere, checked, and nothing hostile gets out of its directory. */
#include "agent/pack.h"
#include "agent/stage.h"
#include "unit/agent/agent_fixture.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>

static char *top; /* of this program's tests */

static int make_top(void **state)
{
    (void)state;
    top = mem_strdup("/tmp/muster-stage-XXXXXX");
    return mkdtemp(top) ? 0 : -1;
}

static int drop_top(void **state)
{
    (void)state;
    const int rc = fdio_remove_tree(top, NULL);
    mem_free(top);
    return rc;
}

static char *fresh_dir(const char *name)
{
    char *dir = mem_printf("%s/%s", top, name);

    must(fdio_remove_tree(dir, err));
    must(fdio_make_dirs(dir, 0755, err));
    return dir;
}

static void write_file(const char *dir, const char *name, const char *text, mode_t mode)
{
    CLEAN_MEM char *path = mem_printf("%s/%s", dir, name);

    must(fdio_write_atomic(path, text, strlen(text), mode, err));
}

static void fill_tree(const char *dir)
{
    CLEAN_MEM char *sub = mem_printf("%s/lib/deep", dir);

    must(fdio_make_dirs(sub, 0700, err));
    write_file(dir, "run", "#!/bin/sh\necho hello\n", 0700);
    write_file(dir, "lib/data", "data", 0640);
    write_file(sub, "more", "", 0600);
}

static void pack_depends_on_content_alone(void **state)
{
    CLEAN_MEM char *one = fresh_dir("one"), *two = fresh_dir("two");
    CLEAN_MEM char *pack = mem_printf("%s/pack", top);
    char first[DIGEST_SIZE], second[DIGEST_SIZE];

    (void)state;
    fill_tree(one);
    fill_tree(two);
    CLEAN_MEM char *data = mem_printf("%s/lib/data", two);
    assert_int_equal(chmod(data, 0444), 0);
    assert_int_equal(utimensat(AT_FDCWD, data,
                               (struct timespec[]){
                                   {1, 0},
                                   {2, 0}
    },
                               0),
                     0);
    must(pack_make(one, pack, first, err));
    must(pack_make(two, pack, second, err));
    assert_string_equal(first, second);
    write_file(two, "lib/data", "datb", 0640);
    must(pack_make(two, pack, second, err));
    assert_string_not_equal(first, second);
}

static void pack_and_extract_round_trip(void **state)
{
    CLEAN_MEM char *from = fresh_dir("from"), *to = fresh_dir("to");
    CLEAN_MEM char *pack = mem_printf("%s/pack", top), *again = mem_printf("%s/again", top);
    CLEAN_MEM char *run = mem_printf("%s/run", to);
    char first[DIGEST_SIZE], second[DIGEST_SIZE];
    struct stat st;

    (void)state;
    fill_tree(from);
    CLEAN_MEM char *link = mem_printf("%s/link", from);
    assert_int_equal(symlink("run", link), 0); /* packed as the file it points to */
    must(pack_make(from, pack, first, err));
    must(pack_extract(pack, to, err));
    assert_int_equal(stat(run, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0755);
    must(pack_make(to, again, second, err));
    assert_string_equal(first, second);

    CLEAN_MEM char *file = mem_printf("%s/run", from), *alone = fresh_dir("alone");
    must(pack_make(file, pack, first, err)); /* one file, under its own name */
    must(pack_extract(pack, alone, err));
    CLEAN_MEM char *there = mem_printf("%s/run", alone);
    assert_int_equal(access(there, X_OK), 0);
}

static void pack_refuses_what_is_no_file(void **state)
{
    CLEAN_MEM char *dir = fresh_dir("odd"), *pack = mem_printf("%s/pack", top);
    CLEAN_MEM char *fifo = mem_printf("%s/fifo", dir), *link = mem_printf("%s/loop", dir);
    char digest[DIGEST_SIZE];

    (void)state;
    assert_int_equal(mkfifo(fifo, 0600), 0);
    must_fail(pack_make(dir, pack, digest, err), ERR_INPUT, "fifo");
    assert_int_equal(unlink(fifo), 0);
    assert_int_equal(symlink("..", link), 0);
    must_fail(pack_make(dir, pack, digest, err), ERR_INPUT, "loop");
}

/* ---- attacks ---- */

struct attack {
    const char *name;
    unsigned type;
    const char *link; /* target */
    bool is_hard;
    const char *words; /* of the refusal */
};

static void add_entry(struct archive *archive, const struct attack *attack)
{
    struct archive_entry *entry = archive_entry_new();

    archive_entry_set_pathname(entry, attack->name);
    archive_entry_set_filetype(entry, attack->type);
    archive_entry_set_perm(entry, 04777);
    if (attack->link && attack->is_hard)
        archive_entry_set_hardlink(entry, attack->link);
    else if (attack->link)
        archive_entry_set_symlink(entry, attack->link);
    if (attack->type == AE_IFREG && !attack->link) {
        archive_entry_set_size(entry, 4);
        assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
        assert_int_equal(archive_write_data(archive, "evil", 4), 4);
    } else {
        archive_entry_set_size(entry, 0);
        assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    }
    archive_entry_free(entry);
}

static void write_attack(const char *path, const struct attack *v, size_t n)
{
    struct archive *archive = archive_write_new();

    assert_int_equal(archive_write_set_format_pax_restricted(archive), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
    for (size_t i = 0; i < n; i++)
        add_entry(archive, &v[i]);
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
}

static void extraction_refuses_attacks(void **state)
{
    static const struct attack attacks[] = {
        {"../evil",      AE_IFREG, NULL,          false, "climbs"  },
        {"a/../../evil", AE_IFREG, NULL,          false, "climbs"  },
        {"a/..",         AE_IFDIR, NULL,          false, "climbs"  },
        {"/tmp/evil",    AE_IFREG, NULL,          false, "absolute"},
        {"link",         AE_IFLNK, "/etc/passwd", false, "a link"  },
        {"link",         AE_IFLNK, "..",          false, "a link"  },
        {"hard",         AE_IFREG, "/etc/passwd", true,  "a link"  },
        {"fifo",         AE_IFIFO, NULL,          false, "neither" },
        {"device",       AE_IFCHR, NULL,          false, "neither" },
        {"block",        AE_IFBLK, NULL,          false, "neither" },
    };
    CLEAN_MEM char *pack = mem_printf("%s/attack", top);

    (void)state;
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
        CLEAN_MEM char *to = fresh_dir("victim/inner");
        CLEAN_MEM char *outside = mem_printf("%s/victim/evil", top);

        write_attack(pack, &attacks[i], 1);
        must_fail(pack_extract(pack, to, err), ERR_INPUT, attacks[i].words);
        assert_int_equal(access(outside, F_OK), -1);
    }
}

static void extraction_refuses_a_file_twice_and_clears_setuid(void **state)
{
    static const struct attack once[] = {
        {"a", AE_IFREG, NULL, false, NULL}
    };
    static const struct attack twice[] = {
        {"a",   AE_IFREG, NULL, false, NULL},
        {"./a", AE_IFREG, NULL, false, NULL}
    };
    CLEAN_MEM char *pack = mem_printf("%s/attack", top), *to = fresh_dir("victim");
    CLEAN_MEM char *file = mem_printf("%s/a", to);
    struct stat st;

    (void)state;
    write_attack(pack, once, 1);
    must(pack_extract(pack, to, err));
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0755);
    CLEAN_MEM char *again = fresh_dir("victim");
    write_attack(pack, twice, 2);
    must_fail(pack_extract(pack, again, err), ERR_INPUT, "twice");
}

static void extraction_does_not_follow_a_link_that_is_there(void **state)
{
    static const struct attack through[] = {
        {"door/evil", AE_IFREG, NULL, false, NULL}
    };
    CLEAN_MEM char *pack = mem_printf("%s/attack", top), *to = fresh_dir("victim/inner");
    CLEAN_MEM char *door = mem_printf("%s/door", to), *evil = mem_printf("%s/victim/evil", top);

    (void)state;
    assert_int_equal(symlink("..", door), 0);
    write_attack(pack, through, 1);
    must_fail(pack_extract(pack, to, err), ERR_SYS, "door");
    assert_int_equal(access(evil, F_OK), -1);
}

static void extraction_of_rubbish_fails(void **state)
{
    CLEAN_MEM char *to = fresh_dir("victim"), *pack = mem_printf("%s/rubbish", top);

    (void)state;
    write_file(top, "rubbish", "this is no tar at all, whatever it says", 0600);
    must_fail(pack_extract(pack, to, err), ERR_INPUT, "tar");
}

/* ---- the stage ---- */

static void feed(struct stage *stage, const char *digest, const struct str *bytes, size_t piece,
                 int want_last)
{
    uint64_t offset;

    must(stage_fetch_begin(stage, digest, &offset, err));
    for (int rc = 0; rc == 0;) {
        struct wire_chunk chunk = {.offset = offset, .total = bytes->length};
        const size_t left = bytes->length - (size_t)offset;

        memcpy(chunk.digest, digest, DIGEST_SIZE);
        chunk.length = left < piece ? left : piece;
        chunk.bytes = bytes->text + offset;
        rc = stage_fetch_take(stage, &chunk, &offset, NULL);
        if (offset >= bytes->length || rc != 0)
            assert_int_equal(rc, want_last);
    }
}

static void stage_fetches_checks_and_keeps(void **state)
{
    CLEAN_MEM char *tree = fresh_dir("tree"), *pack = mem_printf("%s/pack", top);
    CLEAN_MEM char *home = fresh_dir("state");
    CLEAN(stage) struct stage *stage = NULL;
    CLEAN_DONE(str) struct str bytes = {0};
    char digest[DIGEST_SIZE];

    (void)state;
    fill_tree(tree);
    must(pack_make(tree, pack, digest, err));
    must(fdio_read_file(pack, 1 << 24, &bytes, err));
    must(stage_open(home, &stage, err));
    assert_false(stage_holds(stage, digest));
    feed(stage, digest, &bytes, 1000, STAGE_DONE);
    assert_true(stage_holds(stage, digest));

    CLEAN_MEM char *kept = mem_printf("%s/artefacts/%s", home, digest);
    CLEAN_FD int fd = open(kept, O_RDWR | O_CLOEXEC);
    assert_int_equal(pwrite(fd, "X", 1, 700), 1); /* one byte on disk is wrong */
    assert_false(stage_holds(stage, digest));
    assert_int_equal(access(kept, F_OK), -1);

    bytes.text[700] = (char)(bytes.text[700] ^ 1); /* one bit on the way is wrong */
    feed(stage, digest, &bytes, 100000, -1);
    assert_false(stage_holds(stage, digest));
}

static void work_directories_are_padded_to_the_byte(void **state)
{
    CLEAN_MEM char *home = fresh_dir("state");
    CLEAN(stage) struct stage *stage = NULL;
    CLEAN(experiment) struct experiment *experiment = experiment_new();

    (void)state;
    experiment->variant = mem_array(struct variant, 2);
    experiment->n_variants = 2;
    experiment->variant[0].name = mem_strdup("short");
    experiment->variant[1].name = mem_strdup("much-longer-name");
    must(stage_open(home, &stage, err));
    must(stage_work(stage, experiment, err));
    const size_t plain = strlen(stage_dir(stage, 0));
    for (uint32_t bytes = 0; bytes <= 200; bytes += 25) {
        must(stage_pad(stage, bytes, err));
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(strlen(stage_dir(stage, i)), plain + bytes);
            assert_int_equal(access(stage_dir(stage, i), X_OK), 0);
        }
    }
    stage_clear(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pack_depends_on_content_alone),
        cmocka_unit_test(pack_and_extract_round_trip),
        cmocka_unit_test(pack_refuses_what_is_no_file),
        cmocka_unit_test(extraction_refuses_attacks),
        cmocka_unit_test(extraction_refuses_a_file_twice_and_clears_setuid),
        cmocka_unit_test(extraction_does_not_follow_a_link_that_is_there),
        cmocka_unit_test(extraction_of_rubbish_fails),
        cmocka_unit_test(stage_fetches_checks_and_keeps),
        cmocka_unit_test(work_directories_are_padded_to_the_byte),
    };
    return cmocka_run_group_tests(tests, make_top, drop_top);
}
