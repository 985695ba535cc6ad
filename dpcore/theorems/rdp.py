"""Rényi differential privacy, converted at the best order."""

from functools import lru_cache
from typing import ClassVar

import numpy as np

from dpcore.losses.base import Loss
from dpcore.numerics import Floats, exact_sum, up
from dpcore.theorems.base import Adaptivity, Statistic, Target, Theorem, Weighted, outside_of

ORDERS: Floats = np.array(sorted({*(1.0 + np.geomspace(1e-5, 1e12, 392)).tolist(), *map(float, range(2, 65))}))
"""Orders of the statistic: ten per e-fold of α − 1 from 1e-5 to 1e12, and the integers to 64."""

_FINE = 31
"""Orders looked at on either side of the best one, at each of two levels."""


def _between(index: int, finer: int | None = None) -> Floats:
    """Orders between the two neighbours of a coarse order, or between those of one of these finer orders."""
    low, high = ORDERS[index - 1] - 1.0, ORDERS[index + 1] - 1.0
    orders = 1.0 + np.geomspace(low, high, 2 * _FINE + 3)
    if finer is None:
        return np.asarray(orders[1:-1])
    return np.asarray(1.0 + np.geomspace(orders[finer] - 1.0, orders[finer + 2] - 1.0, _FINE + 2)[1:-1])


class RDP(Theorem):
    """Σε(α) at every order, then the min over α of ε(α) + ln((α−1)/α) − (ln s + ln α)/(α−1).

    Source: Mironov 2017, proposition 1 (composition); Canonne, Kamath and Steinke 2020, proposition 12, and Balle et
    al. 2020, theorem 21 (conversion). Orders are never mixed. The statistic lives on fixed orders; the figure is
    refined on the orders between them, which are fixed as well, so that one more query never lowers it. Filter at one
    order fixed beforehand: Feldman and Zrnic 2021.
    """

    name = "rdp"
    title = "Rényi DP"
    position = 90
    source = "Mironov 2017, proposition 1; Canonne, Kamath, Steinke 2020, proposition 12"
    summary = "Adds up a whole curve of losses, one per order, and converts at the order that gives the least."
    formula = (
        r"\min_{\alpha>1}\ \varepsilon(\alpha)+\ln\tfrac{\alpha-1}{\alpha}-\tfrac{\ln s+\ln\alpha}{\alpha-1},"
        r"\;\varepsilon(\alpha)=\sum_i\varepsilon_i(\alpha)"
    )
    adaptive: ClassVar[Adaptivity] = "filter"
    looseness = 0.002
    most_work = 1500

    def embed(self, loss: Loss) -> Statistic:
        return _embedded(loss)

    def convert(self, totals: Statistic, target: Target) -> Floats:
        log_slack = target.log_slack(self.outside(totals))
        curves, largest = totals[:, :-2], totals[:, -2]
        if target.adaptive and target.order is not None:
            at_order = curve_at(curves, target.order)
            values = self._at(at_order[:, None], np.array([target.order]), log_slack[:, None])[:, 0]
        else:
            values = np.min(self._at(curves, ORDERS, log_slack[:, None]), axis=1)
            values = np.minimum(values, self._at_infinity(largest))
        values = np.maximum(up(values), 0.0)
        return np.where(np.isnan(log_slack), np.inf, np.where(np.isnan(values), np.inf, values))

    def _at(self, curve: Floats, orders: Floats, log_slack: Floats) -> Floats:
        """The conversion at each order. Shapes (n, d), (d,), (n, 1)."""
        return curve - np.log1p(1.0 / (orders - 1.0)) - (log_slack + np.log(orders)) / (orders - 1.0)

    def _at_infinity(self, largest: Floats) -> Floats:
        """The conversion as α → ∞, at any slack: the largest divergence."""
        return largest

    def refine(self, weighted: Weighted, total: Statistic, target: Target, epsilon: float) -> float:
        log_slack = target.log_slack(total[None, -1])
        if not np.isfinite(log_slack[0]) or target.order is not None or not 0.0 < epsilon < np.inf:
            return epsilon
        scan = self._at(total[None, :-2], ORDERS, log_slack[:, None])[0]
        inner = scan[1:-1]
        # Every local minimum near the best is looked into: the converted curve of a mix can have several.
        valleys = np.flatnonzero((inner <= scan[:-2]) & (inner <= scan[2:]) & (inner <= scan.min() * 1.02 + 1e-9)) + 1
        best = epsilon
        for index in map(int, valleys[:4]):
            values = self._on(weighted, index, None, log_slack)
            finest = self._on(weighted, index, int(np.argmin(values)), log_slack)
            best = min(best, max(float(up(np.minimum(values.min(), finest.min()))), 0.0))
        return best

    def _on(self, weighted: Weighted, index: int, finer: int | None, log_slack: Floats) -> Floats:
        rows = np.array([_fine_curve(loss, index, finer) * count for loss, count in weighted])
        return np.asarray(self._at(exact_sum(rows)[None, :], _between(index, finer), log_slack[:, None])[0])

    def ready_for(self, target: Target) -> bool:
        return super().ready_for(target) and target.order is not None


def curve_at(curves: Floats, order: float) -> Floats:
    """ε(α) at one order from the curves on ORDERS: exact on the grid, else by the chord of (α−1)ε(α).

    The chord is an upper bound because (α−1)ε(α) is convex in α. Shapes (n, d) → (n,).
    """
    right = int(np.searchsorted(ORDERS, order))
    if right == 0:
        return curves[:, 0]
    if ORDERS[right] == order:
        return curves[:, right]
    low, high = ORDERS[right - 1], ORDERS[right]
    share = (order - low) / (high - low)
    chord = (1.0 - share) * (low - 1.0) * curves[:, right - 1] + share * (high - 1.0) * curves[:, right]
    return up(chord / (order - 1.0))


@lru_cache(maxsize=16384)
def _embedded(loss: Loss) -> Statistic:
    return np.append(loss.renyi(ORDERS), [loss.largest(), outside_of(loss.outside)])


@lru_cache(maxsize=65536)
def _fine_curve(loss: Loss, index: int, finer: int | None) -> Floats:
    return loss.renyi(_between(index, finer))
