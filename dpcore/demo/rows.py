"""Rows of the sample log as text in the canonical columns, and their CSV files."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One row of the query log before import: every field is the text that a source would write."""

    query_id: str
    ts: str
    pool: str
    analyst: str
    purpose: str = ""
    query_text: str = ""
    status: str = "released"
    mechanism: str = "laplace"
    epsilon: str = ""
    rho: str = ""
    delta: str = ""
    noise_scale: str = ""
    sensitivity: str = ""
    clip_norm: str = ""
    sampling_rate: str = ""
    sampling: str = ""
    count: str = "1"
    partition_scheme: str = ""
    partition: str = ""
    parents: str = ""


COLUMNS = tuple(field.name for field in fields(Row))


def stamp(time: datetime) -> str:
    """A time as the log writes it: UTC, whole seconds."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def numbered(prefix: str, rows: Iterable[Row]) -> list[Row]:
    """The rows with the ids prefix-0001, prefix-0002, …"""
    return [replace(row, query_id=f"{prefix}-{number:04d}") for number, row in enumerate(rows, start=1)]


def write_csv(path: Path, rows: Iterable[Row]) -> None:
    """Write rows with a header line."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([getattr(row, name) for name in COLUMNS] for row in rows)
