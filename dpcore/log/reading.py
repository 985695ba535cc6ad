"""From a log to evidence: the engine groups the rows, this module turns the groups into losses and facts."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

import duckdb

from dpcore.decimals import NumberError, literal, plain
from dpcore.evidence import Day, Evidence, Fact, PoolEvidence, RowCounts
from dpcore.log.catalogue import CLOSED_SINCE, read_catalogue
from dpcore.log.columns import NEEDED, NUMBERS, SCALES, rows_view
from dpcore.log.connection import has_table, reading, script
from dpcore.log.errors import LogError
from dpcore.log.windows import day_start, local_day, window_bounds
from dpcore.losses import MECHANISMS, Loss, LossError, from_fields
from dpcore.losses.dearer_of import DearerOf
from dpcore.losses.exact import Exact
from dpcore.pools import Catalogue, Pool
from dpcore.spends import Place, Spend, Spends

CHARGED = frozenset({"released", "failed"})
"""Statuses that cost: the output of a failed query may have been seen."""

SHOWN_IDS = 20
"""Query ids named with a fact."""

RECENT_ROWS = 100
RECENT_DAYS = 28

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Group(NamedTuple):
    """Rows alike in everything that decides what they cost, as the engine counted them."""

    gid: int
    pool: str | None
    status: str | None
    mechanism: str | None
    numbers: tuple[str | None, ...]
    sampling: str | None
    stated_count: str | None
    scheme: str | None
    partition: str | None
    in_window: bool
    future: bool
    unverified: bool
    conflict: str | None
    asker: str | None
    day: date | None
    rows: int
    first_us: int | None
    last_us: int | None
    problem: str | None


_GROUP_COLUMNS = (
    "gid, pool, status, mechanism, "
    + ", ".join(NUMBERS)
    + ', sampling, "count", partition_scheme, partition, in_window, future, unverified, conflict, asker, day, '
    "rows, first_us, last_us, problem"
)


@dataclass(frozen=True)
class Charge:
    """What one group costs, and what is to be said about it."""

    loss: Loss
    count: int
    place: Place | None
    facts: tuple[tuple[str, str], ...]


@dataclass
class Session:
    """One opened log, its catalogue and the time it is read for."""

    connection: duckdb.DuckDBPyConnection
    file: object
    catalogue: Catalogue
    as_of: datetime
    explicit: bool
    only: str | None
    closed_at: Mapping[str, datetime]
    costs: "Costs" = field(default_factory=lambda: Costs())

    def groups(self, source: str) -> list[Group]:
        """The judged groups in a table or view."""
        n = len(NUMBERS)
        return [
            Group._make((*row[:4], row[4 : 4 + n], *row[4 + n :]))
            for row in self.connection.execute(f"SELECT {_GROUP_COLUMNS} FROM {source}").fetchall()
        ]


def read_evidence(
    path: str | os.PathLike[str],
    *,
    as_of: datetime | None = None,
    pool: str | None = None,
    history: bool = False,
) -> Evidence:
    """What the log tells about its pools at a time, or about one pool.

    Without `as_of` the time is now and rows dated later count; with it they are left out of windows. `history`
    asks for every charged local day of the pools, instead of the last 28. Raises LogError.
    """
    with open_session(path, as_of, pool) as session:
        stage(session)
        groups = session.groups("judged_groups")
        books: dict[str, _Book] = {
            name: _Book(declared, session) for name, declared in session.catalogue.pools.items() if pool in {None, name}
        }
        strangers = _Refusals()
        for group in groups:
            book = books.get(group.pool or "")
            if book is None:
                strangers.add(group.rows, group.problem or "unknown pool", group.gid)
            else:
                book.add(group)
        _count_refused(session, books, strangers)
        recent = _recent(session, books)
        days = _days(session, books, history)
        ids = _query_ids(session, [gid for book in books.values() for gid in book.flagged()] + strangers.gids)
        return Evidence(
            as_of=session.as_of,
            catalogue=session.catalogue,
            pools=MappingProxyType(
                {name: book.evidence(ids, recent.get(name, ()), days.get(name, ())) for name, book in books.items()}
            ),
            facts=() if pool is not None else strangers.facts(ids),
        )


@contextmanager
def open_session(
    path: str | os.PathLike[str], as_of: datetime | None, pool: str | None, *, asker: bool = False
) -> Iterator[Session]:
    """A log opened for one reading, with the rules and tables that the scripts use. Raises LogError."""
    if as_of is not None and as_of.tzinfo is None:
        raise LogError(f"The time {as_of} has no zone; give one such as {as_of.isoformat()}Z.")
    now = (as_of or datetime.now(UTC)).astimezone(UTC)
    with reading(path) as connection:
        types = log_types(connection, path)
        catalogue = read_catalogue(connection, path)
        if pool is not None and pool not in catalogue.pools:
            known = ", ".join(catalogue.pools) or "none"
            raise LogError(f"{path} declares no pool {pool!r}; its pools are: {known}.")
        closed_at = _closing_times(connection, catalogue)
        connection.execute(
            rows_view("log_rows", "query_log", types, asker=asker, clean=has_table(connection, "dpcore_format"))
        )
        set_variables(connection, as_of=now, explicit=as_of is not None, only_pool=pool)
        known_tables(connection, catalogue)
        _fill(
            connection,
            "windows(pool VARCHAR, start TIMESTAMPTZ, stop TIMESTAMPTZ)",
            [(p.name, *bounds) for p in catalogue.pools.values() if (bounds := window_bounds(p, now)) is not None],
        )
        yield Session(connection, path, catalogue, now, as_of is not None, pool, closed_at)


def log_types(connection: duckdb.DuckDBPyConnection, file: object) -> dict[str, str]:
    """Names and types of the columns of query_log. Raises LogError where it cannot be a query log."""
    if not has_table(connection, "query_log"):
        raise LogError(f"{file} has no table query_log; name a query log, or import one with 'import FILE --log LOG'.")
    types = {
        str(name): str(kind)
        for name, kind in connection.execute(
            "SELECT column_name, data_type FROM information_schema.columns "
            "WHERE table_schema = 'main' AND table_name = 'query_log' AND table_catalog = current_database()"
        ).fetchall()
    }
    missing = [name for name in NEEDED if name not in types]
    if missing:
        raise LogError(f"The table query_log of {file} has no column {' and no '.join(missing)}; add it.")
    return types


def set_variables(connection: duckdb.DuckDBPyConnection, **values: object) -> None:
    """Set what the scripts read with getvariable()."""
    for name, value in values.items():
        connection.execute(f"SET VARIABLE {name} = $value", {"value": value})


def known_tables(connection: duckdb.DuckDBPyConnection, catalogue: Catalogue) -> None:
    """The tables of pools and mechanisms that the rules look names up in."""
    _fill(connection, "known_pools(name VARCHAR)", [(name,) for name in catalogue.pools])
    _fill(
        connection,
        "known_mechanisms(name VARCHAR, reads VARCHAR[])",
        [(name, list(kind.field_names())) for name, kind in MECHANISMS.items()],
    )


def _fill(connection: duckdb.DuckDBPyConnection, declaration: str, rows: Iterable[tuple[object, ...]]) -> None:
    name = declaration.partition("(")[0]
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {declaration}")
    columns = [list(column) for column in zip(*rows, strict=True)]
    if columns:
        # One list per column: row-wise inserts of some thousand days would take longer than reading the log.
        marks = ", ".join("unnest(?)" for _ in columns)
        connection.execute(f"INSERT INTO {name} SELECT {marks}", columns)


def _closing_times(connection: duckdb.DuckDBPyConnection, catalogue: Catalogue) -> dict[str, datetime]:
    """When each closed pool was closed: its `closed_at`, else the time at which the log saw it close."""
    times: dict[str, datetime] = {}
    for pool in catalogue.pools.values():
        for key in ("closed_at", CLOSED_SINCE):
            text = pool.extra.get(key)
            if pool.closed and text and pool.name not in times:
                try:
                    instant = datetime.fromisoformat(text)
                except ValueError:
                    raise LogError(
                        f"Pool {pool.name!r}: {key} is {text!r}; write a time such as 2026-11-30T10:00:00Z."
                    ) from None
                times[pool.name] = instant if instant.tzinfo else instant.replace(tzinfo=pool.zone)
    return times


def stage(session: Session) -> None:
    """Judge and group the rows into the temporary table judged_groups."""
    connection = session.connection
    connection.execute(script("repeated.sql"))
    _find_unverified(connection)
    connection.execute(script("reduce.sql"))
    _reduce(connection, "judged_groups", "single_rows", "version_rows")


def _reduce(connection: duckdb.DuckDBPyConnection, table: str, *relations: str) -> None:
    parts = " UNION ALL ".join(f"SELECT * FROM reduced('{relation}')" for relation in relations)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE raw_groups AS {parts}")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT * FROM judge('raw_groups')")


def _find_unverified(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the table of post-processing rows that do not come from DP releases alone.

    A derived parent is only as good as its own parents, so goodness spreads from the released answers upwards; a
    row that it never reaches (a circle, or a bad ancestor) stays unverified.
    """
    found = connection.execute("SELECT 1 FROM log_rows WHERE mechanism = 'post_processing' LIMIT 1").fetchone()
    if found is None:
        connection.execute("CREATE OR REPLACE TEMP TABLE unverified(query_id VARCHAR)")
        return
    connection.execute(script("parents.sql"))
    edges = connection.execute(
        "SELECT d.query_id, d.parent FROM derived AS d JOIN parent_ids AS p ON p.query_id = d.parent WHERE p.derived"
    ).fetchall()
    if not edges:
        return
    bad = {row[0] for row in connection.execute("SELECT query_id FROM unverified").fetchall()}
    waiting: Counter[str] = Counter(child for child, _ in edges)
    children: dict[str, list[str]] = defaultdict(list)
    for child, parent in edges:
        children[parent].append(child)
    ready = [node for node in children if node not in bad and not waiting[node]]
    while ready:
        for child in children.get(ready.pop(), ()):
            waiting[child] -= 1
            if not waiting[child] and child not in bad:
                ready.append(child)
    stuck = [child for child, left in waiting.items() if left and child not in bad]
    if stuck:
        connection.execute("INSERT INTO unverified SELECT unnest(?)", [stuck])


