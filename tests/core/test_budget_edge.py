"""Spent against budget: exact decimals, remaining queries, consumed shares and states."""

import math
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore import Spend, Spends, account, losses
from dpcore.accountant import Limits, fits
from dpcore.evidence import PoolEvidence
from dpcore.losses import Loss
from dpcore.monitor import pool_status, state_of
from dpcore.parallel import Composition, People
from dpcore.pools import Budget, Dataset, PoolError, parse_pool
from dpcore.status import Figure
from dpcore.theorems import THEOREMS, Target
from tests.core.times import NOON


def basic(budget: str, spends: list[Spend], following: str | None = None, delta: str = "0") -> Figure:
    limit = Budget(Decimal(budget), Decimal(delta))
    next_loss = None if following is None else losses.Pure(following)
    return account(Spends(spends), delta=delta, budget=limit, next_loss=next_loss).figures["basic"]


def state(budget: str, spends: list[Spend], official: str = "basic", **more: object) -> str:
    pool = parse_pool(
        {"name": "p", "dataset": "d", "epsilon": budget, "delta": "0", "privacy_unit": "user", "official": official}
        | more
    )
    evidence = PoolEvidence(window=Spends(spends), lifetime=Spends(spends), recent=tuple(s.loss for s in spends))
    return pool_status(pool, Dataset("d"), evidence, NOON).state


EXACTLY_FULL = [
    ("1.0", "0.1", 10),
    ("1", "0.1111111111111111", 9),
    ("1", "0.09090909090909091", 11),
    ("1", "0.017543859649122806", 57),
]


@pytest.mark.parametrize(("budget", "epsilon", "count"), EXACTLY_FULL)
def test_a_budget_used_in_equal_shares_is_exhausted_and_not_exceeded(budget: str, epsilon: str, count: int) -> None:
    spends = [Spend(losses.Pure(epsilon), count)]
    figure = basic(budget, spends, epsilon)
    assert figure.exact == Decimal(epsilon) * count
    assert figure.remaining == 0
    assert figure.consumed == 1.0
    assert state(budget, spends) == "exhausted"


def test_one_more_is_exceeded() -> None:
    assert state("1", [Spend(losses.Pure("0.1"), 11)]) == "exceeded"
    assert state("1", [Spend(losses.Pure("1")), Spend(losses.Pure("1e-10"))]) == "exceeded"


@pytest.mark.parametrize(
    ("budget", "following", "remaining"), [("8.0", "0.2", 40), ("15.6", "2.6", 6), ("0.3", "0.1", 3), ("1", "0.3", 3)]
)
def test_remaining_is_not_a_float_quotient(budget: str, following: str, remaining: int) -> None:
    assert basic(budget, [], following).remaining == remaining


def test_a_real_shortfall_counts() -> None:
    assert basic("0.6", [Spend(losses.Pure("1e-10"))], "0.2").remaining == 2


def test_parallel_claims_of_a_tutorial() -> None:
    spends = [Spend(losses.Pure("0.3"), 2), Spend(losses.Pure("0.2"))]
    assert basic("1.0", spends, "0.1").remaining == 2


def test_delta_runs_out_before_epsilon() -> None:
    spends = [Spend(losses.Approximate("0.5", "1e-6"), 12)]
    limit = Budget(Decimal(10), Decimal("1e-5"))
    figure = account(Spends(spends), delta="1e-5", budget=limit, next_loss=losses.Approximate("0.5", "1e-6"))
    got = figure.figures["basic"]
    assert (got.exact, got.delta, got.remaining) == (6, Decimal("1.2e-5"), 0)
    assert got.consumed == pytest.approx(1.2, rel=1e-12)
    pool = parse_pool({"name": "p", "dataset": "d", "epsilon": "10", "delta": "1e-5", "privacy_unit": "user"})
    assert state_of(pool, got) == "exceeded"


def test_delta_budget_of_zero_is_only_exceeded_by_delta() -> None:
    assert basic("1", [Spend(losses.Pure("0.1"))]).consumed == pytest.approx(0.1)
    assert basic("1", [Spend(losses.Approximate("0.1", "1e-9"))]).consumed == math.inf


