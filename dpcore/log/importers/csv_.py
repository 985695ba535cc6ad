"""Comma-, semicolon- or tab-separated text with a header line."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import duckdb

from dpcore.log.columns import COLUMNS
from dpcore.log.errors import LogError
from dpcore.log.importers import Row, check_columns, hand_over

NAME = "csv"
SUFFIXES = (".csv", ".tsv", ".txt")

_DELIMITERS = (",", ";", "\t")


def stage(connection: duckdb.DuckDBPyConnection, file: Path) -> tuple[str, ...]:
    """Hand over the rows of a CSV file. The delimiter is the one that splits the header into known columns."""
    csv.field_size_limit(2**31 - 1)
    # utf-8-sig drops the byte-order mark; undecodable bytes are kept as surrogates and refused row by row.
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as stream:
        header = stream.readline()
        if not header.strip():
            raise LogError(f"{file} has no header line; its first line must name the columns.")
        delimiter = _delimiter(header)
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
        ignored = check_columns(file, names)
        hand_over(connection, names, _rows(stream, len(names), delimiter))
    return ignored


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


def _rows(stream: io.TextIOBase, width: int, delimiter: str) -> Iterator[Row]:
    lines = _Remembering(stream)
    reader = csv.reader(lines, delimiter=delimiter)
    taken, number = lines.taken, 1
    nothing: list[str | None] = [None] * width
    while True:
        number += len(taken)
        taken.clear()
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield number + 1, _shown(taken), f"the line cannot be read: {error}", nothing
            continue
        raw = taken[0] if len(taken) == 1 else "".join(taken)
        if not raw.isascii() and any("\udc80" <= character <= "\udcff" for character in raw):
            yield number + 1, _shown(taken), "the line is not UTF-8 text", nothing
        elif len(record) == width:
            yield number + 1, raw.rstrip("\r\n"), None, record
        elif raw.strip():
            padded = [*record, *nothing][:width]
            yield number + 1, raw.rstrip("\r\n"), "the line has another number of fields than the header", padded


def _shown(lines: list[str]) -> str:
    return "".join(lines).encode("utf-8", "surrogateescape").decode("utf-8", "replace").rstrip("\r\n")
