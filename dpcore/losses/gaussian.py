"""The Gaussian mechanism."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from dpcore.decimals import Number, float_up, plain
from dpcore.gaussian import epsilon_at
from dpcore.losses.base import (
    STATED_ROUNDING,
    Adjacency,
    Loss,
    LossError,
    Pair,
    Unspoken,
    delta_field,
    epsilon_field,
    group_pair,
)
from dpcore.losses.distribution import Continuous, PrivacyLoss, log_normal_density, normal_reach
from dpcore.losses.noise import optional_scale, ratio_up, require_both, resolved_sensitivity
from dpcore.numerics import Floats, up, up1


@dataclass(frozen=True, init=False)
class Gaussian(Loss):
    """Gaussian noise of standard deviation σ on a value of ℓ2 sensitivity Δ, or a declared ρ; μ = Δ/σ = √(2ρ).

    A stated (ε, δ) serves the (ε, δ) theorems only, raised to the exact ε at that δ where it is below it.
    """

    mechanism = "gaussian"

    epsilon: Decimal | None
    delta: Decimal | None
    stated_rho: Decimal | None
    noise_scale: float | None
    sensitivity: float | None
    clip_norm: float | None

    def __init__(
        self,
        noise_scale: Number | None = None,
        sensitivity: Number | None = None,
        clip_norm: Number | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> None:
        self._set("epsilon", None if epsilon is None else epsilon_field(epsilon))
        self._set("delta", None if delta is None else delta_field(delta))
        self._set("stated_rho", None if rho is None else epsilon_field(rho, "rho"))
        self._set("noise_scale", optional_scale(noise_scale, "noise_scale"))
        self._set("sensitivity", optional_scale(sensitivity, "sensitivity"))
        self._set("clip_norm", optional_scale(clip_norm, "clip_norm"))
        reach = self.sensitivity if self.sensitivity is not None else self.clip_norm
        if self.stated_rho is None:
            require_both(self.noise_scale, reach)
            if self.noise_scale is None:
                raise LossError(
                    "noise_scale",
                    f"a {self.mechanism} query states noise_scale with sensitivity or clip_norm, or rho",
                )

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        return ("noise_scale", "sensitivity", "clip_norm", "epsilon", "delta", "rho")

    @property
    def multiplier(self) -> Decimal | None:
        """Δ/σ where both are stated."""
        if self.noise_scale is None:
            return None
        if self.sensitivity is None:
            if self.clip_norm is not None:
                raise LossError("clip_norm", "the neighbouring relation decides the sensitivity; call under() first")
            return None
        return ratio_up(self.sensitivity, self.noise_scale)

    def rho(self) -> float:
        """μ²/2 (Bun and Steinke 2016, proposition 1.6); of a declared ρ and noise the dearer."""
        ratio = self.multiplier
        values = [] if ratio is None else [float_up(ratio) ** 2 / 2.0]
        if self.stated_rho is not None:
            return max([float_up(self.stated_rho), *map(up1, values)])
        return up1(values[0])

    def renyi(self, orders: Floats) -> Floats:
        """αμ²/2 (Mironov 2017, proposition 7)."""
        with np.errstate(over="ignore"):
            return up(orders * self.rho())

    def privacy_loss(self) -> tuple[PrivacyLoss, ...]:
        """Normal with mean μ²/2 and variance μ²; y is the standardised loss."""
        mu = self.mu()
        curve = Continuous(
            span=lambda log_tail: (-normal_reach(log_tail), normal_reach(log_tail)),
            log_density=log_normal_density,
            loss=lambda y: mu * (y + mu / 2.0),
            inverse=lambda loss: loss / mu - mu / 2.0,
        )
        return (PrivacyLoss(continuous=curve),)

    def mu(self) -> float:
        return up1(math.sqrt(2.0 * self.rho()))

    def exact_epsilon(self, delta: Decimal) -> float:
        """The smallest ε at this δ that the noise gives, rounded up."""
        if delta == 0:
            return math.inf
        log_delta = math.log(delta) if delta > Decimal("1e-300") else float(delta.ln())
        return float(epsilon_at(np.array([self.mu()]), np.array([log_delta]))[0])

    def pair(self) -> Pair:
        if self.epsilon is None or self.delta is None:
            raise Unspoken("state no (ε, δ)")
        exact = self.exact_epsilon(self.delta)
        return Pair(max(self.epsilon, Decimal(repr(exact))), self.delta)

    @property
    def understated(self) -> Decimal | None:
        if self.epsilon is None or self.delta is None:
            return None
        exact = Decimal(repr(self.exact_epsilon(self.delta)))
        return exact if exact > self.epsilon * STATED_ROUNDING else None

    def under(self, adjacency: Adjacency) -> Loss:
        reach = resolved_sensitivity(self.sensitivity, self.clip_norm, adjacency)
        return self if reach == self.sensitivity else self._with(sensitivity=reach, clip_norm=None)

    def for_group(self, size: int) -> Loss:
        if size == 1:
            return self
        epsilon, delta = self.epsilon, self.delta
        if epsilon is not None and delta is not None:
            epsilon, delta = group_pair(self.pair().epsilon, delta, size)
        return self._with(
            sensitivity=None if self.sensitivity is None else self.sensitivity * size,
            clip_norm=None if self.clip_norm is None else self.clip_norm * size,
            rho=None if self.stated_rho is None else self.stated_rho * size**2,
            epsilon=epsilon,
            delta=delta,
        )

    def _with(self, **changes: Number | None) -> Loss:
        """A copy with some fields changed, checked like a new one."""
        kept = {name: getattr(self, "stated_rho" if name == "rho" else name) for name in self.field_names()}
        return type(self)(**(kept | changes))

    def describe(self) -> str:
        name = self.mechanism.replace("_", " ").capitalize()
        if self.noise_scale is None:
            assert self.stated_rho is not None
            return f"{name}, ρ = {plain(self.stated_rho)}"
        reach = f"sensitivity {self.sensitivity:g}" if self.sensitivity is not None else f"clip norm {self.clip_norm:g}"
        return f"{name}, σ = {self.noise_scale:g} at {reach}"
