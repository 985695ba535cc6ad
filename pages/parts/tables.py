"""Tables: figures as text that cannot act as markup, numbers on the right, units in the header."""

from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st

from dpcore.status import DatasetStatus, PoolStatus
from pages.parts import format, gauges, routes
from pages.parts.frame import escape


def pool_table(shown: Sequence[PoolStatus]) -> None:
    """The wall once more as a real table of links."""
    rows = [
        {
            "Pool": f"[{escape(status.pool.name)}]({routes.pool_address(status.pool.name)})",
            "Data set": escape(status.pool.dataset),
            "State": format.STATE_WORDS[status.state] + (", unverified" if status.unverified else ""),
            "Queries left": gauges.remaining(status)[0] if not status.pool.closed else format.NONE,
            "Spent": format.percent(status.lead.consumed if status.lead else None),
            "Counted by": gauges.title(status.leading),
        }
        for status in shown
    ]
    st.table(pd.DataFrame(rows).set_index("Pool"))


def theorem_table(status: PoolStatus) -> None:
    """Every theorem side by side."""
    pool = status.pool
    frame = pd.DataFrame(
        {
            "Theorem": [gauges.title(name) for name in status.figures],
            "": [_mark(name, status) for name in status.figures],
            "Queries left": [figure.remaining for figure in status.figures.values()],
            "ε spent": [format.epsilon(figure.epsilon) for figure in status.figures.values()],
            "at δ": [format.delta(figure.delta) for figure in status.figures.values()],
            "Budget spent": [format.percent(figure.consumed) for figure in status.figures.values()],
            "If budgets are chosen as one goes": [
                "valid" if figure.adaptive else "only for budgets fixed beforehand" for figure in status.figures.values()
            ],
            "Exact ε": [format.exact(figure.exact or figure.epsilon) for figure in status.figures.values()],
            "Note": [figure.note or "" for figure in status.figures.values()],
        }
    )
    st.dataframe(
        frame,
        hide_index=True,
        column_config={
            "": st.column_config.TextColumn(width="small"),
            "Queries left": st.column_config.NumberColumn(format="localized"),
            "ε spent": st.column_config.TextColumn(alignment="right"),
            "at δ": st.column_config.TextColumn(alignment="right"),
            "Budget spent": st.column_config.TextColumn(alignment="right"),
            "Exact ε": st.column_config.TextColumn(alignment="right"),
        },
    )
    del pool


def _mark(name: str, status: PoolStatus) -> str:
    marks = []
    if name == status.pool.official:
        marks.append("official")
    if name == status.tightest:
        marks.append("tightest")
    return ", ".join(marks)


def dataset_table(found: Iterable[DatasetStatus]) -> None:
    """Joint loss of each data set over all its pools."""
    rows = list(found)
    st.dataframe(
        pd.DataFrame(
            {
                "Data set": [row.dataset.name for row in rows],
                "Pools": [len(row.pools) for row in rows],
                "Joint ε": [format.epsilon(row.epsilon) for row in rows],
                "at δ": [format.delta(row.delta) for row in rows],
                "Cap ε": [format.epsilon(row.dataset.epsilon) for row in rows],
                "Counted by": [gauges.title(row.theorem) for row in rows],
                "Note": [row.note or "; ".join(finding.text for finding in row.findings) for row in rows],
            }
        ),
        hide_index=True,
        column_config={
            "Joint ε": st.column_config.TextColumn(alignment="right"),
            "at δ": st.column_config.TextColumn(alignment="right"),
            "Cap ε": st.column_config.TextColumn(alignment="right"),
        },
    )
