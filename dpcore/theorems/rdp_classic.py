"""Rényi differential privacy with the conversion of the original paper."""

import numpy as np

from dpcore.numerics import Floats
from dpcore.theorems.rdp import RDP


class RDPClassic(RDP):
    """Σε(α), then the min over orders up to 1e9 of ε(α) + ln(1/s)/(α−1).

    Source: Mironov 2017, proposition 3. The limit α → ∞ is left out, so slack 0 has no finite figure.
    """

    name = "rdp_classic"
    title = "Rényi DP (classic conversion)"
    position = 100
    source = "Mironov 2017, propositions 1 and 3"
    summary = "The same curve with the older, looser conversion that earlier tools print."
    formula = r"\min_{\alpha>1}\ \varepsilon(\alpha)+\tfrac{\ln(1/s)}{\alpha-1}"

    def _at(self, curve: Floats, orders: Floats, log_slack: Floats) -> Floats:
        return np.where(orders <= 1e9, curve - log_slack / (orders - 1.0), np.inf)

    def _at_infinity(self, largest: Floats) -> Floats:
        return np.full_like(largest, np.inf)
