"""Floating-point building blocks whose results are rounded to the safe side."""

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats: TypeAlias = NDArray[np.float64]

ROUND_OFF = 2.0**-46
"""Relative margin (1.4e-14) that results are moved up by, above the round-off of the closed forms used here: each is
a chain of at most a few dozen well-conditioned operations."""


def up(value: Floats) -> Floats:
    """The values moved up by the round-off margin; zero and infinity stay."""
    return np.asarray(value * (1.0 + ROUND_OFF), dtype=np.float64)


def up1(value: float) -> float:
    """One value moved up by the round-off margin."""
    return value * (1.0 + ROUND_OFF)


_MANY = 16


def exact_sum(rows: NDArray[Any]) -> NDArray[Any]:
    """Column sums of a matrix of shape (n, d): exact for integers, correctly rounded for floats.

    Correct rounding is monotone: adding a non-negative row never lowers a sum, and the order of rows is immaterial.
    """
    if len(rows) == 1:
        return np.array(rows[0])
    if len(rows) > _MANY and rows.dtype != object:
        # Extended precision rounds as correctly as matters, at a small part of the cost.
        return np.asarray(np.sum(rows, axis=0, dtype=np.longdouble), dtype=np.float64)
    if rows.dtype == object:
        columns = [sum(column) if all(isinstance(x, int) for x in column) else math.fsum(column) for column in rows.T]
        return np.array(columns, dtype=object)
    return np.array([math.fsum(column) for column in rows.T], dtype=np.float64)


def weighted_sum(weights: Floats, vectors: NDArray[Any]) -> Floats:
    """Rows of weights times statistics, with 0 · ∞ = 0. Shapes (n, k), (k, d) → (n, d)."""
    values = np.asarray(vectors, dtype=np.float64)
    endless = np.isinf(values)
    total = weights @ np.where(endless, 0.0, values)
    return np.where(weights @ endless > 0.0, np.inf, total)


def exp_minus_1_minus_x(x: ArrayLike) -> Floats:
    """e^x − 1 − x, accurate to a few ulp also near 0."""
    x = np.asarray(x, dtype=np.float64)
    small = np.where(np.abs(x) < 0.5, x, 0.0)
    series = np.zeros_like(small)
    for n in range(20, 2, -1):
        series = small / n * (1.0 + series)
    series = small * small / 2.0 * (1.0 + series)
    with np.errstate(over="ignore"):
        return np.where(np.abs(x) < 0.5, series, np.expm1(x) - x)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


def mills_difference(a: Floats, width: Floats) -> Floats:
    """R(a) − R(a + width) for the Mills ratio R(x) = Φ(−x)/φ(x) of the normal distribution, a ≥ −5.

    Narrow widths integrate −R′(x) = 1 − x·R(x) instead of subtracting two nearly equal numbers.
    """
    root = math.sqrt(math.pi / 2.0)

    def mills(x: Floats) -> Floats:
        return root * np.asarray(special.erfcx(x / math.sqrt(2.0)))

    wide = mills(a) - mills(a + width)
    x = a[..., None] + np.minimum(width, 1.0)[..., None] * (_NODES + 1.0) / 2.0
    narrow = width / 2.0 * np.sum(_WEIGHTS * (1.0 - x * mills(x)), axis=-1)
    return np.where(width < 0.2, narrow, wide)
