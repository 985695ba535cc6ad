"""A desk: analysts who put sessions of queries to one pool."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from dpcore.demo.rhythm import EVERY_DAY, OFFICE, WORKING_WEEK, spread
from dpcore.demo.rows import Row, numbered, stamp

Fields = Mapping[str, str]
"""Mechanism columns of a row."""


@dataclass(frozen=True)
class Topic:
    """Why a desk asks, and the queries it puts: `{year}`, `{month}`, `{site}`, `{code}`, `{minutes}` are filled in."""

    purpose: str
    queries: tuple[str, ...]


@dataclass(frozen=True)
class Desk:
    """What one pool is asked.

    `answers` counts the released rows that cost something; denied, failed and post-processed rows come on top at the
    given rates. A desk with `refusals` is refused that often and never answered. The losses are drawn without regard
    to the time, so that a pool without a window has spent the same at every `as_of`.
    """

    pool: str
    prefix: str
    answers: int
    days: float
    analysts: tuple[str, ...]
    topics: tuple[Topic, ...]
    losses: tuple[tuple[float, Fields], ...]
    until: float = 0.0
    growth: float = 1.0
    zone: str = "Europe/Zurich"
    hours: Sequence[float] = OFFICE
    week: Sequence[float] = WORKING_WEEK
    scheme: str = ""
    parts: tuple[str, ...] = ()
    partitioned: float = 0.0
    session: int = 5
    refusals: int = 0
    denied: float = 0.0
    denied_losses: tuple[tuple[float, Fields], ...] = ()
    failed: float = 0.0
    failed_before_release: float = 0.0
    post_processed: float = 0.0

    def rows(self, as_of: datetime) -> list[Row]:
        """The rows up to `as_of`, oldest first."""
        sessions = self._sessions(random.Random(f"{self.pool}: content"))
        clock = random.Random(f"{self.pool}: times")
        end = as_of - timedelta(days=self.until)
        slots = iter(
            spread(
                clock,
                sum(map(len, sessions)),
                as_of - timedelta(days=self.days),
                end,
                zone=self.zone,
                hours=self.hours,
                week=self.week,
                growth=self.growth,
            )
        )
        timed: list[tuple[datetime, int, Row]] = []
        for session in sessions:
            # The session begins at its first slot; the next one waits as many slots as this one has queries.
            start, *_ = islice(slots, len(session))
            offsets = [timedelta(0)]
            for _ in session[1:]:
                offsets.append(offsets[-1] + timedelta(seconds=clock.randint(40, 600)))
            start = min(start, end - offsets[-1])
            for offset, row in zip(offsets, session, strict=True):
                timed.append((start + offset, len(timed), row))
        return self._named(sorted(timed, key=lambda entry: entry[:2]))

    def _sessions(self, rng: random.Random) -> list[list[Row]]:
        """Rows without time and id, by session: one analyst on one topic."""
        sessions: list[list[Row]] = []
        answers, wanted = 0, self.answers or self.refusals
        while answers < wanted:
            session: list[Row] = []
            analyst, topic = rng.choice(self.analysts), rng.choice(self.topics)
            for _ in range(rng.randint(1, 2 * self.session - 1)):
                text = rng.choice(topic.queries)
                row = Row("", "", self.pool, analyst, topic.purpose, text, **_draw(rng, self.losses))
                if self.scheme and rng.random() < self.partitioned:
                    row = replace(row, partition_scheme=self.scheme, partition=rng.choice(self.parts))
                row = replace(row, status="denied" if self.refusals else self._outcome(rng))
                if row.status == "denied" and self.denied_losses:
                    row = replace(row, **(_BLANK | dict(_draw(rng, self.denied_losses))))
                session.append(row)
                if row.status == "released" or self.refusals:
                    answers += 1
                    if row.status == "released" and rng.random() < self.post_processed:
                        session.append(_chart_of(row))
                if answers == wanted:
                    break
            sessions.append(session)
        return sessions

    def _outcome(self, rng: random.Random) -> str:
        draw = rng.random()
        for status, rate in (
            ("denied", self.denied),
            ("failed", self.failed),
            ("failed_before_release", self.failed_before_release),
        ):
            if draw < rate:
                return status
            draw -= rate
        return "released"

    def _named(self, timed: Sequence[tuple[datetime, int, Row]]) -> list[Row]:
        """The rows in order of time, with ids, texts and the ids of parents."""
        rng = random.Random(f"{self.pool}: texts")
        ids = {place: f"{self.prefix}-{number:04d}" for number, (_, place, _) in enumerate(timed, start=1)}
        return [
            replace(
                row,
                query_id=ids[place],
                ts=stamp(time),
                query_text=row.query_text.format(
                    year=time.year - rng.choice((0, 0, 1)),
                    month=rng.randint(1, 12),
                    site=rng.choice(("North", "South", "Lakeside")),
                    code=rng.choice((1, 2, 3, 5, 8)),
                    minutes=rng.choice((60, 90, 120)),
                ),
                parents=ids[place - 1] if row.parents == _PREVIOUS else "",
            )
            for time, place, row in timed
        ]


_PREVIOUS = "previous"
"""Stands for the id of the row before it in the session, until ids are given."""


def _chart_of(row: Row) -> Row:
    return Row(
        "",
        "",
        row.pool,
        row.analyst,
        row.purpose,
        "Rounded to tens and charted from the answer before it",
        mechanism="post_processing",
        parents=_PREVIOUS,
    )


_BLANK = {"epsilon": "", "delta": "", "rho": "", "noise_scale": "", "sensitivity": "", "clip_norm": "", "count": "1"}


def _draw(rng: random.Random, choices: Sequence[tuple[float, Fields]]) -> Fields:
    return rng.choices([fields for _, fields in choices], weights=[weight for weight, _ in choices])[0]


def service(
    pool: str,
    prefix: str,
    losses: Sequence[Fields],
    *,
    as_of: datetime,
    days: float,
    until: float = 0.0,
    analyst: str,
    purpose: str,
    query_text: str = "",
    hours: Sequence[float] = OFFICE,
    week: Sequence[float] = EVERY_DAY,
    zone: str = "Europe/Zurich",
) -> list[Row]:
    """One released row per given loss, spread evenly between `days` and `until` days before `as_of`."""
    clock = random.Random(f"{pool}: times")
    times = spread(
        clock,
        len(losses),
        as_of - timedelta(days=days),
        as_of - timedelta(days=until),
        zone=zone,
        hours=hours,
        week=week,
    )
    rows = [
        Row("", stamp(time), pool, analyst, purpose, query_text, **fields)
        for time, fields in zip(times, losses, strict=True)
    ]
    return numbered(prefix, rows)
