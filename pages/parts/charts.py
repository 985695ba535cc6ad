"""Pictures of one pool and of a plan. A chart answers one question, which the page writes above it."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

import plotly.graph_objects as go
import streamlit as st

from dpcore import words
from dpcore.breakdown import Part
from dpcore.status import PoolStatus
from dpcore.timeline import Timeline
from pages.parts import gauges
from pages.parts.theme import DASHES, Palette, palette, short_title, theorem_colour

CONFIG = {"displayModeBar": False, "showSendToCloud": False, "scrollZoom": False}
MOST_BARS = 12
_TENS = (1, 10, 100, 1000, 10_000)
MOST_WINDOWS = 24
"""Windows of a pool that refreshes; earlier ones are left out of the picture."""
_FONT = "Source Sans, sans-serif"


def show(figure: go.Figure, *, key: str) -> None:
    """Put a figure on the page."""
    st.plotly_chart(figure, width="stretch", config=CONFIG, key=key)


def text(raw: str) -> str:
    """Text from the log for a chart, which would read a few tags in it."""
    return raw.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _frame(height: int, colours: Palette, right: int) -> go.Layout:
    return go.Layout(
        height=height,
        margin={"l": 8, "r": right, "t": 16, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": _FONT, "size": 13, "color": colours.text},
        showlegend=False,
        hovermode="x unified",
        hoverlabel={"bgcolor": colours.ground, "bordercolor": colours.grid, "font": {"color": colours.text}},
        xaxis={"gridcolor": colours.grid, "linecolor": colours.muted, "automargin": True, "zeroline": False},
        yaxis={"gridcolor": colours.grid, "linecolor": colours.muted, "automargin": True, "zeroline": False},
    )


def gauge(status: PoolStatus) -> go.Figure:
    """One pool's gauge, large: the share spent, with the marks, and the remaining queries in the middle."""
    colours = palette()
    lead, pool = status.lead, status.pool
    share = lead.consumed if lead is not None and lead.consumed is not None else 1.0
    big, unit = gauges.remaining(status)
    figure = go.Figure(
        go.Indicator(
            mode="gauge",
            value=100 * min(share, 1.0),
            domain={"x": [0, 1], "y": [0, 1]},
            gauge={
                "shape": "angular",
                "axis": {
                    "range": [0, 100],
                    "tickvals": [0, 100 * pool.warn_at, 100 * pool.critical_at, 100],
                    "ticktext": ["0", "warn", "critical", "100%"],
                    "tickfont": {"size": 12, "color": colours.muted},
                    "tickcolor": colours.muted,
                },
                "bar": {"color": colours.states[gauges.state_look(status)], "thickness": 1.0},
                "bgcolor": colours.grid,
                "borderwidth": 0,
                "steps": [],
                "threshold": {
                    "line": {"color": colours.text, "width": 2},
                    "thickness": 1.0,
                    "value": 100 * pool.critical_at,
                },
            },
        ),
        layout=_frame(250, colours, 8),
    )
    figure.update_layout(margin={"l": 56, "r": 56, "t": 40, "b": 8})
    figure.add_annotation(
        x=0.5, y=0.28, xref="paper", yref="paper", text=f"<b>{big}</b>", showarrow=False, font={"size": 38}
    )
    figure.add_annotation(
        x=0.5, y=0.06, xref="paper", yref="paper", text=unit, showarrow=False, font={"size": 14, "color": colours.muted}
    )
    return figure


