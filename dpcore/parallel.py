"""Parallel composition: which people a set of spends tells apart, and what the worst of them has lost.

A person lies in one part of every declared scheme. Their loss is what ran on the whole data plus what ran on their
parts: statistics are added first, converted last, and the figure is the maximum over people. Under replace-one a
person may move, so unordered pairs of parts take the place of parts.
"""

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from dpcore.decimals import Number
from dpcore.losses.base import Adjacency, Loss
from dpcore.numerics import Floats, exact_sum
from dpcore.spends import Spends, sort_key
from dpcore.theorems.base import Statistic, Target, Theorem

MOST = 10**18
"""Largest count that a search answers."""

VISIBLE = 0.005
"""Relative difference that a chart shows: theorems whose unrefined figure is looser are refined at every point."""

_CHART_POINTS = 24

MOST_COMBINATIONS = 4096
"""Combinations of parts looked at exactly; beyond, the sound componentwise relaxation."""


@dataclass(frozen=True)
class Profile:
    """What ran on one part, and the first part (and how many) on which exactly that ran."""

    losses: tuple[tuple[Loss, int], ...]
    part: str
    parts: int


@dataclass(frozen=True)
class People:
    """The people that spends tell apart: common losses, and the distinct profiles of each scheme's parts."""

    common: tuple[tuple[Loss, int], ...]
    schemes: Mapping[str, tuple[Profile, ...]]
    adjacency: Adjacency

    @classmethod
    def of(cls, spends: Spends, adjacency: Adjacency) -> "People":
        """Group spends (already in the pool's relation) by person."""
        common: Counter[Loss] = Counter()
        schemes: dict[str, dict[str, Counter[Loss]]] = defaultdict(lambda: defaultdict(Counter))
        for spend in spends:
            if spend.place is None:
                common[spend.loss] += spend.count
            else:
                for part in set(spend.place.parts):
                    schemes[spend.place.scheme][part][spend.loss] += spend.count
        found = {}
        for scheme, parts in schemes.items():
            alike: dict[tuple[tuple[Loss, int], ...], list[str]] = defaultdict(list)
            for part, losses in parts.items():
                alike[_ordered(losses)].append(part)
            found[scheme] = tuple(Profile(losses, min(names), len(names)) for losses, names in alike.items())
        return cls(_ordered(common), found, adjacency)

    @property
    def distinct(self) -> tuple[Loss, ...]:
        """Every distinct loss."""
        profiles = itertools.chain.from_iterable(self.schemes.values())
        return tuple(dict(itertools.chain(self.common, *(profile.losses for profile in profiles))))


def of_person(spends: Spends, places: tuple[tuple[str, str], ...]) -> Counter[Loss]:
    """What ran on the whole data and on the given places, as counts of losses."""
    losses: Counter[Loss] = Counter()
    for spend in spends:
        if spend.place is None:
            losses[spend.loss] += spend.count
        else:
            scheme, parts = spend.place.scheme, spend.place.parts
            losses[spend.loss] += spend.count * sum(s == scheme and part in parts for s, part in places)
    return +losses


def _ordered(losses: Mapping[Loss, int]) -> tuple[tuple[Loss, int], ...]:
    return tuple(sorted(losses.items(), key=lambda item: sort_key(item[0])))


def scaled_down(coarse: Floats, refined: Callable[[int], float]) -> Floats:
    """A curve of coarse figures brought down to its refined ones, for a chart.

    The figure is refined at up to about 25 points spread over the values and at the last point; in between the ratio
    of refined to coarse, which changes slowly with ε, is interpolated over ln ε.
    """
    finite = np.flatnonzero((coarse > 0.0) & np.isfinite(coarse))
    if not len(finite):
        return coarse
    by_value = finite[np.argsort(coarse[finite], kind="stable")]
    chosen = np.unique(by_value[np.linspace(0, len(by_value) - 1, _CHART_POINTS).astype(np.int64)])
    chosen = np.union1d(chosen, finite[-1:])
    exact = np.array([refined(int(i)) for i in chosen])
    order = np.argsort(coarse[chosen], kind="stable")
    result = coarse.copy()
    at, ratio = np.log(coarse[chosen])[order], (exact / coarse[chosen])[order]
    result[finite] *= np.interp(np.log(coarse[finite]), at, ratio)
    result[chosen] = exact
    return result


