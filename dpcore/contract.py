"""The JSON that `status` and `check` print."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from dpcore.decimals import plain
from dpcore.plans import epsilon_json, number_json
from dpcore.pools import Budget
from dpcore.status import Alert, DatasetStatus, Figure, Finding, PoolStatus, Status


def status_json(status: Status) -> dict[str, Any]:
    """Everything the screens show, as plain JSON values."""
    return {
        "as_of": time_json(status.as_of),
        "pools": [pool_json(pool) for pool in status.pools],
        "datasets": [dataset_json(dataset) for dataset in status.datasets],
        "alerts": [alert_json(alert) for alert in status.alerts],
    }


def pool_json(status: PoolStatus) -> dict[str, Any]:
    """One pool."""
    pool = status.pool
    window = None
    if status.window_start is not None and status.window_end is not None:
        window = {"start": time_json(status.window_start), "end": time_json(status.window_end), "every": pool.window}
    rows = status.rows
    pair = status.lifetime.pair
    runs_out = status.exhaustion
    return {
        "pool": pool.name,
        "dataset": pool.dataset,
        "state": status.state,
        "unverified": status.unverified,
        "official": pool.official,
        "leading": status.leading,
        "closed": pool.closed,
        "budget": _budget_json(pool.budget),
        "window": window,
        "rows": {
            "released": rows.released,
            "denied": rows.denied,
            "failed": rows.failed,
            "failed_before_release": rows.failed_before_release,
            "rejected": rows.rejected,
            "duplicates": rows.duplicates,
        },
        "typical": status.typical,
        "theorems": {name: _figure_json(figure) for name, figure in status.figures.items()},
        "tightest": status.tightest,
        "lifetime": {
            "epsilon": number_json(status.lifetime.epsilon),
            "pair": None if pair is None else [plain(pair[0]), plain(pair[1])],
        },
        "exhaustion": {
            "date": runs_out.on.isoformat() if runs_out.on else None,
            "low": runs_out.low.isoformat() if runs_out.low else None,
            "high": runs_out.high.isoformat() if runs_out.high else None,
            "note": runs_out.note,
        },
        "findings": [finding_json(finding) for finding in status.findings],
        "alerts": [alert_json(alert) for alert in status.alerts],
    }


def dataset_json(status: DatasetStatus) -> dict[str, Any]:
    """One data set."""
    cap = None
    if status.dataset.epsilon is not None:
        cap = {"epsilon": plain(status.dataset.epsilon), "delta": _plain(status.dataset.delta)}
    joint = None
    if status.epsilon is not None:
        joint = {"epsilon": number_json(status.epsilon), "delta": _plain(status.delta), "theorem": status.theorem}
    return {
        "dataset": status.dataset.name,
        "pools": list(status.pools),
        "joint": joint,
        "note": status.note,
        "cap": cap,
        "findings": [finding_json(finding) for finding in status.findings],
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """One finding."""
    return {
        "kind": finding.kind,
        "severity": finding.severity,
        "queries": list(finding.queries),
        "text": finding.text,
    }


def alert_json(alert: Alert) -> dict[str, Any]:
    """One alert."""
    return {"kind": alert.kind, "pool": alert.pool, "severity": alert.severity, "text": alert.text}


def time_json(moment: datetime) -> str:
    """ISO time in UTC, ending in Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _figure_json(figure: Figure) -> dict[str, Any]:
    return {
        "epsilon": epsilon_json(figure),
        "delta": _plain(figure.delta),
        "consumed": number_json(figure.consumed),
        "remaining": "unlimited" if figure.unlimited else figure.remaining,
        "adaptive": figure.adaptive,
        "note": figure.note,
    }


def _budget_json(budget: Budget) -> dict[str, Any]:
    if budget.rho is not None:
        return {"rho": plain(budget.rho), "delta": plain(budget.delta)}
    return {"epsilon": _plain(budget.epsilon), "delta": plain(budget.delta)}


def _plain(value: Decimal | None) -> str | None:
    return None if value is None else plain(value)
