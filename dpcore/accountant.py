"""The accountant: spends × theorem → consumption, remaining queries, curves and solutions."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np

from dpcore.decimals import TOLERANCE, Number, float_down, float_up, literal
from dpcore.losses import Adjacency, Loss, Unspoken
from dpcore.parallel import MOST, VISIBLE, Composition, People
from dpcore.pools import Budget, Pool
from dpcore.spends import Spends
from dpcore.status import Figure
from dpcore.theorems import THEOREMS, Target, Theorem
from dpcore.theorems.zcdp import best_order_epsilon


@dataclass(frozen=True)
class Account:
    """Spends under every registered theorem, in display order."""

    figures: Mapping[str, Figure]
    tightest: str | None


@lru_cache(maxsize=4096)
def budget_epsilon(budget: Budget) -> float:
    """The ε limit; of a budget in ρ, what ρ-zCDP gives at its δ."""
    if budget.epsilon is not None:
        return float_down(budget.epsilon)
    assert budget.rho is not None
    if budget.delta == 0:
        return float("inf")
    if budget.rho == 0:
        return 0.0
    log_delta = np.array([float(budget.delta.ln())])
    return float(best_order_epsilon(np.array([float_up(budget.rho)]), log_delta)[0])


def target_of(pool: Pool) -> Target:
    """The target of a pool's official figure."""
    return Target(pool.budget.delta, pool.parameters == "adaptive", pool.delta_reserve, pool.order)


def fixed_target(theorem: Theorem, target: Target) -> Target:
    """What was fixed beforehand acts only where it makes the theorem a filter; the others assume fixed parameters."""
    return target if theorem.ready_for(target) else Target(target.delta)


def account(
    spends: Spends,
    *,
    delta: Number,
    adjacency: Adjacency = "add_remove",
    group_size: int = 1,
    budget: Budget | None = None,
    next_loss: Loss | None = None,
    target: Target | None = None,
    resolved: bool = False,
    only: str | None = None,
    quick: bool = False,
) -> Account:
    """Consumption of spends at δ under every theorem.

    `budget` adds the consumed shares, `next_loss` the remaining queries of that kind on the whole data. `target`
    replaces `delta` for pools with adaptively chosen parameters. `resolved` says that the losses are already in the
    relation and group size, `only` leaves out all theorems but one, `quick` bounds the
    work as `Composition` says. Figures: `dpcore.status.Figure`.
    """
    aim = target if target is not None else Target(literal(delta))
    if not resolved:
        spends = spends.under(adjacency, group_size)
        next_loss = None if next_loss is None else next_loss.under(adjacency).for_group(group_size)
    people = People.of(spends, adjacency)
    figures = {
        name: _figure(theorem, people, spends, fixed_target(theorem, aim), budget, next_loss, quick)
        for name, theorem in THEOREMS.items()
        if only is None or name == only
    }
    return Account(figures, tightest(figures, aim.delta))


def tightest(figures: Mapping[str, Figure], delta: Decimal) -> str | None:
    """The theorem with the smallest ε; a pair whose own δ is above the pool's does not take part."""
    speaking = [
        (figure.epsilon, i, name)
        for i, (name, figure) in enumerate(figures.items())
        if figure.epsilon is not None and (figure.delta is None or figure.delta <= delta * (1 + TOLERANCE))
    ]
    return min(speaking)[2] if speaking else None


def _figure(
    theorem: Theorem,
    people: People,
    spends: Spends,
    target: Target,
    budget: Budget | None,
    next_loss: Loss | None,
    quick: bool,
) -> Figure:
    adaptive = theorem.ready_for(target)
    try:
        composition = Composition(theorem, people, target, quick=quick)
    except Unspoken:
        return Figure(theorem.name, None, adaptive=adaptive, note=why_silent(theorem, spends))
    epsilon = composition.epsilon()
    own_delta = composition.delta_spent()
    note = None
    if composition.relaxed:
        note = f"upper bound over the combinations of parts of {', '.join(composition.relaxed)}"
    elif composition.unrefined and theorem.looseness > VISIBLE:
        note = "upper bound by a simpler rule: too many kinds of query or of people to compute each exactly here"
    consumed = None if budget is None else consumed_share(composition, budget, epsilon)
    remaining, unlimited = None, False
    if budget is not None and next_loss is not None:
        try:
            remaining = remaining_queries(composition, budget, next_loss)
            unlimited = remaining >= MOST
        except Unspoken as silence:
            note = f"the typical query cannot be counted: such queries {silence.reason}"
    return Figure(
        theorem.name,
        epsilon,
        exact=composition.exact(),
        delta=own_delta if theorem.holds_at_own_delta else target.delta,
        consumed=consumed,
        remaining=None if unlimited else remaining,
        unlimited=unlimited,
        adaptive=adaptive,
        note=note,
    )


def why_silent(theorem: Theorem, spends: Spends) -> str:
    """How many queries the theorem cannot speak about, and why: "40 queries state no (ε, δ)"."""
    counts: Counter[Loss] = Counter()
    for spend in spends:
        counts[spend.loss] += spend.count
    reasons: Counter[str] = Counter()
    for loss, count in counts.items():
        try:
            theorem.embed(loss)
        except Unspoken as silence:
            reasons[silence.reason] += count
    return "; ".join(_who_does(count, why) for why, count in reasons.items())


