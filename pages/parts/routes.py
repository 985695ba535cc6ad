"""The pages and their addresses."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import Page

_PAGES = Path(__file__).parents[1]


def overview() -> Page:
    """The gauge wall and the alerts."""
    return st.Page(_PAGES / "monitor/overview.py", title="Overview", icon=":material/speed:", default=True)


def pool() -> Page:
    """One pool."""
    return st.Page(_PAGES / "monitor/pool.py", title="Pool", icon=":material/water_drop:", url_path="pool")


def what_if() -> Page:
    """Planning."""
    return st.Page(_PAGES / "analyse/what_if.py", title="What-if", icon=":material/tune:", url_path="what_if")


def navigation() -> Mapping[str, list[Page]]:
    """All pages by section, in menu order."""
    return {"Monitor": [overview(), pool()], "Analyse": [what_if()]}


def pool_address(name: str) -> str:
    """Link to a pool's page, relative to every page of the app."""
    return f"pool?{urlencode({'pool': name})}"
