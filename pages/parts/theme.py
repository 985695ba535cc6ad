"""Colours that carry meaning: four for states, one for each theorem, the same on every picture."""

from dataclasses import dataclass

import streamlit as st

STATE_COLOURS = {
    "ok": "blue",
    "warning": "orange",
    "critical": "red",
    "exhausted": "violet",
    "exceeded": "violet",
    "closed": "gray",
}
"""State → colour name of the theme (.streamlit/config.toml)."""

STATE_ICONS = {
    "ok": ":material/check_circle:",
    "warning": ":material/warning:",
    "critical": ":material/error:",
    "exhausted": ":material/block:",
    "exceeded": ":material/dangerous:",
    "closed": ":material/lock:",
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
    "optimal": "#00707B",
    "zcdp": "#14795B",
    "zcdp_simple": "#4F7A22",
    "rdp": "#1B5FA3",
    "rdp_classic": "#4A6FA8",
    "gdp": "#6B2C91",
    "numerical": "#B00D28",
}
_FAMILIES_DARK = {
    "basic": "#A3ACB8",
    "advanced": "#F0935A",
    "advanced_tight": "#D9B841",
    "advanced_filter": "#E58CC3",
    "kov35": "#C9A27E",
    "optimal": "#4FC4D6",
    "zcdp": "#4FC79D",
    "zcdp_simple": "#A3CF6B",
    "rdp": "#7AB3EE",
    "rdp_classic": "#A9C4EA",
    "gdp": "#C99BEB",
    "numerical": "#FF8A8A",
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
    still = "#8A94A3"
    return {"ok": ok, "warning": warning, "critical": critical, "exhausted": spent, "exceeded": spent, "closed": still}


LIGHT = Palette(
    text="#1B2028",
    muted="#59626F",
    grid="#E3E7EC",
    ground="#FFFFFF",
    states=_states("#3B82C4", "#C28300", "#C8102E", "#4A1466"),
    theorems=_FAMILIES_LIGHT,
)
DARK = Palette(
    text="#E7EAEF",
    muted="#A3ACB8",
    grid="#2A323D",
    ground="#12161C",
    states=_states("#5FA8EA", "#F2C24B", "#FF5C5C", "#F0DCFF"),
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
