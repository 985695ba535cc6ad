"""Files that cannot be read, are held, or change: one sentence each, and nothing written."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from dpcore.log import (
    LogBusy,
    LogError,
    create_log,
    import_files,
    log_version,
    read_evidence,
    read_rejected,
    read_rows,
    read_shares,
)
from tests.log.logs import POOL, TYPED, foreign_log, imported_log, write_csv

ROW = {
    "query_id": "q1",
    "ts": "2026-03-01T10:00:00Z",
    "pool": "p",
    "status": "released",
    "mechanism": "pure",
    "epsilon": "0.1",
}


def said(action) -> str:
    with pytest.raises(LogError) as failed:
        action()
    text = str(failed.value)
    assert "\n" not in text and text.endswith(".")
    return text


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return imported_log(tmp_path / "log.duckdb", [ROW], [POOL])


def test_files_that_are_no_log(tmp_path):
    assert "no file" in said(lambda: read_evidence(tmp_path / "missing.duckdb"))
    assert "directory" in said(lambda: read_evidence(tmp_path))
    empty, text = tmp_path / "empty.duckdb", tmp_path / "text.duckdb"
    empty.touch()
    text.write_text("query_id,epsilon\n" * 1000)
    assert "empty" in said(lambda: read_evidence(empty))
    assert "not a DuckDB file" in said(lambda: read_evidence(text))
    assert empty.stat().st_size == 0


def test_a_truncated_log(log):
    content = log.read_bytes()
    log.write_bytes(content[: len(content) // 3])
    assert str(log) in said(lambda: read_evidence(log))


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("DROP TABLE query_log", "no table query_log"),
        ("DROP TABLE pools", "no table pools"),
        ("ALTER TABLE query_log DROP COLUMN mechanism", "no column mechanism"),
        ("ALTER TABLE pools DROP COLUMN delta", "no delta"),
        ("UPDATE pools SET epsilon = 'much'", "epsilon"),
        ("CREATE TABLE dpcore_format AS SELECT 99 AS version", "newer than the format 1"),
    ],
)
def test_logs_that_lack_something(tmp_path, sql, says):
    log = foreign_log(tmp_path / "log.duckdb", [ROW], [POOL], TYPED)
    with duckdb.connect(str(log)) as connection:
        connection.execute(sql)
    assert says in said(lambda: read_evidence(log))


def test_an_unknown_pool_is_named_with_those_that_are_known(log):
    assert "'x'" in said(lambda: read_evidence(log, pool="x"))
    assert "its pools are: p" in said(lambda: read_rows(log, "x"))


def test_a_log_without_declared_pools_shows_every_row_as_refused(tmp_path):
    log = foreign_log(tmp_path / "log.duckdb", [ROW], [POOL], TYPED)
    with duckdb.connect(str(log)) as connection:
        connection.execute("DELETE FROM pools")
    found = read_evidence(log)
    assert (dict(found.pools), [(fact.kind, fact.rows) for fact in found.facts]) == ({}, [("rejected_rows", 1)])


def test_nothing_is_written_over(log, tmp_path):
    before = log.read_bytes()
    assert "exists already" in said(lambda: create_log(log))
    assert "does not exist" in said(lambda: create_log(tmp_path / "no" / "log.duckdb"))
    assert log.read_bytes() == before


def test_reading_writes_nothing(tmp_path):
    log = foreign_log(tmp_path / "log.duckdb", [ROW, ROW], [POOL], TYPED)
    os.chmod(log, 0o444)
    before = log.read_bytes()
    read_evidence(log, history=True)
    read_shares(log, "p")
    read_rows(log, "p")
    read_rejected(log, "p")
    assert log.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["log.duckdb"]


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
def test_a_log_without_permissions(log):
    os.chmod(log, 0)
    assert "permissions" in said(lambda: read_evidence(log))


WRITER = """
import sys, time, duckdb
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
time.sleep(float(sys.argv[2]))
"""


def holding(log: Path, seconds: float, code: str = WRITER) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", code, str(log), str(seconds)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_a_log_that_a_writer_holds_is_waited_for_and_then_named(log, monkeypatch):
    """A84: a sentence that says who holds it, after a bounded time."""
    monkeypatch.setattr("dpcore.log.connection.READER_PATIENCE", 0.3)
    process = holding(log, 60)
    try:
        with pytest.raises(LogBusy) as failed:
            read_evidence(log)
    finally:
        process.kill()
        process.wait()
    assert f"PID {process.pid}" in failed.value.holder and f"PID {process.pid}" in str(failed.value)
    assert read_evidence(log).pools["p"].rows.released == 1


def test_a_reader_gets_the_log_as_soon_as_the_writer_lets_go(log):
    process = holding(log, 0.5)
    assert read_evidence(log).pools["p"].rows.released == 1
    process.wait()


def test_the_importer_waits_for_readers(log, tmp_path):
    reader = WRITER.replace("sys.argv[1])", "sys.argv[1], read_only=True)")
    file = write_csv(tmp_path / "more.csv", [ROW | {"query_id": "q2"}])
    process = holding(log, 0.5, reader)
    assert import_files([file], log).accepted == 1
    process.wait()
    process = holding(log, 60, reader)
    try:
        with pytest.raises(LogBusy):
            import_files([write_csv(tmp_path / "yet.csv", [ROW | {"query_id": "q3"}])], log, patience=0.2)
    finally:
        process.kill()
        process.wait()
    assert read_evidence(log).pools["p"].rows.released == 2


def test_two_readers_do_not_mind_each_other(log):
    """A84: two dashboards on one file."""
    process = holding(log, 60, WRITER.replace("sys.argv[1])", "sys.argv[1], read_only=True)"))
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: read_evidence(log).pools["p"].rows.released, range(8)))
    finally:
        process.kill()
        process.wait()
    assert found == [1] * 8


def test_the_version_changes_with_the_content(log, tmp_path):
    """A85: what is cached by it does not outlive an import."""
    before = log_version(log)
    assert log_version(log) == before
    read_evidence(log)
    assert log_version(log) == before
    time.sleep(0.01)
    import_files([write_csv(tmp_path / "more.csv", [ROW | {"query_id": "q2"}])], log)
    assert log_version(log) != before
    assert read_evidence(log).pools["p"].rows.released == 2


def test_an_import_that_is_killed_leaves_all_or_nothing(log, tmp_path):
    rows = [ROW | {"query_id": f"n{number}"} for number in range(2000)]
    file = write_csv(tmp_path / "many.csv", rows)
    code = (
        "import sys; from dpcore.log import import_files; print('held', flush=True); "
        "import_files([sys.argv[2]], sys.argv[1])"
    )
    for delay in (0.02, 0.2, 0.5):
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(log), str(file)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        process.kill()
        process.wait()
        assert read_evidence(log).pools["p"].rows.released in {1, 2001}
    import_files([file], log)
    assert read_evidence(log).pools["p"].rows.released == 2001
