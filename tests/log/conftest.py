"""Logs in every form that a log may have."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from dpcore.evidence import Evidence, PoolEvidence
from dpcore.log import read_evidence
from tests.log.logs import FLOATS, POOL, TEXT, TYPED, Rows, foreign_log, imported_log

MakeLog = Callable[..., Path]


@pytest.fixture
def rows() -> Rows:
    return Rows()


@pytest.fixture(params=["imported", "foreign", "foreign text", "foreign floats"])
def make_log(request: pytest.FixtureRequest, tmp_path: Path) -> MakeLog:
    """Builds a log of rows and pools, in each form a log may have."""
    numbers = itertools.count()

    def make(listed: Iterable[Mapping[str, object]], pools: Iterable[Mapping[str, object]] = (POOL,)) -> Path:
        file = tmp_path / f"log{next(numbers)}.duckdb"
        if request.param == "imported":
            return imported_log(file, listed, pools)
        return foreign_log(
            file, listed, list(pools), {"foreign": TYPED, "foreign text": TEXT, "foreign floats": FLOATS}[request.param]
        )

    return make


@pytest.fixture
def read(make_log: MakeLog) -> Callable[..., PoolEvidence]:
    """The evidence about pool p of a log with these rows."""

    def evidence(
        listed: Iterable[Mapping[str, object]], pool: Mapping[str, object] = POOL, **asked: object
    ) -> PoolEvidence:
        return read_evidence(make_log(listed, [pool]), **asked).pools["p"]  # type: ignore[arg-type]

    return evidence


@pytest.fixture
def read_all(make_log: MakeLog) -> Callable[..., Evidence]:
    """The evidence about all pools of a log with these rows."""

    def evidence(
        listed: Iterable[Mapping[str, object]], pools: Iterable[Mapping[str, object]], **asked: object
    ) -> Evidence:
        return read_evidence(make_log(listed, list(pools)), **asked)  # type: ignore[arg-type]

    return evidence
