"""The Gaussian mechanism on a Poisson sample (DP-SGD)."""

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np

from dpcore.decimals import Number, literal
from dpcore.gaussian import epsilon_at
from dpcore.losses.base import Adjacency, Loss, LossError, scale_field
from dpcore.losses.distribution import Continuous, PrivacyLoss, log_normal_density, normal_reach
from dpcore.losses.gaussian import Gaussian
from dpcore.losses.noise import resolved_sensitivity
from dpcore.numerics import Floats, up, up1


@dataclass(frozen=True, init=False)
class SubsampledGaussian(Gaussian):
    """One step of Gaussian noise on a Poisson sample of rate q; z = σ/Δ is its noise multiplier.

    Amplification holds under add/remove and Poisson sampling only. `under` turns everything else into the plain
    Gaussian. zCDP and GDP have no useful amplified value: they read 1/(2z²) and 1/z.
    """

    mechanism = "subsampled_gaussian"

    sampling_rate: float
    sampling: str

    def __init__(
        self,
        noise_scale: Number | None = None,
        sensitivity: Number | None = None,
        clip_norm: Number | None = None,
        sampling_rate: Number | None = None,
        sampling: str = "poisson",
        epsilon: Number | None = None,
        delta: Number | None = None,
    ) -> None:
        super().__init__(noise_scale, sensitivity, clip_norm, epsilon, delta)
        if sampling_rate is None:
            raise LossError("sampling_rate", "a subsampled_gaussian query states its sampling rate")
        rate = scale_field(sampling_rate, "sampling_rate")
        if rate > 1.0:
            raise LossError("sampling_rate", f"{sampling_rate} is above 1")
        self._set("sampling_rate", rate)
        self._set("sampling", sampling.strip().lower() or "poisson")

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        return ("noise_scale", "sensitivity", "clip_norm", "sampling_rate", "sampling", "epsilon", "delta")

    def refused_amplification(self, adjacency: Adjacency) -> str | None:
        if self.sampling != "poisson":
            return f"sampling is {self.sampling!r}, not Poisson"
        if adjacency != "add_remove":
            return "amplification by Poisson sampling holds under add/remove only, the pool uses replace-one"
        return None

    def under(self, adjacency: Adjacency) -> Loss:
        reach = resolved_sensitivity(self.sensitivity, self.clip_norm, adjacency)
        if self.refused_amplification(adjacency) is not None or self.sampling_rate == 1.0:
            return Gaussian(self.noise_scale, reach, epsilon=self.epsilon, delta=self.delta)
        return self if reach == self.sensitivity else self._with(sensitivity=reach, clip_norm=None)

    def for_group(self, size: int) -> Loss:
        """A group's records are sampled independently, for which no amplified bound is claimed."""
        if size == 1:
            return self
        plain_gaussian = Gaussian(self.noise_scale, self.sensitivity, self.clip_norm, self.epsilon, self.delta)
        return plain_gaussian.for_group(size)

    def renyi(self, orders: Floats) -> Floats:
        multiplier = self.multiplier
        assert multiplier is not None
        unamplified = super().renyi(orders)
        value = _sampled_renyi(1.0 / float(multiplier), self.sampling_rate, tuple(orders.tolist()))
        return np.minimum(value, unamplified)

    def privacy_loss(self) -> tuple[PrivacyLoss, ...]:
        """Removing the person, P the mixture and Q the normal; then adding them, the reverse.

        y is the noise in units of σ. The loss is ±ln(1 − q + q·e^{y/z − 1/(2z²)}).
        """
        multiplier = self.multiplier
        assert multiplier is not None
        z, q = 1.0 / float(multiplier), self.sampling_rate
        shift = 1.0 / (2.0 * z * z)

        def log_ratio(y: Floats) -> Floats:
            return np.asarray(np.logaddexp(math.log1p(-q), math.log(q) + y / z - shift))

        def noise_at(loss: Floats) -> Floats:
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                inside = np.where(loss < 30.0, np.log(np.expm1(np.minimum(loss, 30.0)) + q), loss) - math.log(q)
            return np.where(np.isnan(inside), -np.inf, z * (inside + shift))

        removed = Continuous(
            span=lambda log_tail: (-normal_reach(log_tail), 1.0 / z + normal_reach(log_tail)),
            log_density=lambda y: log_normal_density(y) + log_ratio(y),
            loss=log_ratio,
            inverse=noise_at,
        )
        added = Continuous(
            span=lambda log_tail: (-normal_reach(log_tail), normal_reach(log_tail)),
            log_density=log_normal_density,
            loss=lambda y: -log_ratio(-y),
            inverse=lambda loss: -noise_at(-loss),
        )
        return PrivacyLoss(continuous=removed), PrivacyLoss(continuous=added)

    def exact_epsilon(self, delta: Decimal) -> float:
        """The smallest ε of one step at this δ: δ_q(ln(1 + q(e^ε − 1))) = q·δ(ε).

        Source: Balle, Barthe and Gaboardi 2018, theorem 8; removing the person is the dearer direction.
        """
        if delta == 0:
            return math.inf
        share = literal(delta) / literal(self.sampling_rate, places=400)
        if share >= 1:
            return 0.0
        inner = float(epsilon_at(np.array([self.mu()]), np.array([float(share.ln())]))[0])
        if inner > 700.0:
            return up1(inner + math.log(self.sampling_rate))
        return up1(math.log1p(self.sampling_rate * math.expm1(inner)))

    def describe(self) -> str:
        text = super().describe().replace("Subsampled gaussian", "Subsampled Gaussian")
        return f"{text}, {self.sampling} sampling rate {self.sampling_rate:g}"


