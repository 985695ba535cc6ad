"""What a log tells about its pools, before any arithmetic: the boundary between the engine and the core.

Whatever holds the log (DuckDB today) groups its rows into these records; everything after them is pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from dpcore.losses.base import Loss
from dpcore.pools import Catalogue
from dpcore.spends import Spends


@dataclass(frozen=True)
class RowCounts:
    """Rows of one pool by what became of them; `duplicates` are repeats of an id with the same content."""

    released: int = 0
    denied: int = 0
    failed: int = 0
    failed_before_release: int = 0
    rejected: int = 0
    duplicates: int = 0


@dataclass(frozen=True)
class Fact:
    """Something a finding is made of: its kind, how many rows, the first few query ids, and what is particular."""

    kind: str
    rows: int
    queries: tuple[str, ...] = ()
    detail: str = ""


@dataclass(frozen=True)
class Day:
    """What one local day of a pool charged."""

    day: date
    spends: Spends


@dataclass(frozen=True)
class PoolEvidence:
    """One pool's rows, grouped.

    `window` holds the rows of the current window (all rows shown, for a pool without one), `lifetime` all rows
    ever. Losses are in the pool's own relation. `recent` holds the losses of the last 100 released rows, newest
    first; `days` the charged days of the recent past (or of the whole history, where that was asked for), oldest
    first. `first` and `last` are the times of the first and last charged row.
    """

    rows: RowCounts = RowCounts()
    window: Spends = field(default_factory=Spends)
    lifetime: Spends = field(default_factory=Spends)
    window_start: datetime | None = None
    window_end: datetime | None = None
    recent: tuple[Loss, ...] = ()
    days: tuple[Day, ...] = ()
    facts: tuple[Fact, ...] = ()
    first: datetime | None = None
    last: datetime | None = None


@dataclass(frozen=True)
class Evidence:
    """A whole log at one time."""

    as_of: datetime
    catalogue: Catalogue
    pools: Mapping[str, PoolEvidence]
    facts: tuple[Fact, ...] = field(default=())
    """Facts about rows that name no known pool."""
