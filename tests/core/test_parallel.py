"""Parallel composition: the maximum over people of the converted figure."""

import itertools
import random
from collections import Counter
from decimal import Decimal

import pytest

from dpcore import Place, Spend, Spends, account, losses
from dpcore.losses import Loss
from dpcore.parallel import Composition, People
from dpcore.theorems import THEOREMS, Target


def at(loss: Loss, part: str | None, count: int = 1, scheme: str = "region") -> Spend:
    return Spend(loss, count, None if part is None else Place(scheme, tuple(part.split("|"))))


def pure(epsilon: str) -> Loss:
    return losses.Pure(epsilon)


def test_one_part_counts_under_add_remove_and_two_under_replace_one() -> None:
    quarter = Spends(at(pure("0.25"), part) for part in "abcd")
    assert account(quarter, delta="0", adjacency="add_remove").figures["basic"].epsilon == 0.25
    assert account(quarter, delta="0", adjacency="replace_one").figures["basic"].epsilon == 0.5
    single = Spends([at(pure("0.25"), "a")])
    assert account(single, delta="0", adjacency="replace_one").figures["basic"].epsilon == 0.25


def test_parallel_composition_does_not_need_delta_zero() -> None:
    spends = Spends([at(losses.Approximate("0.5", "1e-6"), "a"), at(losses.Approximate("0.3", "1e-5"), "b")])
    added = account(spends, delta="1e-4", adjacency="add_remove").figures["basic"]
    replaced = account(spends, delta="1e-4", adjacency="replace_one").figures["basic"]
    assert (added.exact, added.delta) == (Decimal("0.5"), Decimal("1e-5"))
    assert (replaced.exact, replaced.delta) == (Decimal("0.8"), Decimal("1.1e-5"))


def test_common_part_is_added_before_converting() -> None:
    spends = Spends(
        [
            at(losses.Gaussian(noise_scale=10, sensitivity=1), "A", 50),
            at(losses.Laplace(epsilon=3), "B"),
            at(losses.Gaussian(noise_scale=5, sensitivity=1), None),
        ]
    )
    got = account(spends, delta="1e-5").figures["rdp"].epsilon
    assert got == pytest.approx(3.761130738, rel=1e-5)


def test_clients_that_hold_their_own_records() -> None:
    rounds = Spends(at(losses.Approximate("0.1", "1e-6"), f"client {i}", 5, "client") for i in range(10))
    figure = account(rounds, delta="1e-4").figures["basic"]
    assert (figure.exact, figure.delta) == (Decimal("0.5"), Decimal("5e-6"))


def test_a_query_on_several_parts_charges_each() -> None:
    spends = Spends([at(pure("0.05"), "1", 40), at(pure("0.3"), "0|1")])
    assert account(spends, delta="0").figures["basic"].exact == Decimal("2.3")


def test_two_schemes_add_to_each_other() -> None:
    spends = Spends(
        [
            at(pure("0.2"), "north"),
            at(pure("0.5"), "south"),
            at(pure("0.3"), "young", scheme="age"),
            at(pure("1"), None),
        ]
    )
    assert account(spends, delta="0").figures["basic"].exact == Decimal("1.8")


def brute_force(spends: Spends, adjacency: str, theorem: str, target: Target) -> float:
    """Convert every person's own multiset by itself and take the largest."""
    schemes: dict[str, set[str]] = {}
    for spend in spends:
        if spend.place:
            schemes.setdefault(spend.place.scheme, set()).update(spend.place.parts)
    choices = []
    for scheme, parts in schemes.items():
        if adjacency == "add_remove" or len(parts) == 1:
            choices.append([((scheme, part),) for part in parts])
        else:
            choices.append([tuple((scheme, p) for p in pair) for pair in itertools.combinations(sorted(parts), 2)])
    worst = 0.0
    for chosen in itertools.product(*choices):
        places = [place for choice in chosen for place in choice]
        own: Counter[Loss] = Counter()
        for spend in spends:
            own[spend.loss] += spend.count * (
                1 if spend.place is None else sum(s == spend.place.scheme and p in spend.place.parts for s, p in places)
            )
        people = People.of(Spends(Spend(loss, count) for loss, count in own.items()), "add_remove")
        worst = max(worst, Composition(THEOREMS[theorem], people, target).epsilon())
    return worst


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("adjacency", ["add_remove", "replace_one"])
def test_against_every_person_one_by_one(seed: int, adjacency: str) -> None:
    draw = random.Random(seed)
    kinds: list[Loss] = [
        losses.Pure("1"),
        losses.Pure("0.1"),
        losses.Approximate("0.1", "6e-7"),
        losses.Laplace(epsilon="0.4"),
        losses.RandomisedResponse("0.7"),
        losses.Gaussian(noise_scale=3, sensitivity=1),
    ]
    spends = Spends(
        at(
            draw.choice(kinds[: draw.choice([4, 6])]),
            draw.choice([None, "a", "b", "c", "d", "a|c"]),
            draw.randint(1, 9),
        )
        if draw.random() < 0.7
        else at(draw.choice(kinds[:5]), draw.choice(["x", "y"]), draw.randint(1, 9), "age")
        for _ in range(draw.randint(1, 14))
    )
    target = Target(Decimal("1e-5"))
    found = account(spends, delta="1e-5", adjacency=adjacency).figures  # type: ignore[arg-type]
    for theorem, figure in found.items():
        if figure.epsilon is not None:
            assert figure.epsilon == pytest.approx(brute_force(spends, adjacency, theorem, target), rel=1e-9), theorem


def test_ranking_parts_by_their_own_epsilon_would_be_too_low() -> None:
    spends = Spends(
        [
            at(pure("1"), "a"),
            at(pure("1"), "b"),
            at(losses.Approximate("0.1", "6e-7"), "c"),
            at(losses.Approximate("0.1", "6e-7"), "d"),
        ]
    )
    got = account(spends, delta="1e-6", adjacency="replace_one").figures
    # The pair (c, d) spends more than the whole δ: no finite ε holds, although a and b have the largest ε.
    assert got["kov35"].epsilon == float("inf")
    assert got["basic"].exact == 2
    assert got["basic"].delta == Decimal("1.2e-6")


def test_many_combinations_are_relaxed_to_an_upper_bound_that_says_so() -> None:
    # Larger ε goes with smaller δ, so that no part dominates another: 40³ combinations are left.
    spends = Spends(
        at(losses.Approximate(f"0.{100 + i}", f"{400 - 10 * i}e-10"), f"p{i:02d}", 1, s)
        for s in ("one", "two", "three")
        for i in range(40)
    )
    figure = account(spends, delta="1e-6").figures["rdp"]
    assert figure.note is not None
    assert "two" in figure.note
    exact = max(
        account(Spends([Spend(losses.Approximate(f"0.{100 + i}", f"{400 - 10 * i}e-10"), 3)]), delta="1e-6")
        .figures["rdp"]
        .epsilon
        or 0
        for i in range(40)
    )
    assert exact <= (figure.epsilon or 0) <= 1.2 * exact


def test_many_parts_with_few_profiles_stay_small() -> None:
    spends = Spends(at(pure("0.1"), f"user {i}", 1 + i % 3, "user") for i in range(5000))
    people = People.of(spends, "add_remove")
    assert len(people.schemes["user"]) == 3
    assert account(spends, delta="1e-6").figures["basic"].exact == Decimal("0.3")
