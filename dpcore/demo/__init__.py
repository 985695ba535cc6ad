"""The sample log: realistic scenarios, one pool for each state and finding, and one real release.

Everything but the census release and the small faulty file is drawn by seeded generators; times are relative to one
moment, so that a log built now has forecasts for the coming weeks.
"""

import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from dpcore.demo import ab_tests, census, federated, findings, hospital, kinds, states
from dpcore.demo.rhythm import whole
from dpcore.demo.rows import Row, write_csv
from dpcore.log import LogBusy, LogError, apply_pools, create_log, import_files
from dpcore.log.connection import reading, writing

DATA = Path(__file__).resolve().parents[2] / "data"

MARK = "Sample data of the DP budget monitor"
"""Comment on the table `query_log` by which a sample log is known."""

_GENERATED: tuple[tuple[str, Callable[[datetime], list[Row]]], ...] = (
    ("hospital.csv", hospital.rows),
    ("federated.csv", federated.rows),
    ("ab-tests.csv", ab_tests.rows),
    ("kinds.csv", kinds.rows),
    ("states.csv", states.rows),
    ("findings.csv", findings.rows),
)


def build(
    path: str | os.PathLike[str],
    *,
    as_of: datetime | None = None,
    progress: Callable[[float, str], None] | None = None,
) -> None:
    """Build the sample log at `path`: beside it first, then renamed into its place.

    The same `as_of` (default: now) gives the same rows. `progress` is told the share done, 0 to 1, and what comes
    next. A sample log at `path` is replaced; any other file there is left alone. Raises LogError.
    """
    if as_of is not None and as_of.tzinfo is None:
        raise LogError("The time for the sample log has no time zone; write it as 2026-11-30T10:00:00Z.")
    moment = whole(as_of or datetime.now(UTC))
    target = Path(path)
    tell = progress or (lambda share, text: None)
    pools, faulty, table = (_data(name) for name in ("pools.toml", "faulty_rows.csv", "census_2020.csv"))
    try:
        if target.exists() and target.stat().st_size and not is_sample(target):
            raise LogError(f"{target} is there already and is not a sample log; name another file, or remove it first.")
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".sample-", dir=target.parent) as folder:
            fresh = Path(folder, "log.duckdb")
            tell(0.0, "Declaring pools")
            create_log(fresh)
            apply_pools(pools, fresh)
            tell(0.1, "Inventing queries")
            files = [_written(Path(folder, name), rows(moment)) for name, rows in _GENERATED]
            files.append(_written(Path(folder, "census-2020.csv"), census.rows(table)))
            tell(0.4, "Importing queries")
            import_files([*files, faulty], fresh)
            tell(0.9, "Putting the log in place")
            _finish(fresh, moment)
            _replace(fresh, target)
    except OSError as error:
        raise LogError(f"The sample log cannot be written to {target}: {error.strerror or error}.") from error
    tell(1.0, "Done")


def is_sample(path: str | os.PathLike[str]) -> bool:
    """Whether the file is a sample log; no for what is no log. Raises LogBusy while another process writes it."""
    try:
        with reading(path) as connection:
            found = connection.execute(
                "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'query_log' AND comment = ?", [MARK]
            ).fetchone()
    except LogBusy:
        raise
    except LogError:
        return False
    return bool(found and found[0])


def _data(name: str) -> Path:
    file = DATA / name
    if not file.is_file():
        raise LogError(f"The sample log needs {file}, which is missing; restore the project's data folder.")
    return file


def _written(file: Path, rows: list[Row]) -> Path:
    write_csv(file, rows)
    return file


def _finish(log: Path, moment: datetime) -> None:
    statement = Path(__file__).with_name("finish.sql").read_text(encoding="utf-8")
    with writing(log) as connection:
        connection.execute(statement, {"as_of": moment.isoformat()})
        connection.execute(f"COMMENT ON TABLE query_log IS '{MARK}'")
        connection.execute("CHECKPOINT")


def _replace(fresh: Path, target: Path) -> None:
    """Rename into place; a write-ahead log left by an older file of that name must not be replayed into the new one."""
    target.with_name(target.name + ".wal").unlink(missing_ok=True)
    os.replace(fresh, target)
