"""Number formats and common words of screens, reports and the command line, so that a thing is called the same
everywhere. Spent is rounded up, remaining is rounded down."""

import math
from datetime import date, datetime
from decimal import ROUND_CEILING, Context, Decimal
from zoneinfo import ZoneInfo

from dpcore.decimals import plain, significant
from dpcore.status import Figure, State

STATE_WORDS: dict[State, str] = {
    "ok": "OK",
    "warning": "Warning",
    "critical": "Critical",
    "exhausted": "Exhausted",
    "exceeded": "Over budget",
}

STATE_MEANINGS: dict[State, str] = {
    "ok": "Below the warning mark.",
    "warning": "Past the warning mark.",
    "critical": "Past the critical mark.",
    "exhausted": "Not one more typical query fits.",
    "exceeded": "More was spent than the budget allows.",
}

WINDOW_WORDS = {"none": "no refresh", "daily": "every day", "weekly": "every Monday", "monthly": "every month"}


def epsilon(value: float | Decimal | None, digits: int = 3) -> str:
    """ε to so many significant digits, rounded up: 0.91, 17.2, 5,430, ∞."""
    if value is None:
        return "–"
    number = float(value)
    if math.isinf(number):
        return "∞"
    if number == 0:
        return "0"
    rounded = significant(number, digits) if not isinstance(value, Decimal) else significant_decimal(value, digits)
    if rounded >= 1000:
        return f"{int(rounded):,}" if rounded < Decimal("1e9") else f"{float(rounded):.3g}"
    return plain(rounded)


def significant_decimal(value: Decimal, digits: int) -> Decimal:
    """A decimal to so many significant digits, rounded up."""
    return Context(prec=digits, rounding=ROUND_CEILING).plus(value)


def exact_epsilon(figure: Figure) -> str:
    """The figure with all its digits, for hover texts and tables."""
    if figure.exact is not None:
        return plain(figure.exact)
    if figure.epsilon is None:
        return "–"
    return "∞" if math.isinf(figure.epsilon) else repr(float(figure.epsilon))


def delta(value: float | Decimal | None) -> str:
    """δ as 1e-6, rounded up to three significant digits."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    number = significant_decimal(Decimal(repr(float(value))) if isinstance(value, float) else value, 3)
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    body = "".join(map(str, digits)).rstrip("0")
    mantissa = body[0] + ("." + body[1:] if len(body) > 1 else "")
    return f"{mantissa}e{len(digits) + exponent - 1}"


def count(value: int | None) -> str:
    """A count with separators."""
    return "–" if value is None else f"{value:,}"


def remaining(figure: Figure | None) -> str:
    """Remaining queries of a figure."""
    if figure is None or figure.epsilon is None:
        return "–"
    return "unlimited" if figure.unlimited else count(figure.remaining)


def share(value: float | None) -> str:
    """A consumed share in percent, rounded up; below 1% to one digit, so that a little is never nothing."""
    if value is None:
        return "–"
    if math.isinf(value):
        return "∞"
    percent = value * 100
    if 0 < percent < 1:
        return f"{max(math.ceil(round(percent * 10, 9)) / 10, 0.1):g}%"
    return f"{math.ceil(round(percent, 9)):,}%"


def day(value: date, year: bool = True) -> str:
    """12 Dec 2026."""
    return f"{value.day} {value:%b}" + (f" {value.year}" if year else "")


def moment(value: datetime, zone: str) -> str:
    """12 Dec 2026 14:05 with the zone named."""
    return f"{day(value.astimezone(ZoneInfo(zone)).date())} {value.astimezone(ZoneInfo(zone)):%H:%M} {zone}"


def queries(number: int) -> str:
    """1 query, 2 queries."""
    return f"{number:,} {'query' if number == 1 else 'queries'}"


def rows(number: int) -> str:
    """1 row, 2 rows."""
    return f"{number:,} {'row' if number == 1 else 'rows'}"
