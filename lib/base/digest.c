/* SPDX-License-Identifier: GPL-3.0-or-later
 * SHA-256 by OpenSSL's EVP interface, CRC32C by a table of nibbles (spool records are small).
 * OpenSSL fails here only when it has no memory, which ends the process as elsewhere. */
#include "base/digest.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* OpenSSL has a type of the name of one of our error codes; here we need neither. */
#define ERR_STATE openssl_ERR_STATE
#include <openssl/evp.h>
#undef ERR_STATE

struct digest {
    EVP_MD_CTX *ctx;
};

static void must(int ok)
{
    if (!ok)
        abort();
}

struct digest *digest_new(void)
{
    struct digest *digest = mem_new(struct digest);

    digest->ctx = EVP_MD_CTX_new();
    must(digest->ctx != NULL);
    must(EVP_DigestInit_ex(digest->ctx, EVP_sha256(), NULL));
    return digest;
}

void digest_add(struct digest *digest, const void *bytes, size_t length)
{
    must(EVP_DigestUpdate(digest->ctx, bytes, length));
}

void digest_end(struct digest *digest, char ret[DIGEST_SIZE])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char sum[(DIGEST_SIZE - 1) / 2];

    must(EVP_DigestFinal_ex(digest->ctx, sum, NULL));
    EVP_MD_CTX_free(digest->ctx);
    mem_free(digest);
    for (size_t i = 0; i < sizeof sum; i++) {
        ret[2 * i] = hex[sum[i] >> 4];
        ret[2 * i + 1] = hex[sum[i] & 15];
    }
    ret[DIGEST_SIZE - 1] = '\0';
}

void digest_bytes(const void *bytes, size_t length, char ret[DIGEST_SIZE])
{
    struct digest *digest = digest_new();

    digest_add(digest, bytes, length);
    digest_end(digest, ret);
}

int digest_fd(int fd, char ret[DIGEST_SIZE], struct err *err)
{
    enum { CHUNK = 64 * 1024 };
    CLEAN_MEM char *buffer = mem_array(char, CHUNK);
    struct digest *digest = digest_new();
    char sum[DIGEST_SIZE];
    ssize_t n;

    while ((n = read(fd, buffer, CHUNK)) != 0) {
        if (n > 0)
            digest_add(digest, buffer, (size_t)n);
        else if (errno != EINTR)
            break;
    }
    const int failed = errno;
    digest_end(digest, sum);
    errno = failed;
    if (n < 0)
        return err_sys(err, "read for a digest");
    memcpy(ret, sum, sizeof sum);
    return 0;
}

bool digest_is_valid(const char *text)
{
    return strspn(text, "0123456789abcdef") == DIGEST_SIZE - 1 && text[DIGEST_SIZE - 1] == '\0';
}

uint32_t digest_crc32c(uint32_t crc, const void *bytes, size_t length)
{
    /* Reflected polynomial 0x82f63b78, four bits at a time. */
    static const uint32_t nibble[16] = {
        0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
        0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
        0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
    };
    const unsigned char *p = bytes;

    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= p[i];
        crc = crc >> 4 ^ nibble[crc & 15];
        crc = crc >> 4 ^ nibble[crc & 15];
    }
    return ~crc;
}
