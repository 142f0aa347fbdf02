/* SPDX-License-Identifier: GPL-3.0-or-later
 * Reading numbers. Where the digits fit 2^53 and the power of ten is at most 22, both are exact
 * doubles, so one product or quotient is the correctly rounded result (Clinger 1990); all else goes
 * to the strict reader of the base library. */
#include "coordinator/import/number.h"

#include <stdbool.h>
#include <strings.h>

#include "base/str.h"

#define EXACT_DIGITS (UINT64_C(1) << 53)
#define EXACT_POWER 22

struct decimal {
    bool negative;
    uint64_t digits; /* without the point */
    int power;       /* of ten */
    bool exact;      /* digits did not overflow */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void add_digit(struct decimal *d, char c)
{
    if (d->digits > (UINT64_MAX - 9) / 10)
        d->exact = false;
    else
        d->digits = d->digits * 10 + (uint64_t)(c - '0');
}

/* The exponent behind an e; NULL when there is none. Huge ones are clamped, they leave the exact
 * path anyway. */
static const char *parse_exponent(const char *p, const char *end, struct decimal *d)
{
    bool negative = p < end && *p == '-';
    int power = 0;

    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || !is_digit(*p))
        return NULL;
    for (; p < end && is_digit(*p); p++)
        power = power > 99999 ? power : power * 10 + (*p - '0');
    d->power += negative ? -power : power;
    return p;
}

static bool parse(const char *p, const char *end, struct decimal *d)
{
    const char *digits = NULL;
    bool some = false;

    d->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (digits = p; p < end && is_digit(*p); p++)
        add_digit(d, *p);
    some = p > digits;
    if (p < end && *p == '.') {
        for (digits = ++p; p < end && is_digit(*p); p++)
            add_digit(d, *p);
        some = some || p > digits;
        d->power -= (int)(p - digits);
    }
    if (some && p < end && (*p == 'e' || *p == 'E'))
        p = parse_exponent(p + 1, end, d);
    return some && p == end;
}

static enum number_kind classify_words(const char *text)
{
    static const char *const words[] = {"nan", "inf", "infinity"};

    text += *text == '-' || *text == '+';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i]) == 0)
            return NUMBER_NOT_FINITE;
    }
    return NUMBER_NONE;
}

enum number_kind number_read(const char *text, size_t length, double *ret)
{
    static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct decimal d = {.exact = true};
    struct err err = {0};
    double value = 0;

    if (!parse(text, text + length, &d))
        return classify_words(text);
    if (d.exact && d.digits <= EXACT_DIGITS && d.power >= -EXACT_POWER && d.power <= EXACT_POWER) {
        value = (double)d.digits;
        value = d.power < 0 ? value / power_of_ten[-d.power] : value * power_of_ten[d.power];
        *ret = d.negative ? -value : value;
        return NUMBER_OK;
    }
    if (str_to_double(text + (*text == '+'), ret, &err) < 0)
        return err.code == ERR_LIMIT ? NUMBER_RANGE : NUMBER_NONE;
    return NUMBER_OK;
}

const char *number_complaint(enum number_kind kind)
{
    switch (kind) {
    case NUMBER_NOT_FINITE:
        return "not a finite number";
    case NUMBER_RANGE:
        return "out of range";
    case NUMBER_OK:
    case NUMBER_NONE:
        break;
    }
    return "not a decimal number";
}

int number_read_whole(const char *text, size_t length, uint32_t *ret)
{
    uint64_t value = 0;

    if (length == 0 || length > 10)
        return -1;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i]))
            return -1;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    if (value >= UINT32_MAX)
        return -1;
    *ret = (uint32_t)value;
    return 0;
}
