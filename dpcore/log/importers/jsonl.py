"""JSON lines: one object a line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from dpcore.log.columns import COLUMNS
from dpcore.log.errors import LogError
from dpcore.log.importers import Row, check_columns, hand_over

NAME = "jsonl"
SUFFIXES = (".jsonl", ".ndjson", ".json")


def stage(connection: duckdb.DuckDBPyConnection, file: Path) -> tuple[str, ...]:
    """Hand over the rows of a JSON-lines file. Numbers are taken as their literal text, never as floats."""
    seen: dict[str, None] = {}
    hand_over(connection, COLUMNS, _rows(file, seen))
    return check_columns(file, list(seen)) if seen else ()


_PLACES = {name: place for place, name in enumerate(COLUMNS)}


def _rows(file: Path, seen: dict[str, None]) -> Iterator[Row]:
    nothing: list[str | None] = [None] * len(COLUMNS)
    with file.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                raw = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError:
                yield number, line.decode("utf-8", "replace").strip(), "the line is not UTF-8 text", nothing
                continue
            if not raw:
                continue
            if number == 1 and raw[0] == "[":
                raise LogError(f"{file} holds a JSON list; write one object a line, without brackets or commas.")
            try:
                values = _DECODER.decode(raw)
            except (ValueError, RecursionError) as error:
                reason = "a name occurs twice in the line" if isinstance(error, _Twice) else "the line is not JSON"
                yield number, raw, reason, nothing
                continue
            if not isinstance(values, dict):
                yield number, raw, "the line is not a JSON object", nothing
                continue
            row = nothing.copy()
            for name, value in values.items():
                place = _PLACES.get(name)
                if name not in seen:
                    seen[name] = None
                if place is not None and value is not None:
                    row[place] = value if isinstance(value, str) and value.isascii() else _text(value)
            yield number, raw, None, row


class _Twice(ValueError):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise _Twice
    return values


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=str, parse_int=str, parse_constant=str)


def _text(value: object) -> str:
    if isinstance(value, str):
        # A lone surrogate is legal in JSON but no text that can be stored.
        return value.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(value)
