"""Building logs for tests: the same rows as an imported log and as foreign ones with other column types."""

import csv
import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import duckdb

from dpcore.log import apply_pools, import_files

COLUMNS = (
    "query_id", "ts", "pool", "analyst", "purpose", "query_text", "status", "mechanism", "epsilon", "rho", "delta",
    "noise_scale", "sensitivity", "clip_norm", "sampling_rate", "sampling", "count", "partition_scheme", "partition",
    "parents",
)  # fmt: skip
POOL = {"name": "p", "dataset": "d", "epsilon": "1.0", "delta": "1e-6", "privacy_unit": "patient", "official": "basic"}
TEXT = dict.fromkeys(COLUMNS, "VARCHAR")
TYPED = TEXT | {
    "ts": "TIMESTAMPTZ",
    "epsilon": "DECIMAL(38,18)",
    "rho": "DECIMAL(38,18)",
    "delta": "DECIMAL(38,36)",
    **dict.fromkeys(("noise_scale", "sensitivity", "clip_norm", "sampling_rate"), "DOUBLE"),
    "count": "BIGINT",
    "parents": "VARCHAR[]",
}
FLOATS = TYPED | dict.fromkeys(("epsilon", "rho", "delta"), "DOUBLE") | {"count": "INTEGER"}


def toml_value(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml_value(entry)}" for key, entry in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def write_pools(
    file: Path, pools: Iterable[Mapping[str, object]], datasets: Iterable[Mapping[str, object]] = ()
) -> Path:
    lines = []
    for table, entries in (("pool", pools), ("dataset", datasets)):
        for entry in entries:
            lines += [f"[[{table}]]", *(f"{key} = {toml_value(value)}" for key, value in entry.items()), ""]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def write_csv(file: Path, rows: Iterable[Mapping[str, object]], delimiter: str = ",") -> Path:
    listed = [{key: value for key, value in row.items() if value is not None} for row in rows]
    names = [name for name in COLUMNS if any(name in row for row in listed)] or list(COLUMNS)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, names, delimiter=delimiter, lineterminator="\n")
        writer.writeheader()
        writer.writerows(listed)
    return file


class Rows:
    """Makes rows with ids of their own."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def __call__(
        self, epsilon: object = None, *, repeat: int | None = None, **given: object
    ) -> list[dict[str, object]]:
        made = []
        for _ in range(1 if repeat is None else repeat):
            row: dict[str, object] = {
                "query_id": f"q{next(self._numbers)}",
                "ts": "2026-03-01T10:00:00Z",
                "pool": "p",
                "status": "released",
                "mechanism": "pure",
                "epsilon": epsilon,
            }
            made.append(row | given)
        return made


def foreign_log(
    file: Path, rows: Iterable[Mapping[str, object]], pools: Iterable[Mapping[str, object]], types: Mapping[str, str]
) -> Path:
    """A log that has only query_log and pools, with the given column types."""
    with duckdb.connect(str(file)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        named = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
        connection.execute(f"CREATE TABLE query_log ({named})")
        for row in rows:
            values = [row.get(name) for name in types]
            casts = ", ".join(
                f"string_split(?, '|')::{kind}" if kind.endswith("[]") else f"TRY_CAST(?::VARCHAR AS {kind})"
                for kind in types.values()
            )
            connection.execute(f"INSERT INTO query_log VALUES ({casts})", values)
        keys = list(dict.fromkeys(key for pool in pools for key in pool))
        columns = ", ".join(f'"{key}" {_pool_type(key)}' for key in keys)
        connection.execute(f"CREATE TABLE pools ({columns})")
        for pool in pools:
            stored = [json.dumps(v) if isinstance(v := pool.get(key), dict) else v for key in keys]
            connection.execute(f"INSERT INTO pools VALUES ({', '.join('?' for _ in keys)})", stored)
    return file


def _pool_type(key: str) -> str:
    return {
        "closed": "BOOLEAN",
        "schemes": "VARCHAR[]",
        "priority": "INTEGER",
        "group_size": "INTEGER",
        "warn_at": "DOUBLE",
    }.get(key, "VARCHAR")


def imported_log(file: Path, rows: Iterable[Mapping[str, object]], pools: Iterable[Mapping[str, object]]) -> Path:
    apply_pools(write_pools(file.with_suffix(".toml"), pools), file)
    listed = list(rows)
    if listed:
        import_files([write_csv(file.with_suffix(".csv"), listed)], file)
    return file
