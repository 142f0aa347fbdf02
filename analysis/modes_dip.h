/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hartigan's dip: how far a sample's distribution function is from the nearest one with a single
 * mode (Hartigan & Hartigan 1985, AS 217). A second opinion on two modes.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* The dip of n ascending values, between 1/(2n) and 1/4; 0 for n < 2 or when all are equal. */
double modes_dip(const double *sorted, size_t n);
/* P(dip of n uniform values >= dip), by `draws` samples with a fixed seed; beyond 200 values by the
 * law of sqrt(n) dip at 200. */
double modes_dip_p(double dip, size_t n, unsigned draws);
