/* SPDX-License-Identifier: GPL-3.0-or-later
 * Decimal numbers as they stand in files: fast where a double can hold the digits exactly, by the
 * strict reader otherwise. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum number_kind {
    NUMBER_OK,
    NUMBER_NONE,       /* no decimal number: words, hex, trailing units */
    NUMBER_NOT_FINITE, /* NaN or an infinity, in any spelling */
    NUMBER_RANGE       /* too large for a double */
};
/* [+-]digits[.digits][e[+-]digits], nothing before or behind. *ret only on NUMBER_OK. */
enum number_kind number_read(const char *text, size_t length, double *ret);
/* What is wrong, for a message: "not a decimal number", … */
const char *number_complaint(enum number_kind kind);
/* Digits only, at most UINT32_MAX - 1. 0 or -1. */
int number_read_whole(const char *text, size_t length, uint32_t *ret);
