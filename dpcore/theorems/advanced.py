"""Advanced composition in the textbook form."""

import numpy as np

from dpcore.decimals import float_up
from dpcore.losses.base import Loss
from dpcore.numerics import Floats, up
from dpcore.theorems.base import Statistic, Target, Theorem, outside_of


class Advanced(Theorem):
    """√(2 ln(1/s)·Σε²) + Σε(e^ε − 1), s the slack.

    Source: Dwork, Rothblum and Vadhan 2010, theorem III.3; Dwork and Roth 2014, theorem 3.20, in its heterogeneous
    form. The linear term bounds the mean privacy loss, the root its deviation with probability s.
    """

    name = "advanced"
    title = "Advanced (textbook form)"
    position = 20
    source = "Dwork, Rothblum, Vadhan 2010, theorem III.3; Dwork and Roth 2014, theorem 3.20"
    summary = "Many small queries grow like the square root of their number, at the price of a small δ."
    formula = r"\sqrt{2\ln(1/s)\sum_i\varepsilon_i^2}+\sum_i\varepsilon_i(e^{\varepsilon_i}-1)"

    def embed(self, loss: Loss) -> Statistic:
        pair = loss.pair()
        epsilon = float_up(pair.epsilon)
        return np.array([epsilon * epsilon, self._mean(epsilon), outside_of(pair.delta)])

    def _mean(self, epsilon: float) -> float:
        with np.errstate(over="ignore"):
            return epsilon * float(np.expm1(epsilon))

    def convert(self, totals: Statistic, target: Target) -> Floats:
        log_slack = target.log_slack(self.outside(totals))
        with np.errstate(invalid="ignore"):
            value = up(np.sqrt(2.0 * -log_slack * totals[:, 0]) + totals[:, 1])
        return np.where(np.isnan(value), np.inf, value)
