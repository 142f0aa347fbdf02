#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference values for the exact signed rank test, McNemar's test and Theil-Sen slopes, by brute
force over all sign patterns, all outcomes, all pairs: nothing is shared with the C code. Prints the
tables that tests/unit/analysis/test_reference.c holds. Needs the standard library only."""
import itertools
import random
from fractions import Fraction
from math import comb, ceil


def mid_ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    ranks = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j < len(order) and values[order[j]] == values[order[i]]:
            j += 1
        for k in range(i, j):
            ranks[order[k]] = (i + 1 + j) / 2
        i = j
    return ranks


def signed_rank_p(d):
    """Two-sided: zeros dropped, mid-ranks, W rounded up, the null without ties."""
    d = [x for x in d if x != 0]
    n = len(d)
    if n == 0:
        return Fraction(1)
    ranks = mid_ranks([abs(x) for x in d])
    plus = sum(r for r, x in zip(ranks, d) if x > 0)
    w = ceil(min(plus, n * (n + 1) / 2 - plus))
    below = 0
    for signs in itertools.product((0, 1), repeat=n):
        below += sum(r for r, s in zip(range(1, n + 1), signs) if s) <= w
    return min(Fraction(1), Fraction(2 * below, 2 ** n))


def walsh_interval(d, level):
    """Estimate, limits and the level attained."""
    n = len(d)
    walsh = sorted((d[i] + d[j]) / 2 for i in range(n) for j in range(i, n))
    counts = [0] * (n * (n + 1) // 2 + 1)
    for signs in itertools.product((0, 1), repeat=n):
        counts[sum(r for r, s in zip(range(1, n + 1), signs) if s)] += 1
    k, below = 0, 0
    while 2 * (below + counts[k]) <= (1 - level) * 2 ** n + 1e-9:
        below += counts[k]
        k += 1
    m = len(walsh)
    estimate = walsh[m // 2] if m % 2 else (walsh[m // 2 - 1] + walsh[m // 2]) / 2
    if k == 0:
        return estimate, None
    return estimate, (walsh[k - 1], walsh[m - k], 1 - 2 * below / 2 ** n)


def mcnemar_p(b, c):
    n = b + c
    here = comb(n, b)
    return Fraction(sum(comb(n, i) for i in range(n + 1) if comb(n, i) <= here), 2 ** n)


def theil_sen(x, y):
    slopes = sorted((y[j] - y[i]) / (x[j] - x[i])
                    for i in range(len(x)) for j in range(i + 1, len(x)) if x[j] != x[i])
    m = len(slopes)
    return slopes[m // 2] if m % 2 else (slopes[m // 2 - 1] + slopes[m // 2]) / 2


def row(values):
    return "{" + ", ".join(repr(v) for v in values) + "}"


def main():
    draw = random.Random(20070101)
    print("signed rank: n, d, p, estimate, lo, hi, level")
    for n in (1, 4, 5, 6, 8, 11, 14):
        for digits in (1, 4):  # one digit makes ties and zeros
            d = [round(draw.gauss(0.4, 1), digits) for _ in range(n)]
            estimate, limits = walsh_interval(d, 0.95)
            lo, hi, level = limits or (float("nan"),) * 3
            print(f"{{{n}, {row(d)}, {float(signed_rank_p(d))!r}, {estimate!r}, "
                  f"{lo!r}, {hi!r}, {level!r}}},".replace("nan", "NAN"))
    print("McNemar: b, c, p")
    for b, c in ((0, 0), (0, 1), (1, 5), (0, 6), (3, 9), (7, 7), (2, 20), (40, 61)):
        print(f"{{{b}, {c}, {float(mcnemar_p(b, c))!r}}},")
    print("Theil-Sen: n, x, y, slope")
    for n in (2, 5, 9, 12):
        x = sorted(round(draw.uniform(0, 20)) for _ in range(n))
        y = [round(0.3 * t + draw.gauss(0, 1), 3) for t in x]
        print(f"{{{n}, {row(x)}, {row(y)}, {theil_sen(x, y)!r}}},")


if __name__ == "__main__":
    main()
