/* SPDX-License-Identifier: GPL-3.0-or-later
 * What muster asks of a piece of text: is it UTF-8, is it a safe name, how wide is it, which known
 * word is near. */
#include "base/str.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 128 /* LIMIT_NAME of model/limits.h, which lies above this layer */
#define NEAREST_MAX 64     /* longer words are not worth guessing at */

bool str_eq(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool str_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *text, const char *suffix)
{
    const size_t n = strlen(text), m = strlen(suffix);

    return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

/* Reads one character of at most left bytes. Returns its length, 0 when the bytes are no UTF-8. */
static size_t decode(const unsigned char *p, size_t left, uint32_t *ret)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n;

    if (p[0] < 0x80) {
        *ret = p[0];
        return 1;
    }
    if (p[0] >= 0xc2 && p[0] < 0xe0)
        n = 2;
    else if (p[0] >= 0xe0 && p[0] < 0xf0)
        n = 3;
    else if (p[0] >= 0xf0 && p[0] < 0xf5)
        n = 4;
    else
        return 0;
    if (n > left)
        return 0;
    uint32_t c = p[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *ret = c;
    return n;
}

bool str_is_utf8(const void *bytes, size_t length)
{
    const unsigned char *p = bytes;
    uint32_t c;

    for (size_t i = 0; i < length;) {
        const size_t n = decode(p + i, length - i, &c);
        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

bool str_has_control(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text;

    for (size_t i = 0; i < length; i++) {
        if (p[i] < 0x20 || p[i] == 0x7f)
            return true;
        if (p[i] == 0xc2 && i + 1 < length && p[i + 1] >= 0x80 && p[i + 1] < 0xa0)
            return true;
    }
    return false;
}

bool str_is_name(const char *text)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@-";
    const size_t n = strnlen(text, NAME_MAX_BYTES + 1);

    if (n == 0 || n > NAME_MAX_BYTES || text[0] == '-' || text[0] == '.')
        return false;
    return strspn(text, allowed) == n;
}

char *str_visible(const char *text, size_t max)
{
    const unsigned char *p = (const unsigned char *)text;
    const size_t length = strlen(text);
    struct str out = {0};
    size_t i = 0;

    while (i < length) {
        uint32_t c = 0;
        const size_t n = decode(p + i, length - i, &c);

        if (i + (n ? n : 1) > max) {
            str_add(&out, "…");
            break;
        }
        if (n == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0)) {
            for (size_t k = 0; k < (n ? n : 1); k++)
                str_addf(&out, "\\x%02x", p[i + k]);
        } else {
            str_add_bytes(&out, text + i, n);
        }
        i += n ? n : 1;
    }
    return str_take(&out);
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours; letters compare without case. */
static size_t edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[3][NEAREST_MAX + 1];

    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *before = row[(i + 2) % 3], *older = row[(i + 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);

            now[j] = least_of(before[j] + 1, now[j - 1] + 1);
            now[j] = least_of(now[j], before[j - 1] + !same);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                now[j] = least_of(now[j], older[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

const char *str_nearest(const char *text, const char *const *known, size_t n_known)
{
    const size_t n = strnlen(text, NEAREST_MAX + 1);
    const char *best = NULL;
    size_t best_distance = n < 3 ? 2 : n / 3 + 2; /* must be below this */

    if (n == 0 || n > NEAREST_MAX)
        return NULL;
    for (size_t i = 0; i < n_known; i++) {
        const size_t m = strnlen(known[i], NEAREST_MAX + 1);
        if (m == 0 || m > NEAREST_MAX)
            continue;
        const size_t distance = edit_distance(text, n, known[i], m);
        if (distance < best_distance && distance < n && distance < m) {
            best = known[i];
            best_distance = distance;
        }
    }
    return best;
}

struct range {
    uint32_t first, last;
};
/* Marks that stand on the character before them, and characters without a width (Unicode categories
 * Mn, Me, Cf). */
static const struct range no_width[] = {
    {0x0300,  0x036f },
    {0x0483,  0x0489 },
    {0x0591,  0x05bd },
    {0x05bf,  0x05bf },
    {0x05c1,  0x05c2 },
    {0x05c4,  0x05c5 },
    {0x0610,  0x061a },
    {0x064b,  0x065f },
    {0x0670,  0x0670 },
    {0x06d6,  0x06dc },
    {0x06df,  0x06e4 },
    {0x0900,  0x0902 },
    {0x093c,  0x093c },
    {0x0941,  0x0948 },
    {0x094d,  0x094d },
    {0x0e31,  0x0e31 },
    {0x0e34,  0x0e3a },
    {0x0e47,  0x0e4e },
    {0x1ab0,  0x1aff },
    {0x1dc0,  0x1dff },
    {0x200b,  0x200f },
    {0x202a,  0x202e },
    {0x2060,  0x2064 },
    {0x20d0,  0x20f0 },
    {0x302a,  0x302d },
    {0x3099,  0x309a },
    {0xfe00,  0xfe0f },
    {0xfe20,  0xfe2f },
    {0xfeff,  0xfeff },
    {0xe0100, 0xe01ef},
};
/* East Asian wide and full-width characters, and emoji shown as such. */
static const struct range two_wide[] = {
    {0x1100,  0x115f },
    {0x231a,  0x231b },
    {0x2329,  0x232a },
    {0x23e9,  0x23ec },
    {0x25fd,  0x25fe },
    {0x2614,  0x2615 },
    {0x2648,  0x2653 },
    {0x26a1,  0x26a1 },
    {0x26bd,  0x26be },
    {0x2705,  0x2705 },
    {0x274c,  0x274c },
    {0x2753,  0x2755 },
    {0x2795,  0x2797 },
    {0x2e80,  0x303e },
    {0x3041,  0x3247 },
    {0x3250,  0x4dbf },
    {0x4e00,  0xa4cf },
    {0xa960,  0xa97f },
    {0xac00,  0xd7a3 },
    {0xf900,  0xfaff },
    {0xfe30,  0xfe6f },
    {0xff01,  0xff60 },
    {0xffe0,  0xffe6 },
    {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff},
    {0x1f900, 0x1f9ff},
    {0x20000, 0x3fffd},
};

static bool within(uint32_t c, const struct range *ranges, size_t n)
{
    for (size_t i = 0; i < n && ranges[i].first <= c; i++)
        if (c <= ranges[i].last)
            return true;
    return false;
}

size_t str_columns(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    const size_t length = strlen(text);
    size_t columns = 0;

    for (size_t i = 0; i < length;) {
        uint32_t c = 0;
        const size_t n = decode(p + i, length - i, &c);

        i += n ? n : 1;
        if (n == 0 || c < 0x300) {
            columns++;
            continue;
        }
        if (within(c, no_width, sizeof no_width / sizeof no_width[0]))
            continue;
        columns += within(c, two_wide, sizeof two_wide / sizeof two_wide[0]) ? 2 : 1;
    }
    return columns;
}
