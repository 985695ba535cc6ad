"""Rows themselves, a few at a time: who spent the budget, the newest rows, the refused ones."""

import os
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from dpcore.log.columns import NUMBERS
from dpcore.log.connection import has_table, script
from dpcore.log.reading import CHARGED, Ledger, open_session, set_variables, stage
from dpcore.spends import Place

if TYPE_CHECKING:
    import pyarrow as pa

    from dpcore.breakdown import Share


def read_shares(path: str | os.PathLike[str], pool: str, *, as_of: datetime | None = None) -> "tuple[Share, ...]":
    """Charged rows of the pool's current window by analyst, mechanism and place. Raises LogError."""
    # Imported only here: it brings the theorems with it, which no other reading needs.
    from dpcore.breakdown import Share

    with open_session(path, as_of, pool, asker=True) as session:
        stage(session)
        declared = session.catalogue.pools[pool]
        ledgers: dict[tuple[str, str, Place | None], Ledger] = defaultdict(Ledger)
        rows: dict[tuple[str, str, Place | None], int] = defaultdict(int)
        for group in session.groups("judged_groups"):
            if group.problem is not None or group.status not in CHARGED or not group.in_window or group.pool != pool:
                continue
            charge = session.costs.charge(declared, group)
            if isinstance(charge, str) or group.unverified:
                continue
            key = (group.asker or "", group.mechanism or "", charge.place)
            ledgers[key].add(group, charge)
            rows[key] += group.rows
    ordered = sorted(ledgers, key=lambda key: (key[0], key[1], repr(key[2])))
    return tuple(Share(*key, ledgers[key].spends(), rows[key]) for key in ordered)


def read_rows(
    path: str | os.PathLike[str],
    pool: str,
    *,
    as_of: datetime | None = None,
    query_ids: Sequence[str] | None = None,
    limit: int = 200,
) -> "pa.Table":
    """The pool's newest rows up to `as_of`, or those with the given ids whatever their time; decimals as text.

    Columns are the log's, newest row first. Raises LogError.
    """
    with open_session(path, as_of, pool) as session:
        numbers = ", ".join(f"shortened({name}::VARCHAR) AS {name}" for name in NUMBERS)
        wanted = "query_id IN (SELECT unnest($ids))" if query_ids is not None else "$ids IS NULL"
        return session.connection.sql(
            f"SELECT query_id, instant AS ts, pool, analyst, purpose, query_text, status, mechanism, {numbers}, "
            'sampling, coalesce("count"::VARCHAR, \'1\') AS "count", partition_scheme, partition, parents, source, '
            f"source_row FROM log_rows WHERE pool = $pool AND {wanted} "
            "AND ($ids IS NOT NULL OR NOT getvariable('explicit')::BOOLEAN "
            "OR instant <= getvariable('as_of')::TIMESTAMPTZ) "
            "ORDER BY instant DESC NULLS LAST, query_id DESC LIMIT $limit",
            params={"pool": pool, "ids": None if query_ids is None else list(query_ids), "limit": limit},
        ).to_arrow_table()


def read_rejected(path: str | os.PathLike[str], pool: str | None, *, limit: int = 200) -> "pa.Table":
    """Refused rows that name the pool, or with None those that name no known pool. Raises LogError.

    Columns: query_id, pool, source, source_row, raw, reason. Rows refused by an import are kept until a row with
    their id is accepted; rows of a log that was not imported are refused while reading.
    """
    with open_session(path, None, pool) as session:
        stage(session)
        connection = session.connection
        kept = ""
        if has_table(connection, "rejected_rows"):
            held = {row[0] for row in connection.execute("DESCRIBE rejected_rows").fetchall()}
            columns = ("query_id", "pool", "source", "source_row", "raw", "reason")
            chosen = ", ".join(f"{name if name in held else 'NULL'}::VARCHAR AS {name}" for name in columns)
            where = " WHERE resolved_by IS NULL" if "resolved_by" in held else ""
            kept = f"SELECT {chosen} FROM rejected_rows{where} UNION ALL "
        set_variables(connection, wanted_pool=pool, shown=limit)
        return connection.sql(script("refused.sql").replace("/*kept*/", kept)).to_arrow_table()