@lru_cache(maxsize=4096)
def _sampled_renyi(z: float, q: float, orders: tuple[float, ...]) -> Floats:
    """Rényi divergence of the sampled Gaussian at integer and fractional orders.

    Source: Mironov, Talwar and Zhang 2019, section 3: ε(α) = ln A(α)/(α−1), A(α) = E[(1 + w)^α], where
    w = q(e^{y/z − 1/(2z²)} − 1) and y is standard normal; the reverse direction is never larger (theorem 5).
    A − 1 = E[(1 + w)^α − 1 − αw] is integrated by the trapezoidal rule. Its integrand is analytic in a strip of
    half-width πz around the real line and decays as a Gaussian, so the rule converges geometrically: the step
    below leaves a relative error under 1e-12, which the margin added at the end covers.
    """
    result = np.empty(len(orders))
    step = min(0.125, z / 6.0)
    for i, order in enumerate(orders):
        # Beyond this shift the sampled mixture has nothing left to amplify; the caller takes the plain Gaussian.
        if order / z > 400.0 or order > 1e7:
            result[i] = math.inf
            continue
        y = np.arange(-14.0, order / z + 14.0 + step, step)
        log_ratio = y / z - 1.0 / (2.0 * z * z)
        w_small = q * np.expm1(np.minimum(log_ratio, 30.0))
        log_growth = order * np.where(log_ratio < 30.0, np.log1p(w_small), math.log(q) + np.maximum(log_ratio, 30.0))
        log_density = -0.5 * y * y
        large = log_growth > 1.0
        body = np.where(large, 0.0, np.expm1(np.where(large, 0.0, log_growth)) - order * np.where(large, 0.0, w_small))
        small_part = float(np.sum(np.exp(log_density) * np.maximum(body, 0.0))) * step / math.sqrt(2.0 * math.pi)
        log_big = -math.inf
        if large.any():
            with np.errstate(over="ignore"):
                inner = log_growth[large] + np.log1p(-np.exp(-log_growth[large]) * (1.0 + order * w_small[large]))
            exponent = inner + log_density[large]
            peak = float(exponent.max())
            log_big = peak + math.log(float(np.sum(np.exp(exponent - peak))) * step / math.sqrt(2.0 * math.pi))
        if log_big < 500.0:
            log_a = math.log1p(small_part + math.exp(log_big))
        else:
            log_a = log_big + math.exp(-log_big) * (1.0 + small_part)
        result[i] = log_a / (order - 1.0)
    return up(result * (1.0 + 1e-11))
