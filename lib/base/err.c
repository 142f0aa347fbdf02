/* SPDX-License-Identifier: GPL-3.0-or-later
 * Fills, wraps and names errors. Text is made safe for one line of a terminal here, once, so that
 * nobody else has to think of it. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const code_words[] = {
#define ERR_CODE(name, word) word,
#include "base/err_codes.def"
#undef ERR_CODE
};

/* Copies from to at the end of err->text, control bytes as \xNN, cut at a whole character. */
static void put_visible(struct err *err, const char *from)
{
    const size_t room = sizeof err->text - 1;
    size_t used = 0;

    for (const unsigned char *p = (const unsigned char *)from; *p; p++) {
        char piece[5] = {(char)*p, 0, 0, 0, 0};

        if (*p < 0x20 || *p == 0x7f)
            snprintf(piece, sizeof piece, "\\x%02x", *p);
        const size_t n = strlen(piece);
        if (used + n > room)
            break;
        memcpy(err->text + used, piece, n);
        used += n;
    }
    /* A cut may have left the first bytes of a longer character. */
    size_t back = used;
    while (back > 0 && used - back < 3 && ((unsigned char)err->text[back - 1] & 0xc0) == 0x80)
        back--;
    if (back > 0) {
        const unsigned char lead = (unsigned char)err->text[back - 1];
        const size_t want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
        if (used - back + 1 < want)
            used = back - 1;
    }
    err->text[used] = '\0';
}

int err_set_at(struct err *err, enum err_code code, int sys_errno, const char *file, int line,
               const char *fmt, ...)
{
    if (!err)
        return -1;
    char raw[sizeof err->text];
    va_list args;

    va_start(args, fmt);
    vsnprintf(raw, sizeof raw, fmt, args);
    va_end(args);
    if (sys_errno) {
        char words[128] = "";
        const size_t used = strlen(raw);

        if (strerror_r(sys_errno, words, sizeof words) != 0)
            snprintf(words, sizeof words, "error %d", sys_errno);
        snprintf(raw + used, sizeof raw - used, ": %s", words);
    }
    err->code = code;
    err->sys_errno = sys_errno;
    err->file = file;
    err->line = line;
    put_visible(err, raw);
    return -1;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
    if (!err)
        return -1;
    char raw[2 * sizeof err->text];
    va_list args;

    va_start(args, fmt);
    vsnprintf(raw, sizeof err->text, fmt, args);
    va_end(args);
    const size_t used = strlen(raw);
    snprintf(raw + used, sizeof raw - used, ": %s", err->text);
    put_visible(err, raw);
    return -1;
}

const char *err_code_name(enum err_code code)
{
    const size_t n = sizeof code_words / sizeof code_words[0];

    return (size_t)code < n ? code_words[code] : "unknown";
}
