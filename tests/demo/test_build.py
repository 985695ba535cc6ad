"""The sample log as it is built, read and judged."""

import json
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from dpcore import demo
from dpcore.demo import findings, states
from dpcore.log import LogBusy, LogError, create_log, read_evidence
from dpcore.monitor import monitor

AS_OF = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
ROOT = Path(__file__).resolve().parents[2]

STATES = states.STATES | {
    "cardiology": "critical",
    "oncology": "warning",
    "respiratory": "ok",
    "diabetes": "ok",
    "federated-rounds": "warning",
    "dp-sgd-run": "critical",
    "ab-checkout": "ok",
    "ab-search": "ok",
    "ab-onboarding": "ok",
    "ab-notifications": "ok",
    "ab-pricing": "exhausted",
    "us-census-2020-persons": "exhausted",
    "us-census-2020-units": "exhausted",
    "adaptive-explorer": "ok",
    "replace-one-survey": "ok",
    "rho-mobility-map": "ok",
    "daily-dashboard": "ok",
    "pool-without-rows": "ok",
    "finding-exact-release": "exceeded",
}

PLANTED_KINDS = {planted.kind for planted in findings.PLANTED + findings.PLANTED_JOINT}


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("sample") / "sample.duckdb"
    demo.build(path, as_of=AS_OF)
    return path


@pytest.fixture(scope="module")
def status(log):
    return monitor(read_evidence(log, as_of=AS_OF))


def content(path, table):
    with duckdb.connect(str(path), read_only=True) as connection:
        return sorted(map(repr, connection.execute(f"SELECT * FROM {table}").fetchall()))


@pytest.mark.parametrize("table", ["query_log", "rejected_rows", "pools", "datasets"])
def test_the_same_moment_gives_the_same_rows(log, tmp_path, table):
    again = tmp_path / "again.duckdb"
    demo.build(again, as_of=AS_OF)
    assert content(again, table) == content(log, table)
    assert list(tmp_path.iterdir()) == [again]


def test_every_pool_is_in_its_planned_state(status):
    found = {pool.pool.name: pool.state for pool in status.pools}
    expected = {name: STATES.get(name, "ok") for name in found}
    assert found == expected
    assert set(STATES) <= set(found)
    assert set(found.values()) == {"ok", "warning", "critical", "exhausted", "exceeded"}


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 11, 30, 23, 0, 30, tzinfo=UTC),  # half a minute into the month in Zurich
        datetime(2027, 1, 3, 23, 1, tzinfo=UTC),  # a minute into the week
        datetime(2027, 3, 28, 1, 30, tzinfo=UTC),  # the clock has just changed
        datetime(2027, 5, 16, 21, 59, tzinfo=UTC),  # the last minute of a week
    ],
    ids=str,
)
def test_states_and_findings_do_not_depend_on_the_moment(status, tmp_path, moment):
    path = tmp_path / "sample.duckdb"
    demo.build(path, as_of=moment)
    then = monitor(read_evidence(path, as_of=moment))
    assert {p.pool.name: p.state for p in then.pools} == {p.pool.name: p.state for p in status.pools}
    assert of_pools(then) == of_pools(status)
    assert of_datasets(then) == of_datasets(status)
    # A date in the coming weeks for the pool that the first screen is about.
    assert 5 <= (then.pool("cardiology").exhaustion.on - moment.date()).days <= 42


def of_pools(status):
    return Counter((f.kind, f.severity, pool.pool.name) for pool in status.pools for f in pool.findings)


def of_datasets(status):
    return Counter((f.kind, f.severity, one.dataset.name) for one in status.datasets for f in one.findings)


def test_every_planted_finding_is_found_and_no_other(status):
    assert of_pools(status) == Counter((p.kind, p.severity, p.place) for p in findings.PLANTED)
    assert of_datasets(status) == Counter((p.kind, p.severity, p.place) for p in findings.PLANTED_JOINT)


def test_unverified_are_the_pools_whose_spending_may_be_understated(status):
    assert {pool.pool.name for pool in status.pools if pool.unverified} == {
        "finding-rejected-rows",
        "finding-conflicting-id",
        "finding-post-processing",
        "finding-official-cannot-speak",
    }


