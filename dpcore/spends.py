"""The multiset of losses that theorems read: distinct losses with counts, and where in the data they ran."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from dpcore.losses.base import Adjacency, Loss, LossError


@lru_cache(maxsize=65536)
def sort_key(loss: Loss) -> str:
    """A text that orders losses the same way in every log."""
    return repr(loss)


@dataclass(frozen=True)
class Place:
    """Part of a partition scheme that a query touched; several parts are all charged."""

    scheme: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Spend:
    """`count` identical steps of one loss, on the whole data or at one place of a scheme declared disjoint."""

    loss: Loss
    count: int = 1
    place: Place | None = None

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int):
            raise LossError("count", f"{self.count!r} is not a whole number")
        if self.count < 0:
            raise LossError("count", f"{self.count} is negative")


class Spends:
    """An immutable multiset of spends.

    Equal losses at equal places are merged, and the order in which they were given leaves no trace: two logs with
    the same rows in another order, or with a count split over several rows, are equal and account equally.
    """

    __slots__ = ("_items",)

    def __init__(self, spends: Iterable[Spend] = ()) -> None:
        merged: dict[tuple[Loss, Place | None], int] = {}
        for spend in spends:
            if spend.count:
                key = (spend.loss, spend.place)
                merged[key] = merged.get(key, 0) + spend.count
        self._items = tuple(
            Spend(loss, count, place)
            for (loss, place), count in sorted(
                merged.items(), key=lambda item: (repr(item[0][1]), sort_key(item[0][0]))
            )
        )

    def __iter__(self) -> Iterator[Spend]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __bool__(self) -> bool:
        return bool(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spends) and self._items == other._items

    def __hash__(self) -> int:
        return hash(self._items)

    def __add__(self, other: "Spends") -> "Spends":
        return Spends([*self._items, *other._items])

    def __repr__(self) -> str:
        return f"Spends({list(self._items)!r})"

    @property
    def count(self) -> int:
        """Queries in all, counts included."""
        return sum(spend.count for spend in self._items)

    def under(self, adjacency: Adjacency, group_size: int = 1) -> "Spends":
        """The spends in the pool's neighbouring relation, towards a unit of up to `group_size` records."""
        return Spends(
            Spend(spend.loss.under(adjacency).for_group(group_size), spend.count, spend.place) for spend in self._items
        )

    def renamed(self, prefix: str) -> "Spends":
        """The spends with their scheme names prefixed, so that schemes of different pools never coincide."""
        return Spends(
            Spend(s.loss, s.count, s.place and Place(f"{prefix}/{s.place.scheme}", s.place.parts)) for s in self._items
        )