@dataclass(frozen=True)
class Choice:
    """One alternative of a scheme: the part, or pair of parts, and their losses."""

    places: tuple[tuple[str, str], ...]
    """(scheme, part), once or, for a person who moves, twice."""
    losses: tuple[tuple[Loss, int], ...]


class Composition:
    """One theorem's sums over every kind of person, ready to be converted at a target."""

    def __init__(self, theorem: Theorem, people: People, target: Target, *, quick: bool = False) -> None:
        """Embed and add. Raises Unspoken where the theorem cannot speak about some loss.

        `quick` bounds the work: only the dearest persons are refined, as many as the theorem's `most_work` allows for
        the number of distinct losses; the others count with their unrefined figure, which is never below.
        """
        self.theorem = theorem
        self.target = target
        self.people = people
        self.relaxed: list[str] = []
        vectors = {loss: theorem.embed(loss) for loss in people.distinct}
        size = len(next(iter(vectors.values()))) if vectors else 0
        self._empty = not vectors
        rows = _total(people.common, vectors, size)[None, :]
        choices: list[tuple[Choice, ...]] = [()]
        for scheme, profiles in people.schemes.items():
            totals, alternatives = _alternatives(scheme, profiles, vectors, size, people.adjacency, theorem.looseness)
            if totals is None or len(rows) * len(totals) > MOST_COMBINATIONS:
                self.relaxed.append(scheme)
                rows = rows + _relaxed(profiles, vectors, size, people.adjacency)[None, :]
                continue
            rows = (rows[:, None, :] + totals[None, :, :]).reshape(-1, size)
            choices = [(*chosen, choice) for chosen in choices for choice in alternatives]
        self._rows: Statistic = rows
        allowed = theorem.most_work // max(len(vectors), 1) if quick else len(rows)
        self._refinable = min(allowed, len(rows)) if theorem.looseness and not self.relaxed else 0
        self._choices = choices
        self._persons: dict[int, list[tuple[Loss, int]]] = {}

    @property
    def unrefined(self) -> bool:
        """Whether some person's figure is left unrefined to bound the work."""
        return bool(self.theorem.looseness) and self._refinable < len(self._rows)

    def totals(self, extra: Loss | None = None, count: Number = 0) -> Statistic:
        """Summed statistics of every kind of person, with `count` more of one loss on the whole data."""
        if extra is None or not count:
            return self._rows
        with np.errstate(over="ignore"):
            step = self.theorem.embed(extra) * count
        return step[None, :] if self._empty else self._rows + step[None, :]

    def epsilon(self, extra: Loss | None = None, count: int = 0) -> float:
        """ε of the worst person, rounded up."""
        return self._worst(extra, count)[0]

    def worst_places(self) -> tuple[tuple[str, str], ...]:
        """The (scheme, part) places that the worst person lies in."""
        who = self._worst(None, 0)[1]
        chosen = self._choices[who] if who < len(self._choices) else ()
        return tuple(place for choice in chosen for place in choice.places)

    def of_worst(self, extra: Loss, count: int) -> Callable[[int], float]:
        """ε by count of a loss, of the person who is worst off at the given count: cheap, but not always the worst."""
        who = self._worst(extra, count)[1]

        def epsilon(more: int) -> float:
            total = self.totals(extra, more)[who]
            return self._refined(who, total, float(self._convert(total[None, :])[0]), extra, more)

        return epsilon

    def _worst(self, extra: Loss | None, count: int) -> tuple[float, int]:
        totals = self.totals(extra, count)
        if totals.size == 0 or not np.any(totals):
            return 0.0, 0
        coarse = self._convert(totals)
        # A refined figure is never above the coarse one: people are looked at from the dearest down, until no
        # coarse figure is left above the dearest refined one.
        best, who = -1.0, 0
        for looked_at, row in enumerate(map(int, np.argsort(-coarse, kind="stable"))):
            if coarse[row] <= best:
                break
            if looked_at >= self._refinable:
                return float(coarse[row]), row
            refined = self._refined(row, totals[row], float(coarse[row]), extra, count)
            if refined > best:
                best, who = refined, row
        return best, who

    def along(self, extra: Loss, counts: Sequence[int]) -> list[float]:
        """ε of the worst person for each count of a loss, for a chart: refined only where that would show."""
        step = self.theorem.embed(extra)
        rows = np.zeros_like(step)[None, :] if self._empty else self._rows
        with np.errstate(over="ignore"):
            totals = (rows[None, :, :] + np.multiply.outer(np.array(counts), step)[:, None, :]).reshape(-1, len(step))
        figures = self._convert(totals).reshape(len(counts), -1)
        coarse = figures.max(axis=1)
        if self._refinable and self.theorem.looseness > VISIBLE:
            dearest = figures.argmax(axis=1)

            def refined(i: int) -> float:
                who = int(dearest[i])
                return self._refined(who, self.totals(extra, counts[i])[who], float(coarse[i]), extra, counts[i])

            coarse = scaled_down(coarse, refined)
        return [float(value) for value in coarse]

    def within(self, limit: float, extra: Loss | None = None, count: int = 0) -> bool:
        """Whether the worst person stays within a limit on ε: refines only where the coarse figure does not."""
        totals = self.totals(extra, count)
        if totals.size == 0 or not np.any(totals):
            return limit >= 0.0
        coarse = self._convert(totals)
        above = np.flatnonzero(~(coarse <= limit))
        return len(above) <= self._refinable and all(
            self._refined(int(row), totals[row], float(coarse[row]), extra, count) <= limit for row in above
        )

    def coarse_count(self, limit: float, extra: Loss) -> int:
        """The largest count of a loss, up to 10^18, whose unrefined figure stays within a limit: many at a time."""
        step = self.theorem.embed(extra)
        width = max(2, min(64, 200_000 // max(self._rows.size, 1)))
        low, high = 0, MOST
        while high - low > 1:
            if high - low > 1000 * low:
                tried = np.unique(np.geomspace(max(low, 1), high, width + 2).astype(np.int64)[1:-1])
            else:
                tried = np.unique(np.linspace(low, high, width + 2).astype(np.int64)[1:-1])
            tried = tried[(tried > low) & (tried < high)]
            if not tried.size:
                tried = np.array([(low + high) // 2])
            rows = step[None, :] if self._empty else self._rows
            with np.errstate(over="ignore"):
                totals = (rows[None, :, :] if not self._empty else 0) + np.multiply.outer(tried, step)[:, None, :]
            figures = self.theorem.convert(totals.reshape(-1, len(step)), self.target).reshape(len(tried), -1)
            fitting = np.all(figures <= limit, axis=1)
            first = int(np.argmin(fitting)) if not fitting.all() else len(tried)
            low = int(tried[first - 1]) if first else low
            high = int(tried[first]) if first < len(tried) else high
        return low

    def _convert(self, totals: Statistic) -> Floats:
        coarse = self.theorem.convert(totals, self.target)
        spent_nothing = ~np.any(totals.astype(bool), axis=1)
        return np.where(spent_nothing, 0.0, coarse)

    def _refined(self, row: int, total: Statistic, coarse: float, extra: Loss | None, count: int) -> float:
        if not self._refinable:
            return coarse
        if row not in self._persons:
            own: Counter[Loss] = Counter(dict(self.people.common))
            for choice in self._choices[row]:
                own.update(dict(choice.losses))
            self._persons[row] = list(own.items())
        more = [(extra, count)] if extra is not None and count else []
        return self.theorem.refine([*self._persons[row], *more], total, self.target, coarse)

    def delta_spent(self, extra: Loss | None = None, count: int = 0) -> Decimal:
        """The largest δ that the queries of any person spend by themselves."""
        totals = self.totals(extra, count)
        return self.theorem.delta_spent(totals) if totals.size else Decimal(0)

    def exact(self, extra: Loss | None = None, count: int = 0) -> Decimal | None:
        """ε of the worst person as an exact decimal, where the theorem has one."""
        totals = self.totals(extra, count)
        return self.theorem.exact(totals) if totals.size else None

    def rho_spent(self, extra: Loss | None = None, count: int = 0) -> float | None:
        """Σρ of the worst person, where that is what the theorem adds up."""
        totals = self.totals(extra, count)
        return self.theorem.rho_spent(totals) if totals.size else None


def _total(losses: tuple[tuple[Loss, int], ...], vectors: Mapping[Loss, Statistic], size: int) -> Statistic:
    if not losses:
        dtype = object if vectors and next(iter(vectors.values())).dtype == object else np.float64
        return np.zeros(size, dtype=np.float64) if dtype is np.float64 else np.array([0] * size, dtype=object)
    return exact_sum(np.array([vectors[loss] * count for loss, count in losses]))


def _alternatives(
    scheme: str,
    profiles: tuple[Profile, ...],
    vectors: Mapping[Loss, Statistic],
    size: int,
    adjacency: Adjacency,
    looseness: float,
) -> tuple[Statistic | None, tuple[Choice, ...]]:
    """Undominated alternatives of one scheme; None where there are too many pairs to list.

    Where the figure is the converted statistic, a part is dominated if another reaches it in every component. Where it
    is refined further, that says nothing about the refined figures: only a part on which more of every loss ran
    dominates.
    """
    totals = np.array([_total(profile.losses, vectors, size) for profile in profiles])
    measure = _counts(profiles) if looseness else totals
    if adjacency == "add_remove":
        kept = _skyline(measure, list(range(len(profiles))))
        return totals[kept], tuple(Choice(((scheme, profiles[i].part),), profiles[i].losses) for i in kept)
    # A pair's member may be replaced by any part that dominates it, unless that is the other member: two layers of
    # undominated parts are enough.
    copies = [i for i, profile in enumerate(profiles) for _ in range(min(profile.parts, 2))]
    first = _skyline(measure, copies)
    rest = list((Counter(copies) - Counter(first)).elements())
    members = [*first, *_skyline(measure, rest)]
    if len(members) ** 2 > 2 * MOST_COMBINATIONS:
        return None, ()
    pairs = sorted(set(itertools.combinations(sorted(members), 2))) or [(members[0], -1)]
    sums = np.array([totals[a] + totals[b] if b >= 0 else totals[a] for a, b in pairs])
    both_measures = np.array([measure[a] + measure[b] if b >= 0 else measure[a] for a, b in pairs])
    kept = _skyline(both_measures, list(range(len(pairs))))
    found = []
    for a, b in (pairs[k] for k in kept):
        both = Counter(dict(profiles[a].losses))
        if b >= 0:
            both.update(dict(profiles[b].losses))
        places = [(scheme, profiles[i].part) for i in (a, b) if i >= 0]
        found.append(Choice(tuple(places), _ordered(both)))
    return sums[kept], tuple(found)


def _counts(profiles: tuple[Profile, ...]) -> Floats:
    """How often each distinct loss ran on each part."""
    columns: dict[Loss, int] = {}
    for profile in profiles:
        for loss, _ in profile.losses:
            columns.setdefault(loss, len(columns))
    counts = np.zeros((len(profiles), len(columns)))
    for row, profile in enumerate(profiles):
        for loss, count in profile.losses:
            counts[row, columns[loss]] = count
    return counts


def _skyline(measure: Statistic, rows: list[int]) -> list[int]:
    """The rows that no other row reaches in every component; of equal rows one."""
    kept: list[int] = []
    for row in sorted(rows, key=lambda i: (-float(np.sum(measure[i])), i)):
        if not kept or not np.any(np.all(measure[kept] >= measure[row], axis=1)):
            kept.append(row)
    return kept


def _relaxed(
    profiles: tuple[Profile, ...], vectors: Mapping[Loss, Statistic], size: int, adjacency: Adjacency
) -> Statistic:
    """Componentwise maximum over parts, or the sum of the two largest of each component under replace-one."""
    totals = np.array([_total(profile.losses, vectors, size) for profile in profiles])
    if adjacency == "add_remove":
        return np.array([max(column) for column in totals.T], dtype=totals.dtype)
    copies = np.repeat(totals, [min(profile.parts, 2) for profile in profiles], axis=0)
    return np.array([sum(heapq.nlargest(2, column)) for column in copies.T], dtype=totals.dtype)
