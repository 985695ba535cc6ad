"""Zero-concentrated differential privacy, converted at the best order."""

import numpy as np

from dpcore.losses.base import Loss
from dpcore.numerics import Floats, up
from dpcore.theorems.base import Statistic, Target, Theorem, outside_of


class ZCDP(Theorem):
    """Σρ, then inf over α > 1 of αρ + ln((α−1)/α) − (ln s + ln α)/(α−1).

    Source: Bun and Steinke 2016, lemma 2.3 (composition); Canonne, Kamath and Steinke 2020, proposition 12
    (conversion). The derivative vanishes where ρ(α−1)² + ln α + ln s = 0; any α gives an upper bound, so an
    approximate root is safe. Filter for adaptive ρ: Whitehouse et al. 2023; Feldman and Zrnic 2021.
    """

    name = "zcdp"
    title = "Zero-concentrated DP"
    position = 70
    source = "Bun and Steinke 2016, lemma 2.3; Canonne, Kamath, Steinke 2020, proposition 12"
    summary = "Adds up ρ, a measure in which Gaussian noise composes exactly, and converts to ε at the end."
    formula = (
        r"\inf_{\alpha>1}\ \alpha\rho+\ln\tfrac{\alpha-1}{\alpha}-\tfrac{\ln s+\ln\alpha}{\alpha-1}"
        r",\;\rho=\sum_i\rho_i"
    )
    adaptive = "filter"

    def embed(self, loss: Loss) -> Statistic:
        return np.array([loss.rho(), outside_of(loss.outside)])

    def convert(self, totals: Statistic, target: Target) -> Floats:
        rho = np.asarray(totals[:, 0], dtype=np.float64)
        log_slack = target.log_slack(self.outside(totals))
        usable = np.isfinite(log_slack) & np.isfinite(rho)
        value = best_order_epsilon(np.where(usable, rho, 1.0), np.where(usable, log_slack, -1.0))
        return np.where(usable, value, np.inf)

    def rho_spent(self, totals: Statistic) -> float:
        return float(totals[:, 0].max())


def best_order_epsilon(rho: Floats, log_slack: Floats) -> Floats:
    """The conversion at the best order, clamped at 0 and rounded up. Arrays of one shape, finite."""
    rho = np.maximum(rho, 1e-300)
    x = np.sqrt(-log_slack / rho)
    for _ in range(50):
        slope = 2.0 * rho * x + 1.0 / (1.0 + x)
        step = (rho * x * x + np.log1p(x) + log_slack) / slope
        moved = np.maximum(x - step, x / 8.0)
        if np.all(np.abs(moved - x) <= 1e-10 * x):
            x = moved
            break
        x = moved
    value = (1.0 + x) * rho - np.log1p(1.0 / x) - (log_slack + np.log1p(x)) / x
    return np.maximum(up(value), 0.0)
