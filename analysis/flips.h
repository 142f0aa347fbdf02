/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random sign flips of centred round effects, reduced to what a host passes on: 20 % trimmed mean
 * and its squared standard error. Under no difference between hosts (or no effect of a fact) the
 * sign of each centred difference is a fair coin whatever the noise, so these draws are the null of
 * the heterogeneity test and of the facts' claim.
 *
 * |centred d| is sorted once a host; a draw is a walk over random bits, without a sort. Draws of a
 * host come from a stream named by the host, so neither the order of hosts nor the number of
 * threads changes a byte.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct flip_host {
    const char *name; /* names the random stream */
    const double *d;  /* effects of the rounds, any order */
    size_t n;         /* >= 5 */
};
/* ret_y[draw * k + h] and ret_v[draw * k + h] (each draws * k values): trimmed mean and squared
 * standard error of host h in a draw, of d - centre[h] with random signs. what tells apart tests on
 * the same seed ("heterogeneity"). */
void flips_draw(const struct flip_host *hosts, size_t k, const double *centre, uint64_t seed,
                const char *what, unsigned draws, unsigned threads, double *ret_y, double *ret_v);
