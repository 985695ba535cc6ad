"""Readers of source files, one module per format.

Each module offers NAME, SUFFIXES, and stage(connection, file, options) -> Staged, which appends the file's rows to the
temporary table `staged` (see import.sql): the log's columns as text, the row's raw text, and in `defect` what makes
the row unreadable. A new format is one new module.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import duckdb

from dpcore.log.columns import COLUMNS, NEEDED
from dpcore.log.errors import LogError

BATCH = 50_000
"""Rows handed to the engine at once."""


@dataclass(frozen=True)
class Options:
    """How to read a file: its digest, and the character of the decimal mark."""

    digest: str
    decimal: str = "."


@dataclass(frozen=True)
class Staged:
    """What a reader found beside the rows: columns of the file that the log does not have."""

    ignored: tuple[str, ...] = ()


class Importer(Protocol):
    """What a module of this package offers."""

    NAME: str
    SUFFIXES: tuple[str, ...]

    def stage(self, connection: duckdb.DuckDBPyConnection, file: Path, options: Options) -> Staged:
        """Append the rows of a file to `staged`."""
        ...


def importers() -> Mapping[str, Importer]:
    """Every format's reader by its name."""
    modules = (importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    return {module.NAME: module for module in modules if hasattr(module, "stage")}


def choose(file: Path, name: str) -> Importer:
    """The reader of that name, or with `auto` the one for the file's suffix. Raises LogError."""
    known = importers()
    if name != "auto":
        if name not in known:
            raise LogError(f"There is no format {name!r}; use auto or one of {', '.join(sorted(known))}.")
        return known[name]
    for importer in known.values():
        if file.suffix.lower() in importer.SUFFIXES:
            return importer
    raise LogError(
        f"The format of {file} is not plain from its name; name it with --format ({', '.join(sorted(known))})."
    )


def check_columns(file: Path, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that are ignored. Raises LogError if a needed one is missing, or one occurs twice."""
    missing = [name for name in NEEDED if name not in columns]
    if missing:
        raise LogError(
            f"{file} has no column {' and no '.join(missing)}; "
            f"a log states {', '.join(NEEDED)} and what each mechanism needs."
        )
    twice = sorted({name for name in columns if columns.count(name) > 1 and name in COLUMNS})
    if twice:
        raise LogError(f"{file} has the column {twice[0]} twice; remove one of them.")
    return tuple(name for name in columns if name not in COLUMNS)


STAGED = ("source_row", "raw", "defect", *COLUMNS)


def append(connection: duckdb.DuckDBPyConnection, digest: str, rows: Iterable[Sequence[str | int | None]]) -> None:
    """Append rows in the order of STAGED, in batches."""
    import pyarrow as pa

    schema = pa.schema([(name, pa.int64() if name == "source_row" else pa.string()) for name in STAGED])
    for batch in _batches(rows):
        arrays = [
            pa.array(column, type=field.type) for column, field in zip(zip(*batch, strict=True), schema, strict=True)
        ]
        connection.register("incoming", pa.Table.from_arrays(arrays, schema=schema))
        names = ", ".join(f'"{name}"' for name in STAGED)
        connection.execute(
            f"INSERT INTO staged (source, {names}) SELECT $digest, {names} FROM incoming", {"digest": digest}
        )
        connection.unregister("incoming")


def _batches(rows: Iterable[Sequence[str | int | None]]) -> Iterator[list[Sequence[str | int | None]]]:
    batch: list[Sequence[str | int | None]] = []
    for row in rows:
        batch.append(row)
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
