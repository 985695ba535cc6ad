"""The gauge wall: one component that draws every pool's gauge as SVG.

Names and words reach the page as data and are set as text there, never as markup.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Tick:
    """Where another theorem stands on the arc, as a share of the budget, and what to say about it."""

    share: float
    title: str


@dataclass(frozen=True)
class Gauge:
    """What one gauge shows; shares are of the budget, 1 is all of it."""

    pool: str
    href: str
    dataset: str
    state: str
    word: str
    share: float
    consumed: str
    warn: float
    critical: float
    ticks: tuple[Tick, ...]
    big: str
    unit: str
    typical: str
    outlook: str
    basis: str
    flag: str
    label: str
    """The whole gauge as one sentence, for screen readers and on hover."""


@dataclass(frozen=True)
class Group:
    """Gauges under one heading."""

    title: str
    gauges: tuple[Gauge, ...]


@st.cache_resource
def _component() -> ComponentRenderer:
    return st.components.v2.component(
        "gauge_wall",
        html='<div class="wall"></div>\n',
        css=(_HERE / "wall.css").read_text(encoding="utf-8"),
        js=(_HERE / "wall.js").read_text(encoding="utf-8"),
    )


def gauge_wall(groups: Sequence[Group], *, key: str) -> str | None:
    """Draw the wall; the name of the pool that was just clicked, or None."""
    answer = _component()(key=key, data={"groups": [asdict(group) for group in groups]}, on_open_change=lambda: None)
    return answer.open
