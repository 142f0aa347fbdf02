/* SPDX-License-Identifier: GPL-3.0-or-later
 * See signed_rank.h. */
#include "analysis/signed_rank.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SUMS (SIGNED_RANK_EXACT * (SIGNED_RANK_EXACT + 1) / 2 + 1)

/* P(W+ <= w) for w = 0 … n(n+1)/2 without ties: counts of subsets of 1..n by their sum. */
static void exact_cdf(size_t n, double *cdf)
{
    const size_t top = n * (n + 1) / 2;
    double sum = 0;

    memset(cdf, 0, (top + 1) * sizeof *cdf);
    cdf[0] = 1;
    for (size_t rank = 1, reach = 0; rank <= n; rank++) {
        reach += rank;
        for (size_t s = reach; s >= rank; s--)
            cdf[s] += cdf[s - rank];
        for (size_t s = 0; s <= reach; s++)
            cdf[s] /= 2;
    }
    for (size_t s = 0; s <= top; s++) {
        sum += cdf[s];
        cdf[s] = sum;
    }
}

struct ranked {
    double size;
    bool positive;
};

static int by_size(const void *a, const void *b)
{
    const double x = ((const struct ranked *)a)->size, y = ((const struct ranked *)b)->size;

    return (x > y) - (x < y);
}

/* Smaller of the two rank sums, mid-ranks; *ret_n: differences that are not zero. */
static double smaller_sum(const double *d, size_t n, size_t *ret_n)
{
    struct ranked *v = mem_array(struct ranked, n + 1);
    size_t used = 0;
    double plus = 0, all;

    for (size_t i = 0; i < n; i++)
        if (d[i] != 0)
            v[used++] = (struct ranked){fabs(d[i]), d[i] > 0};
    qsort(v, used, sizeof *v, by_size);
    for (size_t i = 0; i < used;) {
        size_t end = i + 1;

        while (end < used && v[end].size == v[i].size)
            end++;
        for (size_t k = i; k < end; k++)
            if (v[k].positive)
                plus += ((double)(i + 1) + (double)end) / 2;
        i = end;
    }
    mem_free(v);
    *ret_n = used;
    all = (double)used * ((double)used + 1) / 2;
    return plus < all - plus ? plus : all - plus;
}

double signed_rank_p(const double *d, size_t n)
{
    size_t used = 0;
    const double w = ceil(smaller_sum(d, n, &used));
    double p;

    if (used == 0)
        return 1;
    if (used <= SIGNED_RANK_EXACT) {
        double cdf[SUMS];

        exact_cdf(used, cdf);
        p = 2 * cdf[(size_t)w];
    } else {
        const double k = (double)used, mean = k * (k + 1) / 4,
                     sd = sqrt(k * (k + 1) * (2 * k + 1) / 24);
        const double z = (w + 0.5 - mean) / sd;

        p = 2 * gsl_cdf_ugaussian_P(z < 0 ? z : 0);
    }
    return p < 1 ? p : 1;
}

/* How many pair sums a_i + b_k are <= limit; a and b ascending. With upper (a == b) only pairs i <=
 * k count. */
static uint64_t count_at_most(const double *a, size_t n, const double *b, size_t m, bool upper,
                              double limit)
{
    uint64_t count = 0;
    size_t k = m;

    for (size_t i = 0; i < n; i++) {
        while (k > 0 && a[i] + b[k - 1] > limit)
            k--;
        if (k == 0)
            break;
        if (!upper)
            count += k;
        else if (k > i)
            count += k - i;
        else
            break;
    }
    return count;
}

/* Order-preserving map between doubles and integers, so that bisection ends at an exact double. */
static int64_t to_key(double x)
{
    int64_t bits;

    x += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static double from_key(int64_t key)
{
    const int64_t bits = key < 0 ? INT64_MIN - key : key;
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The j-th smallest pair sum: the least double x with count(x) >= j, by bisection over doubles (at
 * most 64 counts of O(n)). */
static double select_sum(const double *a, size_t n, const double *b, size_t m, bool upper,
                         uint64_t j)
{
    int64_t lo = to_key(a[0] + b[0]), hi = to_key(a[n - 1] + b[m - 1]);

    while (lo < hi) {
        const int64_t middle = (int64_t)((uint64_t)lo + ((uint64_t)hi - (uint64_t)lo) / 2);

        if (count_at_most(a, n, b, m, upper, from_key(middle)) >= j)
            hi = middle;
        else
            lo = middle + 1;
    }
    return from_key(lo);
}

double signed_rank_pair_sum(const double *a, size_t n, const double *b, size_t m, size_t j)
{
    return select_sum(a, n, b, m, false, j);
}

static double walsh(const double *sorted, size_t n, uint64_t j)
{
    return select_sum(sorted, n, sorted, n, true, j) / 2;
}

double signed_rank_estimate(const double *sorted, size_t n)
{
    const uint64_t all = (uint64_t)n * (n + 1) / 2;

    if (n == 0)
        return NAN;
    if (all % 2)
        return walsh(sorted, n, all / 2 + 1);
    return (walsh(sorted, n, all / 2) + walsh(sorted, n, all / 2 + 1)) / 2;
}

/* Largest k with P(W+ <= k-1) <= tail; 0 when there is none. *ret_tail: that probability. */
static uint64_t interval_rank(size_t n, double tail, double *ret_tail)
{
    if (n <= SIGNED_RANK_EXACT) {
        double cdf[SUMS];
        uint64_t k = 0;

        exact_cdf(n, cdf);
        while (k <= n * (n + 1) / 2 && cdf[k] <= tail * (1 + 1e-12))
            k++;
        *ret_tail = k ? cdf[k - 1] : 0;
        return k;
    }
    const double size = (double)n, mean = size * (size + 1) / 4,
                 sd = sqrt(size * (size + 1) * (2 * size + 1) / 24);
    const double w = floor(
        mean - 0.5 + sd * gsl_cdf_ugaussian_Pinv(tail)); /* P(W+ <= w), w + 1/2 for continuity */

    if (w < 0)
        return 0;
    *ret_tail = gsl_cdf_ugaussian_P((w + 0.5 - mean) / sd);
    return (uint64_t)w + 1;
}

bool signed_rank_interval(const double *sorted, size_t n, double level, struct range *ret,
                          double *ret_level)
{
    const uint64_t all = (uint64_t)n * (n + 1) / 2;
    double tail = 0;
    const uint64_t k = n ? interval_rank(n, (1 - level) / 2, &tail) : 0;

    *ret = (struct range){NAN, NAN};
    *ret_level = NAN;
    if (k == 0)
        return false;
    *ret = (struct range){walsh(sorted, n, k), walsh(sorted, n, all + 1 - k)};
    *ret_level = 1 - 2 * tail;
    return true;
}
