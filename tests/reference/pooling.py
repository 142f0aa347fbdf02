#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recomputes the worked values of pooling that tests/unit/analysis/test_pool.c and test_heterogeneity.c compare with,
from their definitions and with nothing but the standard library: Paule-Mandel by bisection, REML by maximising the
restricted likelihood, Q-profile limits from chi2 quantiles, Welch's F. Prints pooling.json."""
import json
import math

Y = [0.05, 0.048, 0, 0.002, 0.03, 0.011]
SE = [0.004, 0.006, 0.003, 0.005, 0.01, 0.004]
DF = [7] * 6
V = [se * se for se in SE]
CHI2_5 = {"upper": 12.832501994030027, "lower": 0.8312116134866625}  # quantiles .975 and .025, 5 degrees of freedom
T_975_5 = 2.5705818366147395


def weighted(tau2):
    w = [1 / (v + tau2) for v in V]
    mu = sum(a * y for a, y in zip(w, Y)) / sum(w)
    return w, mu, sum(a * (y - mu) ** 2 for a, y in zip(w, Y))


def where_q_is(target):
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if weighted(middle)[2] > target else (low, middle)
    return low


def restricted_likelihood(tau2):
    w, _, q = weighted(tau2)
    return -0.5 * (sum(math.log(v + tau2) for v in V) + math.log(sum(w)) + q)


def largest(f, low, high):
    golden = (math.sqrt(5) - 1) / 2
    for _ in range(200):
        a, b = high - golden * (high - low), low + golden * (high - low)
        low, high = (a, high) if f(a) < f(b) else (low, b)
    return low


def welch_f():
    w = [1 / v for v in V]
    total, k = sum(w), len(Y)
    mean = sum(a * y for a, y in zip(w, Y)) / total
    between = sum(a * (y - mean) ** 2 for a, y in zip(w, Y)) / (k - 1)
    spread = sum((1 - a / total) ** 2 / df for a, df in zip(w, DF))
    return between / (1 + 2 * (k - 2) / (k * k - 1) * spread)


tau2 = where_q_is(len(Y) - 1)
w, mu, q = weighted(tau2)
se = math.sqrt(max(1, q / (len(Y) - 1)) / sum(w))
print(json.dumps({
    "tau2": tau2,
    "tau2_reml": largest(restricted_likelihood, 1e-5, 1e-2),
    "mu": mu,
    "ci": [mu - T_975_5 * se, mu + T_975_5 * se],
    "q": weighted(0)[2],
    "tau2_limits": [where_q_is(CHI2_5["upper"]), where_q_is(CHI2_5["lower"])],
    "welch_f": welch_f(),
}, indent=1))
