"""Numerical composition of privacy-loss distributions."""

import math
from functools import lru_cache
from typing import ClassVar

import numpy as np

from dpcore.losses.base import Loss
from dpcore.pld import Atoms, Part, composed_epsilon, on_grid
from dpcore.theorems.base import Adaptivity, Statistic, Target, Weighted
from dpcore.theorems.rdp import ORDERS, RDP

_GRID_LOSS = 8e-4
"""Relative growth of the variance that the grid may cause: ε grows by a fraction of half of it."""

_FINEST = 4e-6
"""The grid is at least so fine, as a share of the variance, however few the queries."""

_TAIL = math.log(1e-7)
"""Share of the slack that truncated tails of all losses together may take."""


class Numerical(RDP):
    """δ(ε) of the composed privacy-loss distribution, inverted at the slack.

    Source: Koskela, Jälkö and Honkela 2020; Gopi, Lee and Wutschitz 2021; Doroshenko et al. 2022 (connect-the-dots);
    Zhu, Dong and Wang 2022 (characteristic functions). Each loss is put on a grid from above, sums are composed in
    Fourier space after an exponential tilt, and truncation, wrap-around and round-off are charged to δ. For the
    sampled Gaussian all removals and all additions are composed apart and the worse is taken. The statistic is that
    of Rényi DP, whose figure bounds this one from above and stands in where the grid would be too large.
    """

    name = "numerical"
    title = "Numerical"
    position = 120
    source = "Gopi, Lee, Wutschitz 2021; Doroshenko et al. 2022; Zhu, Dong, Wang 2022"
    summary = "Follows the whole distribution of what each query may reveal: the tightest where the mechanism is known."
    formula = r"\min\{\varepsilon:\ \mathbb{E}\big[(1-e^{\varepsilon-L})_+\big]\le s\},\; L=\sum_i L_i"
    adaptive: ClassVar[Adaptivity] = "not_established"
    looseness = math.inf
    most_work = 60

    def embed(self, loss: Loss) -> Statistic:
        loss.privacy_loss()
        return super().embed(loss)

    def refine(self, weighted: Weighted, total: Statistic, target: Target, epsilon: float) -> float:
        epsilon = super().refine(weighted, total, target, epsilon)
        log_slack = float(target.log_slack(self.outside(total[None, :]))[0])
        if not 0.0 < epsilon < math.inf or not math.isfinite(log_slack):
            return epsilon
        queries = math.fsum(count for _, count in weighted)
        # The Kullback-Leibler divergence is half the variance of a small loss.
        variance = 2.0 * math.fsum(float(loss.renyi(ORDERS[:1])[0]) * count for loss, count in weighted)
        if variance <= 0.0:
            return epsilon
        # Grid and tails in whole powers, so that one more query rarely moves them.
        grid = 2.0 ** math.floor(0.5 * math.log2(variance * min(4.0 * _GRID_LOSS / queries, _FINEST)))
        log_tail = math.floor(log_slack + _TAIL - math.log(queries))
        chernoff = (total[:-2] * (ORDERS - 1.0) - log_slack) / (ORDERS - 1.0)
        theta = float(ORDERS[np.argmin(chernoff)] - 1.0)
        worst = 0.0
        for direction in range(max(len(loss.privacy_loss()) for loss, _ in weighted)):
            parts = []
            for loss, count in weighted:
                atoms = _atoms(loss, direction, grid, log_tail)
                if atoms is None:
                    return epsilon
                parts.append(Part(atoms, count))
            found = composed_epsilon(parts, grid, 0.0, log_slack, min(theta, 40.0 / grid))
            if found is None:
                return epsilon
            worst = max(worst, found)
        return min(epsilon, worst)


@lru_cache(maxsize=512)
def _atoms(loss: Loss, direction: int, grid: float, log_tail: float) -> Atoms | None:
    directions = loss.privacy_loss()
    return on_grid(directions[min(direction, len(directions) - 1)], grid, log_tail)
