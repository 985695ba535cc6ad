"""Zero-concentrated differential privacy, as textbooks convert it."""

import numpy as np

from dpcore.losses.base import Loss
from dpcore.numerics import Floats, up
from dpcore.theorems.base import Statistic, Target, outside_of
from dpcore.theorems.zcdp import ZCDP


class ZCDPSimple(ZCDP):
    """Σρ with the textbook ρ (ε²/2 for pure and Laplace), then ρ + 2√(ρ ln(1/s)).

    Source: Bun and Steinke 2016, propositions 1.3 and 1.4.
    """

    name = "zcdp_simple"
    title = "Zero-concentrated DP (simple conversion)"
    position = 80
    source = "Bun and Steinke 2016, propositions 1.3 and 1.4"
    summary = "The same sum of ρ with the simpler, looser conversion that many publications quote."
    formula = r"\rho+2\sqrt{\rho\ln(1/s)},\;\rho=\sum_i\rho_i"

    def embed(self, loss: Loss) -> Statistic:
        return np.array([loss.rho_textbook(), outside_of(loss.outside)])

    def convert(self, totals: Statistic, target: Target) -> Floats:
        rho = totals[:, 0]
        log_slack = target.log_slack(self.outside(totals))
        with np.errstate(invalid="ignore"):
            value = up(rho + 2.0 * np.sqrt(rho * -log_slack))
        return np.where(np.isnan(value), np.inf, value)
