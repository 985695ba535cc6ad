"""Importing files into a log: stage the text, judge every row, append what is new, keep what is refused."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from zoneinfo import available_timezones

import duckdb

from dpcore.log.catalogue import read_catalogue
from dpcore.log.connection import WRITER_PATIENCE, script, writing
from dpcore.log.errors import LogError
from dpcore.log.importers import choose
from dpcore.log.reading import known_tables, set_variables


@dataclass(frozen=True)
class ImportResult:
    """What an import did, or would do.

    `accepted` rows were new; `duplicates` had the id and content of a row that was there already; `conflicts` are
    ids that now have several contents. `reasons` counts the refused rows by reason. `ignored` names columns of the
    files that the log does not have.
    """

    rows: int
    accepted: int
    rejected: int
    duplicates: int
    conflicts: tuple[str, ...]
    reasons: Mapping[str, int]
    ignored: tuple[str, ...]
    dry_run: bool


def import_files(
    paths: Sequence[str | os.PathLike[str]],
    log: str | os.PathLike[str],
    *,
    format: str = "auto",
    decimal: str = ".",
    timezone: str | None = None,
    dry_run: bool = False,
    patience: float = WRITER_PATIENCE,
) -> ImportResult:
    """Read files, check every row and append the accepted ones in one transaction.

    Refused rows are kept with their raw text and the reason. `timezone` is the zone of times that name none. Nothing
    is written with `dry_run`, or if anything goes wrong. Raises LogError.
    """
    if decimal not in {".", ","}:
        raise LogError(f"The decimal mark {decimal!r} is not known; use . or ,.")
    if timezone is not None and timezone not in available_timezones():
        raise LogError(f"The time zone {timezone!r} is not known; use a name such as Europe/Zurich.")
    files = [_readable(Path(path)) for path in paths]
    chosen = [(file, choose(file, format), _digest(file)) for file in files]
    with writing(log, patience) as connection:
        catalogue = read_catalogue(connection, log)
        if not catalogue.pools:
            raise LogError(
                f"{log} declares no pools yet; declare them with 'pools apply POOLS.toml --log {log}' first."
            )
        known_tables(connection, catalogue)
        set_variables(connection, zone=timezone, decimal_comma=decimal == ",")
        connection.execute(script("stage.sql"))
        ignored: dict[str, None] = {}
        for position, (file, importer, digest) in enumerate(chosen):
            if digest in {other for _, _, other in chosen[:position]}:
                raise LogError(f"{file} has the same content as another file of this import; name it once.")
            connection.execute(
                "INSERT INTO staged_files VALUES (?, ?, ?, ?)", [position, file.name, digest, importer.NAME]
            )
            set_variables(connection, digest=digest)
            ignored.update(dict.fromkeys(importer.stage(connection, file)))
        connection.execute("DROP TABLE IF EXISTS judged")
        connection.execute(script("import.sql"))
        result = _result(connection, tuple(ignored), dry_run)
        if not dry_run:
            set_variables(connection, now=datetime.now(UTC))
            _append(connection)
        return result


def _append(connection: duckdb.DuckDBPyConnection) -> None:
    connection.begin()
    try:
        connection.execute(script("append.sql"))
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def _result(connection: duckdb.DuckDBPyConnection, ignored: tuple[str, ...], dry_run: bool) -> ImportResult:
    def number(sql: str) -> int:
        row = connection.execute(sql).fetchone()
        return int(row[0]) if row and row[0] is not None else 0

    reasons = connection.execute(
        "SELECT reason, count(*) FROM refused GROUP BY reason ORDER BY count(*) DESC, reason"
    ).fetchall()
    conflicts = connection.execute(
        "SELECT query_id FROM contents GROUP BY query_id HAVING count(*) > 1 ORDER BY query_id"
    ).fetchall()
    accepted, fresh = number("SELECT count(*) FROM accepted"), number("SELECT count(*) FROM fresh")
    rejected = sum(count for _, count in reasons)
    return ImportResult(
        rows=accepted + rejected,
        accepted=fresh,
        rejected=rejected,
        duplicates=accepted - fresh,
        conflicts=tuple(row[0] for row in conflicts),
        reasons=MappingProxyType(dict(reasons)),
        ignored=ignored,
        dry_run=dry_run,
    )


def _readable(file: Path) -> Path:
    if file.is_dir():
        raise LogError(f"{file} is a directory; name the files in it.")
    if not file.exists():
        raise LogError(f"There is no file {file}; check the path.")
    if not os.access(file, os.R_OK):
        raise LogError(f"{file} cannot be read; check its permissions.")
    if file.stat().st_size == 0:
        raise LogError(f"{file} is empty; export it again.")
    return file


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
