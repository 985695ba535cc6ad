"""From the evidence of a log to everything the screens show."""

import math
from collections.abc import Mapping
from datetime import date, datetime

from dpcore import findings as found
from dpcore.accountant import account, budget_epsilon, fixed_target, target_of
from dpcore.alerts import by_urgency, of_pool
from dpcore.evidence import Evidence, PoolEvidence
from dpcore.forecast import exhaustion
from dpcore.joint import joint
from dpcore.losses import Loss, Unspoken
from dpcore.parallel import Composition, People
from dpcore.pools import Dataset, Pool
from dpcore.spends import Spend, Spends
from dpcore.status import Alert, Exhaustion, Figure, Lifetime, PoolStatus, State, Status
from dpcore.theorems import THEOREMS, Target


def monitor(evidence: Evidence) -> Status:
    """Figures, states, findings and alerts of every pool and data set in the evidence."""
    catalogue = evidence.catalogue
    pools = [
        pool_status(
            pool, catalogue.datasets[pool.dataset], evidence.pools.get(pool.name, PoolEvidence()), evidence.as_of
        )
        for pool in catalogue.pools.values()
    ]
    datasets = tuple(
        joint(dataset, catalogue.of_dataset(dataset.name), evidence.pools) for dataset in catalogue.datasets.values()
    )
    alerts = [alert for status in pools for alert in status.alerts]
    alerts += [Alert(f.kind, f.severity, f.text) for status in datasets for f in status.findings]
    alerts += [Alert(f.kind, f.severity, f"{f.text[0].upper()}{f.text[1:]}") for f in found.judge(evidence.facts)]
    return Status(evidence.as_of, tuple(sorted(pools, key=_least_left)), datasets, by_urgency(alerts))


def _least_left(status: PoolStatus) -> tuple[bool, float, str]:
    lead = status.lead
    consumed = math.inf if lead is None or lead.consumed is None else lead.consumed
    return status.pool.closed, -consumed, status.pool.name


def pool_status(pool: Pool, dataset: Dataset, evidence: PoolEvidence, as_of: datetime) -> PoolStatus:
    """One pool, complete."""
    target = target_of(pool)
    typical = pool.typical if pool.typical is not None else typical_loss(pool, evidence, target)
    accounts = account(
        evidence.window,
        delta=pool.budget.delta,
        adjacency=pool.adjacency,
        budget=pool.budget,
        next_loss=typical,
        target=target,
        resolved=True,
        quick=True,
    )
    figures = accounts.figures
    official = figures.get(pool.official)
    leading = pool.official if official is not None and official.epsilon is not None else accounts.tightest
    lead = figures[leading] if leading else None
    state = state_of(pool, lead)
    findings = found.judge(evidence.facts) + tuple(
        finding
        for finding in (
            found.official_cannot_speak(pool, official, leading),
            found.not_adaptive(pool, target),
            found.weak_delta(pool, dataset),
        )
        if finding is not None
    )
    today = as_of.astimezone(pool.zone).date()
    runs_out = _exhaustion(pool, evidence, leading, typical, state, today)
    words_for_typical = typical.describe() if typical is not None else None
    return PoolStatus(
        pool=pool,
        state=state,
        unverified=any(map(found.makes_unverified, findings)),
        figures=figures,
        tightest=accounts.tightest,
        leading=leading,
        budget_epsilon=budget_epsilon(pool.budget),
        rows=evidence.rows,
        window_start=evidence.window_start,
        window_end=evidence.window_end,
        lifetime=_lifetime(pool, evidence, leading, target, figures),
        exhaustion=runs_out,
        findings=findings,
        alerts=of_pool(
            pool, state, lead, words_for_typical, runs_out, findings, evidence.window_end, evidence.last, as_of
        ),
        typical=words_for_typical,
        last=evidence.last,
    )


def state_of(pool: Pool, lead: Figure | None) -> State:
    """The state of a pool by the figure that it follows."""
    if lead is None or lead.consumed is None or lead.consumed > 1.0:
        return "exceeded"
    if lead.remaining == 0 or lead.consumed == 1.0 or 0 in (pool.budget.epsilon, pool.budget.rho):
        return "exhausted"
    if lead.consumed >= pool.critical_at:
        return "critical"
    return "warning" if lead.consumed >= pool.warn_at else "ok"


def typical_loss(pool: Pool, evidence: PoolEvidence, target: Target) -> Loss | None:
    """Of the recent losses, ranked by their own ε under the official theorem, the upper median's."""
    names = [pool.official, *THEOREMS]
    for name in names:
        theorem = THEOREMS.get(name)
        if theorem is None:
            continue
        own: dict[Loss, float] = {}
        for loss in set(evidence.recent):
            try:
                people = People.of(Spends([Spend(loss)]), pool.adjacency)
                own[loss] = Composition(theorem, people, fixed_target(theorem, target), quick=True).epsilon()
            except Unspoken:
                break
        else:
            ranked = sorted(evidence.recent, key=lambda loss: (own[loss], repr(loss)))
            return ranked[len(ranked) // 2] if ranked else None
    return None


def _lifetime(
    pool: Pool, evidence: PoolEvidence, leading: str | None, target: Target, figures: Mapping[str, Figure]
) -> Lifetime:
    if evidence.lifetime != evidence.window:
        figures = {
            name: account(
                evidence.lifetime,
                delta=pool.budget.delta,
                adjacency=pool.adjacency,
                target=target,
                resolved=True,
                only=name,
                quick=True,
            ).figures[name]
            for name in ("basic", leading)
            if name is not None
        }
    plain_sum = figures["basic"]
    pair = None
    if plain_sum.exact is not None and plain_sum.delta is not None:
        pair = (plain_sum.exact, plain_sum.delta)
    return Lifetime(figures[leading].epsilon if leading else None, pair)


def _exhaustion(
    pool: Pool, evidence: PoolEvidence, leading: str | None, typical: Loss | None, state: State, today: date
) -> Exhaustion:
    if pool.closed:
        return Exhaustion(note="the pool is closed")
    if state in ("exhausted", "exceeded"):
        return Exhaustion(note="spent")
    if leading is None:
        return Exhaustion(note="no theorem covers every row")
    theorem = THEOREMS[leading]
    return exhaustion(
        pool,
        evidence.window,
        evidence.days,
        theorem=theorem,
        target=fixed_target(theorem, target_of(pool)),
        typical=typical,
        today=today,
        first=None if evidence.first is None else evidence.first.astimezone(pool.zone).date(),
        refresh=None if evidence.window_end is None else evidence.window_end.astimezone(pool.zone).date(),
    )
