"""The first line of every page: nothing is drawn for who did not come through the front door."""

import streamlit as st

_ENTERED = "entered through app.py"


def admit() -> None:
    """Called by the shell, at every run, once the visitor may see pages."""
    st.session_state[_ENTERED] = True


def guard() -> None:
    """Stop the page unless the shell admitted this session."""
    if not st.session_state.get(_ENTERED):
        st.error("This page is part of the DP Budget Monitor and does not open by itself. Start at the first page.")
        st.stop()
