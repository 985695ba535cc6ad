"""Alerts: what an officer should read, one sentence each, with a date where there is one."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta

from dpcore import words
from dpcore.pools import Pool
from dpcore.status import Alert, Exhaustion, Figure, Finding, Severity, State
from dpcore.theorems import THEOREMS

_URGENCY: dict[Severity, int] = {"critical": 0, "warning": 1}

_BUDGET_KINDS = ("budget_exceeded", "budget_exhausted", "budget_critical", "budget_warning")
_FAR = 183
"""Days ahead beyond which a date is left out of an alert: nobody acts on it now."""

_ORDER = (*_BUDGET_KINDS, "exhaustion_near", "few_remaining")


def by_urgency(alerts: Iterable[Alert]) -> tuple[Alert, ...]:
    """Most urgent first: severity, then budgets before findings, then pool."""

    def key(alert: Alert) -> tuple[int, int, str]:
        kind = _ORDER.index(alert.kind) if alert.kind in _ORDER else len(_ORDER)
        return _URGENCY[alert.severity], kind, alert.pool or ""

    return tuple(sorted(alerts, key=key))


def of_pool(
    pool: Pool,
    state: State,
    lead: Figure | None,
    typical: str | None,
    exhaustion: Exhaustion,
    findings: tuple[Finding, ...],
    refresh: datetime | None,
    last: datetime | None,
    now: datetime,
) -> tuple[Alert, ...]:
    """The alerts of one pool; a closed pool raises only findings."""
    found = [Alert(finding.kind, finding.severity, f"{pool.name}: {finding.text}", pool.name) for finding in findings]
    if not pool.closed:
        found += _budget(pool, state, lead, typical, exhaustion, refresh, now.astimezone(pool.zone).date())
        found += _silence(pool, last, now)
    return by_urgency(found)


def _budget(
    pool: Pool,
    state: State,
    lead: Figure | None,
    typical: str | None,
    exhaustion: Exhaustion,
    refresh: datetime | None,
    today: date,
) -> list[Alert]:
    again = f" It refreshes on {words.day(refresh.astimezone(pool.zone).date())}." if refresh else ""
    if state == "exceeded":
        text = f"{pool.name} is over budget: {_spent(pool, lead)}. Stop its queries.{again}"
        return [Alert("budget_exceeded", "critical", text, pool.name)]
    if state == "exhausted":
        text = f"{pool.name} is spent: not one more typical query fits ({_spent(pool, lead)}).{again}"
        return [Alert("budget_exhausted", "critical", text, pool.name)]
    left = _left(lead, typical)
    when = _when(exhaustion, today, _FAR, again)
    if state in ("critical", "warning"):
        severity: Severity = "critical" if state == "critical" else "warning"
        used = words.share(lead.consumed if lead else None)
        text = f"{pool.name} has used {used} of its budget; {left}.{when or again}"
        return [Alert(f"budget_{state}", severity, text, pool.name)]
    near = _when(exhaustion, today, pool.alerts.days_to_exhaustion, again)
    if near:
        used = words.share(lead.consumed if lead else None)
        text = f"{pool.name} has used {used} of its budget; {left}.{near}"
        return [Alert("exhaustion_near", "warning", text, pool.name)]
    if lead is not None and lead.remaining is not None and lead.remaining < pool.alerts.remaining_below:
        return [Alert("few_remaining", "warning", f"{pool.name}: {left}.{again}", pool.name)]
    return []


def _when(exhaustion: Exhaustion, today: date, within: int, again: str) -> str:
    """The sentence with the date, where the date lies within so many days."""
    if exhaustion.on is None or (exhaustion.on - today).days > within:
        return ""
    return f" At the recent pace it refuses queries from {words.day(exhaustion.on)}.{again}"


def _spent(pool: Pool, lead: Figure | None) -> str:
    if lead is None:
        return "no theorem covers every row"
    if pool.budget.rho is not None:
        return f"{words.share(lead.consumed)} of ρ = {words.epsilon(pool.budget.rho)}"
    theorem = THEOREMS[lead.theorem].title
    text = f"ε = {words.epsilon(lead.epsilon)} of {words.epsilon(pool.budget.epsilon)} under {theorem}"
    if lead.consumed is not None and pool.budget.epsilon and lead.epsilon is not None:
        share = lead.epsilon / float(pool.budget.epsilon)
        if lead.consumed > max(share, 1.0) * (1 + 1e-9):
            text += f", and {words.share(lead.consumed)} of δ = {words.delta(pool.budget.delta)}"
    return text


def _left(lead: Figure | None, typical: str | None) -> str:
    if lead is None or (lead.remaining is None and not lead.unlimited):
        return "how many queries are left cannot be told"
    if lead.unlimited:
        return "its typical query is free"
    number = lead.remaining or 0
    noun = "typical query is" if number == 1 else "typical queries are"
    return f"{number:,} {noun} left" + (f" ({typical})" if typical else "")


def _silence(pool: Pool, last: datetime | None, now: datetime) -> list[Alert]:
    days = pool.alerts.silent_days
    if days is None or last is None or now - last <= timedelta(days=days):
        return []
    text = (
        f"{pool.name} has logged nothing since {words.moment(last, pool.timezone)}: check that its log still arrives."
    )
    return [Alert("silent", "warning", text, pool.name)]