def over_time(status: PoolStatus, found: Timeline, today: date) -> go.Figure:
    """Consumption under every theorem against the budget; the theorem that counts is the heavy line."""
    colours = palette()
    pool, budget = status.pool, status.budget_epsilon
    official = [value for value in found.epsilon.get(status.leading or "", []) if _finite(value)]
    top = 1.25 * max([budget if math.isfinite(budget) else 0.0, *official]) or 1.0
    figure = go.Figure(layout=_frame(380, colours, 112))
    until = today if pool.window == "none" and not pool.closed else found.days[-1]
    ends: list[tuple[str, float]] = []
    for name, values in _leading_last(found.epsilon, status.leading):
        if not any(_finite(value) for value in values):
            continue
        days, heights = _with_restarts(found, values, until)
        heavy = name == status.leading
        figure.add_scatter(
            x=days,
            y=heights,
            name=gauges.title(name),
            mode="lines",
            line={
                "color": theorem_colour(name, colours),
                "width": 3.5 if heavy else 1.3,
                "dash": "solid" if heavy else DASHES.get(name, "solid"),
                "shape": "hv",
            },
            hovertemplate="%{y:.3g}",
        )
        last = values[-1]
        if last is not None and _finite(last):
            ends.append((name, last))
    _end_labels(figure, ends, 0.0, top, status.leading, colours, lambda value: value)
    for height, label, dash in (
        (budget, "budget", "solid"),
        (budget * pool.critical_at, "critical", "dash"),
        (budget * pool.warn_at, "warning", "dash"),
    ):
        if math.isfinite(height):
            figure.add_hline(
                y=height,
                line={"color": colours.text, "width": 1.6 if dash == "solid" else 1, "dash": dash},
                annotation={
                    "text": f"{label} {height:.4g}",
                    "font": {"size": 12, "color": colours.text},
                    "bgcolor": colours.ground,
                },
                annotation_position="top left",
            )
    shown = found.refreshes[-MOST_WINDOWS:]
    if len(shown) < len(found.refreshes):
        figure.update_xaxes(range=[shown[0], found.days[-1] + timedelta(days=1)])
    for day in shown:
        figure.add_vline(x=day, line={"color": colours.muted, "width": 0.6, "dash": "dot"})
    _band(figure, status, colours)
    figure.update_yaxes(title="ε spent", range=[0, top], rangemode="tozero")
    figure.update_xaxes(type="date", hoverformat="%-d %b %Y")
    if until - found.days[0] < timedelta(days=7):
        figure.update_xaxes(dtick=86_400_000, tickformat="%-d %b %Y")
    return figure


def _leading_last(
    lines: Mapping[str, Sequence[float | None]], leading: str | None
) -> list[tuple[str, Sequence[float | None]]]:
    """The lines in drawing order: the one that counts on top."""
    return sorted(lines.items(), key=lambda line: line[0] == leading)


def _with_restarts(
    found: Timeline, values: Sequence[float | None], until: date
) -> tuple[list[date | None], list[float | None]]:
    """The line's points: from 0, anew from 0 at each refresh, and flat until a day."""
    days: list[date | None] = [found.days[0]]
    heights: list[float | None] = [0.0]
    refreshes = [day for day in found.refreshes if day > found.days[0]]
    for day, value in zip(found.days, values, strict=True):
        passed = [refresh for refresh in refreshes if refresh <= day]
        for refresh in passed:
            days += [refresh, refresh, refresh]
            heights += [heights[-1], None, 0.0]
        refreshes = refreshes[len(passed) :]
        days.append(day)
        heights.append(value if _finite(value) else None)
    days.append(max(until, found.days[-1] + timedelta(days=1)))
    heights.append(heights[-1])
    return days, heights


def _band(figure: go.Figure, status: PoolStatus, colours: Palette) -> None:
    out = status.exhaustion
    if out.on is None:
        return
    if out.low is not None and out.high is not None:
        figure.add_vrect(
            x0=out.low, x1=out.high + timedelta(days=1), fillcolor=colours.muted, opacity=0.18, line_width=0
        )
    figure.add_vline(x=out.on, line={"color": colours.muted, "width": 1.5})
    figure.add_annotation(
        x=out.on,
        y=0.04,
        yref="paper",
        text=f"runs out {words.day(out.on, year=False)}",
        showarrow=False,
        xanchor="right",
        xshift=-4,
        font={"size": 12},
        bgcolor=colours.ground,
    )


def _end_labels(
    figure: go.Figure,
    ends: Sequence[tuple[str, float]],
    low: float,
    high: float,
    leading: str | None,
    colours: Palette,
    scale: Callable[[float], float],
) -> None:
    """Each line's name at its right end, moved apart where lines lie close."""
    gap = 0.052
    wanted = sorted(
        ((min(max((scale(value) - low) / (high - low), 0.0), 1.0), scale(value) > high, name) for name, value in ends)
    )
    places: list[float] = []
    for height, _, _ in wanted:
        places.append(max(height, places[-1] + gap) if places else height)
    overshoot = max(places[-1] - 1.0, 0.0) if places else 0.0
    for i in range(len(places) - 1, -1, -1):
        ceiling = 1.0 if i == len(places) - 1 else places[i + 1] - gap
        places[i] = min(places[i], ceiling) if overshoot else places[i]
    for place, (_, above, name) in zip(places, wanted, strict=True):
        label = f"{short_title(name)}{' ↑' if above else ''}"
        figure.add_annotation(
            x=1.0,
            y=place,
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="middle",
            xshift=6,
            showarrow=False,
            text=f"<b>{label}</b>" if name == leading else label,
            font={"size": 12, "color": theorem_colour(name, colours)},
        )


