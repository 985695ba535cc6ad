"""Opening the log: readers open read-only and close at once, writers open, append and close.

One writing process excludes every other process, so both wait for each other for a bounded time.
"""

import os
import random
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

import duckdb

from dpcore.log.errors import LogBusy, LogError

FORMAT = 1
"""The version of schema.sql that this program writes."""

READER_PATIENCE = 3.0
WRITER_PATIENCE = 10.0
"""Seconds to wait for a file that another process holds."""


def script(name: str) -> str:
    """The text of one of this package's SQL files."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection to a log, with the rules loaded. Raises LogError and LogBusy."""
    file = _existing(path)
    connection = _open(file, read_only=True, patience=READER_PATIENCE)
    with _closing(connection, file):
        _refuse_newer(connection, file)
        yield connection


@contextmanager
def writing(path: str | os.PathLike[str], patience: float = WRITER_PATIENCE) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that may write to an existing log of this product, with the rules loaded. Raises LogError."""
    file = _existing(path)
    if not os.access(file, os.W_OK) or not os.access(file.parent, os.W_OK):
        raise LogError(f"{file} cannot be written to; check its permissions and those of its directory.")
    connection = _open(file, read_only=False, patience=patience)
    with _closing(connection, file):
        if _refuse_newer(connection, file) is None:
            raise LogError(
                f"{file} was not made by this program and is only read, never changed; "
                "create a log of your own with 'pools apply POOLS.toml --log NEW.duckdb' and import into that."
            )
        yield connection


@contextmanager
def creating(path: str | os.PathLike[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a new, empty log that takes its place under `path` only when the block ends well."""
    file = Path(path)
    if file.exists() or file.is_symlink():
        raise LogError(f"{file} exists already; name another file or remove it first.")
    if not file.parent.is_dir():
        raise LogError(f"The directory {file.parent} does not exist; create it or name another file.")
    if not os.access(file.parent, os.W_OK):
        raise LogError(f"The directory {file.parent} cannot be written to; check its permissions or name another one.")
    beside = file.with_name(f".{file.name}.{os.getpid()}.{random.randrange(10**6)}.new")
    try:
        try:
            connection = duckdb.connect(str(beside))
        except duckdb.Error as error:
            raise _explained(error, file) from error
        with _closing(connection, file):
            _prepare(connection)
            connection.execute(script("schema.sql"))
            yield connection
        try:
            os.link(beside, file)
        except FileExistsError:
            raise LogError(f"{file} was created by another process meanwhile; try again.") from None
        except OSError:
            os.rename(beside, file)
    except OSError as error:
        raise LogError(f"{file} cannot be written: {error.strerror}; name another file.") from error
    finally:
        for leftover in (beside, beside.with_name(beside.name + ".wal")):
            leftover.unlink(missing_ok=True)


def create_log(path: str | os.PathLike[str]) -> None:
    """Create a new, empty log. Raises LogError where something is there already."""
    with creating(path):
        pass


def log_version(path: str | os.PathLike[str]) -> tuple[object, ...]:
    """A cheap key that changes whenever the log's content may have changed; for caches."""
    file = _existing(path)
    parts: list[object] = [str(file.resolve())]
    for each in (file, file.with_name(file.name + ".wal")):
        try:
            stat = each.stat()
            parts.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
        except FileNotFoundError:
            parts.append(None)
    return tuple(parts)


def has_table(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Whether the log has a table or view of that name."""
    found = connection.execute(
        "SELECT 1 FROM information_schema.tables "
        "WHERE table_schema = 'main' AND table_name = ? AND table_catalog = current_database()",
        [name],
    ).fetchone()
    return found is not None


def _existing(path: str | os.PathLike[str]) -> Path:
    file = Path(path)
    try:
        if file.is_dir():
            raise LogError(f"{file} is a directory; name the log file in it.")
        size = file.stat().st_size
    except FileNotFoundError:
        raise LogError(f"There is no file {file}; check the path, or create the log with 'pools apply'.") from None
    except OSError as error:
        raise LogError(f"{file} cannot be opened: {error.strerror}; check the path and its permissions.") from None
    if not os.access(file, os.R_OK):
        raise LogError(f"{file} cannot be read; check its permissions.")
    if size == 0:
        raise LogError(f"{file} is empty; name a DuckDB log, or remove it and create one with 'pools apply'.")
    return file


def _open(file: Path, *, read_only: bool, patience: float) -> duckdb.DuckDBPyConnection:
    deadline = time.monotonic() + patience
    while True:
        try:
            connection = duckdb.connect(str(file), read_only=read_only)
        except duckdb.Error as error:
            explained = _explained(error, file)
            if not isinstance(explained, LogBusy) or time.monotonic() >= deadline:
                raise explained from error
            time.sleep(random.uniform(0.03, 0.12))
        else:
            try:
                _prepare(connection)
            except BaseException:
                connection.close()
                raise
            return connection


def _prepare(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("SET TimeZone = 'UTC'")
    # The engine would otherwise spill beside the log, where nothing may be written.
    connection.execute("SET temp_directory = $where", {"where": os.path.join(tempfile.gettempdir(), "dpcore-spill")})
    connection.execute("SET VARIABLE zone = NULL")
    connection.execute(script("rules.sql"))


@contextmanager
def _closing(connection: duckdb.DuckDBPyConnection, file: Path) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        raise _explained(error, file) from error
    finally:
        connection.close()


def _refuse_newer(connection: duckdb.DuckDBPyConnection, file: Path) -> int | None:
    if not has_table(connection, "dpcore_format"):
        return None
    row = connection.execute("SELECT max(version) FROM dpcore_format").fetchone()
    version = row[0] if row else None
    if isinstance(version, int) and version > FORMAT:
        raise LogError(
            f"{file} has format {version}, newer than the format {FORMAT} that this program reads; "
            "update this program, or ask for a log in the older format."
        )
    return version if isinstance(version, int) else None


_HOLDER = re.compile(r"Conflicting lock is held in (.+? \(PID \d+\)[^.]*)")


def _explained(error: duckdb.Error, file: Path) -> LogError:
    text = str(error)
    if "Conflicting lock" in text or "Could not set lock" in text:
        held = _HOLDER.search(text)
        holder = held.group(1).strip() if held else "another process"
        return LogBusy(f"{file} is held by {holder}, which is writing to it; try again when it has finished.", holder)
    if "different configuration" in text or "already attached" in text or "file handle conflict" in text:
        holder = "this program itself"
        return LogBusy(f"{file} is held by {holder}, which is writing to it; try again in a moment.", holder)
    if "not a valid DuckDB database" in text:
        return LogError(f"{file} is not a DuckDB file; name a DuckDB log, or import this file into one with 'import'.")
    if "version number" in text or "newer version of DuckDB" in text:
        return LogError(f"{file} was written by another version of DuckDB; update the duckdb package to read it.")
    if isinstance(error, duckdb.OutOfMemoryException):
        return LogError(f"There is not enough memory to read {file}; close other programs and try again.")
    if isinstance(error, duckdb.IOException | duckdb.SerializationException | duckdb.FatalException):
        first = text.splitlines()[0]
        return LogError(f"{file} cannot be used: {first}; check the file and its permissions, or restore a copy.")
    raise error
