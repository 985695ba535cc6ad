"""The log's columns, and how a relation with any column types is shown to the rules."""

from collections.abc import Mapping
from typing import Final

COLUMNS: Final = (
    "query_id",
    "ts",
    "pool",
    "analyst",
    "purpose",
    "query_text",
    "status",
    "mechanism",
    "epsilon",
    "rho",
    "delta",
    "noise_scale",
    "sensitivity",
    "clip_norm",
    "sampling_rate",
    "sampling",
    "count",
    "partition_scheme",
    "partition",
    "parents",
)
"""What a source may state; the log adds source and source_row."""

NEEDED: Final = ("query_id", "ts", "pool", "status", "mechanism")
"""Columns without which no row can be accepted."""

SCALES: Final = ("noise_scale", "sensitivity", "clip_norm", "sampling_rate")
NUMBERS: Final = ("epsilon", "rho", "delta", *SCALES)

FREE_TEXT: Final = ("analyst", "purpose", "query_text")
"""Kept as it stands, surrounding blanks included."""


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def rows_view(name: str, relation: str, types: Mapping[str, str], *, asker: bool = False, clean: bool = False) -> str:
    """SQL for a temporary view (or table) of a relation as the reading scripts want it.

    Numbers keep their own types, so that grouping a million rows is cheap; they become text once they are grouped.
    `types` are the relation's column names and types. `asker` groups by analyst as well. `clean` tells that an import
    has already turned blanks into NULL.
    """

    def text(column: str) -> str:
        if column not in types:
            return "NULL::VARCHAR"
        return quoted(column) if clean else f"nullif({quoted(column)}::VARCHAR, '')"

    def kept(column: str) -> str:
        return f"{quoted(column)}::VARCHAR" if column in types else "NULL::VARCHAR"

    def number(column: str) -> str:
        return quoted(column) if column in types else "NULL::VARCHAR"

    instant, problem = "NULL::TIMESTAMPTZ", "'ts is blank'"
    if types.get("ts") == "TIMESTAMP WITH TIME ZONE":
        instant, problem = '"ts"', 'instant_problem("ts")'
    elif "ts" in types:
        instant, problem = "parsed", 'time_problem(said("ts"), parsed)'
    if types.get("parents", "").endswith("[]"):
        parents = 'names_in("parents"::VARCHAR[]::JSON::VARCHAR)'
    else:
        parents = f"names_in({text('parents')})"
    chosen = [
        f"{text('query_id')} AS query_id",
        f"CASE WHEN {problem} IS NULL THEN {instant} END AS instant",
        f"{problem} AS ts_problem",
        *(f"{text(column)} AS {column}" for column in ("pool", "status", "mechanism", "sampling", "partition_scheme")),
        f"{text('partition')} AS partition",
        *(f"{number(column)} AS {quoted(column)}" for column in (*NUMBERS, "count")),
        *(f"{kept(column)} AS {column}" for column in FREE_TEXT),
        f"CASE WHEN {text('mechanism')} = 'post_processing' THEN {parents} END AS parents",
        f"{kept('analyst') if asker else 'NULL::VARCHAR'} AS asker",
        f"{kept('source')} AS source",
        f"{kept('source_row')} AS source_row",
    ]
    made = "VIEW"
    if instant == "parsed":
        # Times are parsed once, not again by every script that reads the view.
        made, relation = "TABLE", f'(SELECT *, instant_of(said("ts")) AS parsed FROM {relation})'
    return f"CREATE OR REPLACE TEMP {made} {name} AS SELECT\n    " + ",\n    ".join(chosen) + f"\nFROM {relation}"
