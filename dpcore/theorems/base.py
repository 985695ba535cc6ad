"""What a composition theorem is: an additive statistic of losses and a conversion of its sum into ε at δ."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpcore.decimals import float_down, float_up
from dpcore.losses.base import Loss
from dpcore.numerics import Floats

Statistic: TypeAlias = NDArray[Any]
"""One-dimensional array of non-negative components: floats, or exact integers in an object array."""

Weighted: TypeAlias = Sequence[tuple[Loss, float]]
"""Losses with their counts; forecasts use fractional counts."""

Adaptivity: TypeAlias = Literal["always", "filter", "not_established"]

_EDGE = 1e-12


@dataclass(frozen=True)
class Target:
    """At which δ to convert, and what was fixed beforehand for budgets chosen adaptively.

    `reserve` (δ″) is the part of δ kept for the δ of the queries, `order` the one Rényi order; both only act when
    `adaptive` is set.
    """

    delta: Decimal
    adaptive: bool = False
    reserve: Decimal | None = None
    order: float | None = None

    def log_slack(self, outside: Floats) -> Floats:
        """ln s with 1 − δ = (1 − s)·Π(1−δᵢ), from Σ −ln(1−δᵢ) per row, rounded down.

        −∞ where the slack is used up exactly (relative tolerance 1e-12), NaN where the queries' δ exceed the target.
        """
        whole = _outside(self.delta)
        if self.adaptive and self.reserve is not None:
            reserved = _outside(self.reserve)
            slack = math.log(float_down(self.delta - self.reserve))
            return np.where(outside <= reserved * (1.0 + _EDGE), slack, np.nan)
        gap = whole - outside
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            usable = np.log(-np.expm1(-(gap - 1e-15 * whole)))
        return np.where(gap > _EDGE * whole, usable, np.where(gap >= -_EDGE * whole, -np.inf, np.nan))


def _outside(delta: Decimal) -> float:
    return -math.log1p(-float(delta))


class Theorem(ABC):
    """One composition theorem. Subclasses are stateless; the package registers one instance of each."""

    name: ClassVar[str]
    title: ClassVar[str]
    position: ClassVar[int]
    """Place in lists, ascending."""
    source: ClassVar[str]
    summary: ClassVar[str]
    """One sentence for people who do not know the mathematics."""
    formula: ClassVar[str]
    adaptive: ClassVar[Adaptivity] = "not_established"
    holds_at_own_delta: ClassVar[bool] = False
    """Whether the figure holds at the δ that the queries spend, whatever δ the target has."""

    looseness: ClassVar[float] = 0.0
    """How far, relatively, `convert` may lie above `refine`; 0 where the statistic says all."""

    most_work: ClassVar[int] = 0
    """Persons times distinct losses that are refined at quick effort."""

    @abstractmethod
    def embed(self, loss: Loss) -> Statistic:
        """The loss's additive statistic; every entry is a sum over queries. Raises Unspoken."""

    @abstractmethod
    def convert(self, totals: Statistic, target: Target) -> Floats:
        """ε at the target for each row of summed statistics, rounded up. Shape (n, d) → (n,)."""

    def refine(self, weighted: Weighted, total: Statistic, target: Target, epsilon: float) -> float:
        """A figure at least as tight as `epsilon` = convert(total), where more work pays; still an upper bound."""
        return epsilon

    def outside(self, totals: Statistic) -> Floats:
        """Σ −ln(1−δᵢ) of each row of totals: by convention the last component."""
        return np.asarray(totals[:, -1], dtype=np.float64)

    def delta_spent(self, totals: Statistic) -> Decimal:
        """The largest δ that the queries of any row spend by themselves: 1 − Π(1−δᵢ)."""
        worst = float(np.max(self.outside(totals)))
        return Decimal(repr(-math.expm1(-worst))) if worst else Decimal(0)

    def exact(self, totals: Statistic) -> Decimal | None:
        """The worst row's ε as an exact decimal, where the statistic is one."""
        return None

    def rho_spent(self, totals: Statistic) -> float | None:
        """The worst row's Σρ, where that is what the theorem adds up: budgets in ρ are compared with it."""
        return None

    def ready_for(self, target: Target) -> bool:
        """Whether the figure is valid although parameters were chosen as one went (theory: fully adaptive filters)."""
        return self.adaptive == "always" or (
            self.adaptive == "filter" and target.adaptive and target.reserve is not None
        )


def outside_of(delta: Decimal) -> float:
    """−ln(1−δ), rounded up."""
    return -math.log1p(-float_up(delta)) if delta else 0.0
