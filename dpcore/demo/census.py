"""Real: the 2020 US Census redistricting release, from the published ρ of each level and query."""

import csv
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from dpcore.decimals import EPSILON_PLACES, literal, plain
from dpcore.demo.rows import Row, stamp

RELEASED = datetime(2021, 8, 12, 17, 0, tzinfo=UTC)

POOLS = {"persons": "us-census-2020-persons", "units": "us-census-2020-units"}


def rows(table: Path) -> list[Row]:
    """One row per level and query of `data/census_2020.csv`, ρ rounded up at digit 18.

    The production system drew discrete Gaussian noise; what it published is ρ, so the rows claim ρ-zCDP and no more.
    """
    with table.open(encoding="utf-8", newline="") as file:
        return [_row(number, line) for number, line in enumerate(csv.DictReader(file), start=1)]


def _row(number: int, line: dict[str, str]) -> Row:
    total, level, query = (Fraction(line[key]) for key in ("total_rho", "level_share", "query_share"))
    return Row(
        query_id=f"census-{line['release']}-{number:02d}",
        ts=stamp(RELEASED),
        pool=POOLS[line["release"]],
        analyst="census-bureau",
        purpose="redistricting data (P.L. 94-171)",
        query_text=f"{line['level']}, {line['query']}: "
        f"rho = {line['total_rho']} x {line['level_share']} x {line['query_share']}",
        mechanism="zcdp",
        rho=plain(literal(total * level * query, places=EPSILON_PLACES)),
    )
