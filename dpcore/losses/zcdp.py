"""A declared zCDP loss."""

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from dpcore.decimals import Number, float_up, plain
from dpcore.losses.base import Loss, Pair, Unspoken, epsilon_field
from dpcore.losses.distribution import PrivacyLoss
from dpcore.numerics import Floats, up


@dataclass(frozen=True, init=False)
class ZCDP(Loss):
    """ρ-zCDP, nothing else known (Bun and Steinke 2016, definition 1.1)."""

    mechanism = "zcdp"

    declared: Decimal

    def __init__(self, rho: Number) -> None:
        self._set("declared", epsilon_field(rho, "rho"))

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        return ("rho",)

    def pair(self) -> Pair:
        raise Unspoken("declare only ρ")

    def rho(self) -> float:
        return float_up(self.declared)

    def renyi(self, orders: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return up(orders * self.rho())

    def privacy_loss(self) -> tuple[PrivacyLoss, ...]:
        raise Unspoken("declare only ρ, which gives no distribution of the loss")

    def mu(self) -> float:
        raise Unspoken("declare only ρ, which bounds no μ")

    def for_group(self, size: int) -> Loss:
        return ZCDP(self.declared * size**2) if size > 1 else self

    def describe(self) -> str:
        return f"zCDP, ρ = {plain(self.declared)}"
