/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stopping early without fooling oneself: planned looks, the level each may use (alpha n/N spent by
 * look n, Lan & DeMets 1983; levels by recursive integration, Armitage, McPherson & Rowe 1969), the
 * p-value of a host that stopped at one of them, and e-values that hold at every round.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define SEQUENTIAL_LOOKS 64

struct sequential_plan {
    size_t n;
    uint32_t look[SEQUENTIAL_LOOKS]; /* rounds, rising; the last is the maximum */
    double level[SEQUENTIAL_LOOKS];  /* nominal two-sided level of each look */
};
/* Looks at min, at every round(10 * 6^(i/5)) between, and at max. min <= max, both at least 1. */
void sequential_plan_build(uint32_t min, uint32_t max, double alpha, struct sequential_plan *ret);
/* The looks alone, as an array of the caller's (mem_free); returns how many. */
size_t sequential_looks(uint32_t min, uint32_t max, uint32_t **ret);
/* Levels of the looks taken when the last of them (n rounds) was not planned: looks below n, then
 * n. */
void sequential_plan_cut(const struct sequential_plan *plan, uint32_t n, double alpha,
                         struct sequential_plan *ret);
/* Nominal two-sided levels for information fractions look[i]/max. */
void sequential_levels(const uint32_t *look, size_t n, uint32_t max, double alpha,
                       double *ret_level);

enum sequential_decision {
    SEQUENTIAL_CONTINUE,       /* before the first look, or not sure yet */
    SEQUENTIAL_STOP_DECIDED,   /* the exact signed-rank p is at or below the look's level */
    SEQUENTIAL_STOP_UNCHANGED, /* the interval at 1 - 2 level is inside (-theta, theta) */
    SEQUENTIAL_STOP_MAX        /* the last look */
};
/* What the looks at the first 10, 14, … of d say, n values being there: the first decision that any
 * of them took, else STOP_MAX when the last look was among them. Pure. */
enum sequential_decision sequential_decide(const struct sequential_plan *plan, const double *d,
                                           size_t n, double theta);

/* Least alpha whose levels would have rejected at the looks taken so far: a valid p for a host that
 * stopped. Interpolated on a table of levels made once per list of looks. */
struct sequential_table {
    uint32_t look[SEQUENTIAL_LOOKS], max;
    size_t n;
    double *level; /* of each alpha of the table in turn, n levels */
};
void sequential_table_build(const uint32_t *look, size_t n, uint32_t max,
                            struct sequential_table *ret);
void sequential_table_done(struct sequential_table *table);
/* p: the nominal p at each of the first `taken` looks. */
double sequential_p(const struct sequential_table *table, const double *p, size_t taken);
/* The same for a host that ended at n rounds, no planned look, n < max: p has `before` looks below
 * n, now is the nominal p at n. */
double sequential_p_between(const struct sequential_table *table, const double *p, size_t before,
                            uint32_t n, double now);

/* 1 / max E over rounds 7 … n: an always-valid p (self-normalised e-value; de la Pena 1999; Howard
 * et al. 2021). 1 for n <= 6. */
double sequential_e_p(const double *d, size_t n, double alpha);
