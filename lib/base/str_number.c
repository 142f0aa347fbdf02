/* SPDX-License-Identifier: GPL-3.0-or-later
 * Strict readers of numbers, and the shortest decimal that reads back. Characters are checked
 * before the C library sees them: no hex, no names of infinity, no spaces. The process never calls
 * setlocale, so the point is a point. */
#include "base/str.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 64 /* bytes of a wrong text that a message shows */

static int refuse(struct err *err, const char *text, const char *allowed)
{
    CLEAN_MEM char *shown = str_visible(text, SHOWN);

    return err_set(err, ERR_INPUT, "found \"%s\"; allowed: %s", shown, allowed);
}

static int refuse_size(struct err *err, const char *text, const char *allowed)
{
    CLEAN_MEM char *shown = str_visible(text, SHOWN);

    return err_set(err, ERR_LIMIT, "found \"%s\", which is too large; allowed: %s", shown, allowed);
}

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* Bytes of text that form a decimal number, 0 when it does not begin with one. */
static size_t number_length(const char *text)
{
    const char *p = text;

    if (*p == '-' || *p == '+')
        p++;
    size_t n = digits(p);
    p += n;
    if (*p == '.') {
        const size_t fraction = digits(p + 1);
        n += fraction;
        p += fraction + 1;
    }
    if (n == 0)
        return 0;
    if (*p == 'e' || *p == 'E') {
        const char *q = p + 1;
        if (*q == '-' || *q == '+')
            q++;
        const size_t exponent = digits(q);
        if (exponent)
            p = q + exponent;
    }
    return (size_t)(p - text);
}

static int read_u64(const char *text, size_t length, uint64_t *ret)
{
    uint64_t value = 0;

    for (size_t i = 0; i < length; i++) {
        const uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return -1;
        value = value * 10 + digit;
    }
    *ret = value;
    return 0;
}

int str_to_u64(const char *text, uint64_t *ret, struct err *err)
{
    const size_t n = digits(text);

    if (n == 0 || text[n])
        return refuse(err, text, "a whole number from 0");
    if (read_u64(text, n, ret) < 0)
        return refuse_size(err, text, "a whole number up to 18446744073709551615");
    return 0;
}

int str_to_i64(const char *text, int64_t *ret, struct err *err)
{
    const bool negative = text[0] == '-';
    const char *p = text + negative;
    const size_t n = digits(p);
    uint64_t value = 0;

    if (n == 0 || p[n])
        return refuse(err, text, "a whole number");
    if (read_u64(p, n, &value) < 0 || value > (uint64_t)INT64_MAX + negative)
        return refuse_size(err, text,
                           "a whole number from -9223372036854775808 to 9223372036854775807");
    if (!negative)
        *ret = (int64_t)value;
    else
        *ret = value == 0 ? 0 : -(int64_t)(value - 1) - 1;
    return 0;
}

int str_to_double(const char *text, double *ret, struct err *err)
{
    const size_t n = number_length(text);

    if (n == 0 || text[n])
        return refuse(err, text, "a decimal number");
    const double value = strtod(text, NULL);
    if (!isfinite(value))
        return refuse_size(err, text, "a number within the range of a double");
    *ret = value;
    return 0;
}

/* Splits "1.5ms" into its number and the unit after it. */
static int number_and_unit(const char *text, double *ret, const char **ret_unit)
{
    const size_t n = number_length(text);

    if (n == 0)
        return -1;
    CLEAN_MEM char *number = mem_strndup(text, n);
    *ret = strtod(number, NULL);
    *ret_unit = text + n;
    return 0;
}

int str_to_duration(const char *text, int64_t *ret_ns, struct err *err)
{
    static const char allowed[] =
        "a number and ns, us, ms, s, m, h or d, like 250ms, 60s or 1.5h (seconds without a unit)";
    static const struct {
        const char *unit;
        double ns;
    } units[] = {
        {"ns", 1      },
        {"us", 1e3    },
        {"ms", 1e6    },
        {"s",  1e9    },
        {"",   1e9    },
        {"m",  6e10   },
        {"h",  3.6e12 },
        {"d",  8.64e13},
    };
    double value = 0;
    const char *unit = "";

    if (number_and_unit(text, &value, &unit) < 0 || signbit(value))
        return refuse(err, text, allowed);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(unit, units[i].unit) != 0)
            continue;
        const double ns = value * units[i].ns;
        if (!(ns < 9.2e18))
            return refuse_size(err, text, "a duration up to 290 years");
        *ret_ns = llround(ns);
        return 0;
    }
    return refuse(err, text, allowed);
}

int str_to_fraction(const char *text, double *ret, struct err *err)
{
    double value = 0;
    const char *unit = "";

    if (number_and_unit(text, &value, &unit) < 0 || (strcmp(unit, "%") != 0 && unit[0]))
        return refuse(err, text, "a percentage like 2% or a fraction like 0.02");
    if (!isfinite(value))
        return refuse_size(err, text, "a number within the range of a double");
    *ret = unit[0] ? value / 100 : value;
    return 0;
}

int str_to_bytes(const char *text, uint64_t *ret, struct err *err)
{
    static const char letters[] = "kMGT";
    static const char allowed[] = "a whole number of bytes, with k, M, G or T for powers of 1024";
    const size_t n = digits(text);
    uint64_t value = 0;
    unsigned shift = 0;

    if (n == 0 || (text[n] && text[n + 1]))
        return refuse(err, text, allowed);
    if (text[n]) {
        const char letter = text[n] == 'K' ? 'k' : text[n];
        const char *at = strchr(letters, letter);
        if (!at)
            return refuse(err, text, allowed);
        shift = 10 * (unsigned)(at - letters + 1);
    }
    if (read_u64(text, n, &value) < 0 || value > UINT64_MAX >> shift)
        return refuse_size(err, text, "a number of bytes below 2^64");
    *ret = value << shift;
    return 0;
}

void str_from_double(double value, char ret[32])
{
    if (!isfinite(value)) {
        snprintf(ret, 32, "null");
        return;
    }
    /* 15 digits always survive decimal-double-decimal, so what reads back at 15 has no shorter form
     * with other digits; a subnormal has fewer digits than that and is searched from 1. */
    const int from = value != 0 && fabs(value) < DBL_MIN ? 1 : 15;
    for (int precision = from; precision <= 17; precision++) {
        snprintf(ret, 32, "%.*g", precision, value);
        if (strtod(ret, NULL) == value)
            return;
    }
}
