"""States, findings, alerts, forecast, joint and lifetime loss."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from types import MappingProxyType

import pytest

from dpcore import Place, Spend, Spends, account, losses
from dpcore.evidence import Day, Evidence, Fact, PoolEvidence, RowCounts
from dpcore.findings import KINDS, judge
from dpcore.forecast import exhaustion
from dpcore.joint import joint
from dpcore.losses import Loss
from dpcore.monitor import monitor, pool_status, typical_loss
from dpcore.pools import Dataset, Pool, parse, parse_pool
from dpcore.status import PoolStatus
from dpcore.theorems import THEOREMS, Target, register, unregister
from dpcore.timeline import timeline
from tests.core.times import NOON


def pool(**changes: object) -> Pool:
    table: dict[str, object] = {
        "name": "cardiology",
        "dataset": "admissions",
        "epsilon": "2.0",
        "delta": "1e-6",
        "privacy_unit": "patient",
        "official": "rdp",
    }
    return parse_pool(table | changes)


def spent(*spends: Spend, **more: object) -> PoolEvidence:
    held = Spends(spends)
    kept = {"window": held, "lifetime": held, "recent": tuple(spend.loss for spend in spends)} | more
    return PoolEvidence(**kept)  # type: ignore[arg-type]


def status(declared: Pool, evidence: PoolEvidence, dataset: Dataset | None = None) -> PoolStatus:
    return pool_status(declared, dataset or Dataset(declared.dataset), evidence, NOON)


@pytest.mark.parametrize(
    ("count", "state"), [(1, "ok"), (70, "warning"), (90, "critical"), (100, "exhausted"), (101, "exceeded")]
)
def test_states_by_consumed_share(count: int, state: str) -> None:
    declared = pool(official="basic", epsilon="1")
    assert status(declared, spent(Spend(losses.Pure("0.01"), count))).state == state


def test_a_pool_without_rows_is_ok_and_has_nothing_to_count() -> None:
    empty = status(pool(), PoolEvidence())
    assert empty.state == "ok"
    assert empty.lead is not None
    assert (empty.lead.epsilon, empty.lead.consumed, empty.lead.remaining) == (0.0, 0.0, None)
    assert empty.exhaustion.on is None
    assert not empty.alerts


def test_official_theorem_that_cannot_speak() -> None:
    silent = status(pool(official="basic"), spent(Spend(losses.ZCDP("0.001"), 40)))
    assert silent.leading in ("zcdp", "rdp")
    assert silent.unverified
    assert silent.state == "ok"
    assert [f.kind for f in silent.findings] == ["official_cannot_speak"]
    assert "40 queries declare only ρ" in silent.findings[0].text


def test_a_theorem_that_is_not_installed_cannot_speak_either() -> None:
    numerical = unregister("numerical")
    try:
        absent = status(pool(official="numerical"), spent(Spend(losses.Pure("0.01"))))
        assert absent.unverified
        assert absent.leading is not None
    finally:
        register(numerical)


def test_no_theorem_covers_every_row() -> None:
    mixed = status(pool(official="basic", delta="0"), spent(Spend(losses.ZCDP("0.1")), Spend(losses.Pure("0.1"))))
    # zcdp and rdp speak, but at δ = 0 they are infinite.
    assert mixed.state == "exceeded"


def test_exact_release_is_exceeded() -> None:
    leak = status(pool(), spent(Spend(losses.Exact()), facts=(Fact("exact_release", 1, ("q1",)),)))
    assert leak.state == "exceeded"
    assert "leak" in leak.findings[0].text


@pytest.mark.parametrize("kind", KINDS)
def test_every_finding_is_one_sentence_for_one_row_and_for_many(kind: str) -> None:
    for rows in (1, 7):
        (finding,) = judge([Fact(kind, rows, ("q1",), "detail")])
        assert finding.text.startswith(f"{rows} ")
        assert finding.text.endswith(".")
        assert "  " not in finding.text


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({"parameters": "adaptive", "official": "kov35"}, ["not_adaptive"]),
        ({"parameters": "adaptive", "official": "zcdp"}, ["not_adaptive"]),
        ({"parameters": "adaptive", "official": "zcdp", "delta_reserve": "1e-7"}, []),
        ({"parameters": "adaptive", "official": "rdp", "delta_reserve": "1e-7"}, ["not_adaptive"]),
        ({"parameters": "adaptive", "official": "rdp", "delta_reserve": "1e-7", "order": 16}, []),
        ({"parameters": "adaptive", "official": "basic"}, []),
        ({"delta": "0.002"}, ["weak_delta"]),
        ({"delta": "0.001"}, []),
    ],
)
def test_declarations_that_weaken_the_guarantee(changes: dict[str, object], kinds: list[str]) -> None:
    assert [f.kind for f in status(pool(**changes), PoolEvidence()).findings] == kinds


@pytest.mark.parametrize(("people", "weak"), [(1_000_000, False), (1_000_001, True), (None, False)])
def test_delta_against_the_number_of_people(people: int | None, weak: bool) -> None:
    found = status(pool(), PoolEvidence(), Dataset("admissions", people=people)).findings
    assert bool(found) is weak


def test_adaptive_pools_are_charged_at_what_was_fixed_beforehand() -> None:
    rows = spent(Spend(losses.Laplace(epsilon="0.05"), 100))
    free = status(pool(), rows).figures["rdp"]
    fixed = status(pool(parameters="adaptive", delta_reserve="1e-9", order=64), rows).figures["rdp"]
    assert fixed.adaptive and not free.adaptive
    assert (fixed.epsilon or 0) > (free.epsilon or 0)


def test_typical_query_is_the_upper_median_by_its_own_cost() -> None:
    small, middle, large = losses.Pure("0.01"), losses.Laplace(epsilon="0.02"), losses.Pure("0.5")
    recent = (large, small, middle, small)
    assert typical_loss(pool(), PoolEvidence(recent=recent), Target(Decimal("1e-6"))) == middle
    assert typical_loss(pool(), PoolEvidence(), Target(Decimal("1e-6"))) is None


def days(loss: Loss, counts: list[int]) -> tuple[Day, ...]:
    start = NOON.date() - timedelta(days=len(counts) - 1)
    return tuple(Day(start + timedelta(days=i), Spends([Spend(loss, n)])) for i, n in enumerate(counts) if n)


def runs_out(declared: Pool, loss: Loss, counts: list[int], official: str = "rdp", refresh: date | None = None):  # type: ignore[no-untyped-def]
    held = days(loss, counts)
    return exhaustion(
        declared,
        Spends([Spend(loss, sum(counts))]),
        held,
        theorem=THEOREMS[official],
        target=Target(declared.budget.delta),
        typical=loss,
        today=NOON.date(),
        first=held[0].day,
        refresh=refresh,
    )


def test_basic_runs_out_on_the_day_a_calendar_says() -> None:
    # 28 days of 10 queries at 0.01 are 2.8; of 4.0, 1.2 are left: day 12 still fits nothing more after 120 queries.
    got = runs_out(pool(official="basic", epsilon="4"), losses.Pure("0.01"), [10] * 28, "basic")
    assert got.on == NOON.date() + timedelta(days=12)
    assert got.low is not None and got.low <= got.on


def test_sub_linear_composition_is_not_a_straight_line() -> None:
    loss = losses.Gaussian(noise_scale=60, sensitivity=1)
    counts = [4] * 28
    declared = pool(epsilon="2")
    got = runs_out(declared, loss, counts)
    now = account(Spends([Spend(loss, 112)]), delta="1e-6").figures["rdp"].epsilon or 0
    straight = int((2 - now) / (now / 28))
    assert got.on is not None
    days_left = (got.on - NOON.date()).days
    assert days_left > 1.5 * straight
    after = account(Spends([Spend(loss, 112 + 4 * days_left + 1)]), delta="1e-6").figures["rdp"].epsilon or 0
    before = account(Spends([Spend(loss, 112 + 4 * (days_left - 2))]), delta="1e-6").figures["rdp"].epsilon or 0
    assert before < 2 < after * 1.005


def test_optimal_is_forecast_by_its_own_figure_and_not_by_the_closed_form_above_it() -> None:
    loss = losses.Pure("0.02")
    declared = pool(official="optimal", epsilon="1.5")
    got = runs_out(declared, loss, [6] * 28, "optimal")
    assert got.on is not None and got.low is not None and got.low <= got.on
    days_left = (got.on - NOON.date()).days

    def after(days: int) -> float:
        spends = Spends([Spend(loss, 168 + 6 * days + 1)])
        return account(spends, delta="1e-6").figures["optimal"].epsilon or 0.0

    assert after(days_left - 1) <= 1.5 < after(days_left)


def test_too_little_to_tell_and_refresh_before_the_end() -> None:
    few = runs_out(pool(epsilon="4"), losses.Pure("0.01"), [0] * 27 + [25])
    assert (few.on, few.note) == (None, "too few recent queries to tell")
    soon = NOON.date() + timedelta(days=2)
    refreshed = runs_out(pool(official="basic", epsilon="4"), losses.Pure("0.01"), [10] * 28, "basic", soon)
    assert refreshed.on is None
    assert "refreshes" in (refreshed.note or "")


def test_windows_show_their_own_loss_beside_the_lifetime() -> None:
    loss = losses.Pure("1")
    evidence = PoolEvidence(
        window=Spends([Spend(loss)]),
        lifetime=Spends([Spend(loss, 3)]),
        window_start=datetime(2026, 11, 30, tzinfo=UTC),
        window_end=datetime(2026, 12, 7, tzinfo=UTC),
        recent=(loss,) * 3,
    )
    got = status(pool(official="basic", epsilon="1", window="weekly"), evidence)
    assert got.state == "exhausted"
    assert got.lifetime.pair == (Decimal(3), Decimal(0))
    assert "It refreshes on 7 Dec 2026." in got.alerts[0].text


def test_rejected_rows_make_a_pool_unverified_whatever_its_state() -> None:
    evidence = spent(
        Spend(losses.Pure("0.1")), rows=RowCounts(released=1, rejected=2), facts=(Fact("rejected_rows", 2),)
    )
    got = status(pool(), evidence)
    assert (got.state, got.unverified) == ("ok", True)
    assert [alert.kind for alert in got.alerts] == ["rejected_rows"]


def test_closed_pools_raise_no_budget_alert() -> None:
    full = spent(Spend(losses.Pure("2")))
    assert status(pool(official="basic"), full).alerts
    assert not status(pool(official="basic", closed=True), full).alerts


TABLES = [
    {"name": n, "dataset": "users", "epsilon": "1", "delta": "1e-6", "privacy_unit": "user", "official": o}
    for n, o in (("a", "basic"), ("b", "basic"), ("c", "basic"))
]


def joint_of(evidence: dict[str, PoolEvidence], tables: list[dict[str, object]], **dataset: object):  # type: ignore[no-untyped-def]
    catalogue = parse(tables, [{"name": "users", **dataset}])
    return joint(catalogue.datasets["users"], catalogue.of_dataset("users"), evidence)


def test_pools_over_the_same_people_add_up() -> None:
    held = {name: spent(Spend(losses.Pure("0.5"))) for name in "abc"}
    got = joint_of(held, TABLES)  # type: ignore[arg-type]
    assert (got.epsilon, got.delta, got.theorem) == (1.5, Decimal("3e-6"), "basic")
    assert [f.severity for f in got.findings] == ["warning"]
    assert not joint_of(held, TABLES, epsilon="1.5", delta="1e-5").findings  # type: ignore[arg-type]
    over = joint_of(held, TABLES, epsilon="1.4", delta="1e-5")  # type: ignore[arg-type]
    assert [f.severity for f in over.findings] == ["critical"]


def test_of_disjoint_pools_the_dearest_counts_and_the_others_add_up() -> None:
    held = {
        "a": spent(Spend(losses.Pure("0.5"))),
        "b": spent(Spend(losses.Pure("0.3"))),
        "c": spent(Spend(losses.Pure("0.1"))),
    }
    apart = joint_of(held, TABLES, disjoint=[["a", "b"]])  # type: ignore[arg-type]
    assert (apart.epsilon, apart.delta) == (0.6, Decimal("2e-6"))
    all_apart = joint_of(held, TABLES, disjoint=[["a", "b", "c"]])  # type: ignore[arg-type]
    assert all_apart.epsilon == 0.5
    assert not all_apart.findings
    moving = [table | {"adjacency": "replace_one"} for table in TABLES]
    assert joint_of(held, moving, disjoint=[["a", "b", "c"]]).epsilon == 0.8  # type: ignore[arg-type]
    assert joint_of(held, TABLES, disjoint=[["a", "b"], ["b", "c"]]).epsilon == 0.6  # type: ignore[arg-type]


def test_schemes_of_different_pools_are_different_splits() -> None:
    part = Spend(losses.Pure("0.5"), 1, Place("region", ("north",)))
    other = Spend(losses.Pure("0.4"), 1, Place("region", ("south",)))
    got = joint_of({"a": spent(part), "b": spent(other)}, TABLES)  # type: ignore[arg-type]
    assert got.epsilon == 0.9


def test_units_and_relations_are_never_mixed() -> None:
    mixed = [TABLES[0], TABLES[1] | {"privacy_unit": "device"}]
    got = joint_of({}, mixed)  # type: ignore[arg-type]
    assert got.epsilon is None
    assert "privacy units" in (got.note or "")


def test_joint_loss_counts_all_rows_ever_not_the_window() -> None:
    held = {"a": PoolEvidence(window=Spends(), lifetime=Spends([Spend(losses.Pure("0.7"))]))}
    assert joint_of(held, TABLES[:1]).epsilon == 0.7  # type: ignore[arg-type]


def test_order_of_pools_and_alerts() -> None:
    catalogue = parse(
        [
            {"name": n, "dataset": n, "epsilon": "1", "delta": "0", "privacy_unit": "user", "official": "basic"}
            | ({"closed": True} if n == "closed" else {})
            for n in ("little", "much", "over", "closed")
        ]
    )
    counts = {"little": 1, "much": 8, "over": 11, "closed": 10}
    evidence = {name: spent(Spend(losses.Pure("0.1"), n)) for name, n in counts.items()}
    got = monitor(Evidence(NOON, catalogue, MappingProxyType(evidence), (Fact("rejected_rows", 2),)))
    assert [s.pool.name for s in got.pools] == ["over", "much", "little", "closed"]
    assert [(a.severity, a.pool) for a in got.alerts] == [("critical", "over"), ("critical", None), ("warning", "much")]


def test_timeline_ends_at_the_pools_figure_and_never_falls() -> None:
    loss = losses.Laplace(epsilon="0.03")
    held = days(loss, [3] * 40)
    declared = pool()
    got = timeline(declared, PoolEvidence(days=held))
    final = account(Spends([Spend(loss, 120)]), delta="1e-6").figures
    for name, curve in got.epsilon.items():
        values = [value for value in curve if value is not None]
        assert all(a <= b for a, b in pairwise(values)), name
        assert values[-1] == pytest.approx(final[name].epsilon, rel=2e-3), name
        assert values[-1] >= (final[name].epsilon or 0) * (1 - 1e-12), name


def test_timeline_restarts_with_every_window() -> None:
    loss = losses.Pure("0.1")
    got = timeline(pool(window="weekly", official="basic"), PoolEvidence(days=days(loss, [1] * 15)))
    assert NOON.date().weekday() == 0
    assert got.epsilon["basic"][-1] == pytest.approx(0.1)
    assert got.epsilon["basic"][-2] == pytest.approx(0.7)
    assert NOON.date() in got.refreshes


def test_timeline_with_parts_and_unbounded_losses() -> None:
    north, south = Place("region", ("north",)), Place("region", ("south",))
    held = (
        Day(date(2026, 11, 1), Spends([Spend(losses.Pure("0.5"), 1, north)])),
        Day(date(2026, 11, 2), Spends([Spend(losses.Pure("0.3"), 1, south)])),
        Day(date(2026, 11, 3), Spends([Spend(losses.Gaussian(noise_scale=9, sensitivity=1))])),
    )
    got = timeline(pool(), PoolEvidence(days=held))
    assert got.epsilon["basic"] == [None] * 3
    first, second, third = (value or 0.0 for value in got.epsilon["rdp"])
    assert first == second < third < 2
