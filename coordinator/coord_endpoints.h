/* SPDX-License-Identifier: GPL-3.0-or-later
 * The endpoints file: what a coordinator bound and its public key, written after binding, for
 * command lines and tests. */
#pragma once
#include "base/err.h"

/* Mode 0600, atomic. */
MUST_CHECK int coord_endpoints_save(const char *path, const char *agents, const char *users,
                                    const char *key, struct err *err);
