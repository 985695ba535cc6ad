"""One example of each finding, each in a pool named for what it shows and over its own people."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dpcore.demo.desk import Fields, service
from dpcore.demo.rhythm import WORKING_WEEK
from dpcore.demo.rows import Row, stamp


@dataclass(frozen=True)
class Planted:
    """A finding that the sample log must show: its kind, its severity, and the pool or data set that shows it."""

    kind: str
    severity: str
    place: str


PLANTED = (
    Planted("rejected_rows", "critical", "finding-rejected-rows"),
    Planted("conflicting_id", "critical", "finding-conflicting-id"),
    Planted("undeclared_scheme", "critical", "finding-undeclared-scheme"),
    Planted("post_processing_without_release", "critical", "finding-post-processing"),
    Planted("exact_release", "critical", "finding-exact-release"),
    Planted("official_cannot_speak", "critical", "finding-official-cannot-speak"),
    Planted("understated_epsilon", "critical", "finding-understated-epsilon"),
    Planted("unfit_amplification", "warning", "finding-unfit-amplification"),
    Planted("not_adaptive", "critical", "finding-not-adaptive"),
    Planted("weak_delta", "warning", "finding-weak-delta"),
    Planted("future_rows", "warning", "finding-future-rows"),
    Planted("release_after_close", "critical", "finding-release-after-close"),
)
"""Every finding of a pool in the sample log; there are no others."""

PLANTED_JOINT = (
    Planted("joint_over_cap", "critical", "example-joint-over-cap"),
    Planted("joint_over_cap", "warning", "example-no-joint-cap"),
)
"""Every finding of a data set in the sample log: its pools exceed the cap together, or share people without one."""

_SMALL: Fields = {"mechanism": "laplace", "epsilon": "0.02"}


def _ordinary(pool: str, as_of: datetime, losses: Iterable[Fields] = (_SMALL,) * 12, days: float = 90) -> list[Row]:
    return service(
        pool,
        pool.removeprefix("finding-"),
        list(losses),
        as_of=as_of,
        days=days,
        until=2,
        analyst="example-analyst",
        purpose="shows a finding",
        query_text="SELECT COUNT(*) FROM example",
        week=WORKING_WEEK,
    )


def _undeclared_scheme(as_of: datetime) -> list[Row]:
    """Parallel composition claimed over wards, where a patient may lie in several."""
    rows = _ordinary("finding-undeclared-scheme", as_of)
    wards = ("north", "south", "east", "west")
    return [
        replace(row, partition_scheme="ward", partition=wards[number % 4]) if number >= 8 else row
        for number, row in enumerate(rows)
    ]


def _post_processing(as_of: datetime) -> list[Row]:
    """A chart drawn from an answer that was refused: it must have been drawn from the data."""
    rows = _ordinary("finding-post-processing", as_of)
    refused = replace(rows[-2], status="denied")
    chart = replace(
        rows[-1], mechanism="post_processing", epsilon="", parents=refused.query_id, query_text="Chart of that count"
    )
    return [*rows[:-2], refused, chart]


def _exact_release(as_of: datetime) -> list[Row]:
    rows = _ordinary("finding-exact-release", as_of)
    return [*rows[:-1], replace(rows[-1], mechanism="exact", epsilon="", purpose="count released without noise")]


def _official_cannot_speak(as_of: datetime) -> list[Row]:
    """The plain sum is official, and one row declares only ρ."""
    rows = _ordinary("finding-official-cannot-speak", as_of)
    return [*rows[:-1], replace(rows[-1], mechanism="zcdp", epsilon="", rho="0.0005")]


def _understated_epsilon(as_of: datetime) -> list[Row]:
    """Noise of scale 10 on a count gives ε = 0.1, not 0.02."""
    rows = _ordinary("finding-understated-epsilon", as_of)
    return [*rows[:-1], replace(rows[-1], noise_scale="10", sensitivity="1")]


def _unfit_amplification(as_of: datetime) -> list[Row]:
    """Batches were shuffled, not drawn by Poisson sampling."""
    step = {
        "mechanism": "subsampled_gaussian",
        "noise_scale": "40",
        "sensitivity": "1",
        "sampling_rate": "0.01",
        "sampling": "shuffled",
        "count": "10",
    }
    return _ordinary("finding-unfit-amplification", as_of, [step] * 10)


def _future_rows(as_of: datetime) -> list[Row]:
    """Two rows from a machine whose clock is a year ahead."""
    rows = _ordinary("finding-future-rows", as_of)
    ahead = [replace(row, ts=stamp(as_of + timedelta(days=365 + n))) for n, row in enumerate(rows[-2:])]
    return [*rows[:-2], *ahead]


def rows(as_of: datetime) -> list[Row]:
    """The rows of these pools up to `as_of`, without those of `data/faulty_rows.csv`."""
    joint = ("finding-joint-over-cap-web", "finding-joint-over-cap-mail")
    no_cap = ("finding-no-joint-cap-web", "finding-no-joint-cap-mail")
    return [
        *_undeclared_scheme(as_of),
        *_post_processing(as_of),
        *_exact_release(as_of),
        *_official_cannot_speak(as_of),
        *_understated_epsilon(as_of),
        *_unfit_amplification(as_of),
        *_ordinary("finding-not-adaptive", as_of),
        *_ordinary("finding-weak-delta", as_of),
        *(row for pool in joint for row in _ordinary(pool, as_of, [_SMALL] * 25)),
        *(row for pool in no_cap for row in _ordinary(pool, as_of)),
        *_future_rows(as_of),
        *_ordinary("finding-release-after-close", as_of),
    ]