class Costs:
    """Losses of groups, each built once."""

    def __init__(self) -> None:
        self._losses: dict[tuple[object, ...], tuple[Loss, tuple[tuple[str, str], ...]] | str] = {}
        self._places: dict[tuple[str, str], Place] = {}

    def charge(self, pool: Pool, group: Group) -> Charge | str:
        """What a group costs in a pool, or why its rows are refused."""
        key = (pool.name, group.mechanism, group.numbers, group.sampling)
        found = self._losses.get(key)
        if found is None:
            found = self._losses[key] = _loss(pool, group)
        if isinstance(found, str):
            return found
        loss, facts = found
        place = None
        if group.scheme is not None and group.partition is not None:
            if group.scheme in pool.schemes:
                place = self._place(group.scheme, group.partition)
            else:
                facts = (*facts, ("undeclared_scheme", group.scheme))
        if group.unverified:
            facts = (*facts, ("post_processing_without_release", ""))
        return Charge(loss, _whole(group.stated_count), place, facts)

    def _place(self, scheme: str, partition: str) -> Place:
        place = self._places.get((scheme, partition))
        if place is None:
            parts = tuple(sorted({part.strip() for part in partition.split("|")}))
            place = self._places[scheme, partition] = Place(scheme, parts)
        return place


def _whole(count: str | None) -> int:
    return 1 if count is None else int(count.partition(".")[0])