def by_part(parts: Sequence[Part], theorem: str | None) -> go.Figure:
    """What each part alone would cost, dearest first."""
    colours = palette()
    top = list(parts[:MOST_BARS])[::-1]
    known = [part.alone if part.alone is not None and math.isfinite(part.alone) else 0.0 for part in top]
    figure = go.Figure(
        go.Bar(
            x=known,
            y=[text(_short(part.label)) for part in top],
            orientation="h",
            marker={"color": theorem_colour(theorem or "", colours)},
            text=[words.epsilon(part.alone) for part in top],
            textposition="outside",
            cliponaxis=False,
            customdata=[words.queries(part.queries) for part in top],
            hovertemplate="ε %{text} alone, %{customdata}<extra></extra>",
        ),
        layout=_frame(100 + 28 * len(top), colours, 48),
    )
    figure.update_layout(hovermode="closest", bargap=0.3)
    figure.update_xaxes(title="ε of this part alone", rangemode="tozero")
    figure.update_yaxes(type="category", showgrid=False)
    return figure


def _short(label: str) -> str:
    return label if len(label) <= 26 else label[:25] + "…"


def over_count(
    counts: Sequence[int],
    found: Mapping[str, Sequence[float | None]],
    *,
    chosen: int,
    budget: float | None,
    leading: str | None,
) -> go.Figure:
    """ε against the number of queries under every theorem, on logarithmic axes."""
    colours = palette()
    values = [v for line in found.values() for v in line if v is not None and _finite(v) and v > 0]
    limit = budget if budget and math.isfinite(budget) else 0.0
    figure = go.Figure(layout=_frame(420, colours, 112))
    if not values:
        return figure
    low, high = math.log10(min([*values, limit or math.inf])) - 0.1, math.log10(max(max(values), limit)) + 0.1
    for name, line in _leading_last(found, leading):
        if not any(_finite(value) for value in line):
            continue
        figure.add_scatter(
            x=list(counts),
            y=[value if _finite(value) and value else None for value in line],
            name=gauges.title(name),
            mode="lines",
            line={
                "color": theorem_colour(name, colours),
                "width": 3.5 if name == leading else 1.6,
                "dash": "solid" if name == leading else DASHES.get(name, "solid"),
            },
            hovertemplate="%{y:.3g}",
        )
    ends = [
        (name, last) for name, line in found.items() if (last := line[-1]) is not None and _finite(last) and last > 0
    ]
    _end_labels(figure, ends, low, high, leading, colours, math.log10)
    # Plotly places the labels of lines on logarithmic axes by the bare value, so they are set apart from the lines.
    label = {"showarrow": False, "font": {"size": 12, "color": colours.text}, "bgcolor": colours.ground}
    if limit:
        figure.add_hline(y=limit, line={"color": colours.text, "width": 1.6})
        figure.add_annotation(
            x=0,
            xref="paper",
            y=math.log10(limit),
            text=f"budget {limit:.4g}",
            xanchor="left",
            yanchor="bottom",
            **label,
        )
    if chosen > 0:
        figure.add_vline(x=chosen, line={"color": colours.text, "width": 1, "dash": "dot"})
        side = "right" if chosen > 300 else "left"
        figure.add_annotation(
            x=math.log10(chosen),
            y=1,
            yref="paper",
            text=f"your plan: {chosen:,}",
            xanchor=side,
            yanchor="top",
            **label,
        )
    figure.update_xaxes(
        type="log",
        title="number of queries (log scale)",
        range=[0, math.log10(counts[-1])],
        tickvals=_TENS,
        tickformat=",d",
    )
    figure.update_yaxes(type="log", title="ε (log scale)", range=[low, high], dtick=1)
    return figure


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
