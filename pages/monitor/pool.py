from pages.parts.guard import guard  # isort: skip

guard()

import streamlit as st

from dpcore import words
from dpcore.breakdown import break_down
from dpcore.log import LogError
from pages.parts import advice, charts, frame, gauges, routes, source, tables
from pages.parts.frame import escape, notice
from pages.parts.theme import STATE_COLOURS, STATE_ICONS

shown = frame.open_log()
names = [found.pool.name for found in shown.status.pools]
asked = st.query_params.get("pool")
if not names:
    st.header("Pool", anchor=False)
    frame.status_line(shown)
    notice("warning", "This log declares no pools, so there is nothing to show.", word="No pools")
    st.page_link(routes.overview(), label="Back to the Overview", icon=":material/arrow_back:")
    st.stop()
if asked is not None and asked not in names:
    st.header("Pool not found", anchor=False)
    frame.status_line(shown)
    notice(
        "warning",
        f"This log has no pool named {asked!r}. It may have been renamed or belong to another log.",
        word="Not found",
    )
    st.page_link(routes.overview(), label="Choose one on the Overview", icon=":material/arrow_back:")
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
    heading = st.container(width="content")
    name = st.selectbox("Show pool", names, key="pool", bind="query-params", width=240)
status = shown.status.pool(name)
assert status is not None
pool, lead = status.pool, status.lead
today = shown.status.as_of.astimezone(pool.zone).date()

heading.header(escape(name), anchor=False)
frame.status_line(shown, pool.timezone)
with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    look = gauges.state_look(status)
    st.badge(gauges.state_word(status), icon=STATE_ICONS[look], color=STATE_COLOURS[look])
    if status.unverified:
        st.badge("Unverified", icon=":material/help:", color="orange")
    meaning = "A finished release, kept for the record." if look == "closed" else words.STATE_MEANINGS[status.state]
    st.text(meaning + (" Spending may be understated." if status.unverified else ""))

left, right = st.columns([5, 7], gap="medium")
with left:
    charts.show(charts.gauge(status), key="gauge")
with right:
    st.text("\n".join(gauges.story(status)))
    frame.alerts(status.alerts, links=False, show=4)
    steps = advice.advice(status)
    if steps:
        st.markdown("**What to do now**")
        st.text("\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)))
    st.page_link(
        routes.what_if(), label="Plan from here in What-if", icon=":material/tune:", query_params={"from": name}
    )

st.subheader("What is left under each theorem?", anchor=False)
st.caption(
    "Each theorem is a valid way to add up the same queries; the official one decides. ε is rounded up, queries "
    "left are rounded down. Most theorems hold only if the sizes of all queries were fixed beforehand; the column "
    "on sizes says which also hold when they are chosen after seeing earlier answers."
)
tables.theorem_table(status)

st.subheader(gauges.question(status).replace("POOL", escape(name)), anchor=False)
st.text(gauges.forecast(status, today))
over_time = st.empty()

st.subheader("Who spent it?", anchor=False)
try:
    shares = source.shares(shown, pool)
except LogError as error:
    notice("warning", str(error), word="Not read")
    shares = ()
if shares:
    st.caption(
        "What each part alone would cost, and what would be spent without it, in the current window. "
        "The parts do not add up to the whole: many queries together cost less than their sum."
    )
    by = st.segmented_control(
        "By", ["analyst", "mechanism", "partition"], default="analyst", key="by", bind="query-params",
        label_visibility="collapsed", required=True,
    )  # fmt: skip
    parts = break_down(pool, shares, by, status.leading)
    chart, table = st.columns([6, 6], gap="medium")
    with chart:
        charts.show(charts.by_part(parts, status.leading), key="by_part")
        if len(parts) > charts.MOST_BARS:
            st.caption(f"The {charts.MOST_BARS} dearest of {len(parts):,}; the table has all.")
    with table:
        tables.part_table(parts, by.capitalize())
else:
    st.text("Nobody has spent anything in this window.")

if status.findings:
    st.subheader("What is doubtful about these figures?", anchor=False)
    for finding in status.findings:
        notice(finding.severity, finding.text)
        if finding.queries and finding.kind != "rejected_rows":
            with st.expander(f"Rows concerned: {frame.plural(len(finding.queries), 'query id')}"):
                try:
                    tables.log_rows(source.rows(shown, pool, finding.queries), pool.timezone)
                except LogError as error:
                    notice("warning", str(error), word="Not read")

st.subheader("What does it add up to beyond this window?", anchor=False)
joint = next((row for row in shown.status.datasets if row.dataset.name == pool.dataset), None)
tables.scope_table(status, joint)

if status.rows.rejected:
    st.subheader("Which rows were refused?", anchor=False)
    try:
        tables.refused_rows(source.refused(shown, pool))
    except LogError as error:
        notice("warning", str(error), word="Not read")

st.subheader("What was asked last?", anchor=False)
st.text(gauges.row_counts(status))
try:
    recent = source.rows(shown, pool)
    if recent.num_rows:
        tables.log_rows(recent, pool.timezone)
except LogError as error:
    notice("warning", str(error), word="Not read")

# Last, because it may take seconds where the log has grown: the rest of the page stands meanwhile.
with over_time.container(), st.spinner("Replaying the pool's history", show_time=True):
    try:
        found = source.history(shown, pool)
        if len(found.days) > 0:
            charts.show(charts.over_time(status, found, today), key="over_time")
            if len(found.refreshes) > charts.MOST_WINDOWS:
                again = words.WINDOW_WORDS[pool.window]
                st.caption(f"The budget starts anew {again}; the last {charts.MOST_WINDOWS} windows are drawn.")
        else:
            st.text("Nothing has been charged to this pool yet.")
    except LogError as error:
        notice("warning", str(error), word="Not read")
