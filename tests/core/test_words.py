"""Number formats: spent rounds up, remaining is whole, δ is short."""

import math
from decimal import Decimal

import pytest

from dpcore import words
from dpcore.decimals import NumberError, float_up, literal, plain, units


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.9100000001, "0.911"),
        (0.91, "0.91"),
        (17.1435, "17.2"),
        (5425.46, "5,430"),
        (1.0000000000000142, "1.01"),
        (Decimal("1.2"), "1.2"),
        (math.inf, "∞"),
        (0.0, "0"),
        (None, "–"),
        (3e9, "3e+09"),
        (1.5e-9, "1.5e-9"),
    ],
)
def test_epsilon(value: float | Decimal | None, shown: str) -> None:
    assert words.epsilon(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Decimal("0.000001"), "1e-6"),
        (1e-10, "1e-10"),
        (Decimal("2.5e-7"), "2.5e-7"),
        (0, "0"),
        (Decimal("0.1"), "1e-1"),
    ],
)
def test_delta(value: Decimal, shown: str) -> None:
    assert words.delta(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0%"), (0.0004, "0.1%"), (0.611, "62%"), (0.7, "70%"), (1.0, "100%"), (1.0001, "101%"), (math.inf, "∞")],
)
def test_share(value: float, shown: str) -> None:
    assert words.share(value) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1.200", "1.2"),
        ("1E-7", "1e-7"),
        ("0", "0"),
        ("1000000", "1000000"),
        ("0.000123", "0.000123"),
        ("0.0000123", "1.23e-5"),
    ],
)
def test_plain_decimals(text: str, shown: str) -> None:
    assert plain(Decimal(text)) == shown


def test_literals() -> None:
    assert literal(0.1) == Decimal("0.1")
    assert literal("+.5") == Decimal("0.5")
    assert literal("5.") == 5
    assert units(literal("1e-36")) == 1
    assert units(literal("1e-40")) == 1
    assert float_up(Decimal("0.1")) >= Decimal("0.1")
    with pytest.raises(NumberError):
        literal(float("nan"))
