from pages.parts.guard import guard  # isort: skip

guard()

import streamlit as st

from dpcore.log import LogError
from pages.parts import filters, frame, gauges, routes, source, tables, wall

shown = frame.open_log()
status = shown.status
troubled = [pool for pool in status.pools if pool.alerts]

if not status.pools:
    frame.status_line(shown)
    frame.notice(
        "warning",
        "This log declares no pools, so there is nothing to show. "
        f"Describe them in a pools.toml and run: python -m dpcore pools apply pools.toml --log {shown.path}",
        word="No pools",
    )
    st.stop()

verb = "needs" if len(troubled) == 1 else "need"
st.header(
    f"{len(troubled):,} of {frame.plural(len(status.pools), 'pool')} {verb} attention."
    if troubled
    else "The only pool is in order."
    if len(status.pools) == 1
    else f"All {len(status.pools):,} pools are in order.",
    anchor=False,
)
frame.status_line(shown)
frame.alerts(status.alerts, links=True)
if shown.evidence.facts:
    with st.expander("Refused rows that name no known pool"):
        try:
            tables.refused_rows(source.refused(shown, None))
        except LogError as error:
            frame.notice("warning", str(error), word="Not read")

st.subheader("Pools, least budget left first", anchor=False)
listed = filters.chosen(status.pools)
if not listed:
    st.text("No pool matches the search and the filters.")
picked = wall.gauge_wall(gauges.groups(status, listed), key="wall")
if picked is not None:
    st.switch_page(routes.pool(), query_params={"pool": picked})
st.caption(
    "The arc fills with the share of the budget that is spent; the two lines across it mark where warning and critical "
    "begin, and the small arrows inside show the share under the other composition theorems. A theorem is a rule by "
    "which spending is added up. ε (epsilon) measures how much can be learned about one person at most, δ (delta) is "
    "the small probability that the rule leaves uncovered; σ and ρ describe the noise of a query."
)

if listed:
    st.subheader("The same as a table", anchor=False)
    tables.pool_table(listed)

st.subheader("What do all pools over the same people add up to?", anchor=False)
st.caption(
    "All rows ever count here, over every pool, owner and refresh. Data sets with one pool and no cap are left out."
)
tables.dataset_table(status.datasets)