def test_check_names_the_planted_findings_and_no_other(log):
    done = subprocess.run(
        [sys.executable, "-m", "dpcore", "check", "--log", log, "--as-of", "2026-11-30T10:00:00Z", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    alerts = json.loads(done.stdout)
    told = Counter((a["kind"], a["severity"], a["pool"]) for a in alerts if a["kind"] in PLANTED_KINDS)
    expected = Counter((p.kind, p.severity, p.place) for p in findings.PLANTED)
    expected += Counter((p.kind, p.severity, None) for p in findings.PLANTED_JOINT)
    assert told == expected
    joint = [a["text"] for a in alerts if a["kind"] == "joint_over_cap"]
    assert all(any(p.place in text for text in joint) for p in findings.PLANTED_JOINT)
    budgets = {(a["kind"], a["pool"]) for a in alerts if a["kind"] not in PLANTED_KINDS}
    closed = {"dp-sgd-run", "us-census-2020-persons", "us-census-2020-units"}
    assert budgets == {
        (f"budget_{state}", pool) for pool, state in STATES.items() if state != "ok" and pool not in closed
    }


def test_cardiology_runs_out_in_the_coming_weeks(status):
    pool = status.pool("cardiology")
    assert pool.rows.released > 3000
    assert min(pool.rows.denied, pool.rows.failed, pool.rows.failed_before_release) > 20
    assert 1.9 < pool.figures["rdp"].epsilon < 2.0
    assert pool.figures["basic"].epsilon > 20
    assert datetime(2026, 12, 5).date() < pool.exhaustion.on < datetime(2027, 1, 11).date()
    assert pool.exhaustion.low <= pool.exhaustion.on <= pool.exhaustion.high


def test_federated_rounds(status):
    figures = status.pool("federated-rounds").figures
    assert figures["rdp"].remaining == 315 - 240
    assert figures["basic"].exact == Decimal(3)
    assert figures["basic"].remaining == 0


def test_dp_sgd_run(status):
    assert status.pool("dp-sgd-run").figures["rdp"].epsilon == pytest.approx(1.2813, abs=3e-4)
    assert status.pool("dp-sgd-run").figures["basic"].epsilon is None


@pytest.mark.parametrize(
    ("pool", "epsilon"), [("us-census-2020-persons", 17.1435507436), ("us-census-2020-units", 2.4746710650)]
)
def test_census_is_spent_exactly(status, pool, epsilon):
    figure = status.pool(pool).figures["zcdp"]
    assert figure.epsilon == pytest.approx(epsilon, abs=1e-9)
    assert figure.consumed == 1.0
    assert status.pool(pool).pool.closed


def test_joint_losses(status):
    joint = {one.dataset.name: one for one in status.datasets}
    teams = [pool for pool in status.pools if pool.pool.dataset == "app-users"]
    assert len(teams) == 5
    assert joint["app-users"].epsilon > max(pool.lifetime.epsilon for pool in teams)
    assert joint["app-users"].epsilon < joint["app-users"].dataset.epsilon
    # Of disjoint patients the dearest pool counts.
    assert joint["admissions"].epsilon == pytest.approx(status.pool("cardiology").lifetime.epsilon)


def test_a_sample_log_says_so_and_is_replaced(log, tmp_path):
    assert demo.is_sample(log)
    path = tmp_path / "sample.duckdb"
    path.write_bytes(log.read_bytes())
    Path(f"{path}.wal").write_bytes(b"left over")
    demo.build(path, as_of=AS_OF)
    assert demo.is_sample(path)
    assert list(tmp_path.iterdir()) == [path]


def test_another_log_is_left_alone(tmp_path):
    path = tmp_path / "own.duckdb"
    create_log(path)
    before = path.read_bytes()
    assert not demo.is_sample(path)
    with pytest.raises(LogError, match="not a sample log"):
        demo.build(path, as_of=AS_OF)
    assert path.read_bytes() == before
    text = tmp_path / "notes.txt"
    text.write_text("mine")
    with pytest.raises(LogError, match="not a sample log"):
        demo.build(text, as_of=AS_OF)
    assert text.read_text() == "mine"


def test_a_log_that_is_being_written_is_left_alone(log, tmp_path):
    path = tmp_path / "sample.duckdb"
    path.write_bytes(log.read_bytes())
    hold = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LogBusy, match="is held by"):
            demo.build(path, as_of=AS_OF)
        holder.stdin.close()
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_data_file_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "DATA", tmp_path)
    with pytest.raises(LogError, match=r"pools\.toml, which is missing"):
        demo.build(tmp_path / "sample.duckdb", as_of=AS_OF)
    assert not list(tmp_path.iterdir())


def test_a_time_without_a_zone_is_refused(tmp_path):
    with pytest.raises(LogError, match="no time zone"):
        demo.build(tmp_path / "sample.duckdb", as_of=datetime(2026, 11, 30))


def test_progress_runs_to_the_end(tmp_path):
    steps = []
    demo.build(tmp_path / "sample.duckdb", as_of=AS_OF, progress=lambda share, text: steps.append((share, text)))
    shares = [share for share, _ in steps]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert all(text for _, text in steps)
