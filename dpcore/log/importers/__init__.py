"""Readers of source files, one module per format.

Each module offers NAME, SUFFIXES, and stage(connection, file) -> names of ignored columns, which hands the file's rows
over in batches: the log's columns as text, the row's raw text, and in `defect` what makes the row unreadable. A new
format is one new module.
"""

import gc
import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import duckdb

from dpcore.log.columns import COLUMNS, NEEDED, quoted
from dpcore.log.connection import script
from dpcore.log.errors import LogError

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 240_000
"""Rows judged at once: enough to keep the engine busy, few enough to keep memory flat."""

_CHUNK = 1_000

Row: TypeAlias = tuple[int, str, str | None, Sequence[str | None]]
"""Line in the file, raw text, defect, and the values of the columns in the order they were announced."""


class Importer(Protocol):
    """What a module of this package offers."""

    NAME: str
    SUFFIXES: tuple[str, ...]

    def stage(self, connection: duckdb.DuckDBPyConnection, file: Path) -> tuple[str, ...]:
        """Hand over the rows of a file; the names of its columns that the log does not have."""
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


def hand_over(connection: duckdb.DuckDBPyConnection, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Judge rows batch by batch. `columns` are the names of the row's values; those that the log lacks are dropped."""
    import pyarrow as pa

    schema = pa.schema([("source_row", pa.int64()), *((name, pa.string()) for name in ("raw", "defect", *COLUMNS))])
    places = {name: place for place, name in enumerate(columns) if name in COLUMNS}
    source = iter(rows)
    with _collector_paused():
        for table in _tables(source, schema, places):
            connection.register("incoming", table)
            take(connection, "SELECT * FROM incoming")
            connection.unregister("incoming")


def _tables(rows: Iterator[Row], schema: "pa.Schema", places: Mapping[str, int]) -> Iterator["pa.Table"]:
    import pyarrow as pa

    text = pa.string()
    while True:
        batches = []
        for chunk in _chunks(rows):
            numbers, raws, defects, values = zip(*chunk, strict=True)
            texts = list(zip(*values, strict=True))
            nothing = pa.nulls(len(chunk), text)
            arrays = [pa.array(numbers, pa.int64()), pa.array(raws, text), pa.array(defects, text)]
            arrays += [pa.array(texts[places[name]], text) if name in places else nothing for name in COLUMNS]
            batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
        if not batches:
            return
        yield pa.Table.from_batches(batches)


@contextmanager
def _collector_paused() -> Iterator[None]:
    # Millions of short-lived texts and no cycles: collecting them took more time than reading the file.
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


def _chunks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    for _ in range(BATCH // _CHUNK):
        chunk = list(islice(rows, _CHUNK))
        if not chunk:
            return
        yield chunk


def take(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    """Judge the rows of a query with the columns source_row, raw, defect and those of the log, all text."""
    names = ", ".join(("source_row", "raw", "defect", *map(quoted, COLUMNS)))
    connection.execute(f"CREATE OR REPLACE TEMP VIEW staged AS SELECT {names} FROM ({query})")
    connection.execute(script("take.sql"))