def _loss(pool: Pool, group: Group) -> tuple[Loss, tuple[tuple[str, str], ...]] | str:
    assert group.mechanism is not None
    try:
        # One number has one text, so that equal spends are equal whatever column type their log has.
        stated = {
            name: text if text is None or name in SCALES else plain(literal(text))
            for name, text in zip(NUMBERS, group.numbers, strict=True)
            if name in MECHANISMS[group.mechanism].field_names()
        }
        stated["sampling"] = group.sampling
        loss = from_fields(group.mechanism, stated)
    except LossError as error:
        return f"{error.field}: {error.reason}"
    except NumberError as error:
        return str(error)
    facts: list[tuple[str, str]] = []
    if group.mechanism == Exact.mechanism:
        facts.append(("exact_release", ""))
    refused = loss.refused_amplification(pool.adjacency)
    if refused is not None:
        facts.append(("unfit_amplification", refused))
    related = loss.under(pool.adjacency)
    if related.understated is not None:
        facts.append(("understated_epsilon", f"{related.describe()}: stated ε {stated['epsilon']}"))
    try:
        return related.for_group(pool.group_size), tuple(facts)
    except LossError:
        # No finite figure holds for the group: it is charged as an exact value rather than left out.
        return Exact(), (*facts, ("exact_release", f"no guarantee for a group of {pool.group_size}"))


