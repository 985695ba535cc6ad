"""Numbers, dates and state words as the screens show them. Spent rounds up, remaining rounds down."""

import math
from datetime import date, datetime
from decimal import ROUND_CEILING, Context, Decimal
from zoneinfo import ZoneInfo

from dpcore.decimals import plain, significant

NONE = "–"

STATE_WORDS = {
    "ok": "OK",
    "warning": "Warning",
    "critical": "Critical",
    "exhausted": "Exhausted",
    "exceeded": "Exceeded",
}


def epsilon(value: float | Decimal | None) -> str:
    """ε to three significant digits, rounded up."""
    if value is None:
        return NONE
    if math.isinf(value):
        return "∞"
    rounded = significant(float(value), 3) if value else Decimal(0)
    return f"{rounded:,f}" if rounded >= 1000 else plain(rounded)


def exact(value: float | Decimal | None) -> str:
    """ε with all its digits, for those who point at it."""
    if value is None:
        return NONE
    return plain(value) if isinstance(value, Decimal) else "∞" if math.isinf(value) else repr(value)


def delta(value: Decimal | None) -> str:
    """δ as 1e-6, to two significant digits, rounded up."""
    if value is None:
        return NONE
    if value == 0:
        return "0"
    rounded = Context(prec=2, rounding=ROUND_CEILING).create_decimal(value).normalize()
    exponent = rounded.adjusted()
    return f"{rounded.scaleb(-exponent).normalize():f}e{exponent}" if exponent < -3 else f"{rounded:f}"


def count(value: int | None, unlimited: bool = False) -> str:
    """A number of queries, with separators."""
    if unlimited:
        return "no limit"
    return NONE if value is None else f"{value:,}"


def percent(share: float | None) -> str:
    """A consumed share, rounded up to whole percent."""
    if share is None:
        return NONE
    if math.isinf(share):
        return "∞"
    return f"{math.ceil(share * 100 - 1e-9):,} %"


def day(value: date | None, today: date | None = None) -> str:
    """12 Dec, with the year where it is not this one."""
    if value is None:
        return NONE
    text = f"{value.day} {value:%b}"
    return text if today is not None and value.year == today.year else f"{text} {value.year}"


def moment(value: datetime, zone: ZoneInfo) -> str:
    """1 Dec 2026, 10:00 Europe/Zurich."""
    local = value.astimezone(zone)
    return f"{local.day} {local:%b %Y, %H:%M} {zone.key}"


def plural(number: int, noun: str, nouns: str | None = None) -> str:
    """1 pool, 2 pools."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"
