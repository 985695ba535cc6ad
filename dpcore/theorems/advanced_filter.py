"""Advanced composition that stays valid when budgets are chosen as one goes."""

import math
from decimal import Decimal

import numpy as np

from dpcore.decimals import PLACES, float_down, float_up, scaled, units
from dpcore.losses.base import Loss
from dpcore.numerics import Floats, up
from dpcore.theorems.base import Statistic, Target, Theorem


class AdvancedFilter(Theorem):
    """√(2 ln(1/δ′)·Σε²) + ½Σε², with δ = δ′ + δ″ split beforehand and Σδᵢ ≤ δ″.

    Source: Whitehouse, Ramdas, Rogers and Wu 2023, theorem 1 (fully adaptive filter). Without a declared split,
    δ′ = δ − Σδᵢ: valid for parameters fixed beforehand only.
    """

    name = "advanced_filter"
    title = "Advanced (fully adaptive)"
    position = 40
    source = "Whitehouse, Ramdas, Rogers, Wu 2023, theorem 1"
    summary = "The square-root rule in the form that holds even if each budget is chosen after seeing earlier answers."
    formula = r"\sqrt{2\ln(1/\delta')\sum_i\varepsilon_i^2}+\tfrac12\sum_i\varepsilon_i^2"
    adaptive = "filter"

    def embed(self, loss: Loss) -> Statistic:
        pair = loss.pair()
        epsilon = float_up(pair.epsilon)
        # Σδᵢ as an exact integer: a split filled to the last digit is full, not overdrawn.
        return np.array([epsilon * epsilon, units(pair.delta)], dtype=object)

    def convert(self, totals: Statistic, target: Target) -> Floats:
        squares = np.asarray(totals[:, 0], dtype=np.float64)
        whole = units(target.delta)
        left = []
        for spent in totals[:, 1]:
            if target.adaptive and target.reserve is not None:
                reserve = units(target.reserve)
                left.append(float_down(target.delta - target.reserve) if spent <= reserve else 0.0)
            else:
                rest = whole - spent
                left.append(float_down(scaled(rest)) if rest > whole * 1e-12 else 0.0)
        log_slack = np.array([math.log(x) if x > 0.0 else -np.inf for x in left])
        with np.errstate(invalid="ignore"):
            value = up(np.sqrt(2.0 * -log_slack * squares) + squares / 2.0)
        return np.where(np.isnan(value), np.inf, value)

    def outside(self, totals: Statistic) -> Floats:
        return np.array([float(spent) * 10.0**-PLACES for spent in totals[:, 1]])

    def delta_spent(self, totals: Statistic) -> Decimal:
        return scaled(int(max(totals[:, 1])))
