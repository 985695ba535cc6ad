"""Exact decimal numbers: how ε, δ and ρ are read, added and rounded.

The log states ε and δ as decimal literals. They are never floats on the way in: a budget of 1.0 less ten
queries of 0.1 is exhausted, not exceeded. What cannot be held exactly is rounded up.
"""

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias

Number: TypeAlias = int | float | str | Decimal | Fraction

PLACES = 36
"""Digits after the point that are kept; further digits are rounded up."""

EPSILON_PLACES = 18
"""Digits after the point at which the log stores ε and ρ."""

SMALLEST_EPSILON = Decimal("1e-15")
SMALLEST_DELTA = Decimal("1e-36")
LARGEST = Decimal("1e20")
"""ε and ρ are stored as DECIMAL(38, 18): they stay below this."""

TOLERANCE = Decimal("1e-12")
"""Relative tolerance when spent is compared with budget: the guarantee is the budget times (1 + 1e-12)."""

_LITERAL = re.compile(r"\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,6})?")
_WIDE = Context(prec=200)


class NumberError(ValueError):
    """A value that is not a number of the kind a field takes; the message says why."""


def literal(value: Number, *, places: int = PLACES) -> Decimal:
    """The exact decimal of a non-negative number, digits beyond `places` rounded up.

    Text must be a plain decimal literal (`0.1`, `1e-7`); floats are taken by their shortest text, so that 0.1 is
    one tenth. Raises NumberError for NaN, infinities, negatives, hexadecimal, digit separators and other text.
    """
    if isinstance(value, bool):
        raise NumberError("true and false are not numbers")
    if isinstance(value, Fraction):
        if value < 0:
            raise NumberError(f"{value} is negative")
        return _from_fraction(value, places)
    text = repr(float(value)) if isinstance(value, float) else str(value).strip()
    if not _LITERAL.fullmatch(text):
        raise NumberError(_why_not(text))
    return round_up(_WIDE.create_decimal(text) if len(text) < 150 else Decimal(text), places)


def _why_not(text: str) -> str:
    plain = text.lstrip("+-").lower()
    if not text:
        return "it is blank"
    if plain in {"nan", "inf", "infinity"}:
        return f"{text} is not a finite number"
    if text.startswith("-") and _LITERAL.fullmatch(text[1:]):
        return f"{text} is negative"
    shown = text if len(text) <= 40 else text[:37] + "…"
    return f"{shown!r} is not a plain decimal number"


def _from_fraction(value: Fraction, places: int) -> Decimal:
    units = -((-value.numerator * 10**places) // value.denominator)
    return scaled(units, places)


def scaled(units: int, places: int = PLACES) -> Decimal:
    """The decimal units · 10^-places, without loss."""
    return Decimal(units).scaleb(-places, Context(prec=max(28, len(str(abs(units))) + 1)))


def units(value: Decimal, places: int = PLACES) -> int:
    """The smallest integer u with u · 10^-places ≥ value: exact for every decimal of at most `places` places."""
    numerator, denominator = value.as_integer_ratio()
    return -int((-numerator * 10**places) // denominator)


def round_up(value: Decimal, places: int) -> Decimal:
    """The value itself where it has at most `places` places, else the next decimal of that many places above."""
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and exponent >= -places:
        return value
    return scaled(units(value, places), places)


def significant(value: float, digits: int, *, up: bool = True) -> Decimal:
    """A finite float to so many significant digits, rounded up (or down)."""
    with localcontext() as context:
        context.prec = digits
        context.rounding = ROUND_CEILING if up else ROUND_FLOOR
        return +Decimal(repr(float(value)))


def float_up(value: Decimal | Fraction) -> float:
    """The smallest float whose shortest decimal text is not below the value: 0.7 for 0.7.

    The float's binary value may lie half an ulp below; `numerics.ROUND_OFF` covers that where it is computed with.
    """
    near = float(value)
    if math.isinf(near) or Fraction(Decimal(repr(near))) >= Fraction(value):
        return near
    return math.nextafter(near, math.inf)


def float_down(value: Decimal | Fraction) -> float:
    """The largest float whose shortest decimal text is not above the value."""
    near = float(value)
    return near if Fraction(Decimal(repr(near))) <= Fraction(value) else math.nextafter(near, -math.inf)


def plain(value: Decimal) -> str:
    """Decimal text without trailing zeros, and without an exponent while it stays readable: 2, 0.25, 1e-7."""
    if not value.is_finite():
        return "inf"
    if value == 0:
        return "0"
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    body = "".join(map(str, digits)).rstrip("0")
    exponent += len(digits) - len(body)
    magnitude = len(body) + exponent
    if -3 <= magnitude <= 21:
        return format(Decimal((sign, tuple(map(int, body)), exponent)), "f")
    mantissa = body[0] + ("." + body[1:] if len(body) > 1 else "")
    return f"{'-' if sign else ''}{mantissa}e{magnitude - 1}"
