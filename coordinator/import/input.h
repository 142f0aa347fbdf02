/* SPDX-License-Identifier: GPL-3.0-or-later
 * A file to be read more than once: what cannot be rewound is copied to one that can. */
#pragma once
#include "base/err.h"

/* A descriptor at the beginning of the file; "-" is standard input. name: what messages call it. -1
 * and err when there is none. The caller closes it. */
MUST_CHECK int input_open(const char *path, const char *name, struct err *err);
