"""The declared pools and data sets as the log holds them, whatever the types of their columns."""

import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation

import duckdb

from dpcore.log.columns import quoted
from dpcore.log.connection import has_table
from dpcore.log.errors import LogError
from dpcore.pools import Catalogue, PoolError, parse

_FRACTIONS = ("warn_at", "critical_at", "order")
_WHOLE = ("priority", "group_size", "people")
_SWITCHES = ("closed", "collusion")
_LISTS = ("schemes",)
_SWITCH_WORDS: Mapping[str, bool] = {"true": True, "t": True, "1": True, "yes": True} | {
    "false": False,
    "f": False,
    "0": False,
    "no": False,
}

CLOSED_SINCE = "closed_since"
"""Column with the time at which `pools apply` saw a pool turn closed."""


def read_catalogue(connection: duckdb.DuckDBPyConnection, file: object) -> Catalogue:
    """The catalogue in a log's tables; pools may have any subset of the columns. Raises LogError."""
    if not has_table(connection, "pools"):
        raise LogError(f"{file} has no table pools; declare the pools with 'pools apply POOLS.toml --log LOG'.")
    try:
        return parse(read_tables(connection, "pools"), read_tables(connection, "datasets"))
    except PoolError as error:
        raise LogError(f"{file}: {error}") from error


def read_tables(connection: duckdb.DuckDBPyConnection, table: str) -> list[dict[str, object]]:
    """The rows of pools or datasets as declarations, as a TOML file would give them; none where it is missing."""
    if not has_table(connection, table):
        return []
    cursor = connection.execute(
        f"SELECT * FROM {quoted(table)} ORDER BY name" if table == "pools" else f"SELECT * FROM {quoted(table)}"
    )
    names = [column[0] for column in cursor.description or ()]
    return [_declaration(dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


def _declaration(row: Mapping[str, object]) -> dict[str, object]:
    given = {key: _value(key, value) for key, value in row.items() if value is not None and value != ""}
    extra = given.pop("extra", None)
    if isinstance(extra, str):
        try:
            extra = json.loads(extra, parse_float=str)
        except ValueError:
            extra = {"extra": extra}
    if isinstance(extra, Mapping):
        given = {**extra, **given}
    return given


def _value(key: str, value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if key in _FRACTIONS and isinstance(value, str):
        try:
            return Decimal(value.strip())
        except InvalidOperation:
            return value
    if key in _WHOLE and not isinstance(value, bool):
        try:
            number = Decimal(str(value).strip())
        except InvalidOperation:
            return value
        return int(number) if number.is_finite() and number == number.to_integral_value() else value
    if key in _SWITCHES and not isinstance(value, bool):
        return _SWITCH_WORDS.get(str(value).strip().lower(), value)
    if key in _LISTS and isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return [name.strip() for name in value.strip("[]").replace("|", ",").split(",") if name.strip()]
    return value
