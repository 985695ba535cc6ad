"""When queries of the sample log are asked: office hours, quiet weekends, growing use."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np

from dpcore.numerics import Floats

OFFICE = (0, 0, 0, 0, 0, 0, 0.1, 0.5, 2, 5, 6, 5, 2, 4, 6, 6, 4, 2, 0.7, 0.3, 0.1, 0, 0, 0)
"""Weight of each local hour where people ask."""

NIGHT = (2, 3, 4, 4, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
"""Weight of each local hour where jobs run over night."""

WORKING_WEEK = (1.0, 1.1, 1.1, 1.0, 0.8, 0.06, 0.03)
"""Weight of each day, Monday first, where people ask."""

EVERY_DAY = (1.0,) * 7


def spread(
    rng: random.Random,
    count: int,
    start: datetime,
    end: datetime,
    *,
    zone: str = "Europe/Zurich",
    hours: Sequence[float] = OFFICE,
    week: Sequence[float] = WORKING_WEEK,
    growth: float = 1.0,
) -> list[datetime]:
    """`count` times between start and end, in order, whole seconds, UTC.

    Times follow the weights of local hours and weekdays; use grows exponentially by the factor `growth` from start
    to end. Each time lies in its own stratum, so that the pace is even at every scale above a few queries.
    """
    cumulative = _cumulative(start, end, zone, tuple(hours), tuple(week), growth)
    targets = np.array([(i + rng.random()) / count for i in range(count)]) * cumulative[-1]
    position = np.interp(targets, cumulative, np.arange(len(cumulative), dtype=np.float64))
    step = (end - start) / (len(cumulative) - 1)
    return [start + timedelta(seconds=int(place * step.total_seconds())) for place in position.tolist()]


@lru_cache(maxsize=64)
def _cumulative(
    start: datetime, end: datetime, zone: str, hours: tuple[float, ...], week: tuple[float, ...], growth: float
) -> Floats:
    """Cumulative weight at the edges of the hours from start to end."""
    steps = max(1, round((end - start) / timedelta(hours=1)))
    local = ZoneInfo(zone)
    weights = np.empty(steps)
    for i in range(steps):
        time = (start + (end - start) * ((i + 0.5) / steps)).astimezone(local)
        weights[i] = hours[time.hour] * week[time.weekday()] * growth ** (i / steps)
    # A trace everywhere keeps the inverse defined when no weighted hour lies between start and end.
    weights += 1e-9
    return np.concatenate([[0.0], np.cumsum(weights)])


def whole(time: datetime) -> datetime:
    """The time in UTC, cut to whole seconds."""
    return time.astimezone(UTC).replace(microsecond=0)
