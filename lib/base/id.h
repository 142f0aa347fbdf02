/* SPDX-License-Identifier: GPL-3.0-or-later
 * Random identifiers (sessions, tokens): 128 bits from the system's generator as 32 hex digits. */
#pragma once
#include <stdbool.h>

#define ID_SIZE 33
void id_new(char ret[ID_SIZE]);
bool id_is_valid(const char *text);
