"""(ε, δ)-differential privacy, nothing else known."""

from dataclasses import dataclass

from dpcore.decimals import Number
from dpcore.losses.pure import Pure


@dataclass(frozen=True, init=False)
class Approximate(Pure):
    """A mechanism of which only ε and δ are known.

    It is dominated by randomised response that with probability δ reveals everything (Kairouz, Oh, Viswanath 2015,
    theorem 3.1): the pure part composes as `pure`, δ goes into the slack.
    """

    mechanism = "approximate"

    def __init__(self, epsilon: Number, delta: Number) -> None:
        super().__init__(epsilon, delta)
