/* SPDX-License-Identifier: GPL-3.0-or-later
 * CURVE key pairs: made by libzmq, kept in files of mode 0600 that only their owner can read. */
#pragma once
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>

#define KEY_SIZE 41 /* Z85 of 32 bytes, and NUL */
struct keys {
    char public_key[KEY_SIZE];
    char secret_key[KEY_SIZE]; /* never printed, never logged */
};
MUST_CHECK int keys_new(struct keys *ret, struct err *err);
/* File: two lines "public Z85", "secret Z85". Loading refuses a file that others can read
 * (ERR_AUTH). */
MUST_CHECK int keys_save(const struct keys *keys, const char *path, struct err *err);
MUST_CHECK int keys_load(const char *path, struct keys *ret, struct err *err);
/* Loads, or makes and saves when there is no file. */
MUST_CHECK int keys_load_or_new(const char *path, struct keys *ret, struct err *err);
bool keys_is_public(const char *text);
