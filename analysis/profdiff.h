/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two profiles compared symbol by symbol: ticks before and after, change, percent, and how
 * surprising the change is.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum profdiff_correction { PROFDIFF_BONFERRONI, PROFDIFF_BH };
struct profdiff_profile { /* one profile: ticks of every symbol of the list, in its order */
    const double *ticks;
    double exposure; /* ticks taken, or work done: the caller says which */
    bool after;
};
struct profdiff_row {
    size_t symbol; /* index into the caller's names */
    double before, after;
    double delta;   /* after - before, at the exposure of before */
    double percent; /* of before; NaN when absent before ("new") */
    bool is_new;
    double z, p, p_adjusted; /* exact conditional binomial p when there is one profile a side */
};
struct profdiff_result {
    struct profdiff_row
        *row; /* by falling |z|, then name's index; caller frees with profdiff_done */
    size_t n;
    double idle_before, idle_after, total_before, total_after;
    double phi;        /* overdispersion by which z was divided (root of) */
    bool poisson_only; /* one profile a side: no overdispersion could be seen */
};
/* names: n_symbols names, only to know the idle loop and the total (see profdiff_is_idle), which
 * are summed apart and not rows. exists: symbols of the whole profile when only a part is listed,
 * 0: n_symbols. */
void profdiff_compare(const char *const *names, size_t n_symbols,
                      const struct profdiff_profile *profiles, size_t n_profiles,
                      enum profdiff_correction correction, size_t exists,
                      struct profdiff_result *ret);
void profdiff_done(struct profdiff_result *result);
bool profdiff_is_idle(const char *name);
bool profdiff_is_total(const char *name);
/* z of one symbol, phi = 1: (b r - a)/sqrt(b r^2 + a), r = n_a/n_b. */
double profdiff_z(double a, double b, double n_a, double n_b);
/* Two-sided exact p: b of a + b against n_b/(n_a + n_b). */
double profdiff_p(double a, double b, double n_a, double n_b);
