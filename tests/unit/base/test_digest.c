/* SPDX-License-Identifier: GPL-3.0-or-later
 * SHA-256 and CRC32C against published values. */
#include "base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "base/mem.h"

static const char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

static void sha256_of_published_messages(void **state)
{
    (void)state;
    char got[DIGEST_SIZE];

    digest_bytes("", 0, got);
    assert_string_equal(got, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    digest_bytes("abc", 3, got);
    assert_string_equal(got, abc);
    /* FIPS 180-4: a million times "a" */
    CLEAN_MEM char *million = mem_alloc(1000000, 1);
    memset(million, 'a', 1000000);
    digest_bytes(million, 1000000, got);
    assert_string_equal(got, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void pieces_give_the_same_digest(void **state)
{
    (void)state;
    char got[DIGEST_SIZE];
    struct digest *digest = digest_new();

    digest_add(digest, "a", 1);
    digest_add(digest, "", 0);
    digest_add(digest, "bc", 2);
    digest_end(digest, got);
    assert_string_equal(got, abc);
}

static void descriptor_is_read_from_its_offset(void **state)
{
    (void)state;
    int fds[2];
    char got[DIGEST_SIZE] = "kept";
    char first;
    struct err err = {0};

    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "xabc", 4), 4);
    close(fds[1]);
    assert_int_equal(read(fds[0], &first, 1), 1);
    assert_int_equal(digest_fd(fds[0], got, &err), 0);
    assert_string_equal(got, abc);
    close(fds[0]);
    memcpy(got, "kept", sizeof "kept");
    assert_int_equal(digest_fd(-1, got, &err), -1);
    assert_int_equal(err.code, ERR_SYS);
    assert_string_equal(got, "kept");
}

static void only_64_lower_hex_digits_are_a_digest(void **state)
{
    (void)state;
    char text[DIGEST_SIZE + 1];

    assert_true(digest_is_valid(abc));
    assert_false(digest_is_valid(""));
    assert_false(digest_is_valid(abc + 1));
    memcpy(text, abc, sizeof abc);
    text[0] = 'B';
    assert_false(digest_is_valid(text));
    memcpy(text, abc, sizeof abc);
    text[64] = '0';
    text[65] = '\0';
    assert_false(digest_is_valid(text));
}

static void crc32c_of_published_vectors(void **state)
{
    (void)state;
    unsigned char bytes[32];

    /* RFC 3720, B.4 */
    assert_int_equal(digest_crc32c(0, "123456789", 9), 0xe3069283);
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(digest_crc32c(0, bytes, sizeof bytes), 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(digest_crc32c(0, bytes, sizeof bytes), 0x62a8ab43);
    for (int i = 0; i < 32; i++)
        bytes[i] = (unsigned char)i;
    assert_int_equal(digest_crc32c(0, bytes, sizeof bytes), 0x46dd794e);
    assert_int_equal(digest_crc32c(digest_crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
    assert_int_equal(digest_crc32c(0, NULL, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_of_published_messages),
        cmocka_unit_test(pieces_give_the_same_digest),
        cmocka_unit_test(descriptor_is_read_from_its_offset),
        cmocka_unit_test(only_64_lower_hex_digits_are_a_digest),
        cmocka_unit_test(crc32c_of_published_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
