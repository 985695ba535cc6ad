"""Basic composition: ε and δ add up."""

import math
from decimal import Decimal

import numpy as np

from dpcore.decimals import EPSILON_PLACES, PLACES, float_up, scaled, units
from dpcore.losses.base import Loss
from dpcore.numerics import Floats
from dpcore.theorems.base import Statistic, Target, Theorem


class Basic(Theorem):
    """(Σε, Σδ), exactly: the components are integers in units of 10⁻³⁶.

    Source: Dwork, McSherry, Nissim and Smith 2006; Dwork and Roth 2014, theorem 3.16. Valid as filter and odometer
    for adaptively chosen parameters (Rogers, Roth, Ullman and Vadhan 2016, theorem 3.6). The figure is the pair: it
    holds at Σδ, whatever δ the pool has.
    """

    name = "basic"
    title = "Basic (plain sum)"
    position = 10
    source = "Dwork, McSherry, Nissim, Smith 2006; Dwork and Roth 2014, theorem 3.16"
    summary = "Every query's ε and δ are added up."
    formula = r"\varepsilon=\sum_i\varepsilon_i,\quad \delta=\sum_i\delta_i"
    adaptive = "always"
    holds_at_own_delta = True

    def embed(self, loss: Loss) -> Statistic:
        pair = loss.pair()
        epsilon = units(pair.epsilon) if pair.epsilon.is_finite() else math.inf
        return np.array([epsilon, units(pair.delta)], dtype=object)

    def convert(self, totals: Statistic, target: Target) -> Floats:
        return np.array([float_up(_decimal(epsilon)) for epsilon in totals[:, 0]])

    def exact(self, totals: Statistic) -> Decimal:
        return _decimal(max(totals[:, 0]))

    def delta_spent(self, totals: Statistic) -> Decimal:
        return scaled(int(max(totals[:, 1])))


def _decimal(epsilon: int | float) -> Decimal:
    """A summed ε component as a decimal, rounded up at the digits the log stores; floats come from forecasts."""
    if isinstance(epsilon, float):
        return Decimal("Infinity") if math.isinf(epsilon) else Decimal(repr(float(epsilon))).scaleb(-PLACES)
    return scaled(-(-epsilon // 10 ** (PLACES - EPSILON_PLACES)), EPSILON_PLACES)
