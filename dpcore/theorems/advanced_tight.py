"""Advanced composition with the exact bound on the mean loss."""

import math

from dpcore.theorems.advanced import Advanced


class AdvancedTight(Advanced):
    """√(2 ln(1/s)·Σε²) + Σε·tanh(ε/2), tanh(ε/2) = (e^ε − 1)/(e^ε + 1).

    Source: Kairouz, Oh and Viswanath 2015, theorem 3.5 (its middle form): ε·tanh(ε/2) is the largest mean privacy
    loss an ε-DP mechanism can have, that of randomised response.
    """

    name = "advanced_tight"
    title = "Advanced (tight mean)"
    position = 30
    source = "Kairouz, Oh, Viswanath 2015, theorem 3.5, middle form"
    summary = "The textbook square-root rule with the exact average loss instead of a rough bound on it."
    formula = r"\sqrt{2\ln(1/s)\sum_i\varepsilon_i^2}+\sum_i\varepsilon_i\tanh(\varepsilon_i/2)"

    def _mean(self, epsilon: float) -> float:
        return epsilon * math.tanh(epsilon / 2.0)
