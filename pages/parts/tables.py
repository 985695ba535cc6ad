"""Tables: figures as text that cannot act as markup, numbers on the right, units in the header."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
import pyarrow as pa
import streamlit as st

from dpcore import words
from dpcore.accountant import Account
from dpcore.breakdown import Part
from dpcore.status import DatasetStatus, Figure, PoolStatus
from dpcore.theorems import THEOREMS
from pages.parts import gauges, routes
from pages.parts.frame import escape


def pool_table(shown: Sequence[PoolStatus]) -> None:
    """The wall once more as a real table of links."""
    figures = [None if status.pool.closed else status.lead for status in shown]
    frame = pd.DataFrame(
        {
            "Pool": [f"[{escape(status.pool.name)}]({routes.pool_address(status.pool.name)})" for status in shown],
            "Data set": [escape(status.pool.dataset) for status in shown],
            "State": [gauges.state_word(status) + (", unverified" if status.unverified else "") for status in shown],
            "Queries left": pd.array([figure.remaining if figure else None for figure in figures], dtype="Int64"),
            "Spent": [status.lead.consumed if status.lead else None for status in shown],
            "Counted by": [gauges.title(status.leading) for status in shown],
        }
    ).set_index("Pool")
    # Numbers stay numbers, so that they stand on the right.
    style = frame.style.format({"Queries left": "{:,}".format, "Spent": words.share}, na_rep="–")
    st.table(style)


def theorem_table(status: PoolStatus) -> None:
    """Every theorem side by side."""
    figures = status.figures
    roles = {"★ official": status.pool.official, "tightest": status.tightest}
    frame = pd.DataFrame(
        {
            "Theorem": [_named(name, roles) for name in figures],
            "Queries left": [words.remaining(figure) for figure in figures.values()],
            "ε spent": [words.epsilon(figure.epsilon) for figure in figures.values()],
            "at δ": [words.delta(figure.delta) for figure in figures.values()],
            "Budget spent": [words.share(figure.consumed) for figure in figures.values()],
            "Sizes chosen as one goes": [_adaptive(figure) for figure in figures.values()],
            "Exact ε": [words.exact_epsilon(figure) for figure in figures.values()],
        }
    )
    if any(figure.note for figure in figures.values()):
        frame.insert(5, "Note", [figure.note or "" for figure in figures.values()])
    right = ("Queries left", "ε spent", "at δ", "Budget spent", "Exact ε")
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        column_config={name: st.column_config.TextColumn(alignment="right") for name in right},
    )


def _adaptive(figure: Figure) -> str:
    """What the figure is worth when budgets are chosen after seeing earlier answers."""
    if figure.adaptive:
        return "holds"
    return "only as a filter set up beforehand" if THEOREMS[figure.theorem].adaptive == "filter" else "not established"


def _named(name: str, roles: Mapping[str, str | None]) -> str:
    held = [role for role, holder in roles.items() if holder == name]
    return "  · ".join([gauges.title(name), *held])


def dataset_table(found: Iterable[DatasetStatus]) -> None:
    """Joint loss of each data set over all its pools."""
    rows = [row for row in found if len(row.pools) > 1 or row.dataset.epsilon is not None or row.findings]
    if not rows:
        st.text("Every data set has one pool and no cap.")
        return
    st.dataframe(
        pd.DataFrame(
            {
                "Data set": [row.dataset.name for row in rows],
                "Pools": [len(row.pools) for row in rows],
                "Joint ε": [words.epsilon(row.epsilon) for row in rows],
                "at δ": [words.delta(row.delta) for row in rows],
                "Cap ε": [words.epsilon(row.dataset.epsilon) for row in rows],
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


_ROW_COLUMNS = {
    "ts": "Time",
    "query_id": "Query",
    "analyst": "Analyst",
    "status": "Status",
    "mechanism": "Mechanism",
    "epsilon": "ε",
    "delta": "δ",
    "rho": "ρ",
    "noise_scale": "Noise scale",
    "sensitivity": "Sensitivity",
    "sampling_rate": "Sampling rate",
    "count": "Count",
    "partition_scheme": "Scheme",
    "partition": "Partition",
    "purpose": "Purpose",
    "query_text": "Text",
}
_RIGHT = ("ε", "δ", "ρ")
_NUMBERS = ("Noise scale", "Sensitivity", "Sampling rate", "Count")


def log_rows(rows: pa.Table, zone: str) -> None:
    """Rows of the log, as they are: text only."""
    frame = rows.select([name for name in _ROW_COLUMNS if name in rows.column_names]).to_pandas()
    frame = frame.dropna(axis="columns", how="all").rename(columns=_ROW_COLUMNS)
    # What a row does not state is left blank, not called None.
    for name in frame.columns.difference(["Time"]):
        frame[name] = [_cell(value) for value in frame[name]]
    st.dataframe(
        frame,
        hide_index=True,
        column_config={
            "Time": st.column_config.DatetimeColumn(f"Time ({zone})", format="YYYY-MM-DD HH:mm:ss", timezone=zone),
            **{name: st.column_config.TextColumn(alignment="right") for name in (*_RIGHT, *_NUMBERS) if name in frame},
        },
    )


def _cell(value: object) -> str:
    return "" if value is None or value is pd.NaT or value != value else str(value)


_REFUSED_COLUMNS = {
    "reason": "Why",
    "query_id": "Query",
    "pool": "Pool",
    "source_row": "Line",
    "source": "File (digest)",
    "raw": "What it said",
}


def refused_rows(rows: pa.Table) -> None:
    """Refused rows with the reasons."""
    frame = rows.select(list(_REFUSED_COLUMNS)).to_pandas().dropna(axis="columns", how="all")
    frame = frame.rename(columns=_REFUSED_COLUMNS)
    for name in frame:
        frame[name] = [_cell(value) for value in frame[name]]
    if "File (digest)" in frame:
        frame["File (digest)"] = [digest[:12] for digest in frame["File (digest)"]]
    st.dataframe(
        frame,
        hide_index=True,
        column_config={
            "Why": st.column_config.TextColumn(width="large"),
            "Line": st.column_config.TextColumn(alignment="right"),
        },
    )


def part_table(parts: Sequence[Part], noun: str) -> None:
    """What each part alone costs, and what would have been spent without it."""
    st.dataframe(
        pd.DataFrame(
            {
                noun: [part.label for part in parts],
                "Queries": [part.queries for part in parts],
                "ε alone": [words.epsilon(part.alone) for part in parts],
                "ε without it": [words.epsilon(part.without) for part in parts],
            }
        ),
        hide_index=True,
        column_config={
            "Queries": st.column_config.NumberColumn(format="localized"),
            "ε alone": st.column_config.TextColumn(alignment="right"),
            "ε without it": st.column_config.TextColumn(alignment="right"),
        },
    )


def scope_table(status: PoolStatus, joint: DatasetStatus | None) -> None:
    """The window's loss beside the pool's lifetime and the data set's joint loss."""
    lead, life = status.lead, status.lifetime
    pair = f"plain sums: ε {words.epsilon(life.pair[0])}, δ {words.delta(life.pair[1])}" if life.pair else ""
    window = "this pool, current window" if status.window_end else "this pool"
    rows = [
        (window, lead.epsilon if lead else None, lead.delta if lead else None, gauges.title(status.leading), ""),
        ("this pool, all rows ever", life.epsilon, status.pool.budget.delta, gauges.title(status.leading), pair),
    ]
    if joint is not None:
        what = f"data set {joint.dataset.name}, {gauges.pools(len(joint.pools))}, all rows ever"
        rows.append((what, joint.epsilon, joint.delta, gauges.title(joint.theorem), _joint_note(joint)))
    st.dataframe(
        pd.DataFrame(
            {
                "Counted over": [row[0] for row in rows],
                "ε": [words.epsilon(row[1]) for row in rows],
                "at δ": [words.delta(row[2]) for row in rows],
                "Theorem": [row[3] for row in rows],
                "Note": [row[4] for row in rows],
            }
        ),
        hide_index=True,
        column_config={name: st.column_config.TextColumn(alignment="right") for name in ("ε", "at δ")},
    )