class _Refusals:
    """Refused rows by reason."""

    def __init__(self) -> None:
        self.reasons: Counter[str] = Counter()
        self.gids: list[int] = []
        self.ids: list[str] = []

    def add(self, rows: int, reason: str, gid: int | None = None, ids: Iterable[str] = ()) -> None:
        self.reasons[reason] += rows
        self.ids.extend(ids)
        if gid is not None:
            self.gids.append(gid)

    def facts(self, ids: Mapping[int, list[str]]) -> tuple[Fact, ...]:
        rows = self.reasons.total()
        if not rows:
            return ()
        named = sorted({*self.ids, *(query for gid in self.gids for query in ids.get(gid, ()))})
        ranked = sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))
        detail = "; ".join(f"{reason} ({count})" if len(ranked) > 1 else reason for reason, count in ranked[:5])
        return (Fact("rejected_rows", rows, tuple(named[:SHOWN_IDS]), detail),)


_Key = tuple[Loss, Place | None]


class Ledger:
    """Spends being added up; versions of a conflicting id are kept apart until the end."""

    def __init__(self) -> None:
        self.plain: dict[_Key, int] = {}
        self.versions: dict[tuple[str, Place | None], set[tuple[Loss, int]]] = {}

    def add(self, group: Group, charge: Charge) -> None:
        """Add what a group costs."""
        if group.conflict is None:
            key = (charge.loss, charge.place)
            self.plain[key] = self.plain.get(key, 0) + charge.count * group.rows
        else:
            self.versions.setdefault((group.conflict, charge.place), set()).add((charge.loss, charge.count))

    def spends(self) -> Spends:
        """All of it; of each conflicting id the dearer version counts, at each place where it has any."""
        items = [Spend(loss, count, place) for (loss, place), count in self.plain.items()]
        for (_, place), versions in self.versions.items():
            items.append(dearest(versions, place))
        return Spends(items)


def dearest(versions: set[tuple[Loss, int]], place: Place | None) -> Spend:
    """What an id costs that has these versions at one place."""
    if len(versions) == 1:
        ((loss, count),) = versions
        return Spend(loss, count, place)
    return Spend(DearerOf(tuple(sorted(versions, key=repr))), 1, place)


