"""What the screens show and `status` prints: figures, states, findings and alerts of every pool."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, TypeAlias

from dpcore.evidence import RowCounts
from dpcore.pools import Dataset, Pool

State: TypeAlias = Literal["ok", "warning", "critical", "exhausted", "exceeded"]
Severity: TypeAlias = Literal["warning", "critical"]

STATES: tuple[State, ...] = ("ok", "warning", "critical", "exhausted", "exceeded")


@dataclass(frozen=True)
class Figure:
    """Consumption of one pool under one theorem.

    `epsilon` is rounded up, None where the theorem cannot speak (then `note` says why) and may be infinite.
    `exact` is the same figure as an exact decimal, where the theorem has one. `delta` is the δ at which it holds.
    `consumed` is the share of the budget, `remaining` the number of typical queries that still fit (None: no typical
    query, or unlimited where `unlimited`). `adaptive` tells whether the figure is valid when parameters are chosen
    as one goes.
    """

    theorem: str
    epsilon: float | None
    exact: Decimal | None = None
    delta: Decimal | None = None
    consumed: float | None = None
    remaining: int | None = None
    unlimited: bool = False
    adaptive: bool = False
    note: str | None = None


@dataclass(frozen=True)
class Exhaustion:
    """When the official theorem refuses the typical query if the recent mix goes on; None: not in sight."""

    on: date | None = None
    low: date | None = None
    high: date | None = None
    note: str | None = None


@dataclass(frozen=True)
class Finding:
    """Something in the log that makes a figure wrong or doubtful."""

    kind: str
    severity: Severity
    queries: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Alert:
    """One sentence that an officer should read; `kind` is a finding's kind, a state, or a rule's name."""

    kind: str
    severity: Severity
    text: str
    pool: str | None = None


@dataclass(frozen=True)
class Lifetime:
    """Loss over all rows ever: under the official theorem at the pool's δ, and the plain pair (Σε, Σδ)."""

    epsilon: float | None
    pair: tuple[Decimal, Decimal] | None


@dataclass(frozen=True)
class PoolStatus:
    """One pool, complete."""

    pool: Pool
    state: State
    unverified: bool
    figures: Mapping[str, Figure]
    tightest: str | None
    leading: str | None
    """The theorem that the state follows: the official one, or the tightest that speaks about every row."""
    budget_epsilon: float
    """The ε limit; of a pool budgeted in ρ, its conversion at δ."""
    rows: RowCounts
    window_start: datetime | None
    window_end: datetime | None
    lifetime: Lifetime
    exhaustion: Exhaustion
    findings: tuple[Finding, ...]
    alerts: tuple[Alert, ...]
    typical: str | None
    """The query that `remaining` counts, in words."""
    last: datetime | None = None

    @property
    def lead(self) -> Figure | None:
        """The figure that the state follows."""
        return self.figures.get(self.leading) if self.leading else None


@dataclass(frozen=True)
class DatasetStatus:
    """Joint loss of one data set over all its pools, all rows ever."""

    dataset: Dataset
    pools: tuple[str, ...]
    theorem: str | None
    epsilon: float | None
    delta: Decimal | None
    note: str | None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Status:
    """A whole log at one time; pools in order of urgency, least budget left first."""

    as_of: datetime
    pools: tuple[PoolStatus, ...]
    datasets: tuple[DatasetStatus, ...]
    alerts: tuple[Alert, ...]
    """Every alert of every pool and of the log itself, most urgent first."""

    def pool(self, name: str) -> PoolStatus | None:
        """The pool of that name."""
        return next((status for status in self.pools if status.pool.name == name), None)
