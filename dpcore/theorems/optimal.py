"""Optimal composition of queries of which only (ε, δ) is known."""

import math
from collections import Counter
from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy import special

from dpcore.losses.pure import randomised_response
from dpcore.pld import MOST_POINTS, Atoms, Part, composed_epsilon, invert, split
from dpcore.theorems.base import Statistic, Target, Weighted
from dpcore.theorems.kov35 import Kov35

_GRID_LOSS = 4e-4
"""Relative growth of the variance that the pessimistic grid may cause."""


_MOST_SUMS, _MOST_QUERIES = 100_000, 2000
"""Up to so many different sums of losses, of so many queries, every sum is listed."""


class Optimal(Kov35):
    """The exact inverse of the composed privacy curve of randomised responses.

    Source: Kairouz, Oh and Viswanath 2015, theorem 3.3 (every (ε, δ) mechanism is dominated by randomised response
    that reveals everything with probability δ), without its grid (k−2i)ε: the curve is inverted between the losses
    too. Commensurable ε form a lattice, on which the composition is exact up to the round-off charged to δ. Others
    are moved to a grid: each atom is split between its neighbours so that mass and E[e^−loss] are kept, which only
    raises δ(ε) (Doroshenko et al. 2022, connect-the-dots). The statistic is that of the closed form, which bounds
    the figure from above.
    """

    name = "optimal"
    title = "Optimal"
    position = 60
    source = "Kairouz, Oh, Viswanath 2015, theorem 3.3, on the continuous curve"
    summary = "The best that can be said when only the ε and δ of each query are known."
    formula = r"\min\{\varepsilon:\ \mathbb{E}\big[(1-e^{\varepsilon-L})_+\big]\le s\},\; L=\sum_i\pm\varepsilon_i"
    looseness = math.inf
    most_work = 400

    def refine(self, weighted: Weighted, total: Statistic, target: Target, epsilon: float) -> float:
        log_slack = float(target.log_slack(self.outside(total[None, :]))[0])
        if not 0.0 < epsilon < math.inf or not math.isfinite(log_slack):
            return epsilon
        counts: Counter[Fraction] = Counter()
        for loss, count in weighted:
            each = Fraction(loss.pair().epsilon)
            if each:
                counts[each] += count  # type: ignore[assignment]
        exact = _epsilon(tuple(sorted(counts.items())), log_slack)
        return epsilon if exact is None else min(epsilon, exact)


@lru_cache(maxsize=4096)
def _epsilon(counts: tuple[tuple[Fraction, float], ...], log_slack: float) -> float | None:
    losses = [each for each, _ in counts]
    if math.prod(n + 1 for _, n in counts) <= _MOST_SUMS and math.fsum(n for _, n in counts) <= _MOST_QUERIES:
        return _by_enumeration(counts, log_slack)
    spread = math.sqrt(math.fsum(n * float(e) ** 2 for e, n in counts))
    denominator = math.lcm(*(each.denominator for each in losses))
    common = Fraction(math.gcd(*(int(each * denominator) for each in losses)), denominator)
    step = 2 * common
    if 40.0 * spread / float(step) + 64 <= MOST_POINTS / 8:
        parts = [Part(_two_atoms(int(e / common), float(e)), n) for e, n in counts]
        offset = -math.fsum(float(e) * n for e, n in counts)
        return composed_epsilon(parts, float(step), offset, log_slack)
    queries = math.fsum(n for _, n in counts)
    grid = math.sqrt(4.0 * _GRID_LOSS / queries) * spread
    parts = []
    for each, count in counts:
        (low, log_low), (high, log_high) = randomised_response(float(each))
        parts.append(Part(split(np.array([low, high]), np.array([log_low, log_high]), grid), count))
    return composed_epsilon(parts, grid, 0.0, log_slack)


def _by_enumeration(counts: tuple[tuple[Fraction, float], ...], log_slack: float) -> float:
    """The exact inverse over all sums of losses, with their binomial probabilities."""
    sums, logs = np.zeros(1), np.zeros(1)
    for each, count in counts:
        epsilon = float(each)
        ups = np.arange(math.ceil(count) + 1)
        (_, low), (_, high) = randomised_response(epsilon)
        n = ups[-1]
        ways = special.gammaln(n + 1) - special.gammaln(ups + 1) - special.gammaln(n - ups + 1)
        sums = np.add.outer(sums, epsilon * (2 * ups - n)).ravel()
        logs = np.add.outer(logs, ways + ups * high + (n - ups) * low).ravel()
    order = np.argsort(sums)
    # Each logarithm of a probability carries a few ulp of the factorials in it.
    return invert(sums[order], logs[order] + 1e-11, log_slack)


def _two_atoms(places: int, epsilon: float) -> Atoms:
    """Randomised response on a lattice whose origin is its lower loss."""
    return Atoms(np.array([0, places]), np.array([log_mass for _, log_mass in randomised_response(epsilon)]))
