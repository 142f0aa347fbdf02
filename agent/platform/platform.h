/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The host as the agent reads it. All of /proc, /sys and /etc is read below one root path, so that
 * a canned tree of small text files stands in for another machine in tests. What the system can
 * only be asked by a call (CPUID, uname, statfs) is asked of the live host alone; a canned tree
 * answers from files of its own (cpuid.txt, uname.txt).
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct platform {
    char *root; /* "" for this machine */
};
/* The host below root; "" or NULL is this machine. */
void platform_init(struct platform *platform, const char *root);
void platform_done(struct platform *platform);
bool platform_is_live(const struct platform *platform);

/* Whole file, at most 1 MiB, without trailing white space. False when it cannot be read: ret is
 * then empty. */
bool platform_text(const struct platform *platform, const char *path, struct str *ret);
/* First number in the file ("max" and the like: false). */
bool platform_number(const struct platform *platform, const char *path, double *ret);
/* Where a symbolic link points; false when there is none. */
bool platform_link(const struct platform *platform, const char *path, struct str *ret);
/* Names in a directory, sorted by bytes, without . and ..; empty when unreadable. */
void platform_names(const struct platform *platform, const char *path, struct strlist *ret);
bool platform_exists(const struct platform *platform, const char *path);
/* The path below the root, owned by the caller: for what must be opened. */
char *platform_path(const struct platform *platform, const char *path);

/* Registers eax, ebx, ecx, edx of a CPUID leaf. False on other architectures, for a leaf the CPU
 * has not, and in canned trees without cpuid.txt. */
bool platform_cpuid(const struct platform *platform, uint32_t leaf, uint32_t subleaf,
                    uint32_t ret[4]);
/* uname -m. */
bool platform_machine(const struct platform *platform, struct str *ret);

/* Value of "NAME: value" or "NAME=value" (quotes taken off) at a line's start in text; false when
 * absent. The separator may be preceded by blanks. */
bool platform_field(const char *text, const char *name, char separator, struct str *ret);