class _Book:
    """Everything about one pool, while its groups come in."""

    def __init__(self, pool: Pool, session: Session) -> None:
        self.pool = pool
        self.session = session
        self.window = Ledger()
        self.lifetime = Ledger()
        self.all_in_window = True
        self.statuses: Counter[str] = Counter()
        self.refusals = _Refusals()
        self.duplicates = 0
        self.conflicts: set[str] = set()
        self.seen: dict[tuple[str, str], list[tuple[int, int]]] = {}
        self.first: int | None = None
        self.last: int | None = None

    def add(self, group: Group) -> None:
        charge = self.session.costs.charge(self.pool, group) if group.problem is None else group.problem
        if isinstance(charge, str):
            self.refusals.add(group.rows, charge, group.gid)
            return
        assert group.status is not None and group.first_us is not None and group.last_us is not None
        self.statuses[group.status] += group.rows
        if group.conflict is not None:
            self.conflicts.add(group.conflict)
        if group.future:
            self._saw("future_rows", "", group)
        if group.status not in CHARGED:
            return
        for kind, detail in charge.facts:
            self._saw(kind, detail, group)
        closed_at = self.session.closed_at.get(self.pool.name)
        if closed_at is not None and _instant(group.last_us) > closed_at:
            self._saw("release_after_close", closed_at.isoformat(), group)
        self.first = min(self.first or group.first_us, group.first_us)
        self.last = max(self.last or group.last_us, group.last_us)
        if group.unverified:
            return
        self.lifetime.add(group, charge)
        if group.in_window:
            self.window.add(group, charge)
        else:
            self.all_in_window = False

    def _saw(self, kind: str, detail: str, group: Group) -> None:
        self.seen.setdefault((kind, detail), []).append((group.gid, group.rows))

    def flagged(self) -> Iterable[int]:
        """Groups whose query ids are wanted."""
        yield from self.refusals.gids
        for groups in self.seen.values():
            yield from (gid for gid, _ in groups)

    def evidence(self, ids: Mapping[int, list[str]], recent: tuple[Loss, ...], days: tuple[Day, ...]) -> PoolEvidence:
        lifetime = self.lifetime.spends()
        bounds = window_bounds(self.pool, self.session.as_of)
        return PoolEvidence(
            rows=RowCounts(
                released=self.statuses["released"],
                denied=self.statuses["denied"],
                failed=self.statuses["failed"],
                failed_before_release=self.statuses["failed_before_release"],
                rejected=self.refusals.reasons.total(),
                duplicates=self.duplicates,
            ),
            window=lifetime if self.all_in_window else self.window.spends(),
            lifetime=lifetime,
            window_start=bounds and bounds[0].astimezone(self.pool.zone),
            window_end=bounds and bounds[1].astimezone(self.pool.zone),
            recent=recent,
            days=days,
            facts=tuple(self._facts(ids)),
            first=None if self.first is None else _instant(self.first),
            last=None if self.last is None else _instant(self.last),
        )

    def _facts(self, ids: Mapping[int, list[str]]) -> Iterator[Fact]:
        yield from self.refusals.facts(ids)
        if self.conflicts:
            yield Fact("conflicting_id", len(self.conflicts), tuple(sorted(self.conflicts)[:SHOWN_IDS]))
        for (kind, detail), groups in sorted(self.seen.items()):
            named = sorted({query for gid, _ in groups for query in ids.get(gid, ())})
            if kind == "release_after_close":
                yield self._after_close(detail)
            else:
                yield Fact(kind, sum(rows for _, rows in groups), tuple(named[:SHOWN_IDS]), detail)

    def _after_close(self, detail: str) -> Fact:
        rows, named = self.session.connection.execute(
            script("after_close.sql"),
            {"pool": self.pool.name, "closed_at": self.session.closed_at[self.pool.name]},
        ).fetchall()[0]
        return Fact("release_after_close", rows, tuple((named or [])[:SHOWN_IDS]), detail)


