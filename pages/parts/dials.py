"""Sliders with a number field beside them: one value, two ways to set it, and its place in the address."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import streamlit as st

from dpcore.decimals import NumberError, literal


def decades(first: int, last: int, steps: Sequence[str] = ("1", "2", "5")) -> tuple[Decimal, ...]:
    """Decimal stops 1, 2, 5 times the powers of ten from `first` up to 10^`last`, without a float on the way."""
    stops = [Decimal(step).scaleb(power) for power in range(first, last) for step in steps]
    return (*stops, Decimal(1).scaleb(last))


_FINE = ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8")


@dataclass(frozen=True)
class Dial:
    """One parameter: its key in the address, label, start, limits and the slider's stops."""

    key: str
    label: str
    start: Decimal
    stops: tuple[Decimal, ...]
    low: float
    high: float
    help: str
    whole: bool = False
    form: str = "%.10g"


def _dial(key: str, label: str, start: str, stops: tuple[Decimal, ...], limits: tuple[float, float], help: str) -> Dial:
    return Dial(key, label, Decimal(start), stops, *limits, help)


def _small(key: str, label: str, start: str, help: str) -> Dial:
    return Dial(key, label, Decimal(start), decades(-12, -2), 0.0, 0.5, help, form="%.2e")


_LOSS = (1e-15, 1e6)
_SCALE = (1e-9, 1e9)

DIALS = {
    dial.key: dial
    for dial in (
        Dial(
            "k", "Number of queries", Decimal(100), decades(0, 4, _FINE), 0, 10**12,
            "How many queries of this kind.", whole=True, form="%d",
        ),
        _dial("epsilon", "ε of each query", "0.1", decades(-4, 1, _FINE), _LOSS, "The loss that one query states."),
        _dial("rho", "ρ of each query", "0.005", decades(-6, 1, _FINE), _LOSS, "The loss of one query in zCDP."),
        _small("query_delta", "δ of each query", "1e-8", "The δ that one query states."),
        _dial(
            "noise_scale", "Noise scale", "20", decades(-2, 4, _FINE), _SCALE,
            "Scale b of Laplace noise, standard deviation σ of Gaussian noise.",
        ),
        _dial(
            "sensitivity", "Sensitivity", "1", decades(-2, 4), _SCALE, "By how much one person can change the answer."
        ),
        _dial(
            "sampling_rate", "Sampling rate", "0.01", decades(-5, 0, _FINE), (1e-9, 1.0),
            "Chance that one person's data takes part in a step (Poisson sampling).",
        ),
        _dial("budget", "Budget ε", "2", decades(-2, 2, _FINE), (0.0, 1e6), "The limit on ε."),
        _small(
            "delta", "δ", "1e-6",
            "The small probability that the guarantee leaves uncovered. What the queries do not use of it is left for "
            "the theorem.",
        ),
    )
}  # fmt: skip


def turn(key: str) -> Decimal:
    """Draw one dial and return its value as an exact decimal."""
    dial = DIALS[key]
    slider_key = f"{key}_slider"
    # The field comes first in the script, so that the slider can be given its value; it is drawn on the right.
    left, right = st.columns([3, 2], gap="small", vertical_alignment="bottom")
    start = int(dial.start) if dial.whole else float(dial.start)
    with right:
        given = st.number_input(
            dial.label,
            min_value=int(dial.low) if dial.whole else dial.low,
            max_value=int(dial.high) if dial.whole else dial.high,
            value=start,
            step=1 if dial.whole else start / 10,
            format=dial.form,
            key=key,
            bind="query-params",
            label_visibility="collapsed",
        )
    value = Decimal(f"{given:.12g}") if not dial.whole else Decimal(given)
    stops = sorted({*dial.stops, value})
    texts = [_text(stop) for stop in stops]
    st.session_state[slider_key] = _text(value)
    with left:
        st.select_slider(
            dial.label, texts, key=slider_key, help=dial.help, on_change=_follow, args=(key, dial.whole, slider_key)
        )
    return value


def _follow(key: str, whole: bool, slider_key: str) -> None:
    moved = st.session_state[slider_key]
    st.session_state[key] = int(moved.replace(",", "")) if whole else float(moved)


def _text(value: Decimal) -> str:
    number = value.normalize()
    if number and number.adjusted() < -4:
        mantissa = number.scaleb(-number.adjusted())
        return f"{mantissa:f}e{number.adjusted()}"
    return f"{number:,f}" if number == number.to_integral_value() else f"{number:f}"


def unreadable(key: str) -> str | None:
    """What the address says for a dial, where it is no number of that kind; the dial then shows its start."""
    raw = st.query_params.get(key)
    if raw is None:
        return None
    dial = DIALS[key]
    try:
        value = literal(raw)
    except NumberError:
        return f"{dial.label} {raw!r}"
    fits = dial.low <= value <= dial.high and (not dial.whole or value == value.to_integral_value())
    return None if fits else f"{dial.label} {raw!r}"
