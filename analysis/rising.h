/* SPDX-License-Identifier: GPL-3.0-or-later
 * Sorting of doubles: what most of a host's numbers begin with. */
#pragma once
#include <stddef.h>

/* Ascending; -0 before 0, NaN at the ends. Time grows with n alone. */
void rising_sort(double *v, size_t n);