def _who_does(count: int, reason: str) -> str:
    if count != 1:
        return f"{count:,} queries {reason}"
    verb, rest = reason.split(" ", 1)
    return f"1 query {verb}s {rest}"


def consumed_share(composition: Composition, budget: Budget, epsilon: float) -> float:
    """The larger of the ε share (ρ share, for a budget in ρ) and the δ share; within 1e-12 of 1 they are 1."""
    rho, exact = composition.rho_spent(), composition.exact()
    if budget.rho is not None and rho is not None:
        share = _share(rho, budget.rho)
    elif budget.epsilon is not None:
        share = _share(epsilon if exact is None else exact, budget.epsilon)
    else:
        share = _share(epsilon, Decimal(repr(budget_epsilon(budget))))
    return max(share, _share(composition.delta_spent(), budget.delta))


def _share(spent: Decimal | float, limit: Decimal) -> float:
    if spent == 0:
        return 0.0
    if limit == 0 or spent == float("inf"):
        return float("inf")
    share = float(spent / limit) if isinstance(spent, Decimal) else spent / float(limit)
    return 1.0 if abs(share - 1.0) <= TOLERANCE else share


@dataclass(frozen=True)
class Limits:
    """A budget as the numbers that spent is compared with, the tolerance included."""

    epsilon: float
    delta: Decimal
    exact: Decimal | None
    rho: float | None

    @classmethod
    @lru_cache(maxsize=4096)
    def of(cls, budget: Budget, tolerance: Decimal = TOLERANCE) -> "Limits":
        """The limits of a budget, to a relative tolerance."""
        allowance = 1 + tolerance
        return cls(
            budget_epsilon(budget) * float(allowance),
            budget.delta * allowance,
            None if budget.epsilon is None else budget.epsilon * allowance,
            None if budget.rho is None else float(budget.rho * allowance),
        )


def fits(composition: Composition, limits: Limits, loss: Loss | None = None, count: int = 0) -> bool:
    """Whether the spends with `count` more of a loss stay within the limits."""
    if composition.delta_spent(loss, count) > limits.delta:
        return False
    rho = composition.rho_spent(loss, count)
    if limits.rho is not None and rho is not None:
        return rho <= limits.rho
    exact = composition.exact(loss, count)
    if limits.exact is not None and exact is not None:
        return exact <= limits.exact
    return composition.within(limits.epsilon, loss, count)


def remaining_queries(composition: Composition, budget: Budget, loss: Loss) -> int:
    """The largest k such that k more of the loss on the whole data fit, up to 10^18. Raises Unspoken."""
    composition.theorem.embed(loss)
    limits = Limits.of(budget)
    if not fits(composition, limits) or (budget.epsilon == 0 or budget.rho == 0):
        return 0
    guess = composition.coarse_count(limits.epsilon, loss)
    if composition.theorem.looseness and not composition.unrefined:
        guess = _refined_guess(composition, limits.epsilon, loss, guess)
    return largest_count(lambda k: fits(composition, limits, loss, k), guess)


def _refined_guess(composition: Composition, limit: float, loss: Loss, low: int) -> int:
    """A count near the largest that stays within a limit: a few secant steps on the refined figure.

    ε grows roughly like a power of the count, so the steps are taken in logarithms.
    """
    here, there = max(low, 1), max(low + max(low // 8, 1), 2)
    epsilon = composition.of_worst(loss, here)
    at_here, at_there = epsilon(here), epsilon(there)
    for _ in range(6):
        if at_here == at_there or min(at_here, at_there) <= 0.0 or math.isinf(max(at_here, at_there)):
            break
        power = math.log(at_there / at_here) / math.log(there / here)
        ahead = math.log(limit / at_there) / power if power > 0.0 else 0.0
        following = min(max(int(there * math.exp(min(max(ahead, -3.0), 3.0))), 1), MOST)
        here, at_here = there, at_there
        if following == there:
            break
        there, at_there = following, epsilon(following)
    return min(here, there) if max(at_here, at_there) > limit else max(here, there)


def largest_count(fitting: Callable[[int], bool], guess: int = 0) -> int:
    """The largest k ≤ 10^18 with fitting(k), for a monotone condition that holds at 0: k fits and k + 1 does not.

    A good guess saves work; a bad one costs no correctness.
    """
    low, step = (guess, 1) if guess and fitting(guess) else (0, 1)
    high = low + 1
    while fitting(high):
        if high >= MOST:
            return MOST
        low, step = high, step * 4
        high = min(low + step, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fitting(middle) else (low, middle)
    return low


def curve(
    base: Spends, loss: Loss, counts: Sequence[int], *, delta: Number, adjacency: Adjacency = "add_remove"
) -> dict[str, list[float | None]]:
    """ε of base + k·loss for every k, under every theorem, within 0.5%; None where a theorem cannot speak."""
    people = People.of(base.under(adjacency), adjacency)
    following = loss.under(adjacency)
    answer: dict[str, list[float | None]] = {}
    for name, theorem in THEOREMS.items():
        try:
            composition = Composition(theorem, people, Target(literal(delta)), quick=True)
            answer[name] = list(composition.along(following, counts))
        except Unspoken:
            answer[name] = [None] * len(counts)
    return answer
