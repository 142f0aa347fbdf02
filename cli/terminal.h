/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the terminal can do: width, colour, signs beyond ASCII. */
#pragma once
#include <stdbool.h>

/* Columns of the terminal behind fd, $COLUMNS, or 80. */
unsigned terminal_width(int fd);
/* NO_COLOR unset, TERM not dumb, and fd is a terminal. */
bool terminal_colour(int fd);
/* The locale's character set is not UTF-8 (LC_ALL, LC_CTYPE, LANG are read; the locale is not set).
 */
bool terminal_ascii(void);
/* Lines may be redrawn. */
bool terminal_redraws(int fd);
