"""Privacy-loss distributions: how the loss ln(P/Q) is distributed under P, for one direction of neighbours."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from dpcore.numerics import Floats


@dataclass(frozen=True)
class Continuous:
    """The continuous part, over a variable y in which the loss increases.

    `span(t)` gives y with at most mass e^t below and above it. All functions take and give arrays of one shape.
    """

    span: Callable[[float], tuple[float, float]]
    log_density: Callable[[Floats], Floats]
    loss: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]


@dataclass(frozen=True)
class PrivacyLoss:
    """Atoms (losses and ln of their masses) and a continuous part; mass at infinity is kept by the loss itself."""

    atoms: tuple[tuple[float, float], ...] = ()
    continuous: Continuous | None = None


def normal_reach(log_tail: float) -> float:
    """The t with Φ(−t) = e^log_tail."""
    return float(-special.ndtri_exp(min(log_tail, -0.7)))


def log_normal_density(y: Floats) -> Floats:
    """ln φ(y)."""
    return np.asarray(-0.5 * y * y - 0.9189385332046727)
