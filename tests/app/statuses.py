"""Hand-made figures for tests of the screens, without a log."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from dpcore.accountant import account, budget_epsilon
from dpcore.decimals import plain
from dpcore.evidence import Evidence, PoolEvidence, RowCounts
from dpcore.losses import from_fields
from dpcore.pools import Dataset, Pool, parse
from dpcore.spends import Spend, Spends
from dpcore.status import Alert, DatasetStatus, Exhaustion, Finding, Lifetime, PoolStatus, State, Status

AS_OF = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


def pool_table(name: str, **changes: object) -> dict[str, object]:
    """A pool's declaration."""
    return {
        "name": name,
        "dataset": "admissions",
        "owner": "research",
        "epsilon": "2.0",
        "delta": "1e-6",
        "privacy_unit": "patient",
        "official": "rdp",
        "typical": {"mechanism": "laplace", "epsilon": "0.01"},
    } | changes


def state_of(consumed: float, remaining: int | None, pool: Pool) -> State:
    """The state that a share of the budget gives."""
    if consumed > 1:
        return "exceeded"
    if remaining == 0:
        return "exhausted"
    return "critical" if consumed >= pool.critical_at else "warning" if consumed >= pool.warn_at else "ok"


def pool_status(pool: Pool, count: int, *, unverified: bool = False, days: int | None = None) -> PoolStatus:
    """A pool after `count` typical queries."""
    loss = pool.typical or from_fields("laplace", {"epsilon": "0.01"})
    found = account(
        Spends([Spend(loss, count)]),
        delta=pool.budget.delta,
        adjacency=pool.adjacency,
        budget=pool.budget,
        next_loss=loss,
    )
    official = found.figures[pool.official]
    state = state_of(official.consumed or 0.0, official.remaining, pool)
    findings = (
        (Finding("rejected_rows", "critical", ("q1", "q2"), "2 rows were refused; spending may be understated."),)
        if unverified
        else ()
    )
    alerts = tuple(Alert(f.kind, f.severity, f"{pool.name}: {f.text}", pool.name) for f in findings)
    if state != "ok" and not pool.closed:
        severity = "warning" if state == "warning" else "critical"
        text = f"{pool.name} is {state}: {official.remaining} typical queries are left."
        alerts = (Alert(state, severity, text, pool.name), *alerts)  # type: ignore[arg-type]
    basic = found.figures["basic"]
    return PoolStatus(
        pool=pool,
        state=state,
        unverified=unverified,
        figures=found.figures,
        tightest=found.tightest,
        leading=pool.official,
        budget_epsilon=budget_epsilon(pool.budget),
        rows=RowCounts(released=count, denied=3, rejected=2 if unverified else 0),
        window_start=None,
        window_end=AS_OF + timedelta(days=1) if pool.window != "none" else None,
        lifetime=Lifetime(official.epsilon, (basic.exact or Decimal(0), Decimal(0))),
        exhaustion=Exhaustion() if days is None else Exhaustion(date.fromordinal(AS_OF.toordinal() + days)),
        findings=findings,
        alerts=alerts,
        typical=loss.describe(),
        last=AS_OF - timedelta(hours=2) if count else None,
    )


def made(counts: dict[str, int], tables: dict[str, dict[str, object]] | None = None) -> tuple[Evidence, Status]:
    """A log's evidence (rows not filled in) and figures: pool name → typical queries asked."""
    changes = tables or {}
    catalogue = parse([pool_table(name, **changes.get(name, {})) for name in counts])
    pools = [pool_status(catalogue.pools[name], count, unverified=count % 7 == 3) for name, count in counts.items()]
    pools.sort(key=lambda status: -(status.lead.consumed or 0.0) if status.lead else 0.0)
    datasets = [
        DatasetStatus(
            Dataset(name),
            tuple(p.pool.name for p in pools if p.pool.dataset == name),
            "rdp",
            3.1,
            Decimal("2e-6"),
            None,
        )
        for name in catalogue.datasets
    ]
    alerts = tuple(sorted((a for p in pools for a in p.alerts), key=lambda alert: alert.severity))
    evidence = Evidence(AS_OF, catalogue, {name: PoolEvidence() for name in counts})
    return evidence, Status(AS_OF, tuple(pools), tuple(datasets), alerts)


def plain_budget(pool: Pool) -> str:
    """The ε limit as text."""
    return plain(pool.budget.epsilon or Decimal(0))
