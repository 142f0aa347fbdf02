/* SPDX-License-Identifier: GPL-3.0-or-later
 * See trimmed.h. */
#include "analysis/trimmed.h"

#include <math.h>

struct trimmed trimmed_mean(const double *sorted, size_t n)
{
    const size_t g = n / 5, kept = n - 2 * g;
    const double size = (double)n;
    double sum = 0, winsorised = 0, squares = 0;

    if (n < 2)
        return (struct trimmed){NAN, NAN, NAN};
    for (size_t i = g; i < n - g; i++)
        sum += sorted[i];
    winsorised = (sum + (double)g * (sorted[g] + sorted[n - g - 1])) / size;
    for (size_t i = 0; i < n; i++) {
        const size_t at = i < g ? g : i > n - g - 1 ? n - g - 1 : i;
        const double off = sorted[at] - winsorised;

        squares += off * off;
    }
    return (struct trimmed){sum / (double)kept,
                            sqrt(squares / (size - 1)) / ((1 - 2 * (double)g / size) * sqrt(size)),
                            (double)kept - 1};
}
