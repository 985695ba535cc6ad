"""Rényi differential privacy, converted at the best order."""

from functools import lru_cache

import numpy as np

from dpcore.losses.base import Loss
from dpcore.numerics import Floats, exact_sum, up
from dpcore.theorems.base import Statistic, Target, Theorem, Weighted, outside_of

_DECADES = np.geomspace(1e-5, 1e12, 392)
_INTEGERS = np.arange(2.0, 65.0)
ORDERS: Floats = np.array(sorted({*(1.0 + _DECADES).tolist(), *_INTEGERS.tolist(), 1e300}))
"""Orders of the statistic: ten per e-fold of α − 1 from 1e-5 to 1e12, the integers to 64, and 1e300 for α → ∞."""

_FINE = 33
_LARGEST = 1e290


def _between(index: int) -> Floats:
    """Orders of the fine grid between the two neighbours of a coarse order."""
    low, high = ORDERS[index - 1] - 1.0, ORDERS[index + 1] - 1.0
    return 1.0 + np.geomspace(low, min(high, 1e13), 2 * _FINE + 1)[1:-1]


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
    adaptive = "filter"

    def embed(self, loss: Loss) -> Statistic:
        return _embedded(loss)

    def convert(self, totals: Statistic, target: Target) -> Floats:
        log_slack = target.log_slack(self.outside(totals))
        curves = np.asarray(totals[:, :-1], dtype=np.float64)
        if target.adaptive and target.order is not None:
            at_order = curve_at(curves, target.order)
            values = self._at(at_order[:, None], np.array([target.order]), log_slack[:, None])[:, 0]
        else:
            values = np.min(self._at(curves, ORDERS, log_slack[:, None]), axis=1)
            values = np.where(np.isneginf(log_slack), self._without_slack(curves), values)
        return self._finish(values, log_slack)

    def _at(self, curve: Floats, orders: Floats, log_slack: Floats) -> Floats:
        """The conversion at each order. Shapes (n, d), (d,), (n, 1)."""
        return curve - np.log1p(1.0 / (orders - 1.0)) - (log_slack + np.log(orders)) / (orders - 1.0)

    def _without_slack(self, curves: Floats) -> Floats:
        """ε where nothing of δ is left: the largest divergence, that of α → ∞."""
        return np.asarray(curves[:, -1])

    def _finish(self, values: Floats, log_slack: Floats) -> Floats:
        values = np.where(values > _LARGEST, np.inf, np.maximum(up(values), 0.0))
        return np.where(np.isnan(log_slack), np.inf, values)

    def refine(self, weighted: Weighted, total: Statistic, target: Target, epsilon: float) -> float:
        log_slack = target.log_slack(total[None, -1])
        if not np.isfinite(log_slack[0]) or target.order is not None or not 0.0 < epsilon < np.inf:
            return epsilon
        scan = self._at(np.asarray(total[:-1], dtype=np.float64)[None, :], ORDERS, log_slack[:, None])[0]
        inner = scan[1:-1]
        # Every local minimum near the best is looked into: the converted curve of a mix can have several.
        valleys = np.flatnonzero((inner <= scan[:-2]) & (inner <= scan[2:]) & (inner <= scan.min() * 1.02 + 1e-9)) + 1
        best = epsilon
        for index in valleys[:4]:
            orders = _between(int(index))
            rows = np.array([_fine_curve(loss, int(index)) * count for loss, count in weighted])
            values = self._at(exact_sum(rows)[None, :], orders, log_slack[:, None])
            best = min(best, float(np.maximum(up(np.min(values, axis=1)), 0.0)[0]))
        return best

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
    return np.append(loss.renyi(ORDERS), outside_of(loss.outside))


@lru_cache(maxsize=65536)
def _fine_curve(loss: Loss, index: int) -> Floats:
    return loss.renyi(_between(index))
