"""From figures to gauges: what the wall says about each pool, in words that need no mathematics."""

from datetime import date

from dpcore import words
from dpcore.pools import Budget, Pool
from dpcore.status import PoolStatus, Status
from dpcore.theorems import THEOREMS
from pages.parts import routes
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
    basis = f"{title(status.leading)} at δ = {delta(pool)}" if status.leading else "no theorem can speak"
    flag = "unverified" if status.unverified else ""
    word, spent_share = state_word(status), words.share(lead.consumed if lead else None)
    when = outlook(status, today)
    known = f"{word}, unverified" if flag else word
    sentence = f"{pool.name}: {known}. {big} {unit}. {spent_share} of the budget spent. {when}. Counted by {basis}."
    return Gauge(
        pool=pool.name,
        href=routes.pool_address(pool.name),
        dataset=pool.dataset if pool.owner is None else f"{pool.dataset} · {pool.owner}",
        state=state_look(status),
        word=word,
        share=min(share, 1.0),
        consumed="" if pool.closed else f"{spent_share} spent",
        warn=pool.warn_at,
        critical=pool.critical_at,
        ticks=tuple(
            Tick(min(figure.consumed, 1.0), f"{title(name)}: {words.share(figure.consumed)} spent")
            for name, figure in status.figures.items()
            if name != status.leading and figure.consumed is not None
        ),
        big=big,
        unit=unit,
        typical=f"typical query: {status.typical}" if status.typical and not pool.closed else "",
        outlook=when,
        basis=basis,
        flag=flag,
        label=sentence,
    )


def state_look(status: PoolStatus) -> str:
    """The state whose colour and sign a pool wears: a finished release is no cause for alarm unless it went over."""
    return "closed" if status.pool.closed and status.state != "exceeded" else status.state


def state_word(status: PoolStatus) -> str:
    """The word for a pool's state."""
    return "Closed" if state_look(status) == "closed" else words.STATE_WORDS[status.state]


def remaining(status: PoolStatus) -> tuple[str, str]:
    """The large number of a gauge and what it counts."""
    lead = status.lead
    if status.pool.closed:
        return (words.share(lead.consumed if lead else None), "of the budget spent")
    if lead is None or (lead.remaining is None and not lead.unlimited):
        return ("–", "typical query not known")
    if lead.unlimited:
        return ("no limit", "queries left")
    return (words.count(lead.remaining), "query left" if lead.remaining == 1 else "queries left")


def outlook(status: PoolStatus, today: date) -> str:
    """When the pool runs out, in a few words."""
    if status.pool.closed:
        return "Finished release"
    exhaustion = status.exhaustion
    if status.state in ("exhausted", "exceeded"):
        return refresh(status, today) or "Nothing left"
    if exhaustion.on is not None:
        return f"Runs out about {day(exhaustion.on, today)}"
    if (again := refresh(status, today)) is not None:
        return again
    return f"{exhaustion.note[0].upper()}{exhaustion.note[1:]}" if exhaustion.note else "No end in sight"


def refresh(status: PoolStatus, today: date) -> str | None:
    """When a windowed pool starts anew."""
    if status.window_end is None:
        return None
    return f"Refreshes {day(status.window_end.astimezone(status.pool.zone).date(), today)}"


def day(value: date, today: date) -> str:
    """A date, with its year where that is not this year."""
    return words.day(value, year=value.year != today.year)


def title(theorem: str | None) -> str:
    """A theorem's title; one that is not installed keeps its name."""
    if theorem is None:
        return "–"
    return THEOREMS[theorem].title if theorem in THEOREMS else theorem


def story(status: PoolStatus) -> list[str]:
    """The pool in sentences: what is left, what was spent, and when it starts anew."""
    pool, lead = status.pool, status.lead
    left, unit = remaining(status)
    lines = []
    if lead is not None and not pool.closed and (lead.unlimited or lead.remaining is not None):
        lines.append(f"{left} {unit} of the typical kind{f' ({status.typical})' if status.typical else ''}.")
    if lead is not None and lead.epsilon is not None:
        lines.append(f"Spent: {spent(status)}, by {title(lead.theorem)}.")
    if pool.official != status.leading:
        lines.append(f"The official theorem, {title(pool.official)}, cannot speak about every row.")
    if status.window_end is not None:
        lines.append(f"The budget starts anew on {words.moment(status.window_end, pool.timezone)}.")
    people = f"Data set {pool.dataset}; what is protected is one {pool.privacy_unit}"
    lines.append(f"{people}{f'; owner: {pool.owner}' if pool.owner else ''}.")
    return lines


def spent(status: PoolStatus) -> str:
    """The share of the budget, as ε, and the δ at which it holds."""
    lead, budget = status.lead, status.pool.budget
    share, epsilon = words.share(lead.consumed if lead else None), words.epsilon(lead.epsilon if lead else None)
    at = f"at δ = {words.delta(budget.delta)}"
    if budget.rho is not None:
        return f"{share} of the budget of {limit(budget)}; that is ε = {epsilon} {at}"
    return f"{share} of the budget, ε = {epsilon} of {words.epsilon(budget.epsilon)} {at}"


def question(status: PoolStatus) -> str:
    """The question that the picture of the pool's consumption answers; POOL stands for its name."""
    over = status.pool.closed or status.state in ("exhausted", "exceeded")
    return "How was the budget of POOL spent?" if over else "When does POOL run out?"


def forecast(status: PoolStatus, today: date) -> str:
    """When the pool runs out if the recent weeks go on, with the band."""
    out = status.exhaustion
    if status.pool.closed:
        return "The release is finished; nothing more is charged to this pool."
    if status.state in ("exhausted", "exceeded"):
        return "It has run out: not one more typical query fits."
    if out.on is None:
        return f"No date: {out.note}." if out.note else "It does not run out in sight if the recent weeks go on."
    band = ""
    if out.low is not None and out.high is not None and out.low != out.high:
        band = f", most likely between {day(out.low, today)} and {day(out.high, today)}"
    elif out.low is not None:
        band = f", not before {day(out.low, today)}" if out.high is None else ""
    return f"If the recent weeks go on, typical queries are refused from about {day(out.on, today)}{band}."


def row_counts(status: PoolStatus) -> str:
    """What became of the pool's rows."""
    rows = status.rows
    found = [
        (rows.released, "released"),
        (rows.failed, "failed after they may have been seen (charged)"),
        (rows.denied, "denied (free)"),
        (rows.failed_before_release, "failed before release (free)"),
        (rows.rejected, "refused as unreadable"),
        (rows.duplicates, "repeated (counted once)"),
    ]
    listed = ", ".join(f"{number:,} {what}" for number, what in found if number)
    return f"Rows: {listed}. The newest are below." if listed else "This pool has no rows yet."


def pools(number: int) -> str:
    """1 pool, 2 pools."""
    return f"{number:,} pool{'' if number == 1 else 's'}"


def limit(budget: Budget) -> str:
    """The limit in the unit in which the pool is budgeted."""
    return f"ρ = {words.epsilon(budget.rho)}" if budget.rho is not None else f"ε = {words.epsilon(budget.epsilon)}"


def delta(pool: Pool) -> str:
    """The pool's δ."""
    return words.delta(pool.budget.delta)
