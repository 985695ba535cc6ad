"""ε-differential privacy, nothing else known."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from dpcore.decimals import float_up, plain
from dpcore.losses.base import Declared
from dpcore.losses.distribution import PrivacyLoss
from dpcore.numerics import Floats, up, up1


@dataclass(frozen=True, init=False)
class Pure(Declared):
    """A mechanism of which only ε is known.

    Every view is that of randomised response with p = e^ε/(1 + e^ε), which dominates all ε-DP mechanisms
    (Kairouz, Oh, Viswanath 2015, theorem 3.1).
    """

    mechanism = "pure"

    def rho(self) -> float:
        return pure_rho(float_up(self.epsilon))

    def rho_textbook(self) -> float:
        """ε²/2 (Bun and Steinke 2016, proposition 1.4)."""
        epsilon = float_up(self.epsilon)
        return up1(epsilon * epsilon / 2.0)

    def renyi(self, orders: Floats) -> Floats:
        return pure_renyi(float_up(self.epsilon), orders)

    def largest(self) -> float:
        return float_up(self.epsilon)

    def privacy_loss(self) -> tuple[PrivacyLoss, ...]:
        return (PrivacyLoss(randomised_response(float_up(self.epsilon))),)

    def mu(self) -> float:
        return pure_mu(float_up(self.epsilon))

    def describe(self) -> str:
        noun = self.mechanism.replace("_", " ")
        text = f"{noun}, ε = {plain(self.epsilon)}"
        return text if self.delta == 0 else f"{text}, δ = {plain(self.delta)}"


def randomised_response(epsilon: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """The two losses of randomised response with ln of their masses."""
    high = -math.log1p(math.exp(-epsilon))
    return (-epsilon, high - epsilon), (epsilon, high)


def pure_rho(epsilon: float) -> float:
    """ε·tanh(ε/2): the largest Rényi divergence of randomised response over its order (at α → 1).

    Source: Bun and Steinke 2016, proposition 3.3 with the exact Kullback-Leibler divergence.
    """
    return up1(epsilon * math.tanh(epsilon / 2.0))


def pure_renyi(epsilon: float, orders: Floats) -> Floats:
    """Rényi divergence of randomised response, ln[p^α(1−p)^{1−α} + (1−p)^α p^{1−α}]/(α−1) (Mironov 2017, prop. 5).

    Written as ln(1 + 2 sinh²(u/2) + tanh(ε/2) sinh u)/(α−1) with u = (α−1)ε, which has no cancellation.
    """
    steps = orders - 1.0
    u = steps * epsilon
    small = np.where(u < 30.0, u, 1.0)
    low = np.log1p(2.0 * np.sinh(small / 2.0) ** 2 + math.tanh(epsilon / 2.0) * np.sinh(small))
    log_p = -math.log1p(math.exp(-epsilon))
    high = epsilon + (log_p + np.exp(-epsilon - 2.0 * np.maximum(u, 30.0))) / steps
    return np.minimum(up(np.where(u < 30.0, low / steps, high)), epsilon)


def pure_mu(epsilon: float) -> float:
    """2Φ⁻¹(e^ε/(1 + e^ε)): the Gaussian trade-off curve through randomised response (Dong, Roth, Su 2022)."""
    if epsilon < 2.0:
        return up1(2.0 * math.sqrt(2.0) * float(special.erfinv(math.tanh(epsilon / 2.0))))
    return up1(-2.0 * float(special.ndtri_exp(-epsilon - math.log1p(math.exp(-epsilon)))))
