"""Declaring pools, and reading the declarations of other people's logs."""

from decimal import Decimal

import duckdb
import pytest

from dpcore.log import Change, LogError, apply_pools, import_files, read_evidence
from tests.log.logs import POOL, TYPED, foreign_log, write_csv, write_pools

FULL = POOL | {
    "owner": "cardiology research", "adjacency": "replace_one", "warn_at": 0.7, "critical_at": 0.95, "window": "daily",
    "timezone": "Europe/Zurich", "priority": 2, "schemes": ["b", "a"], "closed": False, "group_size": 3,
    "typical": {"mechanism": "laplace", "epsilon": "0.01"}, "alerts": {"remaining_below": 20, "silent_days": 3},
    "domain": "health", "contribution_bounds": ["x", 2],
}  # fmt: skip
DATASET = {
    "name": "d",
    "people": 48211,
    "epsilon": "6.0",
    "delta": "1e-5",
    "disjoint": [["p", "q"]],
    "collusion": False,
}

BARE = "[[pool]]\nname = 'p'\ndataset = 'd'\nprivacy_unit = 'u'\n"


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log.duckdb"


def test_what_is_declared_is_what_is_read(tmp_path, log):
    file = write_pools(tmp_path / "pools.toml", [FULL, POOL | {"name": "q"}], [DATASET])
    apply_pools(file, log)
    catalogue = read_evidence(log).catalogue
    pool, dataset = catalogue.pools["p"], catalogue.datasets["d"]
    assert (pool.budget.epsilon, pool.budget.delta) == (Decimal("1.0"), Decimal("1e-6"))
    assert (pool.adjacency, pool.window, pool.timezone, pool.priority) == ("replace_one", "daily", "Europe/Zurich", 2)
    assert (pool.warn_at, pool.critical_at, pool.schemes, pool.group_size) == (0.7, 0.95, {"a", "b"}, 3)
    assert (pool.alerts.remaining_below, pool.alerts.silent_days, pool.extra["domain"]) == (20, 3, "health")
    assert pool.typical is not None and pool.typical.pair().epsilon == Decimal("0.01")
    assert (dataset.people, dataset.epsilon, dataset.disjoint, dataset.collusion) == (48211, 6, (("p", "q"),), False)


def test_applying_again_changes_nothing(tmp_path, log):
    file = write_pools(tmp_path / "pools.toml", [FULL, POOL | {"name": "q"}], [DATASET])
    assert len(apply_pools(file, log)) > 20
    before = log.read_bytes()
    assert apply_pools(file, log) == []
    assert log.read_bytes() == before


def test_toml_numbers_are_decimals_as_written(tmp_path, log):
    file = tmp_path / "pools.toml"
    file.write_text(
        BARE + "epsilon = 0.10\ndelta = 1e-7\ntypical = { mechanism = 'pure', epsilon = 0.01 }\n"
        "note = 2026-01-01T00:00:00Z\nratio = 0.50\n"
    )
    apply_pools(file, log)
    pool = read_evidence(log).catalogue.pools["p"]
    assert (pool.budget.epsilon, pool.budget.delta) == (Decimal("0.1"), Decimal("1e-7"))
    assert pool.typical is not None and pool.typical.pair().epsilon == Decimal("0.01")
    assert apply_pools(file, log) == []


def test_changes_are_told_and_others_stay(tmp_path, log):
    apply_pools(write_pools(tmp_path / "a.toml", [POOL | {"owner": "x"}, POOL | {"name": "q"}]), log)
    changes = apply_pools(write_pools(tmp_path / "b.toml", [POOL | {"epsilon": "2.0"}]), log)
    assert changes == [Change("pools", "p", "epsilon", "1.0", "2.0"), Change("pools", "p", "owner", "x", None)]
    assert set(read_evidence(log).catalogue.pools) == {"p", "q"}


def test_closing_is_dated_once(tmp_path, log):
    apply_pools(write_pools(tmp_path / "a.toml", [POOL]), log)
    row = {
        "query_id": "old",
        "ts": "2026-03-01T10:00:00Z",
        "pool": "p",
        "status": "released",
        "mechanism": "pure",
        "epsilon": "0.1",
    }
    rows = [row, row | {"query_id": "late", "ts": "2999-01-01T00:00:00Z"}]
    closed = write_pools(tmp_path / "b.toml", [POOL | {"closed": True}])
    apply_pools(closed, log)
    since = read_evidence(log).catalogue.pools["p"].extra["closed_since"]
    assert apply_pools(closed, log) == []
    apply_pools(write_pools(tmp_path / "c.toml", [POOL | {"closed": True, "owner": "x"}]), log)
    assert read_evidence(log).catalogue.pools["p"].extra["closed_since"] == since
    import_files([write_csv(tmp_path / "rows.csv", rows)], log)
    found = {fact.kind: fact for fact in read_evidence(log).pools["p"].facts}
    assert found["release_after_close"].queries == ("late",)


