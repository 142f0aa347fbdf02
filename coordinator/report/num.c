/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rounding for the terminal. JSON never comes through here.
 */
#include "coordinator/report/num.h"

#include "analysis/rounds.h"
#include "base/clk.h"

#include <math.h>
#include <stdio.h>

struct num_scale num_scale_of(const struct answer *answer)
{
    return (struct num_scale){answer->higher_is_better,
                              rounds_metric_by_difference(answer->metric)};
}

double num_pct(double effect, struct num_scale scale)
{
    return num_size_pct(scale.higher_is_better ? -effect : effect, scale);
}

double num_size_pct(double size, struct num_scale scale)
{
    return 100.0 * (scale.by_difference ? size : expm1(size));
}

struct range num_pct_range(struct range effect, struct num_scale scale)
{
    struct range pct = {num_pct(effect.lo, scale), num_pct(effect.hi, scale)};
    return scale.higher_is_better ? (struct range){pct.hi, pct.lo} : pct;
}

/* Decimals so that a half-width shows one or two digits: 8 -> 0, 0.8 -> 1, 0.08 -> 2. */
static int decimals_of_width(double half_width)
{
    double w = fabs(half_width);
    return w == 0.0 ? 0 : w >= 5.0 ? 0 : w >= 0.5 ? 1 : w >= 0.05 ? 2 : 3;
}

/* Decimals that show a value alone with two or three digits. */
static int decimals_of_size(double value)
{
    double v = fabs(value);
    return v < 0.0005 || v >= 100.0 ? 0 : v >= 1.0 ? 1 : v >= 0.1 ? 2 : 3;
}

/* Rounds so that no "-0.0" is printed. */
static double rounded(double value, int decimals)
{
    double scale = pow(10.0, decimals);
    double r = round(value * scale) / scale;
    return r == 0.0 ? 0.0 : r;
}

void num_percent(double pct, char ret[NUM_SIZE])
{
    if (!isfinite(pct)) {
        snprintf(ret, NUM_SIZE, "n/a");
        return;
    }
    int d = decimals_of_size(pct);
    snprintf(ret, NUM_SIZE, "%+.*f %%", d, rounded(pct, d));
}

static void with_interval(double value, struct range ci, const char *unit, char ret[NUM_SIZE])
{
    if (!isfinite(value)) {
        snprintf(ret, NUM_SIZE, "n/a");
        return;
    }
    if (!isfinite(ci.lo) || !isfinite(ci.hi)) {
        int d = decimals_of_size(value);
        snprintf(ret, NUM_SIZE, "%+.*f %s [n/a]", d, rounded(value, d), unit);
        return;
    }
    int d = decimals_of_width((ci.hi - ci.lo) / 2.0);
    snprintf(ret, NUM_SIZE, "%+.*f %s [%.*f, %.*f]", d, rounded(value, d), unit, d,
             rounded(ci.lo, d), d, rounded(ci.hi, d));
}

void num_percent_range(double pct, struct range ci, char ret[NUM_SIZE])
{
    with_interval(pct, ci, "%", ret);
}

void num_effect(double effect, struct range ci, struct num_scale scale, char ret[NUM_SIZE])
{
    num_percent_range(num_pct(effect, scale), num_pct_range(ci, scale), ret);
}

static const char *time_unit(double seconds, bool ascii, double *ret_scale)
{
    double s = fabs(seconds);
    if (s >= 1.0 || !isfinite(s)) {
        *ret_scale = 1.0;
        return "s";
    }
    if (s >= 1e-3) {
        *ret_scale = 1e3;
        return "ms";
    }
    if (s >= 1e-6 || s == 0.0) {
        *ret_scale = 1e6;
        return ascii ? "us" : "µs";
    }
    *ret_scale = 1e9;
    return "ns";
}

void num_delta(double seconds, struct range ci, bool ascii, char ret[NUM_SIZE])
{
    bool limited = isfinite(ci.lo) && isfinite(ci.hi);
    double largest = limited ? fmax(fabs(seconds), fmax(fabs(ci.lo), fabs(ci.hi))) : seconds;
    double scale;
    const char *unit = time_unit(largest, ascii, &scale);
    with_interval(seconds * scale, (struct range){ci.lo * scale, ci.hi * scale}, unit, ret);
}

void num_p(double p, char ret[NUM_SIZE])
{
    if (!isfinite(p)) {
        snprintf(ret, NUM_SIZE, "p n/a");
    } else if (p < 0.0001) {
        snprintf(ret, NUM_SIZE, "p < 0.0001");
    } else {
        snprintf(ret, NUM_SIZE, "p %.2g", p);
    }
}

void num_plain(double value, char ret[NUM_SIZE])
{
    double v = fabs(value);
    if (!isfinite(value)) {
        snprintf(ret, NUM_SIZE, "n/a");
    } else if (v >= 100.0 && v < 1e9) {
        snprintf(ret, NUM_SIZE, "%.0f", rounded(value, 0));
    } else {
        snprintf(ret, NUM_SIZE, "%.3g", value == 0.0 ? 0.0 : value);
    }
}

void num_seconds(double seconds, bool ascii, char ret[NUM_SIZE])
{
    if (!isfinite(seconds)) {
        snprintf(ret, NUM_SIZE, "n/a");
        return;
    }
    double scale;
    const char *unit = time_unit(seconds, ascii, &scale);
    double v = seconds * scale;
    int d = fabs(v) >= 100.0 ? 0 : fabs(v) >= 10.0 ? 1 : 2;
    snprintf(ret, NUM_SIZE, "%.*f %s", d, rounded(v, d), unit);
}

void num_when(int64_t wall_us, char ret[NUM_SIZE])
{
    if (wall_us == 0) {
        snprintf(ret, NUM_SIZE, "-");
        return;
    }
    char iso[32];
    clk_iso(wall_us, iso);
    snprintf(ret, NUM_SIZE, "%.10s %.5s", iso, iso + 11);
}
