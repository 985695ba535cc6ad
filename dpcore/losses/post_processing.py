"""Post-processing of released answers."""

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from dpcore.losses.base import Loss, Pair
from dpcore.losses.distribution import PrivacyLoss
from dpcore.numerics import Floats


@dataclass(frozen=True)
class PostProcessing(Loss):
    """A function of answers that were themselves released under DP: free (Dwork and Roth 2014, proposition 2.1).

    Whether the parents are DP releases is decided where the log is read; this loss stands for the ones that are.
    """

    mechanism = "post_processing"

    def pair(self) -> Pair:
        return Pair(Decimal(0), Decimal(0))

    def rho(self) -> float:
        return 0.0

    def renyi(self, orders: Floats) -> Floats:
        return np.zeros_like(orders)

    def largest(self) -> float:
        return 0.0

    def privacy_loss(self) -> tuple[PrivacyLoss, ...]:
        return (PrivacyLoss(((0.0, 0.0),)),)

    def mu(self) -> float:
        return 0.0

    def for_group(self, size: int) -> Loss:
        return self

    def describe(self) -> str:
        return "post-processing"
