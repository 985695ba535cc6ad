"""The discrete Gaussian mechanism on lattice data."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from dpcore.losses.base import Unspoken
from dpcore.losses.distribution import PrivacyLoss
from dpcore.losses.gaussian import Gaussian
from dpcore.numerics import up1

_LARGEST_SUM = 4_000_000


@dataclass(frozen=True, init=False)
class DiscreteGaussian(Gaussian):
    """Discrete Gaussian noise on integers: the same ρ and Rényi curve as the continuous one.

    Source: Canonne, Kamath and Steinke 2020, theorem 4. Its (ε, δ) curve is not the continuous one, whose μ would
    be too low.
    """

    mechanism = "discrete_gaussian"

    def privacy_loss(self) -> tuple[PrivacyLoss, ...]:
        """The lattice of losses (2Δk + Δ²)/(2σ²), for a scalar whole sensitivity."""
        sigma, reach = self.noise_scale, self.sensitivity
        if sigma is None or reach is None or reach != int(reach) or 40 * sigma + reach > _LARGEST_SUM:
            raise Unspoken("add discrete Gaussian noise without a whole sensitivity")
        span = int(40 * sigma + 2 * reach) + 2
        x = np.arange(-span, span + 1, dtype=np.float64)
        exponents = -(x**2) / (2.0 * sigma**2)
        logs = exponents - math.log(float(np.exp(exponents).sum()))
        losses = (2.0 * reach * x + reach**2) / (2.0 * sigma**2)
        return (PrivacyLoss(tuple(zip(losses.tolist(), logs.tolist(), strict=True))),)

    def mu(self) -> float:
        raise Unspoken("add discrete Gaussian noise, for which no μ is known")

    def exact_epsilon(self, delta: Decimal) -> float:
        """The smallest ε at this δ by summing the lattice (theorem 7 of the source); 0 where the sum is out of reach.

        Out of reach are non-integer sensitivities and very wide noise: the stated ε then stands alone.
        """
        sigma, reach = self.noise_scale, self.sensitivity
        if delta == 0:
            return math.inf
        if sigma is None or reach is None or reach != int(reach) or 40 * sigma + reach > _LARGEST_SUM:
            return 0.0
        span = int(40 * sigma + 2 * reach) + 2
        x = np.arange(-span, span + 1, dtype=np.float64)
        density = np.exp(-(x**2) / (2.0 * sigma**2))
        density /= density.sum()
        loss = (2.0 * reach * x + reach**2) / (2.0 * sigma**2)

        def excess(epsilon: float) -> float:
            above = loss > epsilon
            return float(np.sum(density[above] * -np.expm1(epsilon - loss[above])))

        low, high = 0.0, float(loss.max())
        if excess(low) <= float(delta):
            return 0.0
        for _ in range(80):
            middle = (low + high) / 2.0
            low, high = (low, middle) if excess(middle) <= float(delta) else (middle, high)
        return up1(high)