def _instant(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def _count_refused(session: Session, books: Mapping[str, _Book], strangers: _Refusals) -> None:
    """Refused rows that are in no group: those kept by imports, and those whose id occurs more than once."""
    connection = session.connection
    sources = ["SELECT pool, problem AS reason, query_id FROM contested_refused"]
    if has_table(connection, "rejected_rows"):
        columns = {row[0] for row in connection.execute("DESCRIBE rejected_rows").fetchall()}
        chosen = ", ".join(
            f"{name if name in columns else 'NULL'}::VARCHAR AS {name}" for name in ("pool", "reason", "query_id")
        )
        resolved = " WHERE resolved_by IS NULL" if "resolved_by" in columns else ""
        sources.append(f"SELECT {chosen} FROM rejected_rows{resolved}")
    rows = connection.execute(
        "SELECT said(pool), coalesce(reason, 'refused'), count(*), coalesce(min(query_id, 20), []) FROM ("
        + " UNION ALL ".join(sources)
        + ") GROUP BY 1, 2 ORDER BY 1, 2"
    ).fetchall()
    for pool, reason, count, ids in rows:
        book = books.get(pool or "")
        if book is not None:
            book.refusals.add(count, reason, ids=ids)
        elif pool not in session.catalogue.pools:
            strangers.add(count, reason, ids=ids)
    for pool, copies in connection.execute("SELECT pool, copies FROM repeats").fetchall():
        if pool in books:
            books[pool].duplicates += copies
    if has_table(connection, "imports") and "duplicates_by_pool" in {
        row[0] for row in connection.execute("DESCRIBE imports").fetchall()
    }:
        for pool, copies in connection.execute(
            "SELECT entry.key, sum(entry.value)::BIGINT FROM "
            "(SELECT unnest(map_entries(duplicates_by_pool)) AS entry FROM imports) GROUP BY 1"
        ).fetchall():
            if pool in books:
                books[pool].duplicates += copies


def _query_ids(session: Session, gids: list[int]) -> dict[int, list[str]]:
    """The first few query ids of the groups that a fact is about."""
    if not gids:
        return {}
    _fill(session.connection, "flagged(gid UBIGINT)", [(gid,) for gid in gids])
    return dict(session.connection.execute(script("query_ids.sql")).fetchall())


def _recent(session: Session, books: Mapping[str, _Book]) -> dict[str, tuple[Loss, ...]]:
    """Losses of the last released rows of each pool, newest first."""
    session.connection.execute(script("recent.sql"))
    found: dict[str, list[Loss]] = defaultdict(list)
    versions: dict[tuple[str, str], tuple[int, set[tuple[Loss, int]]]] = {}
    for group in session.groups("judged_newest ORDER BY pool, place"):
        book = books.get(group.pool or "")
        if book is None or group.problem is not None:
            continue
        charge = session.costs.charge(book.pool, group)
        if isinstance(charge, str):
            continue
        losses = found[book.pool.name]
        if group.conflict is None:
            losses.append(charge.loss)
            continue
        place, known = versions.setdefault((book.pool.name, group.conflict), (len(losses), set()))
        if not known:
            losses.append(charge.loss)
        known.add((charge.loss, 1))
        losses[place] = dearest(known, None).loss
    return {pool: tuple(losses[:RECENT_ROWS]) for pool, losses in found.items()}


def _days(session: Session, books: Mapping[str, _Book], history: bool) -> dict[str, tuple[Day, ...]]:
    """Charged local days of each pool."""
    connection = session.connection
    starts: set[tuple[str, date, datetime]] = set()
    if history:
        charged = connection.execute(script("charged_days.sql")).fetchall()
        for name, day in charged:
            if name in books:
                for near in (day - timedelta(days=1), day, day + timedelta(days=1)):
                    starts.add((name, near, day_start(books[name].pool, near)))
    else:
        for name, book in books.items():
            today = local_day(book.pool, session.as_of)
            for back in range(-1, RECENT_DAYS + 1):
                day = today - timedelta(days=back)
                starts.add((name, day, day_start(book.pool, day)))
    if not starts:
        return {}
    _fill(connection, "days(pool VARCHAR, day DATE, start TIMESTAMPTZ)", sorted(starts))
    set_variables(
        connection,
        not_after=None if history and not session.explicit else session.as_of,
        not_before=min(start for _, _, start in starts),
    )
    connection.execute(script("days.sql"))
    _reduce(connection, "judged_days", "dated_single_rows", "dated_version_rows")
    ledgers: dict[tuple[str, date], Ledger] = defaultdict(Ledger)
    for group in session.groups("judged_days"):
        owner = books.get(group.pool or "")
        if owner is None or group.problem is not None or group.status not in CHARGED or group.unverified:
            continue
        assert group.day is not None
        charge = session.costs.charge(owner.pool, group)
        if not isinstance(charge, str):
            ledgers[owner.pool.name, group.day].add(group, charge)
    found: dict[str, list[Day]] = defaultdict(list)
    for (name, day), ledger in sorted(ledgers.items(), key=lambda item: item[0]):
        found[name].append(Day(day, ledger.spends()))
    return {name: tuple(days) for name, days in found.items()}
