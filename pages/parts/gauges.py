"""From figures to gauges: what the wall says about each pool, in words that need no mathematics."""

from datetime import date

from dpcore.status import PoolStatus, Status
from dpcore.theorems import THEOREMS
from pages.parts import format, routes
from pages.parts.wall import Gauge, Group, Tick


def groups(status: Status, shown: list[PoolStatus]) -> list[Group]:
    """Open pools first, least budget left first; closed pools under a heading of their own."""
    today = status.as_of.date()
    still_open = tuple(gauge(pool, today) for pool in shown if not pool.pool.closed)
    closed = tuple(gauge(pool, today) for pool in shown if pool.pool.closed)
    found = [Group("", still_open)] if still_open else []
    return [*found, Group("Closed: finished releases, kept for the record", closed)] if closed else found


def gauge(status: PoolStatus, today: date) -> Gauge:
    """One pool's gauge."""
    pool, lead = status.pool, status.lead
    share = lead.consumed if lead is not None and lead.consumed is not None else 1.0
    big, unit = remaining(status)
    basis = f"{title(status.leading)}, δ {format.delta(pool.budget.delta)}" if status.leading else "no theorem can speak"
    word = format.STATE_WORDS[status.state]
    flag = "unverified" if status.unverified else ""
    consumed = f"{format.percent(lead.consumed if lead else None)} spent"
    when = outlook(status, today)
    sentence = f"{pool.name}: {word}{', unverified' if flag else ''}. {big} {unit}, {consumed}. {when}. Counted by {basis}."
    return Gauge(
        pool=pool.name,
        href=routes.pool_address(pool.name),
        dataset=pool.dataset if pool.owner is None else f"{pool.dataset} · {pool.owner}",
        state=status.state,
        word=word,
        share=min(share, 1.0),
        consumed=consumed,
        warn=pool.warn_at,
        critical=pool.critical_at,
        ticks=tuple(
            Tick(min(figure.consumed, 1.0), f"{title(name)}: {format.percent(figure.consumed)} spent")
            for name, figure in status.figures.items()
            if name != status.leading and figure.consumed is not None
        ),
        big=big,
        unit=unit,
        typical=status.typical or "",
        outlook=when,
        basis=basis,
        flag=flag,
        label=sentence,
    )


def remaining(status: PoolStatus) -> tuple[str, str]:
    """The large number of a gauge and what it counts."""
    lead = status.lead
    if status.pool.closed:
        return (format.percent(lead.consumed if lead else None), "of the budget spent")
    if lead is None or (lead.remaining is None and not lead.unlimited):
        return (format.NONE, "typical query not known")
    if lead.unlimited:
        return ("no limit", "queries left")
    return (format.count(lead.remaining), "query left" if lead.remaining == 1 else "queries left")


def outlook(status: PoolStatus, today: date) -> str:
    """When the pool runs out, in a few words."""
    if status.pool.closed:
        return "Closed"
    exhaustion = status.exhaustion
    if status.state in ("exhausted", "exceeded"):
        return refresh(status, today) or "Nothing left"
    if exhaustion.on is not None:
        return f"Runs out about {format.day(exhaustion.on, today)}"
    return refresh(status, today) or "No end in sight"


def refresh(status: PoolStatus, today: date) -> str | None:
    """When a windowed pool starts anew."""
    if status.window_end is None:
        return None
    return f"Refreshes {format.day(status.window_end.astimezone(status.pool.zone).date(), today)}"


def title(theorem: str | None) -> str:
    """A theorem's title; one that is not installed keeps its name."""
    if theorem is None:
        return format.NONE
    return THEOREMS[theorem].title if theorem in THEOREMS else theorem
