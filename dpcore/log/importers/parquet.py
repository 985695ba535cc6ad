"""Parquet files, read by the engine itself."""

from pathlib import Path

import duckdb

from dpcore.log.columns import COLUMNS, quoted
from dpcore.log.errors import LogError
from dpcore.log.importers import Options, Staged, check_columns

NAME = "parquet"
SUFFIXES = (".parquet", ".pq")


def stage(connection: duckdb.DuckDBPyConnection, file: Path, options: Options) -> Staged:
    """Append the rows of a Parquet file. Decimals keep every digit, floats are taken by their shortest text."""
    # Brackets and stars are part of a file's name here, never a pattern.
    pattern = "".join(f"[{c}]" if c in "*?[" else c for c in str(file))
    try:
        described = connection.execute("DESCRIBE SELECT * FROM read_parquet($file)", {"file": pattern}).fetchall()
    except duckdb.Error:
        raise LogError(f"{file} is not a Parquet file; name its format with --format.") from None
    types = {str(row[0]): str(row[1]) for row in described}
    ignored = check_columns(file, list(types))
    chosen = ", ".join(_text(name, types.get(name)) for name in COLUMNS)
    names = ", ".join(quoted(name) for name in COLUMNS)
    try:
        connection.execute(
            f"INSERT INTO staged (source, source_row, raw, {names}) "
            f"SELECT $digest, file_row_number + 1, row::VARCHAR, {chosen} FROM ("
            "SELECT * EXCLUDE (file_row_number), file_row_number, "
            "struct_pack(COLUMNS(* EXCLUDE (file_row_number))) AS row "
            "FROM read_parquet($file, file_row_number = true))",
            {"digest": options.digest, "file": pattern},
        )
    except (duckdb.IOException, duckdb.InvalidInputException, duckdb.SerializationException):
        raise LogError(f"{file} is damaged; export it again.") from None
    return Staged(ignored)


def _text(name: str, kind: str | None) -> str:
    if kind is None:
        return "NULL::VARCHAR"
    if name == "parents" and kind.endswith("[]"):
        return f"{quoted(name)}::VARCHAR[]::JSON::VARCHAR"
    return f"{quoted(name)}::VARCHAR"
