"""Answers without noise."""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from dpcore.losses.base import Loss, Pair
from dpcore.losses.distribution import PrivacyLoss
from dpcore.numerics import Floats


@dataclass(frozen=True)
class Exact(Loss):
    """An exact value: no finite ε holds, under any theorem."""

    mechanism = "exact"

    def pair(self) -> Pair:
        return Pair(Decimal("Infinity"), Decimal(0))

    def rho(self) -> float:
        return math.inf

    def renyi(self, orders: Floats) -> Floats:
        return np.full_like(orders, math.inf)

    def privacy_loss(self) -> tuple[PrivacyLoss, ...]:
        return (PrivacyLoss(((math.inf, 0.0),)),)

    def mu(self) -> float:
        return math.inf

    def for_group(self, size: int) -> Loss:
        return self

    def describe(self) -> str:
        return "exact value, no noise"
