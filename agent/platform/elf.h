/* SPDX-License-Identifier: GPL-3.0-or-later
 * What an ELF file says of itself: its build-id, and a text inside it. */
#pragma once
#include "agent/platform/platform.h"

/* The GNU build-id as hex; false when the file is no 64-bit ELF of this byte order, or has none. */
bool elf_build_id(const struct platform *platform, const char *path, struct str *ret);
/* The first printable text in the file that begins with prefix, up to a control byte (at most 200
 * bytes). The file may have up to 16 MiB. */
bool elf_find_text(const struct platform *platform, const char *path, const char *prefix,
                   struct str *ret);