def test_budget_in_rho() -> None:
    limit = Budget(None, Decimal("1e-7"), Decimal("0.0245"))
    seven = Spends([Spend(losses.Gaussian(rho="0.0035"), 7)])
    figure = account(seven, delta="1e-7", budget=limit, next_loss=losses.Gaussian(rho="0.0035")).figures
    assert (figure["zcdp"].consumed, figure["zcdp"].remaining) == (1.0, 0)
    five = Spends([Spend(losses.Gaussian(rho="0.0035"), 5)])
    assert (
        account(five, delta="1e-7", budget=limit, next_loss=losses.Gaussian(rho="0.0035")).figures["zcdp"].remaining
        == 2
    )


def test_delta_of_the_queries_adds_up_or_multiplies_by_theorem() -> None:
    rows = [Spend(losses.Approximate("0.1", delta)) for delta in ("0.01", "0.02", "0.03")]
    found = account(Spends(rows), delta="0.2", budget=Budget(Decimal(50), Decimal("0.2"))).figures
    assert found["basic"].delta == Decimal("0.06")
    # 1 − (1 − 0.05)·Π(1 − δᵢ) = 0.1059607 leaves the slack 0.05 for the advanced theorem at δ = 0.1059607.
    slack = account(Spends(rows), delta="0.1059607").figures["advanced"].epsilon
    alone = account(Spends([Spend(losses.Pure("0.1"), 3)]), delta="0.05").figures["advanced"].epsilon
    assert slack == pytest.approx(alone, rel=1e-6)


def test_selecting_and_measuring_both_cost() -> None:
    assert state("1", [Spend(losses.Exponential("0.5")), Spend(losses.Laplace(epsilon=1))]) == "exceeded"


@pytest.mark.parametrize("order", [1, 1.0, 0.5, True])
def test_an_order_of_one_is_refused(order: object) -> None:
    table = {"name": "p", "dataset": "d", "epsilon": "1", "delta": "1e-6", "privacy_unit": "user", "order": order}
    with pytest.raises(PoolError, match="above 1"):
        parse_pool(table)


def test_average_is_a_sum_and_a_count() -> None:
    assert basic("4", [Spend(losses.Pure("0.5"), 2), Spend(losses.Pure("0.5"), 3)]).exact == Decimal("2.5")


def test_a_budget_of_zero_is_exhausted_from_the_start() -> None:
    assert state("0", [], typical={"mechanism": "pure", "epsilon": "0.1"}) == "exhausted"
    assert basic("0", [], "0.1").remaining == 0


def test_lowering_a_budget_below_what_is_spent() -> None:
    spends = [Spend(losses.Pure("0.2"), 7)]
    figure = basic("1.0", spends, "0.2")
    assert (figure.remaining, figure.consumed, state("1.0", spends)) == (0, 1.4, "exceeded")


def test_eighty_rounds_by_the_plain_sum_and_315_by_rdp() -> None:
    limit = Budget(Decimal(1), Decimal("1e-6"))
    got = account(Spends(), delta="1e-6", budget=limit, next_loss=losses.Pure("0.0125")).figures
    counts = {name: figure.remaining for name, figure in got.items()}
    assert (counts["basic"], counts["rdp"], counts["advanced"]) == (80, 315, 216)
    # Tighter ρ than ε²/2 leaves room for one or two more than the published 311 and 223.
    assert 311 <= (counts["zcdp"] or 0) <= 313
    assert counts["zcdp_simple"] == 223


def test_free_queries_are_unlimited() -> None:
    limit = Budget(Decimal(1), Decimal("1e-6"))
    got = account(Spends(), delta="1e-6", budget=limit, next_loss=losses.PostProcessing()).figures["rdp"]
    assert got.unlimited
    assert got.remaining is None


losses_drawn = st.sampled_from(
    [
        losses.Pure("0.05"),
        losses.Laplace(epsilon="0.3"),
        losses.Approximate("0.1", "1e-8"),
        losses.Gaussian(noise_scale=15, sensitivity=1),
    ]
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.builds(Spend, losses_drawn, st.integers(1, 20)), max_size=4), losses_drawn)
def test_k_fits_and_one_more_does_not(spends: list[Spend], following: Loss) -> None:
    limit = Budget(Decimal("6.5"), Decimal("1e-6"))
    found = account(Spends(spends), delta="1e-6", budget=limit, next_loss=following).figures
    for name, figure in found.items():
        if figure.remaining is None:
            continue
        composition = Composition(THEOREMS[name], People.of(Spends(spends), "add_remove"), Target(Decimal("1e-6")))
        if figure.remaining:
            assert fits(composition, Limits.of(limit), following, figure.remaining), name
        assert not fits(composition, Limits.of(limit), following, figure.remaining + 1), name
