/* SPDX-License-Identifier: GPL-3.0-or-later
 * One line per event, written by one write(2) so that lines of threads and processes do not mix.
 * The level and the process's name are set at start, before there are threads. */
#include "base/log.h"

#include "base/clk.h"
#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { LINE_BYTES = 4096 };

static enum log_level least_level = LOG_INFO;
static char process_name[64] = "muster";

void log_set_level(enum log_level level)
{
    least_level = level;
}

void log_set_name(const char *process)
{
    snprintf(process_name, sizeof process_name, "%s", process);
}

static void write_line(enum log_level level, const char *text, const char *fields)
{
    static const char *const words[] = {"debug", "info", "warn", "error"};
    CLEAN_DONE(str) struct str line = {0};
    CLEAN_MEM char *shown = str_visible(text, LINE_BYTES);
    char when[32];
    const int kept = errno;

    clk_iso(clk_wall_us(), when);
    str_addf(&line, "%s %-5s %s: %s%s\n", when, words[level], process_name, shown, fields);
    if (write(STDERR_FILENO, line.text, line.length) < 0)
        errno = kept; /* nowhere left to say so */
    errno = kept;
}

void log_at(enum log_level level, const char *fmt, ...)
{
    if (level < least_level)
        return;
    char text[LINE_BYTES];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    write_line(level, text, "");
}

void log_err(enum log_level level, const struct err *err, const char *fmt, ...)
{
    if (level < least_level)
        return;
    CLEAN_DONE(str) struct str text = {0};
    char context[LINE_BYTES], fields[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(context, sizeof context, fmt, args);
    va_end(args);
    str_addf(&text, "%s: %s", context, err->text);
    snprintf(fields, sizeof fields, " code=\"%s\" at=%s:%d", err_code_name(err->code),
             err->file ? err->file : "?", err->line);
    write_line(level, text.text, fields);
}
