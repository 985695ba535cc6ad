"""Colours that carry meaning: four for states, one for each theorem, the same on every picture."""

from dataclasses import dataclass

import streamlit as st

STATE_COLOURS = {"ok": "blue", "warning": "orange", "critical": "red", "exhausted": "violet", "exceeded": "violet"}
"""State → colour name of the theme (.streamlit/config.toml)."""

STATE_ICONS = {
    "ok": ":material/check_circle:",
    "warning": ":material/warning:",
    "critical": ":material/error:",
    "exhausted": ":material/block:",
    "exceeded": ":material/dangerous:",
}


@dataclass(frozen=True)
class Palette:
    """Colours of one ground, light or dark."""

    text: str
    muted: str
    grid: str
    ground: str
    states: dict[str, str]
    theorems: dict[str, str]


_FAMILIES_LIGHT = {
    "basic": "#59626F",
    "advanced": "#B0561D",
    "advanced_tight": "#8A6A00",
    "advanced_filter": "#A2407C",
    "kov35": "#6B4A2B",
    "optimal": "#1B2028",
    "zcdp": "#14795B",
    "zcdp_simple": "#5C8A2B",
    "rdp": "#1B5FA3",
    "rdp_classic": "#0F8296",
    "gdp": "#6B2C91",
    "numerical": "#B12C08",
}
_FAMILIES_DARK = {
    "basic": "#A3ACB8",
    "advanced": "#F0935A",
    "advanced_tight": "#D9B841",
    "advanced_filter": "#E58CC3",
    "kov35": "#C9A27E",
    "optimal": "#E7EAEF",
    "zcdp": "#4FC79D",
    "zcdp_simple": "#A3CF6B",
    "rdp": "#7AB3EE",
    "rdp_classic": "#4FC4D6",
    "gdp": "#C99BEB",
    "numerical": "#FF8E70",
}

DASHES = {
    "basic": "solid",
    "advanced": "dot",
    "advanced_tight": "dash",
    "advanced_filter": "dashdot",
    "kov35": "longdash",
    "optimal": "solid",
    "zcdp": "solid",
    "zcdp_simple": "dash",
    "rdp": "solid",
    "rdp_classic": "dot",
    "gdp": "solid",
    "numerical": "solid",
}
"""Line styles, so that theorems are not told apart by colour alone."""


def _states(ok: str, warning: str, critical: str, spent: str) -> dict[str, str]:
    return {"ok": ok, "warning": warning, "critical": critical, "exhausted": spent, "exceeded": spent}


LIGHT = Palette(
    text="#1B2028",
    muted="#59626F",
    grid="#E3E7EC",
    ground="#FFFFFF",
    states=_states("#2F7DC4", "#BD7F00", "#D1380F", "#6B2C91"),
    theorems=_FAMILIES_LIGHT,
)
DARK = Palette(
    text="#E7EAEF",
    muted="#A3ACB8",
    grid="#2A323D",
    ground="#12161C",
    states=_states("#5FA8EA", "#E8B33B", "#FF7350", "#C99BEB"),
    theorems=_FAMILIES_DARK,
)


def palette() -> Palette:
    """The colours for the ground that the visitor sees."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def theorem_colour(theorem: str, colours: Palette) -> str:
    """The theorem's colour; one that is not listed gets the muted one."""
    return colours.theorems.get(theorem, colours.muted)


_SHORT = {
    "basic": "Basic",
    "advanced": "Advanced",
    "advanced_tight": "Adv. tight",
    "advanced_filter": "Adv. adaptive",
    "kov35": "KOV",
    "zcdp": "zCDP",
    "zcdp_simple": "zCDP simple",
    "rdp": "Rényi",
    "rdp_classic": "Rényi classic",
    "gdp": "Gaussian DP",
}


def short_title(theorem: str) -> str:
    """A theorem's title as it fits beside a line."""
    return _SHORT.get(theorem, theorem.replace("_", " ").capitalize())
