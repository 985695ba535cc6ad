"""Solving for a loss or a count that just fits a budget, rounded to the safe side."""

import struct
from collections.abc import Callable, Mapping
from decimal import Decimal

from dpcore.accountant import Limits, fits, fixed_target, remaining_queries
from dpcore.decimals import Number, float_down, significant
from dpcore.losses import MECHANISMS, Adjacency, Loss, LossError, Unspoken, from_fields
from dpcore.parallel import Composition, People
from dpcore.pools import Budget
from dpcore.spends import Spends
from dpcore.theorems import THEOREMS, Target

_DIGITS = 12


def solve(
    spends: Spends,
    budget: Budget,
    wanted: Mapping[str, object],
    *,
    delta: Decimal,
    adjacency: Adjacency,
    group_size: int = 1,
) -> float | int | None:
    """The largest ε, smallest noise scale or largest count of a loss that still fits beside the spends.

    `wanted` holds `for` ("epsilon", "noise_scale" or "count"), `theorem`, `loss` (its fields) and `count` (of the loss,
    1 when missing). ε is rounded down and noise up to 12 significant digits; None where nothing fits. Raises
    LossError with the name of what is wrong.
    """
    unknown = sorted(set(wanted) - {"for", "theorem", "loss", "count"})
    if unknown:
        raise LossError("solve", f"unknown key {unknown[0]!r}; use for, theorem, loss and count")
    name = wanted.get("theorem")
    if name not in THEOREMS:
        raise LossError("solve", f"theorem {name!r} is none of {', '.join(THEOREMS)}")
    theorem = THEOREMS[str(name)]
    table = wanted.get("loss")
    if not isinstance(table, Mapping) or str(table.get("mechanism")) not in MECHANISMS:
        raise LossError("solve", "loss needs a mechanism")
    count = wanted.get("count", 1)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise LossError("solve", f"count is {count!r}; it must be a whole number of at least 1")
    mechanism = str(table["mechanism"])
    target = fixed_target(theorem, Target(delta))

    def made(**fields: Number) -> Loss:
        return from_fields(mechanism, {**table, **fields}).under(adjacency).for_group(group_size)

    strict = Limits.of(budget, Decimal(0))
    people = People.of(spends.under(adjacency, group_size), adjacency)
    try:
        composition = Composition(theorem, people, target)
        goal = wanted.get("for")
        if goal == "count":
            return remaining_queries(composition, budget, made())
        if goal == "epsilon":
            return _largest_epsilon(lambda e: fits(composition, strict, made(epsilon=e), count))
        if goal == "noise_scale":
            return _smallest_noise(lambda b: fits(composition, strict, made(noise_scale=b), count))
    except Unspoken as silence:
        raise LossError("solve", f"{theorem.name} cannot speak: such queries {silence.reason}") from None
    raise LossError("solve", f"for is {goal!r}; use epsilon, noise_scale or count")


def _largest_epsilon(fitting: Callable[[float], bool]) -> float | None:
    found = _boundary(fitting, 1e-15, 1e19)
    return None if found is None else _rounded(found, up=False, fitting=fitting)


def _smallest_noise(fitting: Callable[[float], bool]) -> float | None:
    found = _boundary(lambda x: fitting(1.0 / x), 1e-12, 1e12)
    return None if found is None else _rounded(1.0 / found, up=True, fitting=fitting)


def _boundary(fitting: Callable[[float], bool], low: float, high: float) -> float | None:
    """The largest float between low and high for which a monotone condition holds, by bisection over floats.

    Floats are ordered like their bit patterns, so bisecting the patterns needs no bracket and no tolerance. The
    bisection stops at 2⁻⁴⁶ relative: finer than the digits that are printed.
    """
    if not fitting(low):
        return None
    if fitting(high):
        return high
    a, b = _bits(low), _bits(high)
    while b - a > 64:
        middle = (a + b) // 2
        a, b = (middle, b) if fitting(_float(middle)) else (a, middle)
    return _float(a)


def _rounded(value: float, *, up: bool, fitting: Callable[[float], bool]) -> float:
    digits = float(significant(value, _DIGITS, up=up))
    return digits if fitting(digits) else float_down(Decimal(repr(value))) if not up else value


def _bits(value: float) -> int:
    return int.from_bytes(struct.pack(">d", value), "big")


def _float(bits: int) -> float:
    return float(struct.unpack(">d", bits.to_bytes(8, "big"))[0])
