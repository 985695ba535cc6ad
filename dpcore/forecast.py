"""When a pool runs out if the recent mix of queries goes on.

The mix of the recent days is replayed through the theorem, so that sub-linear composition is respected: a straight
line through recent figures would say too early a date.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from dpcore import words
from dpcore.accountant import Limits, fits
from dpcore.evidence import Day
from dpcore.losses import Loss, Unspoken
from dpcore.numerics import Floats, weighted_sum
from dpcore.parallel import VISIBLE, Composition, People, of_person
from dpcore.pools import Pool
from dpcore.spends import Spend, Spends
from dpcore.status import Exhaustion
from dpcore.theorems import Target, Theorem

RECENT_DAYS = 28
HORIZON = 3650
FEWEST_DAYS = 3
"""Days with queries below which the recent past says nothing about a pace."""
_RESAMPLES = 24


def exhaustion(
    pool: Pool,
    spent: Spends,
    days: Sequence[Day],
    *,
    theorem: Theorem,
    target: Target,
    typical: Loss | None,
    today: date,
    first: date | None,
    refresh: date | None,
) -> Exhaustion:
    """The date from which the typical query is refused, with a band from resampled recent days.

    `spent` is what the window holds; the charged days of the last 28 are the recent mix, `first` is the pool's first
    charged day. Too few recent events, or a refresh before the date, give no date and a note.
    """
    start = today - timedelta(days=RECENT_DAYS - 1)
    recent = [day for day in days if start <= day.day <= today]
    events = sum(day.spends.count for day in recent)
    if typical is None or len(recent) < FEWEST_DAYS or events < pool.alerts.min_events:
        return Exhaustion(note="too few recent queries to tell")
    span = RECENT_DAYS if first is None or first <= start else (today - first).days + 1
    try:
        replay = _Replay(pool, spent, recent, theorem, target, typical, span)
    except Unspoken:
        return Exhaustion(note="the theorem cannot speak about the recent queries")
    coarse = int(replay.days_left(np.ones((1, len(recent))))[0])
    middle = replay.refined_days_left(coarse)
    if refresh is not None and today + timedelta(days=middle) >= refresh:
        return Exhaustion(note=f"lasts until it refreshes on {words.day(refresh)}")
    if middle >= HORIZON:
        return Exhaustion(note="not within ten years at the recent pace")
    # Days without queries are part of the recent past too: they are drawn as often as they occurred.
    draws = np.random.default_rng(0).multinomial(span, [1.0 / span] * span, size=_RESAMPLES)[:, : len(recent)]
    spread = np.sort(replay.days_left(draws.astype(np.float64)))
    # The band comes from the unrefined figures; where refining moves the date, it moves the band with it.
    low = min(_moved(int(spread[1]), coarse, middle), middle)
    high = max(_moved(int(spread[-2]), coarse, middle), middle)
    return Exhaustion(
        today + timedelta(days=middle),
        today + timedelta(days=low),
        today + timedelta(days=high) if high < HORIZON else None,
    )


def _moved(days: int, coarse: int, refined: int) -> int:
    return days * refined // coarse if coarse else days + refined


class _Replay:
    """Statistics of what is spent, of each recent day and of the typical query, for the person most at risk."""

    def __init__(
        self,
        pool: Pool,
        spent: Spends,
        recent: Sequence[Day],
        theorem: Theorem,
        target: Target,
        typical: Loss,
        span: int,
    ) -> None:
        self.theorem, self.target, self.span = theorem, target, span
        self.limits = Limits.of(pool.budget)
        # Whoever is worst off after a few more months at this pace is the person to watch.
        ahead = Spends([*spent, *(Spend(s.loss, 4 * s.count, s.place) for day in recent for s in day.spends)])
        places = Composition(theorem, People.of(ahead, pool.adjacency), target).worst_places()
        self.typical = np.asarray(theorem.embed(typical), dtype=np.float64)
        self.spent = self._sum(spent, places)
        self.days = np.array([self._sum(day.spends, places) for day in recent])
        self.typical_loss = typical
        self.spent_losses = of_person(spent, places)
        self.mix = sum((of_person(day.spends, places) for day in recent), Counter[Loss]())

    def _sum(self, spends: Spends, places: tuple[tuple[str, str], ...]) -> Floats:
        losses = of_person(spends, places)
        if not losses:
            return np.zeros_like(self.typical)
        counts = np.array([[float(count) for count in losses.values()]])
        return np.asarray(weighted_sum(counts, np.array([self.theorem.embed(loss) for loss in losses]))[0])

    def days_left(self, weights: Floats) -> NDArray[np.int64]:
        """Whole days that still fit, per row of weights: how often each recent day occurs in one replay."""
        low, high = np.full(len(weights), -1), np.full(len(weights), HORIZON)
        while np.any(high - low > 1):
            middle = (low + high) // 2
            fitting = self._fits(weighted_sum(weights * (middle / self.span)[:, None], self.days))
            low, high = np.where(fitting, middle, low), np.where(fitting, high, middle)
        return np.asarray(np.maximum(high, 0))

    def refined_days_left(self, coarse: int) -> int:
        """The same for the recent days as they were, on refined figures where the statistic is loose."""
        if self.theorem.looseness <= VISIBLE:
            return coarse
        low, high = coarse - 1, HORIZON
        while high - low > 1:
            middle = min(low + max((high - low) // 2, 1), 2 * low + 8)
            low, high = (middle, high) if self._fits_refined(middle) else (low, middle)
        return max(high, 0)

    def _fits_refined(self, days: int) -> bool:
        losses = Counter(self.spent_losses)
        for loss, count in self.mix.items():
            losses[loss] += -(-count * days // self.span)
        losses[self.typical_loss] += 1
        people = People(tuple(losses.items()), {}, "add_remove")
        return fits(Composition(self.theorem, people, self.target), self.limits)

    def _fits(self, mixes: Floats) -> NDArray[np.bool]:
        totals = self.spent + mixes + self.typical
        within = np.array([self.theorem.delta_spent(row[None, :]) <= self.limits.delta for row in totals])
        rho = [self.theorem.rho_spent(row[None, :]) for row in totals]
        if self.limits.rho is not None and rho[0] is not None:
            return np.asarray(within & (np.array(rho) <= self.limits.rho))
        return np.asarray(within & (self.theorem.convert(totals, self.target) <= self.limits.epsilon))
