"""Consumption of a pool over time, under every theorem."""

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from dpcore.accountant import fixed_target, target_of
from dpcore.evidence import Day, PoolEvidence
from dpcore.losses import Loss, Unspoken
from dpcore.numerics import Floats, weighted_sum
from dpcore.parallel import VISIBLE, scaled_down
from dpcore.pools import Pool, Window
from dpcore.spends import Place
from dpcore.theorems import THEOREMS, Statistic, Target, Theorem

MOST_POINTS = 200
_MOST_PERSONS = 64


@dataclass(frozen=True)
class Timeline:
    """ε at the end of each listed day under every theorem (None: it cannot speak), and the days of refreshes.

    Windows restart at 0. Figures are within 0.5% of the pool's figure of that day: `optimal` and `numerical` are
    computed for some two dozen days and interpolated between them. Where a scheme has many parts, the bound over all
    of them at once is shown.
    """

    days: list[date]
    epsilon: Mapping[str, list[float | None]]
    refreshes: list[date]


def window_start(day: date, window: Window) -> date:
    """First day of the window that holds a day; the day 1-1-1 for pools without one."""
    if window == "daily":
        return day
    if window == "weekly":
        return day - timedelta(days=day.weekday())
    if window == "monthly":
        return day.replace(day=1)
    return date.min


def timeline(
    pool: Pool, evidence: PoolEvidence, until: date | None = None, only: Collection[str] | None = None
) -> Timeline:
    """The timeline over the days of the evidence (ask for its whole history), up to `until`.

    `only` leaves out all theorems but those.
    """
    days = [day for day in evidence.days if until is None or day.day <= until]
    if not days:
        return Timeline([], {name: [] for name in THEOREMS}, [])
    keys: dict[tuple[Loss, Place | None], int] = {}
    for day in days:
        for spend in day.spends:
            keys.setdefault((spend.loss, spend.place), len(keys))
    counts = np.zeros((len(days), len(keys)))
    for row, day in enumerate(days):
        for spend in day.spends:
            counts[row, keys[spend.loss, spend.place]] += spend.count
    starts = [window_start(day.day, pool.window) for day in days]
    for row in range(1, len(days)):
        if starts[row] == starts[row - 1]:
            counts[row] += counts[row - 1]
    shown = _sampled(days, starts)
    persons = _persons(pool, evidence, list(keys))
    losses = [loss for loss, _ in keys]
    answer: dict[str, list[float | None]] = {}
    for name, theorem in THEOREMS.items():
        if only is not None and name not in only:
            continue
        target = fixed_target(theorem, target_of(pool))
        try:
            vectors = np.array([theorem.embed(loss) for loss, _ in keys])
        except Unspoken:
            answer[name] = [None] * len(shown)
            continue
        best, dearest = np.zeros(len(shown)), np.zeros(len(shown), dtype=np.int64)
        for who, person in enumerate(persons):
            totals = weighted_sum(counts[shown] * person, vectors)
            values = np.where(totals.any(axis=1), theorem.convert(totals, target), 0.0)
            best, dearest = np.maximum(best, values), np.where(values > best, who, dearest)
        if theorem.looseness > VISIBLE:
            best = scaled_down(best, _refining(theorem, target, losses, counts[shown], persons, vectors, best, dearest))
        answer[name] = [float(value) for value in best]
    refreshes = [] if pool.window == "none" else sorted(set(starts))
    return Timeline([days[row].day for row in shown], answer, refreshes)


def _refining(
    theorem: Theorem,
    target: Target,
    losses: Sequence[Loss],
    counts: Floats,
    persons: Sequence[Floats],
    vectors: Statistic,
    coarse: Floats,
    dearest: NDArray[np.int64],
) -> Callable[[int], float]:
    """The refined figure of one day, of the person whose coarse figure is the dearest."""

    def refined(day: int) -> float:
        weights = counts[day] * persons[int(dearest[day])]
        own = [(losses[i], float(weights[i])) for i in map(int, np.flatnonzero(weights))]
        total = weighted_sum(weights[None, :], vectors)[0]
        return theorem.refine(own, total, target, float(coarse[day]))

    return refined


def _sampled(days: Sequence[Day], starts: Sequence[date]) -> list[int]:
    """Up to about 200 days, evenly spread, with the last day of every window."""
    ends = {row for row in range(len(days)) if row + 1 == len(days) or starts[row + 1] != starts[row]}
    if len(ends) > MOST_POINTS:
        ends = set(sorted(ends)[-MOST_POINTS:])
    even = {int(row) for row in np.linspace(0, len(days) - 1, min(len(days), MOST_POINTS))}
    return sorted(ends | even)


def _persons(pool: Pool, evidence: PoolEvidence, keys: Sequence[tuple[Loss, Place | None]]) -> list[Floats]:
    """Which keys count, and how often, for each kind of person; one who is in every dearest part if there are many."""
    schemes: dict[str, list[str]] = {}
    for _, place in keys:
        if place is not None:
            known = schemes.setdefault(place.scheme, [])
            known.extend(part for part in place.parts if part not in known)
    choices: list[list[tuple[tuple[str, str], ...]]] = []
    for scheme, parts in schemes.items():
        if pool.adjacency == "replace_one" and len(parts) > 1:
            choices.append([((scheme, a), (scheme, b)) for a, b in itertools.combinations(sorted(parts), 2)])
        else:
            choices.append([((scheme, part),) for part in sorted(parts)])
    if int(np.prod([len(choice) for choice in choices])) > _MOST_PERSONS:
        return [np.ones(len(keys)) * (2.0 if pool.adjacency == "replace_one" else 1.0)]
    return [
        np.array([_times(place, [p for choice in chosen for p in choice]) for _, place in keys])
        for chosen in itertools.product(*choices)
    ]


def _times(place: Place | None, places: Sequence[tuple[str, str]]) -> float:
    if place is None:
        return 1.0
    return float(sum(scheme == place.scheme and part in place.parts for scheme, part in places))
