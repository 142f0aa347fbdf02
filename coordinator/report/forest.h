/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The forest plot: a row a host with its effect and interval on one common axis of the metric's
 * change, rows gathered in the two groups of the best class. The axis is logarithmic in the ratio,
 * labelled in percent.
 */
#pragma once
#include "coordinator/report/num.h"
#include "coordinator/report/page.h"

/* Groups the hosts by the best class where there is one to show, else lists them by effect; ends
 * with the fleet's row and the axis. theta is the smallest effect that matters, on the log scale.
 */
void forest_print(const struct page *page, const struct comparison_answer *comparison, double theta,
                  struct num_scale scale);
/* The class whose groups the plot (and the section on time) uses, NULL when hosts are not to be
 * grouped: none was found, or nothing says that hosts differ. */
const struct class_answer *forest_class(const struct comparison_answer *comparison);
/* The class in words: "cpu.vendor = AMD", "l3_kib > 512", "trend of l3_kib", "a = x and b = y".
 * Owned by the caller. */
char *forest_member(const struct class_member *member);
/* Colour of a verdict. */
enum page_paint forest_paint(enum verdict verdict);
