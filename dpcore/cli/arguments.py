"""What several commands share: times, and reading a status."""

import argparse
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpcore.status import Status


class UsageError(Exception):
    """Input that a command cannot use; the message is one sentence that says what is wrong and what to do."""


def parse_time(text: str) -> datetime:
    """A time in ISO 8601 with a zone. Raises UsageError."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"{text!r} is not a time; write it as 2026-11-30T10:00:00Z.") from None
    if moment.tzinfo is None:
        raise UsageError(f"The time {text!r} has no zone; write it as 2026-11-30T10:00:00Z.")
    if not 1901 <= moment.year <= 2999:
        raise UsageError(f"The time {text!r} lies outside the years 1901 to 2999; check the year.")
    return moment


def read_status(arguments: argparse.Namespace) -> "Status":
    """The status that --log, --pool and --as-of ask for. Raises UsageError and LogError."""
    as_of = parse_time(arguments.as_of) if arguments.as_of else None

    from dpcore.log import read_evidence
    from dpcore.monitor import monitor

    evidence = read_evidence(arguments.log, as_of=as_of)
    if arguments.pool is not None and arguments.pool not in evidence.catalogue.pools:
        known = ", ".join(evidence.catalogue.pools) or "none"
        raise UsageError(f"{arguments.log} declares no pool {arguments.pool!r}; its pools are: {known}.")
    status = monitor(evidence)
    if arguments.pool is None:
        return status
    return replace(
        status,
        pools=tuple(pool for pool in status.pools if pool.pool.name == arguments.pool),
        datasets=tuple(dataset for dataset in status.datasets if arguments.pool in dataset.pools),
        alerts=tuple(alert for alert in status.alerts if alert.pool == arguments.pool),
    )
