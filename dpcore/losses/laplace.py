"""The Laplace mechanism, by its ε or by noise scale and sensitivity."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from scipy import special

from dpcore.decimals import Number, float_up, plain
from dpcore.losses.base import STATED_ROUNDING, Loss, LossError, Pair, delta_field, epsilon_field, group_pair
from dpcore.losses.distribution import Continuous, PrivacyLoss
from dpcore.losses.noise import optional_scale, ratio_up, require_both
from dpcore.numerics import Floats, exp_minus_1_minus_x, up, up1


@dataclass(frozen=True, init=False)
class Laplace(Loss):
    """Laplace noise of scale b on a value of ℓ1 sensitivity Δ; x = Δ/b is its ε.

    With a stated ε beside the noise, the (ε, δ) theorems read the larger of the two, the others read the noise.
    A stated δ is probability mass outside the mechanism and goes into the slack.
    """

    mechanism = "laplace"

    epsilon: Decimal | None
    delta: Decimal
    noise_scale: float | None
    sensitivity: float | None

    def __init__(
        self,
        epsilon: Number | None = None,
        delta: Number = 0,
        noise_scale: Number | None = None,
        sensitivity: Number | None = None,
    ) -> None:
        self._set("epsilon", None if epsilon is None else epsilon_field(epsilon))
        self._set("delta", delta_field(delta))
        self._set("noise_scale", optional_scale(noise_scale, "noise_scale"))
        self._set("sensitivity", optional_scale(sensitivity, "sensitivity"))
        if self.epsilon is None or (self.noise_scale is not None and self.sensitivity is not None):
            require_both(self.noise_scale, self.sensitivity)
        if self.epsilon is None and self.noise_scale is None:
            raise LossError("epsilon", f"a {self.mechanism} query states ε, or noise_scale and sensitivity")

    @property
    def from_noise(self) -> Decimal | None:
        """Δ/b, where both are stated."""
        if self.noise_scale is None or self.sensitivity is None:
            return None
        return ratio_up(self.sensitivity, self.noise_scale)

    @property
    def x(self) -> float:
        """Δ/b, or the stated ε where the noise is not known."""
        noise = self.from_noise
        if noise is None:
            assert self.epsilon is not None
            noise = self.epsilon
        return float_up(noise)

    def pair(self) -> Pair:
        return Pair(max(e for e in (self.epsilon, self.from_noise) if e is not None), self.delta)

    @property
    def outside(self) -> Decimal:
        return self.delta

    @property
    def understated(self) -> Decimal | None:
        noise = self.from_noise
        return (
            noise if noise is not None and self.epsilon is not None and noise > self.epsilon * STATED_ROUNDING else None
        )

    def rho(self) -> float:
        """x + e^{−x} − 1, the Kullback-Leibler divergence, which bounds ε(α)/α at every order."""
        return up1(float(exp_minus_1_minus_x(-self.x)))

    def rho_textbook(self) -> float:
        """ε²/2 (Bun and Steinke 2016, proposition 1.4)."""
        return up1(self.x * self.x / 2.0)

    def renyi(self, orders: Floats) -> Floats:
        return laplace_renyi(self.x, orders)

    def largest(self) -> float:
        return self.x

    def privacy_loss(self) -> tuple[PrivacyLoss, ...]:
        """Atoms ½ at x and e^{−x}/2 at −x, and the density e^{(y−x)/2}/4 between them."""
        x = self.x
        between = Continuous(
            span=lambda log_tail: (-x, x),
            log_density=lambda y: np.asarray((y - x) / 2.0 - math.log(4.0)),
            loss=lambda y: y,
            inverse=lambda loss: loss,
        )
        return (PrivacyLoss(((-x, -x - math.log(2.0)), (x, -math.log(2.0))), between),)

    def mu(self) -> float:
        """−2Φ⁻¹(e^{−x/2}/2): the trade-off curve of Laplace noise meets the Gaussian one at its centre."""
        if self.x < 1.0:
            return up1(2.0 * math.sqrt(2.0) * float(special.erfinv(-math.expm1(-self.x / 2.0))))
        return up1(-2.0 * float(special.ndtri_exp(-self.x / 2.0 - math.log(2.0))))

    def for_group(self, size: int) -> Loss:
        if size == 1:
            return self
        return type(self)(
            epsilon=None if self.epsilon is None else self.epsilon * size,
            delta=group_pair(self.pair().epsilon, self.delta, size)[1],
            noise_scale=self.noise_scale,
            sensitivity=None if self.sensitivity is None else self.sensitivity * size,
        )

    def describe(self) -> str:
        name = self.mechanism.capitalize() if self.mechanism == "laplace" else self.mechanism
        noise = self.from_noise
        if noise is None:
            assert self.epsilon is not None
            return f"{name}, ε = {plain(self.epsilon)}"
        return f"{name}, scale {self.noise_scale:g} at sensitivity {self.sensitivity:g} (ε = {float_up(noise):.4g})"


def laplace_renyi(x: float, orders: Floats) -> Floats:
    """Rényi divergence of Laplace noise at x = Δ/b (Mironov 2017, proposition 6).

    The linear terms of the two exponentials cancel exactly, so they are left out: both remaining terms are
    positive, and small x loses no digits.
    """
    steps = orders - 1.0
    forward, backward = orders / (2.0 * orders - 1.0), steps / (2.0 * orders - 1.0)
    u = steps * x
    small = np.where(u < 30.0, u, 1.0)
    below = exp_minus_1_minus_x(np.where(u < 30.0, -orders * x, -1.0))
    low = np.log1p(forward * exp_minus_1_minus_x(small) + backward * below) / steps
    tail = np.exp(-2.0 * np.maximum(u, 30.0) - x)
    high = x + (np.log(forward) + tail * backward / forward) / steps
    return np.minimum(up(np.where(u < 30.0, low, high)), x)
