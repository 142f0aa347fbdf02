/* SPDX-License-Identifier: GPL-3.0-or-later
 * --log-level of the daemons. */
#pragma once
#include "base/log.h"

#define LOG_LEVEL_WORDS "debug|info|warn|error"
/* NULL: info. */
enum log_level log_level_of(const char *word);
