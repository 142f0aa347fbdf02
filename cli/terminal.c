/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks the terminal and the environment.
 */
#define _DEFAULT_SOURCE /* struct winsize */
#include "cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"

unsigned terminal_width(int fd)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    uint64_t value;

    if (columns && str_to_u64(columns, &value, NULL) == 0 && value >= 20 && value <= 10000)
        return (unsigned)value;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 80;
}

static bool is_dumb(void)
{
    const char *term = getenv("TERM");

    return !term || !term[0] || strcmp(term, "dumb") == 0;
}

bool terminal_redraws(int fd)
{
    return isatty(fd) && !is_dumb();
}

bool terminal_colour(int fd)
{
    const char *no_color = getenv("NO_COLOR");

    return terminal_redraws(fd) && !(no_color && no_color[0]);
}

bool terminal_ascii(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);

        if (value && value[0])
            return !strstr(value, "UTF-8") && !strstr(value, "utf8") && !strstr(value, "UTF8") &&
                   !strstr(value, "utf-8");
    }
    return false; /* nothing is said: the world is UTF-8 */
}

void cli_add_terminal(struct strmap *arg)
{
    char width[16];

    (void)snprintf(width, sizeof(width), "%u", terminal_width(STDOUT_FILENO));
    strmap_set(arg, "width", width);
    if (terminal_colour(STDOUT_FILENO))
        strmap_set(arg, "colour", "1");
    if (terminal_ascii())
        strmap_set(arg, "ascii", "1");
}
