"""What must hold for every log."""

import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dpcore.log import import_files, read_evidence, read_shares
from dpcore.spends import Spends
from tests.log.logs import POOL, TEXT, TYPED, foreign_log, imported_log, write_csv

POOLS = [
    POOL | {"schemes": ["s"], "window": "monthly", "timezone": "Europe/Zurich"},
    POOL | {"name": "other", "adjacency": "replace_one"},
]
AS_OF = datetime(2026, 3, 15, 12, tzinfo=UTC)

losses = st.sampled_from(
    [
        {"mechanism": "pure", "epsilon": "0.1"},
        {"mechanism": "pure", "epsilon": "0.3"},
        {"mechanism": "approximate", "epsilon": "0.2", "delta": "0.0000001"},
        {"mechanism": "laplace", "noise_scale": "20", "sensitivity": "1"},
        {"mechanism": "gaussian", "noise_scale": "20", "clip_norm": "1"},
        {"mechanism": "zcdp", "rho": "0.01"},
        {
            "mechanism": "subsampled_gaussian",
            "noise_scale": "1",
            "clip_norm": "1",
            "sampling_rate": "0.1",
            "sampling": "x",
        },
        {"mechanism": "pure", "epsilon": "-1"},
        {"mechanism": "exact"},
        {"mechanism": "post_processing", "parents": "q1"},
        {"mechanism": "post_processing", "parents": "q2|q3"},
    ]
)
places = st.sampled_from(
    [
        {},
        {"partition_scheme": "s", "partition": "a"},
        {"partition_scheme": "s", "partition": "a|b"},
        {"partition_scheme": "t", "partition": "a"},
    ]
)
rest = st.fixed_dictionaries(
    {
        "query_id": st.integers(1, 8).map(lambda n: f"q{n}"),
        "ts": st.sampled_from(
            ["2026-02-10T10:00:00Z", "2026-03-01T00:00:00+01:00", "2026-03-15T12:00:00Z", "2026-03-16T00:00:00Z"]
        ),
        "pool": st.sampled_from(["p", "other", "nowhere"]),
        "status": st.sampled_from(["released", "released", "denied", "failed", "failed_before_release"]),
        "count": st.sampled_from([None, "1", "3"]),
    }
)
any_row = st.builds(lambda *parts: {key: value for part in parts for key, value in part.items()}, losses, places, rest)
any_rows = st.lists(any_row, max_size=12)

often = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def evidence(rows, *, build, **asked):
    with tempfile.TemporaryDirectory() as folder:
        return read_evidence(build(Path(folder, "log.duckdb"), rows), as_of=AS_OF, **asked)


def build_foreign(file, rows):
    return foreign_log(file, rows, POOLS, TYPED)


def build_text(file, rows):
    return foreign_log(file, rows, POOLS, TEXT)


def build_imported(file, rows):
    return imported_log(file, rows, POOLS)


def build_row_by_row(file, rows):
    log = imported_log(file, [], POOLS)
    for number, row in enumerate(rows):
        import_files([write_csv(file.with_name(f"{number}.csv"), [row])], log)
    return log


def comparable(found):
    """Without the counts of repeats: how often a row was seen again depends on how it came in."""
    pools = {name: replace(pool, rows=replace(pool.rows, duplicates=0)) for name, pool in found.pools.items()}
    return pools, found.facts


@often
@given(any_rows, st.randoms(use_true_random=False))
@pytest.mark.parametrize("build", [build_foreign, build_imported])
def test_the_order_of_rows_never_matters(build, rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert evidence(rows, build=build, history=True) == evidence(shuffled, build=build, history=True)


@settings(often, max_examples=10)
@given(any_rows)
def test_it_does_not_matter_how_the_rows_came_in(rows):
    text = comparable(evidence(rows, build=build_text, history=True))
    imported = comparable(evidence(rows, build=build_imported, history=True))
    assert spends_of(text) == spends_of(imported)
    assert imported == comparable(evidence(rows, build=build_row_by_row, history=True))


def spends_of(found):
    return {
        name: (pool.window, pool.lifetime, pool.recent, pool.days, pool.first, pool.last, pool.rows.released)
        for name, pool in found[0].items()
    }


@often
@given(any_row, st.integers(2, 5))
def test_splitting_a_count_into_rows_changes_no_spend(row, count):
    row = row | {"query_id": "q0"}
    split = [row | {"query_id": f"x{number}", "count": "1"} for number in range(count)]
    whole = evidence([row | {"count": str(count)}], build=build_foreign).pools
    parts = evidence(split, build=build_foreign).pools
    for name, pool in whole.items():
        assert (pool.window, pool.lifetime) == (parts[name].window, parts[name].lifetime)


@often
@given(any_rows, any_row)
def test_one_more_row_never_lowers_what_was_spent(rows, more):
    # A second version of a row may turn a parent unfit; conflicts are tested elsewhere.
    assume(all(row["query_id"] != more["query_id"] for row in rows))
    before = evidence(rows, build=build_foreign).pools
    after = evidence([*rows, more], build=build_foreign).pools
    for name, pool in before.items():
        for spend in pool.lifetime:
            counts = {(s.loss, s.place): s.count for s in after[name].lifetime}
            assert counts.get((spend.loss, spend.place), 0) >= spend.count


@often
@given(any_rows)
def test_days_and_shares_add_up_to_the_pool(rows):
    unique = list({row["query_id"]: row for row in rows}.values())
    with tempfile.TemporaryDirectory() as folder:
        log = build_foreign(Path(folder, "log.duckdb"), unique)
        found = read_evidence(log, as_of=AS_OF, history=True).pools["p"]
        shares = read_shares(log, "p", as_of=AS_OF)
    in_window = Spends([spend for share in shares for spend in share.spends])
    assert in_window == found.window
    through_today = Spends([spend for day in found.days for spend in day.spends])
    assert {(s.loss, s.place) for s in through_today} <= {(s.loss, s.place) for s in found.lifetime}
    assert sum((s.count for s in through_today), Decimal(0)) <= found.lifetime.count
