"""JSON lines: one object a line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from dpcore.log.columns import COLUMNS
from dpcore.log.errors import LogError
from dpcore.log.importers import Options, Staged, append, check_columns

NAME = "jsonl"
SUFFIXES = (".jsonl", ".ndjson", ".json")


def stage(connection: duckdb.DuckDBPyConnection, file: Path, options: Options) -> Staged:
    """Append the rows of a JSON-lines file. Numbers are taken as their literal text, never as floats."""
    seen: dict[str, None] = {}
    append(connection, options.digest, _rows(file, seen))
    return Staged(check_columns(file, list(seen)) if seen else ())


def _rows(file: Path, seen: dict[str, None]) -> Iterator[list[str | int | None]]:
    empty: list[str | None] = [None] * len(COLUMNS)
    with file.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            raw = line.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip()
            if not raw:
                continue
            if number == 1 and raw[0] == "[":
                raise LogError(
                    f"{file} holds a JSON list; write one object a line, without brackets and commas around them."
                )
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                yield [number, raw, "the line is not UTF-8 text", *empty]
                continue
            try:
                values = _DECODER.decode(raw)
            except (ValueError, RecursionError) as error:
                reason = "a name occurs twice in the line" if isinstance(error, _Twice) else "the line is not JSON"
                yield [number, raw, reason, *empty]
                continue
            if not isinstance(values, dict):
                yield [number, raw, "the line is not a JSON object", *empty]
                continue
            for name in values:
                seen.setdefault(name)
            yield [number, raw, None, *(_text(values.get(name)) for name in COLUMNS)]


class _Twice(ValueError):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise _Twice
    return values


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=str, parse_int=str, parse_constant=str)


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        # A lone surrogate is legal JSON but no text that can be stored.
        return value if value is None or value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(value)
