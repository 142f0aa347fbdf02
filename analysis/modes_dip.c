/* SPDX-License-Identifier: GPL-3.0-or-later
 * See modes_dip.h. Heights are counts of values (1 a value), divided by 2n at the end. */
#include "analysis/modes_dip.h"

#include <math.h>
#include <stdbool.h>

#include "base/mem.h"
#include "base/rng.h"

#define LAW_SIZE 200 /* values of a uniform sample at most */
#define LAW_SEED 0x6469706f66756e69ULL

/* The greatest convex minorant and the least concave majorant of the counts between two values:
 * the points that they touch, the minorant's from high to low, the majorant's from low to high. */
struct hulls {
    const double *x;
    size_t n;
    size_t *to_lower, *to_higher; /* the point each one is joined to: minorant, majorant */
    size_t *gcm, *lcm, n_gcm, n_lcm;
};

static double gap(size_t a, size_t b)
{
    return (double)a - (double)b;
}

static bool bends(const double *x, size_t at, size_t a, size_t b)
{
    return (x[at] - x[a]) * gap(a, b) < (x[a] - x[b]) * gap(at, a);
}

static void join(struct hulls *h)
{
    const size_t last = h->n - 1;

    h->to_lower[0] = 0;
    for (size_t j = 1; j < h->n; j++) {
        size_t a = j - 1;

        while (a != 0 && !bends(h->x, j, a, h->to_lower[a]))
            a = h->to_lower[a];
        h->to_lower[j] = a;
    }
    h->to_higher[last] = last;
    for (size_t k = last; k-- > 0;) {
        size_t a = k + 1;

        while (a != last && !bends(h->x, k, a, h->to_higher[a]))
            a = h->to_higher[a];
        h->to_higher[k] = a;
    }
}

static void collect(struct hulls *h, size_t low, size_t high)
{
    h->gcm[0] = high;
    for (h->n_gcm = 1; h->gcm[h->n_gcm - 1] > low; h->n_gcm++)
        h->gcm[h->n_gcm] = h->to_lower[h->gcm[h->n_gcm - 1]];
    h->lcm[0] = low;
    for (h->n_lcm = 1; h->lcm[h->n_lcm - 1] < high; h->n_lcm++)
        h->lcm[h->n_lcm] = h->to_higher[h->lcm[h->n_lcm - 1]];
}

/* Largest distance between the hulls; *ret_g, *ret_l: where in gcm and lcm it lies. */
static double widest(const struct hulls *h, size_t *ret_g, size_t *ret_l)
{
    const double *x = h->x;
    size_t g = h->n_gcm - 2, l = 1; /* next points from the low end */
    double most = 0;

    *ret_g = h->n_gcm - 1;
    *ret_l = h->n_lcm - 1;
    if (h->n_gcm == 2 && h->n_lcm == 2)
        return 1;
    do {
        const size_t on_gcm = h->gcm[g], on_lcm = h->lcm[l];

        if (on_gcm > on_lcm) {
            const size_t before = h->gcm[g + 1];
            const double distance =
                gap(on_lcm, before) + 1 -
                (x[on_lcm] - x[before]) * gap(on_gcm, before) / (x[on_gcm] - x[before]);

            if (distance >= most) {
                most = distance;
                *ret_g = g + 1;
                *ret_l = l;
            }
            l += l + 1 < h->n_lcm;
        } else {
            const size_t before = h->lcm[l - 1];
            const double distance =
                (x[on_gcm] - x[before]) * gap(on_lcm, before) / (x[on_lcm] - x[before]) -
                (gap(on_gcm, before) - 1);

            if (distance >= most) {
                most = distance;
                *ret_g = g;
                *ret_l = l;
            }
            g -= g > 0;
        }
    } while (h->gcm[g] != h->lcm[l]);
    return most;
}

/* Largest distance of the counts from one straight piece of a hull, from value `from` to `to`. */
static double off_piece(const double *x, size_t from, size_t to, bool minorant)
{
    double most = 1;

    if (to - from <= 1 || x[to] == x[from])
        return most;
    const double slope = gap(to, from) / (x[to] - x[from]);

    for (size_t j = from; j <= to; j++) {
        const double line = (x[j] - x[from]) * slope, count = gap(j, from);

        most = fmax(most, minorant ? count + 1 - line : line - (count - 1));
    }
    return most;
}

double modes_dip(const double *sorted, size_t n)
{
    size_t low = 0, high = n - 1, g, l;
    double dip = 1;

    if (n < 2 || sorted[0] == sorted[n - 1])
        return 0;
    size_t *room = mem_array(size_t, 4 * n);
    struct hulls h = {.x = sorted,
                      .n = n,
                      .to_lower = room,
                      .to_higher = room + n,
                      .gcm = room + 2 * n,
                      .lcm = room + 3 * n};

    join(&h);
    for (;;) {
        collect(&h, low, high);
        if (widest(&h, &g, &l) < dip)
            break;
        for (size_t j = g; j + 1 < h.n_gcm; j++)
            dip = fmax(dip, off_piece(sorted, h.gcm[j + 1], h.gcm[j], true));
        for (size_t j = l; j + 1 < h.n_lcm; j++)
            dip = fmax(dip, off_piece(sorted, h.lcm[j], h.lcm[j + 1], false));
        if (low == h.gcm[g] && high == h.lcm[l])
            break;
        low = h.gcm[g];
        high = h.lcm[l];
    }
    mem_free(room);
    return dip / (2 * (double)n);
}

/* Ascending uniform values by sums of exponential gaps. */
static void uniform_sample(struct rng *rng, double *v, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum -= log1p(-rng_unit(rng));
        v[i] = sum;
    }
}

double modes_dip_p(double dip, size_t n, unsigned draws)
{
    const size_t size = n < LAW_SIZE ? n : LAW_SIZE;
    unsigned above = 0;
    struct rng rng;

    if (n < 4)
        return 1;
    double *v = mem_array(double, size);
    const double scaled = dip * sqrt((double)n / (double)size);

    rng_seed(&rng, LAW_SEED);
    for (unsigned k = 0; k < draws; k++) {
        uniform_sample(&rng, v, size);
        above += modes_dip(v, size) >= scaled;
    }
    mem_free(v);
    return (1.0 + above) / (1.0 + draws);
}