def _joint_note(joint: DatasetStatus) -> str:
    notes = [joint.note or "", *(finding.text for finding in joint.findings)]
    if joint.dataset.epsilon is not None:
        notes.insert(0, f"cap ε {words.epsilon(joint.dataset.epsilon)}")
    return "; ".join(note for note in notes if note)


def plan_table(found: Account, leading: str) -> None:
    """The plan under every theorem."""
    figures = found.figures
    frame = pd.DataFrame(
        {
            "Theorem": [_named(name, {"★ counts": leading, "tightest": found.tightest}) for name in figures],
            "ε in all": [words.epsilon(figure.epsilon) for figure in figures.values()],
            "at δ": [words.delta(figure.delta) for figure in figures.values()],
            "Budget spent": [words.share(figure.consumed) for figure in figures.values()],
            "More that fit": [words.remaining(figure) for figure in figures.values()],
            "Exact ε": [words.exact_epsilon(figure) for figure in figures.values()],
        }
    )
    if any(figure.note for figure in figures.values()):
        frame.insert(5, "Note", [figure.note or "" for figure in figures.values()])
    right = ("ε in all", "at δ", "Budget spent", "More that fit", "Exact ε")
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        column_config={name: st.column_config.TextColumn(alignment="right") for name in right},
    )
