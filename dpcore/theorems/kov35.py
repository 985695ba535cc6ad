"""Kairouz, Oh and Viswanath's closed form for mixed budgets."""

import math

import numpy as np

from dpcore.decimals import float_up
from dpcore.losses.base import Loss
from dpcore.numerics import Floats, up
from dpcore.theorems.base import Statistic, Target, Theorem, outside_of


class Kov35(Theorem):
    """The smallest of three bounds: Σε, the tight advanced form, and the form with ln(e + √(Σε²)/s) under the root.

    Source: Kairouz, Oh and Viswanath 2015, theorem 3.5. At slack 0 it is Σε.
    """

    name = "kov35"
    title = "Kairouz-Oh-Viswanath closed form"
    position = 50
    source = "Kairouz, Oh, Viswanath 2015, theorem 3.5"
    summary = "The best of the plain sum and two square-root rules."
    formula = (
        r"\min\Big\{\sum_i\varepsilon_i,\; m+\sqrt{2v\ln(1/s)},\; m+\sqrt{2v\ln(e+\sqrt v/s)}\Big\},"
        r"\; v=\sum_i\varepsilon_i^2,\; m=\sum_i\varepsilon_i\tanh(\varepsilon_i/2)"
    )

    def embed(self, loss: Loss) -> Statistic:
        pair = loss.pair()
        epsilon = float_up(pair.epsilon)
        mean = epsilon * math.tanh(epsilon / 2.0)
        return np.array([epsilon * epsilon, mean, epsilon, outside_of(pair.delta)])

    def convert(self, totals: Statistic, target: Target) -> Floats:
        squares, mean, plain_sum = totals[:, 0], totals[:, 1], totals[:, 2]
        log_slack = target.log_slack(self.outside(totals))
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            tight = mean + np.sqrt(2.0 * squares * -log_slack)
            third = mean + np.sqrt(2.0 * squares * np.logaddexp(1.0, 0.5 * np.log(squares) - log_slack))
        bounds = np.fmin(up(np.fmin(tight, third)), plain_sum)
        return np.where(np.isnan(log_slack), np.inf, bounds)
