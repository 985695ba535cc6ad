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


def bounded_range_rho(epsilon: float) -> float:
    """r − 1 − ln r with r = ε/(e^ε − 1) (Harrison and Manurangsi 2025), never above the pure figure."""
    if epsilon < 0.5:
        # ln r = ln(ε/(e^ε − 1)) as a series: the direct form loses all digits for small ε.
        square = epsilon * epsilon
        series = 1 / 24 - square * (1 / 2880 - square * (1 / 181440 - square / 9676800))
        log_r = -epsilon / 2.0 - square * series
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
