"""Gaussian differential privacy."""

import numpy as np

from dpcore.gaussian import epsilon_at
from dpcore.losses.base import Loss
from dpcore.numerics import Floats
from dpcore.theorems.base import Statistic, Target, Theorem, outside_of


class GDP(Theorem):
    """Σμ², then the exact Gaussian privacy curve inverted at the slack.

    Source: Dong, Roth and Su 2022, corollary 3.3 (composition); Balle and Wang 2018, theorem 8 (curve). Only true
    bounds enter: never the central limit theorem. Filter: Smith and Thakurta 2022; Koskela, Tobaben and Honkela 2023.
    """

    name = "gdp"
    title = "Gaussian DP"
    position = 110
    source = "Dong, Roth, Su 2022, corollary 3.3; Balle and Wang 2018, theorem 8"
    summary = "Treats every query as Gaussian noise; exact when all of them are."
    formula = (
        r"\delta(\varepsilon)=\Phi(\tfrac{\mu}{2}-\tfrac{\varepsilon}{\mu})"
        r"-e^{\varepsilon}\Phi(-\tfrac{\mu}{2}-\tfrac{\varepsilon}{\mu})=s,\;\mu^2=\sum_i\mu_i^2"
    )
    adaptive = "filter"

    def embed(self, loss: Loss) -> Statistic:
        mu = loss.mu()
        return np.array([mu * mu, outside_of(loss.outside)])

    def convert(self, totals: Statistic, target: Target) -> Floats:
        log_slack = target.log_slack(self.outside(totals))
        square = np.asarray(totals[:, 0], dtype=np.float64)
        usable = np.isfinite(log_slack) & np.isfinite(square)
        value = epsilon_at(np.sqrt(np.where(usable, square, 0.0)), np.where(usable, log_slack, -1.0))
        return np.where(usable, value, np.inf)