def test_what_an_adaptive_pool_fixed_cannot_be_moved_after_its_first_answer(tmp_path, log):
    adaptive = POOL | {"official": "rdp", "parameters": "adaptive", "delta_reserve": "1e-7", "order": 16}
    apply_pools(write_pools(tmp_path / "a.toml", [adaptive]), log)
    moved = write_pools(tmp_path / "b.toml", [adaptive | {"order": 32}])
    assert [change.key for change in apply_pools(moved, log)] == ["order"]
    row = {
        "query_id": "q",
        "ts": "2026-03-01T10:00:00Z",
        "pool": "p",
        "status": "released",
        "mechanism": "pure",
        "epsilon": "0.1",
    }
    import_files([write_csv(tmp_path / "rows.csv", [row])], log)
    with pytest.raises(LogError, match="order is fixed"):
        apply_pools(write_pools(tmp_path / "c.toml", [adaptive | {"order": 64}]), log)
    assert read_evidence(log).catalogue.pools["p"].order == 32.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "declares nothing"),
        ("[[pool]\n", "not a TOML file"),
        ("[[pools]]\nname = 'p'\n", "table 'pools'"),
        ("[pool]\nname = 'p'\n", "double brackets"),
        ("[[pool]]\ndataset = 'd'\n", "no name"),
        ("[[pool]]\nname = 'p'\n", "no dataset"),
        (BARE + "epsilon = 'much'\ndelta = 0\n", "epsilon"),
        (BARE + "epsilon = inf\ndelta = 0\n", "finite"),
        (BARE + "epsilon = 1\ndelta = 0\nwarn_at = nan\n", "warn_at"),
        ((BARE + "epsilon = 1\ndelta = 0\n") * 2, "twice"),
        (BARE + "epsilon = 1\ndelta = 0\n[[dataset]]\nname = 'd'\ndisjoint = [['x']]\n", "'x'"),
    ],
)  # fmt: skip
def test_bad_declarations_make_no_log(tmp_path, log, text, says):
    file = tmp_path / "pools.toml"
    file.write_text(text)
    with pytest.raises(LogError) as failed:
        apply_pools(file, log)
    assert says in str(failed.value) and "\n" not in str(failed.value)
    assert [each.name for each in tmp_path.iterdir()] == ["pools.toml"]


def test_a_bad_declaration_changes_nothing(tmp_path, log):
    apply_pools(write_pools(tmp_path / "a.toml", [POOL]), log)
    with pytest.raises(LogError):
        apply_pools(
            write_pools(tmp_path / "b.toml", [POOL | {"epsilon": "3"}, POOL | {"name": "q", "epsilon": "-1"}]), log
        )
    assert read_evidence(log).catalogue.pools["p"].budget.epsilon == 1


@pytest.mark.parametrize(
    "table",
    [
        "SELECT 'p' AS name, 'd' AS dataset, 1.5 AS epsilon, 0.000001 AS delta, 'u' AS privacy_unit",
        "SELECT 'p' AS name, 'd' AS dataset, 1.5::DOUBLE AS epsilon, 1e-6::DOUBLE AS delta, 'u' AS privacy_unit, "
        "'0.7' AS warn_at, 1::DECIMAL(4,0) AS priority, 'true' AS closed, '[\"s\"]' AS schemes, NULL AS rho",
        "SELECT 'p' AS name, 'd' AS dataset, '1.5' AS epsilon, '1e-6' AS delta, 'u' AS privacy_unit, ['s'] AS schemes, "
        "{'mechanism': 'laplace', 'epsilon': 0.01, 'delta': NULL} AS typical, {'remaining_below': 5} AS alerts",
        "SELECT 'p' AS name, 'd' AS dataset, 1.5 AS epsilon, 0.000001 AS delta, 'u' AS privacy_unit, "
        '\'{"mechanism": "laplace", "epsilon": 0.01}\'::JSON AS typical, \'{"note": "x"}\' AS extra',
    ],
)
def test_other_peoples_pools_tables(log, table):
    foreign_log(log, [], [POOL], TYPED)
    with duckdb.connect(str(log)) as connection:
        connection.execute("DROP TABLE pools")
        connection.execute(f"CREATE TABLE pools AS {table}")
    before = log.read_bytes()
    pool = read_evidence(log).catalogue.pools["p"]
    assert (pool.budget.epsilon, pool.budget.delta) == (Decimal("1.5"), Decimal("1e-6"))
    assert log.read_bytes() == before


def test_other_peoples_logs_are_never_changed(tmp_path, log):
    foreign_log(log, [], [POOL], TYPED)
    before = log.read_bytes()
    pools = write_pools(tmp_path / "pools.toml", [POOL])
    rows = write_csv(
        tmp_path / "rows.csv", [{"query_id": "q", "ts": "x", "pool": "p", "status": "x", "mechanism": "x"}]
    )
    for change in (lambda: apply_pools(pools, log), lambda: import_files([rows], log)):
        with pytest.raises(LogError, match="not made by this program"):
            change()
    assert log.read_bytes() == before
