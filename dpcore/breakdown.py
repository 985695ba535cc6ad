"""Who and what spent a pool's budget."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dpcore.accountant import fixed_target, target_of
from dpcore.losses import Unspoken
from dpcore.parallel import Composition, People
from dpcore.pools import Pool
from dpcore.spends import Place, Spend, Spends
from dpcore.theorems import THEOREMS, Theorem

Dimension: TypeAlias = Literal["analyst", "mechanism", "partition"]


@dataclass(frozen=True)
class Share:
    """Charged rows of one analyst, mechanism and place, grouped."""

    analyst: str
    mechanism: str
    place: Place | None
    spends: Spends
    rows: int


@dataclass(frozen=True)
class Part:
    """One analyst, mechanism or partition: its queries, the ε of them alone, and the ε of everything without them.

    Neither of the two adds up to the pool's figure: losses compose sub-linearly.
    """

    label: str
    queries: int
    alone: float | None
    without: float | None


def break_down(pool: Pool, shares: Iterable[Share], by: Dimension, theorem: str | None = None) -> list[Part]:
    """The parts along one dimension, dearest first, under a theorem (the official one when None)."""
    used = THEOREMS.get(theorem or pool.official)
    groups: dict[str, list[Spend]] = defaultdict(list)
    for share in shares:
        for label in _labels(share, by):
            groups[label].extend(share.spends)
    parts = []
    for label, spends in groups.items():
        rest = [spend for other, listed in groups.items() if other != label for spend in listed]
        parts.append(
            Part(
                label,
                sum(spend.count for spend in spends),
                _epsilon(pool, used, Spends(spends)),
                _epsilon(pool, used, Spends(rest)),
            )
        )
    return sorted(parts, key=lambda part: (-(part.alone or 0.0), part.label))


def _labels(share: Share, by: Dimension) -> list[str]:
    if by == "analyst":
        return [share.analyst or "(not stated)"]
    if by == "mechanism":
        return [share.mechanism]
    if share.place is None:
        return ["whole data"]
    return [f"{share.place.scheme}: {part}" for part in share.place.parts]


def _epsilon(pool: Pool, theorem: Theorem | None, spends: Spends) -> float | None:
    if theorem is None:
        return None
    try:
        people = People.of(spends, pool.adjacency)
        return Composition(theorem, people, fixed_target(theorem, target_of(pool)), quick=True).epsilon()
    except Unspoken:
        return None
