"""The exponential mechanism, by its ε."""

import math
from dataclasses import dataclass

import numpy as np

from dpcore.decimals import float_up
from dpcore.losses.pure import Pure, pure_renyi, pure_rho
from dpcore.numerics import Floats, up, up1


@dataclass(frozen=True, init=False)
class Exponential(Pure):
    """The exponential mechanism: ε-DP and of bounded range ε (Durfee and Rogers 2019)."""

    mechanism = "exponential"

    def rho(self) -> float:
        return bounded_range_rho(float_up(self.epsilon))

    def rho_textbook(self) -> float:
        """ε²/8 (Cesar and Rogers 2021)."""
        epsilon = float_up(self.epsilon)
        return up1(epsilon * epsilon / 8.0)

    def renyi(self, orders: Floats) -> Floats:
        epsilon = float_up(self.epsilon)
        return np.minimum(up(orders * bounded_range_rho(epsilon)), pure_renyi(epsilon, orders))


_LOG_SINH = (1 / 6, -1 / 180, 1 / 2835, -1 / 37800, 1 / 467775, -691 / 3831077250, 2 / 127702575)
"""Taylor coefficients of ln(sinh(x)/x)/x² in x²."""


def bounded_range_rho(epsilon: float) -> float:
    """r − 1 − ln r with r = ε/(e^ε − 1) (Harrison and Manurangsi 2025), never above the pure figure."""
    if epsilon < 0.7:
        # ln r = −ε/2 − ln(sinh(ε/2)/(ε/2)) as a series: the direct form loses all digits for small ε.
        half = epsilon / 2.0
        log_r = -half - half * half * float(np.polynomial.polynomial.polyval(half * half, _LOG_SINH))
        term = value = log_r * log_r / 2.0
        for n in range(3, 16):
            term *= log_r / n
            value += term
    elif epsilon < 700.0:
        r = epsilon / math.expm1(epsilon)
        value = r - 1.0 - math.log(r)
    else:
        value = epsilon - 1.0 - math.log(epsilon)
    return min(up1(value), pure_rho(epsilon))
