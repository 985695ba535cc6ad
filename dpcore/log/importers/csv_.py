"""Comma-, semicolon- or tab-separated text with a header line."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import duckdb

from dpcore.log.columns import COLUMNS
from dpcore.log.errors import LogError
from dpcore.log.importers import Options, Staged, append, check_columns

NAME = "csv"
SUFFIXES = (".csv", ".tsv", ".txt")

_DELIMITERS = (",", ";", "\t")


def stage(connection: duckdb.DuckDBPyConnection, file: Path, options: Options) -> Staged:
    """Append the rows of a CSV file. The delimiter is the one that splits the header into known columns."""
    csv.field_size_limit(2**31 - 1)
    # utf-8-sig drops the byte-order mark; undecodable bytes are kept as surrogates and refused row by row.
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as stream:
        header = stream.readline()
        if not header.strip():
            raise LogError(f"{file} has no header line; its first line must name the columns.")
        delimiter = _delimiter(header)
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
        ignored = check_columns(file, names)
        append(connection, options.digest, _rows(stream, names, delimiter))
    return Staged(ignored)


def _delimiter(header: str) -> str:
    def known(delimiter: str) -> int:
        return sum(name.strip() in COLUMNS for name in next(csv.reader([header], delimiter=delimiter), []))

    return max(_DELIMITERS, key=known)


class _Remembering:
    """Lines of a text stream, keeping those that the current record was read from."""

    def __init__(self, stream: io.TextIOBase) -> None:
        self._lines = iter(stream)
        self.taken: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.taken.append(line)
        return line


def _rows(stream: io.TextIOBase, names: list[str], delimiter: str) -> Iterator[list[str | int | None]]:
    lines = _Remembering(stream)
    reader = csv.reader(lines, delimiter=delimiter)
    order = [names.index(name) if name in names else len(names) for name in COLUMNS]
    width, number = len(names), 1
    blank: list[str | None] = [None]
    while True:
        number += len(lines.taken)
        lines.taken.clear()
        start = number + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield [start, _raw(lines.taken), f"the line cannot be read: {error}", *(None for _ in COLUMNS)]
            continue
        if not record or (len(record) == 1 and not record[0].strip()):
            continue
        raw = "".join(lines.taken) if len(lines.taken) > 1 else lines.taken[0]
        defect = None if len(record) == width else "the line has another number of fields than the header"
        if not raw.isascii() and any("\udc80" <= character <= "\udcff" for character in raw):
            raw, defect = _raw([raw]), "the line is not UTF-8 text"
            record = [_raw([value]) for value in record]
        cells = record + blank * (width + 1 - len(record))
        yield [start, raw.rstrip("\r\n"), defect, *(cells[i] if i < width else None for i in order)]


def _raw(lines: list[str]) -> str:
    return "".join(lines).encode("utf-8", "surrogateescape").decode("utf-8", "replace").rstrip("\r\n")
