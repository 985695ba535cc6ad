"""One id, several contents: the dearer is charged."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from dpcore.losses.base import Adjacency, Loss, Pair, Unspoken
from dpcore.losses.distribution import PrivacyLoss
from dpcore.numerics import Floats


@dataclass(frozen=True)
class DearerOf(Loss):
    """Versions of one query that contradict each other, each a loss with its count.

    Every view is the largest over the versions, component by component, so that each theorem charges at least the
    dearer one. It has no name in the log: it arises where an id is found with different contents.
    """

    mechanism = ""

    versions: tuple[tuple[Loss, int], ...]

    def _largest(self, view: Callable[[Loss], float]) -> float:
        return max(view(loss) * count for loss, count in self.versions)

    def pair(self) -> Pair:
        pairs = [(loss.pair(), count) for loss, count in self.versions]
        return Pair(max(p.epsilon * n for p, n in pairs), max(p.delta * n for p, n in pairs))

    @property
    def outside(self) -> Decimal:
        # n identical masses δ leave 1 − (1−δ)^n ≤ nδ outside: the sum is the safe figure.
        return max(loss.outside * count for loss, count in self.versions)

    def rho(self) -> float:
        return self._largest(lambda loss: loss.rho())

    def rho_textbook(self) -> float:
        return self._largest(lambda loss: loss.rho_textbook())

    def renyi(self, orders: Floats) -> Floats:
        return np.asarray(np.max([loss.renyi(orders) * count for loss, count in self.versions], axis=0))

    def largest(self) -> float:
        return self._largest(lambda loss: loss.largest())

    def privacy_loss(self) -> tuple[PrivacyLoss, ...]:
        raise Unspoken("came in several versions, whose dearer one depends on δ")

    def mu(self) -> float:
        return self._largest(lambda loss: loss.mu() * loss.mu()) ** 0.5 if self.versions else 0.0

    def under(self, adjacency: Adjacency) -> Loss:
        return DearerOf(tuple((loss.under(adjacency), count) for loss, count in self.versions))

    def for_group(self, size: int) -> Loss:
        return DearerOf(tuple((loss.for_group(size), count) for loss, count in self.versions))

    def describe(self) -> str:
        return "the dearer of " + " and ".join(
            loss.describe() + (f" × {count}" if count > 1 else "") for loss, count in self.versions
        )
