"""Applying pools.toml to a log."""

import json
import os
import tomllib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path

import duckdb

from dpcore.decimals import plain
from dpcore.log.catalogue import CLOSED_SINCE, read_tables
from dpcore.log.columns import quoted
from dpcore.log.connection import WRITER_PATIENCE, creating, writing
from dpcore.log.errors import LogError
from dpcore.pools import PoolError, parse


@dataclass(frozen=True)
class Change:
    """One key of one pool or data set that changed; `before` is None where it is new, `after` where it went."""

    table: str
    name: str
    key: str
    before: str | None
    after: str | None


_FIXED_ONCE_USED = ("parameters", "delta_reserve", "order")
"""What an adaptive pool fixes beforehand, and may not change after its first answer."""


def apply_pools(
    toml_path: str | os.PathLike[str], log: str | os.PathLike[str], *, patience: float = WRITER_PATIENCE
) -> list[Change]:
    """Create or change the pools and data sets that the file declares; others stay. A missing log is created.

    Returns what changed, in the file's order; nothing where the log agrees already. Raises LogError.
    """
    declared = _declared(Path(toml_path))
    changes: list[Change] = []
    opened: AbstractContextManager[duckdb.DuckDBPyConnection] = (
        writing(log, patience) if Path(log).exists() or Path(log).is_symlink() else creating(log)
    )
    with opened as connection:
        held = {table: {str(row["name"]): row for row in read_tables(connection, table)} for table in declared}
        try:
            parse(
                {**held["pools"], **declared["pools"]}.values(),
                {**held["datasets"], **declared["datasets"]}.values(),
            )
        except PoolError as error:
            raise LogError(f"{toml_path}: {error}") from error
        connection.begin()
        try:
            for table, entries in declared.items():
                for name, entry in entries.items():
                    found = _changes(table, name, held[table].get(name, {}), entry)
                    if found:
                        _refuse_moved_filter(connection, held[table].get(name, {}), found)
                        _store(connection, table, held[table].get(name, {}), entry)
                        changes.extend(found)
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
    return changes


def _declared(file: Path) -> dict[str, dict[str, dict[str, object]]]:
    if file.is_dir():
        raise LogError(f"{file} is a directory; name the file that declares the pools.")
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"), parse_float=_exact)
    except FileNotFoundError:
        raise LogError(f"There is no file {file}; check the path.") from None
    except OSError as error:
        raise LogError(f"{file} cannot be read: {error.strerror}; check its permissions.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LogError(f"{file} is not a TOML file: {error}; mend that line.") from None
    unknown = sorted(set(content) - {"pool", "dataset"})
    if unknown:
        raise LogError(f"{file} has a table {unknown[0]!r}; use [[pool]] and [[dataset]].")
    tables: dict[str, dict[str, dict[str, object]]] = {"pools": {}, "datasets": {}}
    for key, table in (("pool", "pools"), ("dataset", "datasets")):
        entries = content.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise LogError(f"{file}: write [[{key}]] in double brackets, once for each.")
        for entry in entries:
            name = entry.get("name")
            if not isinstance(name, str) or not name.strip():
                raise LogError(f"{file}: a [[{key}]] has no name; add it.")
            if name in tables[table]:
                raise LogError(f"{file}: {name!r} is declared twice; rename or remove one.")
            tables[table][name] = {k: _plain(k, v) for k, v in entry.items() if v != ""}
    if not tables["pools"] and not tables["datasets"]:
        raise LogError(f"{file} declares nothing; add a [[pool]].")
    try:
        parse(tables["pools"].values()) if tables["pools"] else None
    except PoolError as error:
        raise LogError(f"{file}: {error}") from error
    return tables


def _exact(text: str) -> Decimal | float:
    """A TOML float as it is written, so that 0.1 stays one tenth; inf and nan stay floats, to be refused later."""
    number = Decimal(text)
    return number if number.is_finite() else float(text)


_NUMERIC = ("epsilon", "rho", "delta", "delta_reserve", "order", "warn_at", "critical_at")


def _plain(key: str, value: object) -> object:
    """A TOML value as the log's tables hold it: decimals inside tables and unknown keys become text."""
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal) and key not in _NUMERIC:
        return _shown(value)
    if isinstance(value, list):
        return [_plain("", entry) for entry in value]
    if isinstance(value, dict):
        return {name: _plain("", entry) for name, entry in value.items()}
    return value


def _shown(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        return f"-{plain(-value)}" if value < 0 else plain(value)
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _changes(table: str, name: str, before: Mapping[str, object], after: Mapping[str, object]) -> list[Change]:
    keys = [*after, *(key for key in before if key not in after and key not in {"name", CLOSED_SINCE})]
    found = [Change(table, name, key, _text(key, before.get(key)), _text(key, after.get(key))) for key in keys]
    return [change for change in found if change.before != change.after]


_JSON_KEYS = ("typical", "alerts")


def _text(key: str, value: object) -> str | None:
    if key in _JSON_KEYS and isinstance(value, str):
        value = json.loads(value, parse_float=str)
    if key == "schemes" and isinstance(value, list):
        value = sorted(value)
    return _shown(value)


def _refuse_moved_filter(
    connection: duckdb.DuckDBPyConnection, before: Mapping[str, object], changes: list[Change]
) -> None:
    if before.get("parameters") != "adaptive":
        return
    moved = [change for change in changes if change.key in _FIXED_ONCE_USED]
    answered = connection.execute(
        "SELECT 1 FROM query_log WHERE pool = ? AND status IN ('released', 'failed') LIMIT 1", [before["name"]]
    ).fetchone()
    if moved and answered:
        raise LogError(
            f"Pool {before['name']!r} has answered queries, so its {moved[0].key} is fixed; "
            "leave it as it is, or declare a new pool."
        )


_COLUMNS = {
    "pools": (
        "name", "dataset", "owner", "epsilon", "rho", "delta", "privacy_unit", "adjacency", "parameters",
        "delta_reserve", "order", "official", "typical", "warn_at", "critical_at", "window", "timezone", "priority",
        "schemes", "closed", "group_size", "alerts", "extra", CLOSED_SINCE,
    ),
    "datasets": ("name", "people", "epsilon", "delta", "disjoint", "collusion"),
}  # fmt: skip
_NATIVE = ("priority", "schemes", "closed", "group_size", "people", "collusion")


def _store(
    connection: duckdb.DuckDBPyConnection, table: str, before: Mapping[str, object], entry: Mapping[str, object]
) -> None:
    columns = _COLUMNS[table]
    values: dict[str, object] = {
        key: entry[key] if key in _NATIVE else _shown(entry[key]) for key in columns if entry.get(key) is not None
    }
    if table == "pools":
        extra = {key: value for key, value in entry.items() if key not in columns}
        if extra:
            values["extra"] = json.dumps(extra, sort_keys=True, ensure_ascii=False)
        if entry.get("closed") is True:
            values[CLOSED_SINCE] = before.get(CLOSED_SINCE) if before.get("closed") is True else datetime.now(UTC)
    connection.execute(f"DELETE FROM {table} WHERE name = ?", [entry["name"]])
    names = ", ".join(map(quoted, values))
    marks = ", ".join("?" for _ in values)
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))
