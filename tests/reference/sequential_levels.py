#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference values for the levels of planned looks: alpha n/N spent by look n, by recursive
integration on a plain grid (midpoint rule, 600 cells, bisection), unlike the C code's Simpson rule.
Prints the tables that tests/unit/analysis/test_reference.c holds. Standard library only."""
from math import erfc, exp, pi, sqrt
from statistics import NormalDist

CELLS = 600


def upper(z):
    return erfc(z / sqrt(2)) / 2


def levels(looks, total, alpha):
    result, points, before = [], None, 0.0
    for look in looks:
        t = look / total
        sd, spend = sqrt(t - before), alpha * (t - before)
        if points is None:
            bound = NormalDist().inv_cdf(1 - spend / 2) * sd
        else:
            lo, hi = 0.0, 12 * sqrt(t)
            for _ in range(50):
                bound = (lo + hi) / 2
                out = sum(m * (upper((bound - x) / sd) + upper((bound + x) / sd))
                          for x, m in points)
                lo, hi = (bound, hi) if out > spend else (lo, bound)
        result.append(2 * upper(bound / sqrt(t)))
        width = 2 * bound / CELLS
        grid = [-bound + (i + 0.5) * width for i in range(CELLS)]
        scale = width / (sd * sqrt(2 * pi))
        if points is None:
            points = [(x, scale * exp(-(x / sd) ** 2 / 2)) for x in grid]
        else:
            points = [(x, scale * sum(m * exp(-((x - y) / sd) ** 2 / 2) for y, m in points))
                      for x in grid]
        before = t
    return result


def main():
    for total, looks in ((60, (10, 14, 20, 29, 42, 60)), (100, (10, 14, 20, 29, 42, 60, 86, 100)),
                         (30, (5, 10, 30))):
        for alpha in (0.05, 0.2):
            values = ", ".join(f"{v:.6g}" for v in levels(looks, total, alpha))
            print(f"{{{total}, {alpha}, {len(looks)}, {{{', '.join(map(str, looks))}}}, "
                  f"{{{values}}}}},")


if __name__ == "__main__":
    main()
