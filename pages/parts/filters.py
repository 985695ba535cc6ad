"""Search and filters of the Overview, kept in the address."""

from collections.abc import Callable, Sequence

import streamlit as st

from dpcore import words
from dpcore.status import PoolStatus
from pages.parts import frame

_KEYS: tuple[tuple[str, str, Callable[[PoolStatus], str]], ...] = (
    ("dataset", "Data set", lambda status: status.pool.dataset),
    ("state", "State", lambda status: words.STATE_WORDS[status.state]),
    ("owner", "Owner", lambda status: status.pool.owner or "no owner"),
)


def chosen(pools: Sequence[PoolStatus]) -> list[PoolStatus]:
    """Draw the filters and return the pools that pass them; values of the address that do not exist are named."""
    # A state may stand in the address by the name that the command line prints.
    asked = {key: st.query_params.get_all(key) for key, _, _ in _KEYS}
    asked["state"] = frame.translate("state", dict(words.STATE_WORDS), several=True)
    unknown: list[str] = []
    picked: dict[str, list[str]] = {}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        sought = st.text_input(
            "Search",
            key="search",
            bind="query-params",
            icon=":material/search:",
            placeholder="pool, data set or owner",
            width=240,
        )
        for key, label, read in _KEYS:
            options = list(words.STATE_WORDS.values()) if key == "state" else sorted({read(s) for s in pools})
            unknown += [f"{label.lower()} {value!r}" for value in asked[key] if value not in options]
            picked[key] = st.multiselect(
                label,
                options,
                key=key,
                bind="query-params",
                placeholder="all",
                width=200,
            )
    if unknown:
        frame.notice(
            "warning", f"The address asks for {', '.join(unknown)}, which this log does not have.", word="Not found"
        )
    return [
        status
        for status in pools
        if all(not picked[key] or read(status) in picked[key] for key, _, read in _KEYS)
        and sought.strip().lower() in f"{status.pool.name} {status.pool.dataset} {status.pool.owner or ''}".lower()
    ]
