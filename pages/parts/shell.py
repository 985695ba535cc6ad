"""The frame around every page: navigation, the sample's label, and a sentence instead of a traceback."""

import logging
from pathlib import Path

import streamlit as st

from pages.parts import routes
from pages.parts.guard import admit

_LOGGER = logging.getLogger(__name__)
_ICON = Path(__file__).with_name("icon.png")
"""A file of our own: named icons and emoji would be fetched from another server."""


def run() -> None:
    """Draw the page that was asked for."""
    st.set_page_config(page_title="DP Budget Monitor", page_icon=_ICON, layout="wide", initial_sidebar_state=200)
    admit()
    page = st.navigation(routes.navigation())
    try:
        page.run()
    except Exception:
        _LOGGER.exception("The page %s failed", page.url_path or "overview")
        st.error(
            "This page could not be drawn because of a fault in the program. Nothing was changed in the log. "
            "The details are in the server's output; please report them."
        )
