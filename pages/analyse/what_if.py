from pages.parts.guard import guard  # isort: skip

guard()

import streamlit as st

from dpcore.accountant import account, budget_epsilon, target_of
from dpcore.losses import LossError
from dpcore.pools import Budget
from dpcore.spends import Spend, Spends
from pages.parts import charts, dials, frame, gauges, plan, tables
from pages.parts.frame import notice
from pages.parts.source import Snapshot

NOTHING = "nothing, a new pool"


@st.fragment
def planner(shown: Snapshot) -> None:
    """Dials on the left, the outcome on the right; a turn of a dial reruns only this."""
    pools = {found.pool.name: found for found in shown.status.pools}
    kinds_asked = frame.translate("mechanism", {name: kind.label for name, kind in plan.KINDS.items()})
    unknown = [said for key in dials.DIALS if (said := dials.unreadable(key))]
    start_asked = st.query_params.get("from")
    if start_asked is not None and start_asked not in [NOTHING, *pools]:
        unknown.append(f"the pool {start_asked!r}")
    unknown += [f"the mechanism {asked!r}" for asked in kinds_asked if asked not in plan.LABELS]
    if unknown:
        notice("warning", f"The address asks for {', '.join(unknown)}; the default is shown instead.", word="Not found")

    left, right = st.columns([5, 8], gap="large")
    with left:
        start = st.selectbox("Start from", [NOTHING, *pools], key="from", bind="query-params")
        label = st.selectbox(
            "Mechanism",
            list(plan.LABELS),
            key="mechanism",
            bind="query-params",
        )
        kind = plan.LABELS[label]
        count = int(dials.turn("k"))
        values = {key: dials.turn(key) for key in plan.KINDS[kind].fields}
        if start == NOTHING:
            budget = Budget(dials.turn("budget"), dials.turn("delta"))
            base, adjacency, official, target, group = Spends(), "add_remove", "rdp", None, 1
        else:
            pool = pools[start].pool
            budget, adjacency, official, target = pool.budget, pool.adjacency, pool.official, target_of(pool)
            group = pool.group_size
            base = shown.evidence.pools[start].window
            st.text(f"Budget and δ are those of {start}: {gauges.limit(pool.budget)} at δ = {gauges.delta(pool)}.")

    with right:
        try:
            one = plan.loss(kind, values).under(adjacency).for_group(group)
        except LossError as error:
            notice("warning", f"This is no query that can be: {error}.", word="Check")
            return
        spends = base + Spends([Spend(one, count)])
        found = account(
            spends,
            delta=budget.delta,
            adjacency=adjacency,
            budget=budget,
            next_loss=one,
            target=target,
            quick=True,
        )
        leading = official if official in found.figures else found.tightest or "basic"
        state, sentence = plan.verdict(count, one, found, leading, budget, None if start == NOTHING else start)
        notice(state, sentence, word="Fits" if state == "ok" else "Does not fit" if state == "exceeded" else "Unknown")
        picture = st.empty()
    tables.plan_table(found, leading)
    with picture.container(), st.spinner("Drawing the curve"):
        charts.show(
            charts.over_count(
                plan.COUNTS,
                plan.over_count(base, one, budget.delta, adjacency),
                chosen=count,
                budget=budget_epsilon(budget),
                leading=leading,
            ),
            key="over_count",
        )


shown = frame.open_log()
st.header("What would these queries cost?", anchor=False)
frame.status_line(shown)
planner(shown)
