/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words of --log-level.
 */
#include "cli/log_level.h"

#include "base/str.h"

enum log_level log_level_of(const char *word)
{
    static const char *const words[] = {"debug", "info", "warn", "error"};

    for (int i = 0; word && i < 4; i++) {
        if (str_eq(word, words[i]))
            return (enum log_level)i;
    }
    return LOG_INFO;
}
