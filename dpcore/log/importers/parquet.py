"""Parquet files, read by the engine itself."""

from pathlib import Path

import duckdb

from dpcore.log.columns import COLUMNS, literal, quoted
from dpcore.log.errors import LogError
from dpcore.log.importers import BATCH, check_columns, take

NAME = "parquet"
SUFFIXES = (".parquet", ".pq")


def stage(connection: duckdb.DuckDBPyConnection, file: Path) -> tuple[str, ...]:
    """Hand over the rows of a Parquet file. Decimals keep every digit, floats are taken by their shortest text."""
    # Brackets and stars are part of a file's name here, never a pattern.
    pattern = literal("".join(f"[{c}]" if c in "*?[" else c for c in str(file)))
    try:
        described = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({pattern})").fetchall()
        counted = connection.execute(f"SELECT count(*) FROM read_parquet({pattern})").fetchone()
    except (duckdb.IOException, duckdb.InvalidInputException):
        raise LogError(f"{file} is not a Parquet file; name its format with --format.") from None
    types = {str(row[0]): str(row[1]) for row in described}
    ignored = check_columns(file, list(types))
    chosen = ", ".join(f"{_text(name, types.get(name))} AS {quoted(name)}" for name in COLUMNS)
    for first in range(0, counted[0] if counted else 0, BATCH):
        try:
            take(
                connection,
                f"SELECT file_row_number + 1 AS source_row, shown::VARCHAR AS raw, NULL::VARCHAR AS defect, {chosen} "
                "FROM (SELECT *, struct_pack(COLUMNS(* EXCLUDE (file_row_number))) AS shown "
                f"FROM read_parquet({pattern}, file_row_number = true) "
                f"WHERE file_row_number BETWEEN {first} AND {first + BATCH - 1})",
            )
        except (duckdb.IOException, duckdb.InvalidInputException, duckdb.SerializationException):
            raise LogError(f"{file} is damaged; export it again.") from None
    return ignored


def _text(name: str, kind: str | None) -> str:
    if kind is None:
        return "NULL::VARCHAR"
    if name == "parents" and kind.endswith("[]"):
        return f"{quoted(name)}::VARCHAR[]::JSON::VARCHAR"
    return f"{quoted(name)}::VARCHAR"
