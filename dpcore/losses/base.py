"""What a theorem may ask of one query's loss.

A loss is a frozen record of what is known about one query's mechanism. Each theorem reads one *view* of it; a
view that the mechanism does not support raises `Unspoken` with the reason, in words that finish the sentence
"40 queries …".
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from decimal import Decimal, localcontext
from typing import ClassVar, Literal, Self, TypeAlias

from dpcore.decimals import LARGEST, SMALLEST_DELTA, SMALLEST_EPSILON, Number, NumberError, literal
from dpcore.losses.distribution import PrivacyLoss
from dpcore.numerics import Floats

Adjacency: TypeAlias = Literal["add_remove", "replace_one"]


class LossError(ValueError):
    """A loss that cannot be: names the field and says what is wrong with it."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class Unspoken(Exception):
    """The theorem says nothing about this loss; the reason finishes the sentence "40 queries …"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


STATED_ROUNDING = 1 + Decimal("1e-9")
"""How far the exact ε may lie above the stated one and still count as its rounding."""


@dataclass(frozen=True)
class Pair:
    """An (ε, δ) guarantee in exact decimals; ε may be infinite."""

    epsilon: Decimal
    delta: Decimal


@dataclass(frozen=True)
class Loss(ABC):
    """What one query costs. Subclasses are one mechanism each and register by their `mechanism` name."""

    mechanism: ClassVar[str]

    @abstractmethod
    def pair(self) -> Pair:
        """The (ε, δ) that the mechanism guarantees."""

    @abstractmethod
    def rho(self) -> float:
        """The smallest known ρ of ρ-zCDP, rounded up."""

    def rho_textbook(self) -> float:
        """The ρ that textbooks give; the tight one unless they differ."""
        return self.rho()

    @abstractmethod
    def renyi(self, orders: Floats) -> Floats:
        """Rényi divergence bound ε(α) at each finite order α > 1, rounded up. Shape as `orders`."""

    def largest(self) -> float:
        """The largest privacy loss outside the mass δ: the Rényi divergence as α → ∞. Infinite unless bounded."""
        return math.inf

    @abstractmethod
    def mu(self) -> float:
        """The smallest known μ of μ-Gaussian DP, rounded up."""

    def privacy_loss(self) -> tuple[PrivacyLoss, ...]:
        """The privacy-loss distribution, once where both directions of neighbours are alike, else one for each."""
        raise Unspoken("have no privacy-loss distribution")

    @property
    def outside(self) -> Decimal:
        """Probability mass δ outside the pure part, which zCDP, RDP and GDP charge to the slack."""
        return Decimal(0)

    def under(self, adjacency: Adjacency) -> "Loss":
        """The loss in the pool's neighbouring relation: clipping norms become sensitivities."""
        return self

    def refused_amplification(self, adjacency: Adjacency) -> str | None:
        """Why `under` does not grant a claimed amplification by sampling; None where it does or none is claimed."""
        return None

    @abstractmethod
    def for_group(self, size: int) -> "Loss":
        """The loss towards a unit that contributes up to `size` records."""

    @property
    def understated(self) -> Decimal | None:
        """The ε that the stated noise really gives, where it is above the stated ε; else None."""
        return None

    @abstractmethod
    def describe(self) -> str:
        """The loss in a few words, e.g. "Laplace, ε = 0.01"."""

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        """The log columns that this mechanism reads."""
        return tuple(field.name for field in fields(cls) if field.init)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


def epsilon_field(value: Number, name: str = "epsilon") -> Decimal:
    """A stated ε or ρ, between 1e-15 and 1e20. Raises LossError."""
    try:
        number = literal(value)
    except NumberError as error:
        raise LossError(name, str(error)) from None
    if number < SMALLEST_EPSILON:
        raise LossError(name, f"{value} is below the smallest accepted value, 1e-15")
    if number >= LARGEST:
        raise LossError(name, f"{value} is above the largest accepted value, 1e20")
    return number


def delta_field(value: Number, name: str = "delta") -> Decimal:
    """A stated δ: 0, or at least 1e-36 and below 1. Raises LossError."""
    try:
        number = literal(value)
        exact = literal(value, places=400)
    except NumberError as error:
        raise LossError(name, str(error)) from None
    if 0 < exact < SMALLEST_DELTA:
        raise LossError(name, f"{value} is below the smallest accepted value, 1e-36")
    if number >= 1:
        raise LossError(name, f"{value} is not below 1")
    return number


def scale_field(value: Number, name: str) -> float:
    """A noise scale or sensitivity: a finite positive float, taken by its shortest text. Raises LossError."""
    try:
        number = float(literal(value, places=400))
    except NumberError as error:
        raise LossError(name, str(error)) from None
    except OverflowError:
        number = float("inf")
    if not 1e-150 <= number <= 1e150:
        raise LossError(name, f"{value} is not a positive number between 1e-150 and 1e150")
    return number


@dataclass(frozen=True)
class Declared(Loss):
    """Common part of the mechanisms whose whole guarantee is a stated ε (and δ, 0 when blank)."""

    epsilon: Decimal
    delta: Decimal = Decimal(0)

    def __init__(self, epsilon: Number, delta: Number = 0) -> None:
        self._set("epsilon", epsilon_field(epsilon))
        self._set("delta", delta_field(delta))

    def pair(self) -> Pair:
        return Pair(self.epsilon, self.delta)

    def privacy_loss(self) -> tuple[PrivacyLoss, ...]:
        """The privacy-loss distribution, once where both directions of neighbours are alike, else one for each."""
        raise Unspoken("have no privacy-loss distribution")

    @property
    def outside(self) -> Decimal:
        return self.delta

    def for_group(self, size: int) -> Self:
        return type(self)(*group_pair(self.epsilon, self.delta, size)) if size > 1 else self


def group_pair(epsilon: Decimal, delta: Decimal, size: int) -> tuple[Decimal, Decimal]:
    """Group privacy of an (ε, δ) guarantee: (gε, δ(e^{gε} − 1)/(e^ε − 1)), rounded up.

    Raises LossError where the group's δ is not below 1: the guarantee is then empty.
    """
    grown = epsilon * size
    if delta == 0 or size == 1:
        return grown, delta
    if epsilon == 0:
        factor = Decimal(size)
    elif grown > 700:
        raise LossError("delta", f"a group of {size} has no guarantee: δ grows to 1")
    else:
        with localcontext(prec=60):
            factor = (grown.exp() - 1) / (epsilon.exp() - 1) * (1 + Decimal("1e-30"))
    if factor * delta >= 1:
        raise LossError("delta", f"a group of {size} has no guarantee: δ grows to 1")
    return grown, literal(factor * delta)
