/* SPDX-License-Identifier: GPL-3.0-or-later
 * SHA-256 as lower-case hex (OpenSSL EVP; its only user besides sign.c) and CRC32C for spool
 * records. */
#pragma once
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGEST_SIZE 65 /* 64 hex digits and NUL */
struct digest;         /* a running SHA-256 */
struct digest *digest_new(void);
void digest_add(struct digest *digest, const void *bytes, size_t length);
void digest_end(struct digest *digest, char ret[DIGEST_SIZE]); /* frees digest */
void digest_bytes(const void *bytes, size_t length, char ret[DIGEST_SIZE]);
MUST_CHECK int digest_fd(int fd, char ret[DIGEST_SIZE],
                         struct err *err); /* from the current offset to the end */
bool digest_is_valid(const char *text);
/* CRC32C (Castagnoli), start with crc = 0. */
uint32_t digest_crc32c(uint32_t crc, const void *bytes, size_t length);
